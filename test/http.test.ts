// What the interface leaves open, as decided: each decision and each known trap.

import { once } from "node:events";
import { connect } from "node:net";
import { buffer as readBuffer, text as readText } from "node:stream/consumers";
import fc from "fast-check";
import t from "tap";
import { parse } from "yaml";
import { notImplemented, Unavailable } from "../src/errors.ts";
import { handlers } from "../src/handlers.ts";
import type { Pet } from "../src/store/store.ts";
import { documentText, edit } from "./support/files.ts";
import { addKey, start } from "./support/service.ts";

const least = { name: "Tom", categoryId: 3 };
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

t.test("parameters are plain decimal text, known, and given once", async (t) => {
  const service = await start(t);
  const refused = async (query: string, message: RegExp) =>
    t.match(
      await service.call("GET", `/v1/pets?${query}`),
      { status: 400, body: { code: "invalid_parameter", message } },
      `refused: ?${query}`,
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
    await refused(`limit=${text}`, /limit' must be/);
  await refused("limit=5&limit=5", /limit' must be given once, not 2 times/);
  await refused("status=sold&status=sold", /status' must be given once/);
  await refused("stauts=sold", /unknown query parameter 'stauts'; known are: limit, status, cursor/);
  await refused("__proto__=1", /unknown query parameter '__proto__'/);
  await refused("status=", /status' must be one of/);
  t.match(await service.call("GET", "/v1/pets/1?x=1"), {
    status: 400,
    body: { message: /unknown query parameter 'x'; it takes none/ },
  });
  t.match(await service.call("GET", "/v1/pets?limit=%35"), { status: 200 }, "an escaped digit is that digit");
});

t.test("petId is an int64: 400 where it is none, 404 where no pet has it", async (t) => {
  const service = await start(t);
  await service.create(least);
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
  for (const id of ["0", "-1", "2", "9007199254740993", "9223372036854775807", "-9223372036854775808"])
    t.match(await service.call("GET", `/v1/pets/${id}`), { status: 404, body: { code: "pet_not_found" } }, id);
  t.match(await service.call("GET", "/v1/pets/%31"), { status: 200 });
});

t.test("int64 is exact, digit for digit, over its whole range", async (t) => {
  const service = await start(t);
  const send = (digits: string) => service.call("POST", "/v1/pets", { json: `{"name":"x","categoryId":${digits}}` });
  for (const digits of ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0"]) {
    const { status, text } = await send(digits);
    t.equal(status, 201);
    t.match(text, `"categoryId":${digits}}`);
    const id = /"id":(\d+)/.exec(text)?.[1];
    t.equal((await service.call("GET", `/v1/pets/${id}`)).text, text, "the same text read back");
  }
  for (const [digits, value] of [
    ["1.0", "1"],
    ["1e2", "100"],
    ["-0", "0"],
    ["0.0e5", "0"],
    ["9223372036854775807.0", "9223372036854775807"],
    ["922337203685477580.7E+1", "9223372036854775807"],
  ] as const)
    t.match(
      await send(digits),
      { status: 201, text: new RegExp(`"categoryId":${value}}`) },
      `${digits} is the integer ${value}`,
    );
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
    t.match(await send(digits), { status: 400, body: { code: "invalid_body" } }, `refused: ${digits.slice(0, 30)}`);

  await fc.assert(
    fc.asyncProperty(fc.bigInt(int64), async (value) => {
      const { status, text } = await send(String(value));
      return status === 201 && text.endsWith(`"categoryId":${value}}`);
    }),
    { numRuns: 300 },
  );
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: int64.min * 4n, max: int64.max * 4n }), async (value) => {
      const inside = value >= int64.min && value <= int64.max;
      return (
        (await send(String(value))).status === (inside ? 201 : 400) &&
        (await service.call("GET", `/v1/pets/${value}`)).status !== (inside ? 400 : 404)
      );
    }),
    { numRuns: 300 },
  );
});

t.test("no number is costly", async (t) => {
  const service = await start(t);
  const began = Date.now();
  for (const digits of [
    `1${"0".repeat(60_000)}1`,
    `1${"0".repeat(60_000)}`,
    `0.${"0".repeat(60_000)}1`,
    `1e${"9".repeat(60_000)}`,
  ])
    for (let n = 0; n < 10; n++)
      t.match(await service.call("POST", "/v1/pets", { json: `{"name":"x","categoryId":${digits}}` }), { status: 400 });
  t.ok(Date.now() - began < 5_000, "a quadratic reading takes more than a second for each");
});

t.test("any text of Unicode but NUL comes back as it was", async (t) => {
  const service = await start(t);
  const max = 1000;
  for (const name of [
    "",
    "x".repeat(max),
    "🐕".repeat(max),
    '\u2028\u2029\u007f\u0001"\\/',
    "\ufeff",
    "é e\u0301",
    "__proto__",
  ]) {
    const { id } = await service.create({ name, categoryId: 1 });
    t.equal(((await service.call("GET", `/v1/pets/${id}`)).body as Pet).name, name);
  }
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (name) => {
      const { status, body } = await service.call("POST", "/v1/pets", { json: { name, categoryId: 1 } });
      return name.includes("\0") ? status === 400 : status === 201 && (body as Pet).name === name;
    }),
    { numRuns: 300 },
  );
  for (const [body, message] of [
    [`{"name":"${"x".repeat(max + 1)}","categoryId":1}`, /name' must have at most 1000 characters/],
    ['{"name":"a\\u0000b","categoryId":1}', /name' must be text of Unicode without NUL/],
    ['{"name":"\\ud83d","categoryId":1}', /half of a surrogate pair/],
    ['{"name":"x","categoryId":1,"\\udc00":1}', /half of a surrogate pair/],
    [Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('","categoryId":1}')]), /UTF-8/],
    [Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('","categoryId":1}')]), /UTF-8/],
    [`\ufeff${JSON.stringify(least)}`, /must not begin with a byte order mark/],
  ] as const)
    t.match(
      await service.call("POST", "/v1/pets", { body, headers: { "content-type": "application/json" } }),
      { status: 400, body: { code: "invalid_body", message } },
      String(message),
    );
  t.equal((await service.call("GET", "/v1/pets?limit=100")).headers.link === undefined, false, "all of this was kept");
});

t.test("bodies are strict", async (t) => {
  const service = await start(t);
  const post = (body: string | undefined, headers: Record<string, string> = {}) =>
    service.call("POST", "/v1/pets", {
      ...(body !== undefined && { body }),
      headers: { "content-type": "application/json", ...headers },
    });
  for (const body of [
    "",
    " ",
    "{",
    "nul",
    '{"name":"x","categoryId":1,}',
    "{'name':'x'}",
    `${JSON.stringify(least)}x`,
    "NaN",
    '{"name":"x","categoryId":01}',
    "[".repeat(30_000),
  ])
    t.match(await post(body), { status: 400, body: { code: "invalid_body" } }, `refused: ${body.slice(0, 30)}`);
  for (const shift of ["", "x"])
    for (const body of ["FACES", '{"name":"FACES" x}', '{"name":"x","categoryId":1,"FACES":1}']) {
      const { body: answer } = await post(body.replace("FACES", `${shift}${"\u{1f600}".repeat(40)}`));
      t.ok(
        (answer as { message: string }).message.isWellFormed(),
        "what a message quotes is not cut within a character",
      );
    }
  t.match(await post(`${"[".repeat(30_000)}${"]".repeat(30_000)}`), {
    status: 400,
    body: { message: /nested too deeply/ },
  });
  for (const twice of [
    '{"name":"a","name":"b","categoryId":1}',
    '{"name":"a","categoryId":1,"x":[{"a":1,"\\u0061":2}]}',
  ])
    t.match(await post(twice), { status: 400, body: { message: /same name twice/ } }, twice);
  t.match(await post('{"name":"\\"a\\":","categoryId":1}'), { status: 201 }, "a text that looks like a field is none");
  t.match(await post(JSON.stringify(least), { "content-encoding": "Identity" }), { status: 201 });
  for (const charset of ["utf-16", "iso-8859-1", "utf-88"])
    t.match(await post(JSON.stringify(least), { "content-type": `application/json; charset=${charset}` }), {
      status: 415,
      body: { message: /UTF-8/ },
    });
  for (const field of ["__proto__", "constructor", "id", "Name", "x".repeat(9_000)])
    t.match(await post(`{"name":"x","categoryId":1,"${field}":{}}`), {
      status: 400,
      body: { message: new RegExp(`unknown field '${field.slice(0, 50)}`) },
    });
  t.match(await post(JSON.stringify({ ...least, name: "x".repeat(65_536) })), {
    status: 413,
    body: { code: "content_too_large", message: /at most 65536 bytes/ },
  });
  t.match(
    await post(`${JSON.stringify(least)}${" ".repeat(65_536 - JSON.stringify(least).length)}`),
    { status: 201 },
    "65,536 bytes are accepted",
  );
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "application/problem+json",
    "nonsense",
    "text/plain; application/json",
  ])
    t.match(
      await post(JSON.stringify(least), { "content-type": type }),
      { status: 415, body: { code: "unsupported_media_type", message: /Content-Type: application\/json/ } },
      type,
    );
  t.match(
    await service.call("POST", "/v1/pets", { body: JSON.stringify(least) }),
    { status: 415 },
    "no media type at all",
  );
  t.match(await post(JSON.stringify(least), { "content-encoding": "gzip" }), {
    status: 415,
    body: { message: /Content-Encoding: gzip/ },
  });
  t.match(await post(JSON.stringify(least), { "content-type": "application/json; charset=utf-8" }), { status: 201 });
  t.match(await post(JSON.stringify(least), { "content-type": "APPLICATION/JSON" }), { status: 201 });
  t.match(await post(JSON.stringify(least), { "content-encoding": "identity" }), { status: 201 });
});

t.test("credentials come first", async (t) => {
  const service = await start(t);
  const strangers: [string, string, object][] = [
    ["GET", "/v1/pets?limit=0", {}],
    ["GET", "/v1/pets?stauts=1", {}],
    ["GET", "/v1/pets/abc", {}],
    ["GET", "/v1/pets/%zz", {}],
    ["HEAD", "/v1/pets", {}],
    ["POST", "/v1/pets", { json: "{" }],
    ["POST", "/v1/pets", { body: "x", headers: { "content-type": "text/plain" } }],
    ["POST", "/v1/pets", { body: "x".repeat(100_000), headers: { "content-type": "application/json" } }],
    ["POST", "/v1/pets", { headers: { "idempotency-key": "" } }],
  ];
  for (const [method, path, call] of strangers) {
    const answer = await service.call(method, path, { ...call, key: null });
    t.match(answer, { status: 401, headers: { "www-authenticate": 'Bearer realm="petstore"' } }, `${method} ${path}`);
  }
  const challenge = async (authorization: string) => {
    const { status, headers } = await service.call("GET", "/v1/pets", { key: null, headers: { authorization } });
    return [status, headers["www-authenticate"]?.includes('error="invalid_token"')];
  };
  t.same(await challenge("Basic eDp5"), [401, false], "another scheme is no bearer credential");
  t.same(await challenge("Bearer"), [401, false]);
  t.same(await challenge("Bearer psk_nope"), [401, true]);
  t.same(await challenge(`Bearer ${service.key}x`), [401, true]);
  t.same(await challenge(`Bearer ${service.key} x`), [401, true]);
  t.same(await challenge(`bearer  ${service.key}`), [200, undefined], "the scheme's name is in any case (RFC 9110)");

  const other = await addKey(service.store, "other");
  const line = (key?: string) =>
    `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${key === undefined ? "" : `Authorization: Bearer ${key}\r\n`}\r\n`;
  const shown = [
    service.key,
    "psk_wrong",
    undefined,
    other,
    service.key,
    `${service.key}\r\nAuthorization: Bearer ${other}`,
  ];
  t.same(
    (await service.raw(shown.map(line).join(""))).map(({ status }) => status),
    [200, 401, 401, 200, 200, 401],
    "each request of a connection by its own key, and by one",
  );
  t.match(
    service.logs
      .filter(({ msg }) => msg === "answered")
      .slice(-6)
      .map(({ key }) => key),
    [/^test-/, undefined, undefined, "other", /^test-/, undefined],
  );

  const expired = await addKey(service.store, "expired", new Date(Date.now() - 1));
  t.match(await service.call("GET", "/v1/pets", { key: expired }), { status: 401, body: { message: /has expired/ } });
  const short = await addKey(service.store, "short", new Date(Date.now() + 60_000));
  t.match(await service.call("GET", "/v1/pets", { key: short }), { status: 200 });
  await service.store.keys.revoke("short");
  t.match(
    await service.call("GET", "/v1/pets", { key: short }),
    { status: 401, body: { message: /is not valid/ } },
    "a revocation holds at once",
  );
});

t.test("pages by Link", async (t) => {
  const service = await start(t);
  const made: bigint[] = [];
  for (let n = 0; n < 45; n++)
    made.push(BigInt((await service.create({ ...least, ...(n % 2 && { status: "sold" }) })).id));
  const follow = async (path: string) => {
    const pages: Pet[][] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const { status, headers, body } = await service.call("GET", next);
      t.equal(status, 200);
      pages.push(body as Pet[]);
      next = /^<([^>]*)>; rel="next"$/.exec(headers.link ?? "")?.[1];
    }
    return pages;
  };
  const pages = await follow("/v1/pets");
  t.same(
    pages.map((page) => page.length),
    [20, 20, 5],
  );
  t.same(
    pages.flat().map((pet) => BigInt(pet.id)),
    made,
    "each pet once, in order of id",
  );
  t.same(
    (await follow("/v1/pets?limit=15")).map((page) => page.length),
    [15, 15, 15],
    "no empty page at the end",
  );
  const sold = (await follow("/v1/pets?status=sold&limit=7")).flat();
  t.ok(sold.length === 22 && sold.every((pet) => pet.status === "sold"), "the filter stays");
  t.match(
    (await service.call("GET", "/v1/pets")).headers.link,
    /^<\/v1\/pets\?limit=20&cursor=[\w-]{32}>; rel="next"$/,
  );

  const cursor = /cursor=([\w-]+)/.exec(
    (await service.call("GET", "/v1/pets?limit=5&status=sold")).headers.link as string,
  )?.[1] as string;
  const flip = (at: number) => cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1);
  for (const query of [
    `cursor=${cursor}`,
    `status=available&cursor=${cursor}`,
    `status=sold&cursor=${flip(3)}`,
    `status=sold&cursor=${flip(20)}`,
    `status=sold&cursor=${cursor}A`,
    `status=sold&cursor=${cursor}%3D`,
    "cursor=",
    "cursor=5",
    "cursor=%zz",
  ])
    t.match(await service.call("GET", `/v1/pets?${query}`), { status: 400, body: { code: "invalid_cursor" } }, query);
  t.match(
    await service.call("GET", `/v1/pets?status=sold&cursor=${cursor}&limit=3`),
    { status: 200 },
    "another limit is welcome",
  );
  t.match(await service.call("GET", `/v1/pets?cursor=${"A".repeat(201)}`), {
    status: 400,
    body: { code: "invalid_parameter" },
  });

  const foreign = await start(t);
  t.match(
    await foreign.call("GET", `/v1/pets?status=sold&cursor=${cursor}`),
    { status: 400, body: { code: "invalid_cursor" } },
    "a cursor of another store",
  );
});

t.test("Idempotency-Key", async (t) => {
  const service = await start(t);
  const post = (key: string | string[], json: unknown = least, caller = service.key) =>
    service.call("POST", "/v1/pets", { json, key: caller, headers: { "idempotency-key": key } });
  const count = async () => ((await service.call("GET", "/v1/pets?limit=100")).body as Pet[]).length;

  const first = await post("a");
  t.match(await post("a"), { status: 201, text: first.text }, "the same key and body get the first answer again");
  t.match(await post('"a"'), { status: 201, text: first.text }, "quoted or bare, it is the same key");
  t.match(
    await post("a", '{ "categoryId": 3.0, "name": "\\u0054om" }'),
    { status: 201, text: first.text },
    "the same body in another notation",
  );
  t.equal(await count(), 1);
  t.match(await post("a", { ...least, categoryId: 4 }), { status: 422, body: { code: "idempotency_key_reused" } });
  t.match(await post("a", { ...least, status: "sold" }), { status: 422 });
  t.match(await post("a", {}), { status: 400 }, "an invalid body is refused as ever");
  t.equal(await count(), 1);
  const other = await addKey(service.store, "other");
  t.not((await post("a", least, other)).text, first.text, "another caller's keys are its own");
  t.equal(await count(), 2);

  const race = await Promise.all(Array.from({ length: 20 }, () => post("race")));
  t.equal(new Set(race.map(({ status, text }) => `${status} ${text}`)).size, 1, "20 at once get one answer");
  t.equal(await count(), 3, "and make one pet");

  for (const key of [
    "x".repeat(255),
    `"${"y".repeat(255)}"`,
    '"with space, comma and \\"quotes\\" and \\\\"',
    "!#$%&'*+-.^_`|~:/?@[]{}()<>=;",
  ])
    t.match(await post(key), { status: 201 }, key.slice(0, 50));
  for (const key of [
    "",
    "x".repeat(256),
    `"${"y".repeat(256)}"`,
    '""',
    '"open',
    'a"b',
    "two words",
    "a,b",
    ["a", "b"],
    "é",
    '"a\\b"',
  ])
    t.match(
      await post(key),
      { status: 400, body: { code: "invalid_parameter", message: /Idempotency-Key' must be 1 to 255/ } },
      `refused: ${String(key).slice(0, 50)}`,
    );
});

t.test("deprecation follows from the document alone", async (t) => {
  const service = await start(t);
  const { id } = await service.create(least);
  const expected = {
    deprecation: `@${Date.UTC(2026, 10, 20) / 1000}`,
    sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
    link: '</docs#/Pets/getPet>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
  };
  for (const [path, call, status] of [
    [`/v1/pets/${id}`, {}, 200],
    ["/v1/pets/0", {}, 404],
    ["/v1/pets/x", {}, 400],
    [`/v1/pets/${id}`, { key: null }, 401],
  ] as const)
    t.match(await service.call("GET", path, call), { status, headers: expected }, `on ${status}`);
  t.equal((await service.call("GET", "/v1/pets")).headers.deprecation, undefined);

  const list = await start(t, {
    document: edit(documentText, [
      "operationId: listPets",
      "operationId: listPets\n      deprecated: true\n      x-sunset: 2031-01-01",
    ]),
    settings: { BASE_URL: "https://pets.example/shop/v1" },
  });
  await list.create(least);
  await list.create(least);
  const { headers } = await list.call("GET", "/v1/pets?limit=1");
  const released = Date.parse(parse(documentText).info["x-released"]) / 1000;
  t.equal(headers.deprecation, `@${released}`, "without a date of its own: since the version's release");
  t.match(
    headers.link,
    /^<https:\/\/pets.example\/shop\/docs#\/Pets\/listPets>; rel="deprecation"; type="text\/html", <https:\/\/pets.example\/shop\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
    "its links and the page's are in one list",
  );
});

t.test("methods and paths", async (t) => {
  const service = await start(t);
  const { id } = await service.create(least);
  for (const [method, path, allow] of [
    ["DELETE", "/v1/pets", "GET, HEAD, POST"],
    ["PUT", `/v1/pets/${id}`, "GET, HEAD"],
    ["OPTIONS", "/v1/pets", "GET, HEAD, POST"],
    ["PROPFIND", "/v1/pets", "GET, HEAD, POST"],
    ["TRACE", "/v1/pets/x", "GET, HEAD"],
    ["DELETE", "/v1/p%65ts", "GET, HEAD, POST"],
    ["DELETE", "/docs/", "GET, HEAD"],
    ["POST", "/healthz", "GET, HEAD"],
    ["POST", "/openapi.json", "GET, HEAD"],
  ] as const)
    t.match(
      await service.call(method, path, { key: null }),
      { status: 405, headers: { allow }, body: { code: "method_not_allowed" } },
      `${method} ${path}`,
    );
  for (const path of [
    "/v1/pets/",
    `/v1/pets/${id}/`,
    "/v1",
    "/v1/",
    "/pets",
    "/v1/PETS",
    "/v1//pets",
    "/v2/pets",
    "/nope?x=%zz",
    "/%zz",
    "/docs/static/nope",
    "/v1/store/orders",
  ])
    t.match(await service.call("GET", path, { key: null }), { status: 404, body: { code: "path_not_found" } }, path);
  t.match(
    await service.call("POST", "/nope", { key: null, body: "{", headers: { "content-type": "application/json" } }),
    { status: 404 },
    "the body of a lost request is not judged",
  );
  t.match(await service.call("POST", "/nope", { key: null, body: "x", headers: { "content-type": "text/plain" } }), {
    status: 404,
  });
  const get = await service.call("GET", `/v1/pets/${id}`);
  const head = await service.call("HEAD", `/v1/pets/${id}`);
  t.match(
    head,
    { status: 200, text: "", headers: { "content-length": get.headers["content-length"] } },
    "HEAD follows GET",
  );
  t.match(await service.call("HEAD", "/v1/pets/0"), { status: 404, text: "" });
});

t.test("malformed HTTP gets the one shape, too", async (t) => {
  const service = await start(t);
  const get = "GET /v1/pets HTTP/1.1\r\n";
  const authorized = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`;
  const post = `POST /v1/pets HTTP/1.1\r\n${authorized}Content-Type: application/json\r\n`;
  const cases: [string, string, number, string][] = [
    ["no HTTP", "hello\r\n\r\n", 400, "malformed_request"],
    ["a method of no one", "BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["no version", "GET /v1/pets\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["HTTP/9.9", "GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["no Host", `${get}\r\n`, 400, "malformed_request"],
    ["two Hosts", `${get}Host: x\r\nHost: y\r\n\r\n`, 400, "malformed_request"],
    ["a target that is none", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 404, "path_not_found"],
    ["a fragment", "GET /v1/pets#x HTTP/1.1\r\nHost: x\r\n\r\n", 404, "path_not_found"],
    ["headers over 16 KB", `${get}Host: x\r\nX: ${"y".repeat(17_000)}\r\n\r\n`, 431, "headers_too_large"],
    ["a bad chunk", `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, "malformed_request"],
    [
      "two lengths",
      `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "malformed_request",
    ],
    ["CONNECT", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request"],
  ];
  for (const [name, bytes, status, code] of cases) {
    const answers = await service.raw(bytes);
    t.match(answers, [{ status, body: { code, status } }], name);
    t.equal(answers.length, 1);
  }
  t.match(
    await service.raw(`GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${service.key}\r\n\r\n`),
    [{ status: 200 }],
    "HTTP/1.0 needs no Host",
  );
  t.match(
    await service.raw(
      `${post}Expect: the-impossible\r\nContent-Length: ${JSON.stringify(least).length}\r\n\r\n${JSON.stringify(least)}`,
    ),
    [{ status: 201 }],
    "an unknown Expect is passed over",
  );
  t.match(
    await service.raw(`GET http://x/v1/pets HTTP/1.1\r\n${authorized}\r\n`),
    [{ status: 200 }],
    "absolute-form (RFC 9112)",
  );
  t.match(await service.raw(`DELETE http://x/v1/pets HTTP/1.1\r\n${authorized}\r\n`), [{ status: 405 }]);
  const two = await service.raw(`${get}${authorized}\r\n${get}Host: x\r\nConnection: close\r\n\r\n`);
  t.match(two, [{ status: 200 }, { status: 401 }], "two requests in one packet get two answers, in order");
});

t.test("malformed bytes never get into another answer", async (t) => {
  const service = await start(t);
  const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`;
  const body = JSON.stringify(least);
  const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  t.match(
    await service.raw(`${post}garbage\r\n\r\n`),
    [{ status: 201 }, { status: 400 }],
    "the answer before it comes first",
  );

  const get = `GET /v1/pets HTTP/1.1\r\n${head}\r\n`;
  const chunk = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
  for (const bad of [chunk, "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"])
    t.match(
      await service.raw(post + get + bad),
      [{ status: 201 }, { status: 200 }, { status: 400 }],
      "answers keep the order of their requests",
    );
  const chunked = chunk.replace("zz", `2\r\n{}\r\n0\r\n`);
  const behind: [string, string][] = [
    ["no JSON", post.replace(body, `${"x".repeat(body.length)}`)],
    ["too large", post.replace(body, " ".repeat(70_000)).replace(/(?<=Length: )\d+/, "70000")],
    ["no key", chunked.replace(service.key, "x")],
    ["no such path", chunked.replace("pets", "cats")],
  ];
  for (const [name, refused] of behind)
    t.match(
      (await service.raw(refused + post)).map(({ status }) => status >= 400),
      [true, false],
      `${name}: what was sent behind it is answered`,
    );
  const upgrade = `GET /healthz HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
  t.match(
    await service.raw(upgrade),
    [{ status: 200, headers: { connection: "close" } }],
    "who asks to upgrade is not left to wait for more",
  );

  // An answer has begun, and its reader is slow.
  const interrupt = async (headers: string, bytes: string) => {
    const socket = connect(service.port, "127.0.0.1");
    socket.write(`GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\n${head}${headers}\r\n`);
    await once(socket, "readable");
    socket.write(bytes);
    const received = await readBuffer(socket);
    const start = received.indexOf("\r\n\r\n") + 4;
    const length = Number(/content-length: (\d+)/i.exec(String(received.subarray(0, start)))?.[1]);
    return { rest: String(received.subarray(start + length)) };
  };
  t.match(await interrupt("", "garbage\r\n\r\n"), { rest: /^HTTP\/1\.1 400 / }, "it is finished first");
  const cut = await interrupt("Transfer-Encoding: chunked\r\n", "zz\r\n");
  t.equal(cut.rest, "", "or nothing follows, where its own request is the malformed one");
});

t.test("a body is asked for and read only after the credentials", async (t) => {
  const service = await start(t);
  const body = JSON.stringify(least);
  const head = (key: string, length: number | string) =>
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${typeof length === "number" ? `Content-Length: ${length}` : "Transfer-Encoding: chunked"}\r\n`;
  const patient = (key: string) => `${head(key, body.length)}Expect: 100-continue\r\nConnection: close\r\n\r\n${body}`;
  t.match(await service.raw(patient("psk_no")), [{ status: 401 }], "no leave to send it");
  const socket = connect(service.port, "127.0.0.1").end(patient(service.key));
  t.match(await readText(socket), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
  const old = patient(service.key).replace("HTTP/1.1", "HTTP/1.0");
  t.match(await service.raw(old), [{ status: 201 }], "HTTP/1.0 knows no leave");
  const large = `${head(service.key, 70_000)}Expect: 100-continue\r\n\r\n`;
  t.match(await service.raw(large, "more"), [{ status: 413 }], "what would be refused is not asked for");
  for (const length of [2_000_000, "chunked"])
    t.match(
      await service.raw(`${head("psk_no", length)}\r\n`, "more"),
      [{ status: 401, headers: { connection: "close" } }],
      "nor is it drained without end",
    );
  t.match(await service.raw(`${head("psk_no", 1000)}Connection: keep-alive\r\n\r\n`, "more"), [
    { status: 401, headers: { connection: "keep-alive" } },
  ]);
});

t.test("all clocks of a connection are set", async (t) => {
  const { app } = await start(t);
  const { timeout, keepAliveTimeout, headersTimeout, requestTimeout } = app.server;
  t.same(
    { timeout, keepAliveTimeout, headersTimeout, requestTimeout },
    { timeout: 120_000, keepAliveTimeout: 72_000, headersTimeout: 15_000, requestTimeout: 30_000 },
  );
});

t.test("clients that break off or take for ever harm nobody", async (t) => {
  const service = await start(t);
  const begin = (bytes: string) => {
    const socket = connect(service.port, "127.0.0.1");
    socket.write(bytes);
    return socket;
  };
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n`;
  for (const bytes of [
    `${head}Content-Length: 100\r\n\r\n{`,
    `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{`,
    "GET /v1/pe",
  ]) {
    const socket = begin(bytes);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.resetAndDestroy();
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.match(await service.call("GET", "/v1/pets"), { status: 200, body: [] });
  t.same(
    service.logs.filter(({ level }) => Number(level) > 30),
    [],
    "that is no fault of the service",
  );

  Object.assign(service.app.server, { headersTimeout: 100, requestTimeout: 200 });
  for (const bytes of ["GET /v1/pets HTTP/1.1\r\nHost:", `${head}Content-Length: 100\r\n\r\n{`]) {
    const answer = await readText(begin(bytes));
    t.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    t.match(answer, /"code":"request_timeout"/);
  }
});

t.test("an operation whose handler is not written yet is a 501", async (t) => {
  const unwritten = async () => {
    throw notImplemented("listPets");
  };
  const { call } = await start(t, { handlers: { ...handlers, listPets: unwritten } });
  t.match(await call("GET", "/v1/pets"), {
    status: 501,
    body: { code: "not_implemented", message: "The operation listPets is not written yet.", status: 501 },
  });
});

t.test("a fault of the service is a 500 that tells nothing", async (t) => {
  const service = await start(t, {
    handlers: {
      ...handlers,
      listPets: async () => ({ status: 200, body: [{ id: "secret" }] }),
      createPet: async () => ({ status: 201, body: {} }),
      getPet: async () => {
        throw new Error("secret");
      },
    },
  });
  const fault = Object.assign(new Error("secret"), { statusCode: 404 });
  const posing = await start(t, { handlers: { ...handlers, listPets: () => Promise.reject(fault) } });
  t.match(
    await posing.call("GET", "/v1/pets"),
    { status: 500, body: { code: "internal_error" } },
    "an error that poses as an answer is none",
  );
  t.ok(posing.logs.some(({ level }) => level === 50));
  for (const [method, path] of [
    ["GET", "/v1/pets/1"],
    ["GET", "/v1/pets"],
    ["POST", "/v1/pets"],
  ] as const) {
    const answer = await service.call(method, path, method === "POST" ? { json: least } : {});
    t.match(answer, { status: 500, body: { code: "internal_error" } });
    t.notMatch(answer.text, /secret/);
    t.ok(
      service.logs.some((line) => line.reqId === answer.headers["x-request-id"] && line.level === 50),
      "it is in the log under the request's id",
    );
  }
});

t.test("the log has one line for each request, with its id and the key's name, and never a key", async (t) => {
  const service = await start(t);
  const { headers } = await service.call("POST", "/v1/pets?x=secret", { json: { name: "secret" } });
  await service.call("GET", "/v1/pets", { key: "psk_secret" });
  await service.raw("secret\r\n\r\n");
  await service.call("GET", "/v1/pets/psk_secret");
  await service.call("GET", "/psk_secret?psk_secret");
  const lines = service.logs.filter((line) => line.reqId === headers["x-request-id"]);
  t.match(lines, [
    { method: "POST", path: "/v1/pets", operation: "createPet", key: /^test-/, status: 400, ms: Number },
  ]);
  t.equal(lines.length, 1);
  t.notMatch(JSON.stringify(service.logs), /secret|psk_\w/);
});

t.test("around the interface", async (t) => {
  const service = await start(t);
  const open = (path: string, headers = {}) => service.call("GET", path, { key: null, headers });
  t.match(await open("/healthz"), { status: 200, body: { status: "ok" } });
  for (const [path, headers] of [
    ["/docs/static/%00", {}],
    ["/docs/static/%2e%2e/package.json", {}],
    ["/docs/static/logo.svg", { range: "bytes=9999999-" }],
    ["/docs/static/logo.svg", { "if-match": '"x"' }],
  ] as const)
    t.match(await open(path, headers), { status: 404, body: { code: "path_not_found" } }, path);
  t.match(await open("/readyz"), { status: 200 });
  const { store } = service;
  const check = async () => {
    throw new Unavailable("The store is gone.");
  };
  const broken = await start(t, { store: { ...store, check } });
  t.match(await broken.call("GET", "/readyz", { key: null }), {
    status: 503,
    headers: { "retry-after": "1" },
    body: { code: "unavailable" },
  });
  t.match(await broken.call("GET", "/healthz", { key: null }), { status: 200 });
  t.match(await open("/"), { status: 302, headers: { location: "/docs" } });
  t.match(await open("/docs"), { status: 200, headers: { "content-security-policy": /script-src 'self';/ } });
  t.notMatch((await open("/docs")).headers["content-security-policy"], /upgrade-insecure-requests/);
  t.match((await open("/docs")).headers, { "x-frame-options": "SAMEORIGIN", "origin-agent-cluster": "?1" });
  t.match((await open("/healthz")).headers, { "x-content-type-options": "nosniff", "x-frame-options": "DENY" });
  for (const [path, type] of [
    ["/openapi.json", "application/json"],
    ["/openapi.yaml", "application/yaml"],
    ["/.well-known/api-catalog", 'application/linkset\\+json; profile="[^"]*"$'],
  ] as const) {
    const { status, headers } = await open(path);
    t.match(
      { status, headers },
      {
        status: 200,
        headers: {
          "content-type": new RegExp(type),
          "access-control-allow-origin": "*",
          "cache-control": "no-cache",
          "cross-origin-resource-policy": "cross-origin",
          etag: /^"[\w-]+"$/,
        },
      },
    );
    for (const tag of [headers.etag, `W/${headers.etag}`, `"x", ${headers.etag}`, "*"])
      t.match(
        await open(path, { "if-none-match": tag }),
        { status: 304, text: "", headers: { etag: headers.etag } },
        `${path} is known as ${tag}`,
      );
    t.match(await open(path, { "if-none-match": '"x"' }), { status: 200 });
  }
  t.equal(
    (await service.call("GET", "/v1/pets")).headers["access-control-allow-origin"],
    undefined,
    "CORS is for the document alone",
  );
});

t.test("a program that knows one address finds the document and the documentation", async (t) => {
  const service = await start(t);
  const links = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"';
  const link = async (method: string, path: string, key?: null) =>
    (await service.call(method, path, key === null ? { key } : {})).headers.link;
  t.equal(await link("GET", "/", null), links, "from the root");
  t.equal(await link("HEAD", "/", null), links);
  t.equal(await link("GET", "/v1/pets", null), links, "from a refusal");
  t.equal(await link("GET", "/v1", null), links, "from a path that nothing is at");
  t.equal(await link("DELETE", "/v1/pets", null), links, "from a method that the path does not have");
  t.equal(await link("GET", "/v1/pets"), undefined, "not on the answers that the interface gives");
  t.match(await link("GET", "/v1/pets/42"), new RegExp(`rel="deprecation".*, ${links}$`), "beside other links");

  const read = async ({ call }: typeof service) =>
    JSON.parse((await call("GET", "/.well-known/api-catalog", { key: null })).text);
  const catalog = (root: string) => ({
    linkset: [
      { anchor: `${root}/.well-known/api-catalog`, item: [{ href: `${root}/v1` }] },
      {
        anchor: `${root}/v1`,
        "service-desc": [
          { href: `${root}/openapi.json`, type: "application/json" },
          { href: `${root}/openapi.yaml`, type: "application/yaml" },
        ],
        "service-doc": [{ href: `${root}/docs`, type: "text/html" }],
        status: [{ href: `${root}/readyz`, type: "application/json" }],
      },
    ],
  });
  t.same(await read(service), catalog(""));
  t.equal(await link("HEAD", "/.well-known/api-catalog", null), '</.well-known/api-catalog>; rel="api-catalog"');
  const known = await start(t, { settings: { BASE_URL: "https://a.example/shop/v1" } });
  for (const path of ["/healthz", "/docs"]) {
    const secured = async ({ call }: typeof service) =>
      (await call("GET", path, { key: null })).headers["strict-transport-security"];
    t.equal(await secured(service), undefined, "not where clients may come without TLS (RFC 6797, section 7.2)");
    t.match(await secured(known), /^max-age=\d{8}/);
  }
  t.same(await read(known), catalog("https://a.example/shop"));
  t.match((await known.call("GET", "/", { key: null })).headers.link, "<https://a.example/shop/openapi.json>");
});
