// Numbers in queries, paths and bodies: plain decimal digits in parameters, and int64 without rounding.
import fc from "fast-check";
import t from "tap";
import { parse } from "yaml";
import { documentText } from "../../support/files.ts";
import { minimalPet, start } from "../../support/service.ts";

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const { parameters } = parse(documentText).paths["/pets"].get;

const service = await start(t);
const create = (digits: string) => service.call("POST", "/v1/pets", { json: `{"name":"x","categoryId":${digits}}` });

t.test("Rejects query parameters that are not plain decimal text, unknown or repeated", async (t) => {
  const rejects = async (query: string, message: RegExp) =>
    t.match(
      await service.call("GET", `/v1/pets?${query}`),
      { status: 400, body: { code: "invalid_parameter", message } },
      `rejects ?${query}`,
    );
  for (const text of [
    "0x10",
    "1e1",
    "1.0",
    "05",
    "%2B5",
    "+5",
    "%205",
    "5%20",
    "",
    "-0",
    "5;status=sold",
    "%zz",
    "%D9%A5",
    "9".repeat(40),
  ])
    await rejects(`limit=${text}`, /limit' must be/);
  await rejects("limit=5&limit=5", /limit' must be given once, not 2 times/);
  await rejects("status=sold&status=sold", /status' must be given once/);
  const known = parameters.map(({ name }: { name: string }) => name).join(", ");
  await rejects("stauts=sold", new RegExp(`unknown query parameter 'stauts'\\. Known query parameters: ${known}`));
  await rejects("__proto__=1", /unknown query parameter '__proto__'/);
  await rejects("status=", /status' must be one of/);
  t.match(await service.call("GET", "/v1/pets/1?x=1"), {
    status: 400,
    body: { message: /unknown query parameter 'x'\. No query parameters are allowed/ },
  });
  t.match(await service.call("GET", "/v1/pets?limit=%35"), { status: 200 }, "accepts a percent-encoded digit");
});

t.test("Responds with 400 if petId is not an int64, and with 404 if no pet has it", async (t) => {
  const { id } = await service.create(minimalPet);
  for (const id of [
    "abc",
    "1.0",
    "0x1",
    "01",
    "+1",
    "%201",
    "-0",
    "%zz",
    "%ff",
    "%00",
    "9223372036854775808",
    "-9223372036854775809",
    "9".repeat(5000),
  ])
    t.match(
      await service.call("GET", `/v1/pets/${id}`),
      { status: 400, body: { code: "invalid_parameter", message: /petId' must be an integer/ } },
      id.slice(0, 30),
    );
  for (const missing of ["0", "-1", BigInt(id) + 1n, "9007199254740993", int64.max, int64.min])
    t.match(
      await service.call("GET", `/v1/pets/${missing}`),
      { status: 404, body: { code: "pet_not_found" } },
      String(missing),
    );
  t.match(await service.call("GET", `/v1/pets/%3${id}`), { status: 200 }, "accepts a percent-encoded digit");
});

t.test("Keeps int64 exact over its whole range", async (t) => {
  for (const digits of ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0"]) {
    const { status, text } = await create(digits);
    t.equal(status, 201);
    t.match(text, `"categoryId":${digits}}`);
    const id = /"id":(\d+)/.exec(text)?.[1];
    t.equal((await service.call("GET", `/v1/pets/${id}`)).text, text, "getPet returns the same text");
  }
  for (const [digits, value] of [
    ["1.0", "1"],
    ["1e2", "100"],
    ["-0", "0"],
    ["0.0e5", "0"],
    ["9223372036854775807.0", "9223372036854775807"],
    ["922337203685477580.7E+1", "9223372036854775807"],
  ] as const)
    t.match(await create(digits), { status: 201, text: new RegExp(`"categoryId":${value}}`) }, `${digits} is ${value}`);
  for (const digits of [
    "9223372036854775808",
    "-9223372036854775809",
    "1e19",
    "1e400",
    "1e999999999",
    "9".repeat(60_000),
    "1.5",
    "1.00000000000000000001",
    "1e-400",
    "9007199254740992.5",
  ])
    t.match(await create(digits), { status: 400, body: { code: "invalid_body" } }, `rejects ${digits.slice(0, 30)}`);
});

t.test("Returns any int64 unchanged, and rejects any integer beyond the range", async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt(int64), async (value) => {
      const { status, text } = await create(String(value));
      return status === 201 && text.endsWith(`"categoryId":${value}}`);
    }),
    { numRuns: 300 },
  );
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: int64.min * 4n, max: int64.max * 4n }), async (value) => {
      const inside = value >= int64.min && value <= int64.max;
      return (
        (await create(String(value))).status === (inside ? 201 : 400) &&
        (await service.call("GET", `/v1/pets/${value}`)).status !== (inside ? 400 : 404)
      );
    }),
    { numRuns: 300 },
  );
});

t.test("Parses numbers of 60,000 digits in linear time", async (t) => {
  const before = process.cpuUsage();
  for (const digits of [
    `1${"0".repeat(60_000)}1`,
    `1${"0".repeat(60_000)}`,
    `0.${"0".repeat(60_000)}1`,
    `1e${"9".repeat(60_000)}`,
  ])
    for (let n = 0; n < 10; n++) t.match(await create(digits), { status: 400 });
  // CPU time, so that other processes do not count. A quadratic parser needs more than 1 s for each of the 40.
  const { user, system } = process.cpuUsage(before);
  t.ok(user + system < 5_000_000, `${(user + system) / 1e6} s of CPU time`);
});
