// Calls of deprecated operations: counted by key, written to the store, and listed by `petstore deprecations`.
import t from "tap";
import { formatDeprecations } from "../../src/cli/commands/deprecations.ts";
import { toDay } from "../../src/lib/time.ts";
import { readDocument } from "../../src/pets/document.ts";
import { listDeprecatedOperations } from "../../src/status/deprecations.ts";
import { petstore } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { editDocument, setOperation } from "../support/document.ts";
import { openPetStore } from "../support/pets.ts";
import { addKey, start } from "../support/service.ts";
import { tamper } from "../support/stores.ts";
import { until } from "../support/wait.ts";

const day = 86_400_000; // milliseconds
const toDate = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The values that `daysLeft` may have: the day may end before the command looks at the clock. */
const daysLeft = (sunset: Date) => {
  const left = Math.ceil((sunset.getTime() - Date.now()) / day);
  return [left, left - 1];
};

t.test("Lists the deprecated operations of the document", async (t) => {
  const url = await stores.sqlite(t);
  await (await openPetStore(url)).close();
  const { status, stdout, stderr } = await petstore({ DATABASE_URL: url }, ["deprecations"]);
  t.match({ status, stderr }, { status: 0, stderr: "" });
  const [heads, ...rows] = stdout.split("\n");
  t.match(heads, /^OPERATION +SUNSET +DAYS LEFT +USE INSTEAD +CALLS IN 30 DAYS$/);
  const { operations } = await readDocument();
  const deprecated = operations.filter(({ deprecation }) => deprecation);
  t.equal(rows.length, deprecated.length + 1);
  for (const { id, deprecation: { sunset, successor = "" } = {} } of deprecated) {
    const left =
      sunset &&
      `${toDate(sunset.getTime())} +(${daysLeft(sunset)
        .map((days) => days.toLocaleString("en"))
        .join("|")})`;
    t.match(stdout, new RegExp(`^${id} +${left ?? "not set"} +${successor} +0$`, "m"));
  }
});

t.test("Counts the calls of each key", async (t) => {
  const url = await stores.sqlite(t);
  const store = await openPetStore(url);
  const { call, app } = await start(t, { store });
  const [alice, bob] = [await addKey(store, "alice"), await addKey(store, "bob")];
  const today = toDate(Date.now());
  for (const path of ["/v1/pets/1", "/v1/pets/x", "/v1/pets/1?a=b"]) await call("GET", path, { key: alice });
  await call("GET", "/v1/pets/1", { key: bob });
  await call("GET", "/v1/pets", { key: bob });
  await call("GET", "/v1/pets/1", { key: "psk_wrong" });
  await store.keys.revoke("bob");

  const list = async (...args: string[]) => (await petstore({ DATABASE_URL: url }, ["deprecations", ...args])).stdout;
  const json = await until(
    async () => /^.*"calls": 4.*$/ms.exec(await list("--json"))?.[0],
    () => "the calls are not in the store",
  );
  const { operations } = await readDocument();
  const { sunset, successor } = operations.find(({ id }) => id === "getPet")?.deprecation ?? {};
  const listed = JSON.parse(json).find(({ operation }: { operation: string }) => operation === "getPet");
  t.match(listed, {
    sunset: toDate((sunset as Date).getTime()),
    successor,
    calls: 4,
    keys: [
      { name: "alice", calls: 3 },
      { name: "bob", calls: 1 },
    ],
  });
  t.ok(daysLeft(sunset as Date).some((days) => days === listed.daysLeft || days + 1 === listed.daysLeft));
  const last = listed.keys.map(({ last }: { last: string }) => last);
  for (const date of last) t.ok(date === today || date === toDate(Date.now()), date);
  t.match(await list(), new RegExp(`^getPet +alice  3 +${last[0]}\\ngetPet +bob +1 +${last[1]}$`, "m"));
  await app.close();
  await store.close();
});

t.test("Retries writing the calls that can't be written", async (t) => {
  const url = await stores.sqlite(t);
  const store = await openPetStore(url);
  const { call, logs, app } = await start(t, { store });
  await tamper(url, "ALTER TABLE deprecated_calls RENAME TO away");
  for (let n = 0; n < 2; n++) await call("GET", "/v1/pets/1");
  await until(
    () => logs.find(({ msg }) => msg === "failed to write calls of deprecated operations: will retry"),
    () => JSON.stringify(logs),
  );
  await call("GET", "/v1/pets/1");
  await tamper(url, "ALTER TABLE away RENAME TO deprecated_calls");
  await app.close(); // which writes the calls that are not written yet
  t.match(await store.deprecated.list(0n), [{ operation: "getPet", count: 3n }]);
  await store.close();
});

t.test("Sorts by sunset, and counts the calls of 30 days", async (t) => {
  const text = editDocument(
    setOperation("listPets", { deprecated: true, "x-deprecated-since": "2026-11-20" }),
    setOperation("createPet", { deprecated: true, "x-deprecated-since": "2026-11-20", "x-sunset": "2027-06-01" }),
  );
  const ids = ["createPet", "getPet", "listPets"];
  const operations = (await readDocument(text)).operations.filter(({ id }) => ids.includes(id));
  const sunset = operations.find(({ id }) => id === "getPet")?.deprecation?.sunset as Date;
  const store = await openPetStore("sqlite::memory:");
  const now = Date.UTC(2027, 5, 3);
  const call = (key: string, ago: bigint, count: bigint, operation = "getPet") => ({
    operation,
    key,
    day: toDay(now) - ago,
    count,
  });
  const calls = [
    call("a", 30n, 100n),
    call("a", 29n, 1n),
    call("a", 3n, 2n),
    call("b", 0n, 9n),
    call("", 1n, 1n),
    call("a", 0n, 1n, "gone"),
  ];
  await store.deprecated.add(calls, 0n);
  const listed = await listDeprecatedOperations(operations, store.deprecated, now);
  t.same(
    listed.map(({ operation, sunset, daysLeft, calls }) => [operation, sunset, daysLeft, calls]),
    [
      ["createPet", "2027-06-01", -2, 0],
      ["getPet", toDate(sunset.getTime()), (sunset.getTime() - now) / day, 13],
      ["listPets", null, null, 0],
    ],
  );
  t.same(listed[1]?.keys, [
    { name: "b", calls: 9, last: "2027-06-03" },
    { name: "a", calls: 3, last: "2027-05-31" },
    { name: "", calls: 1, last: "2027-06-02" },
  ]);
  await store.close();
});

t.test("Formats deprecated operations and their calls as tables", async (t) => {
  const since = "2026-11-20";
  t.equal(formatDeprecations([], process.stdout), "No operation is deprecated.");
  const getPet = { operation: "getPet", since, sunset: "2030-12-05", daysLeft: 1_476, successor: "/pets" };
  t.equal(
    formatDeprecations([{ ...getPet, calls: 0, keys: [] }], process.stdout),
    [
      "OPERATION  SUNSET      DAYS LEFT  USE INSTEAD  CALLS IN 30 DAYS",
      "getPet     2030-12-05  1,476      /pets        0",
    ].join("\n"),
  );
  const listPets = { operation: "listPets", since, sunset: null, daysLeft: null, successor: null };
  t.equal(
    formatDeprecations(
      [{ ...listPets, calls: 1_472, keys: [{ name: "", calls: 1_472, last: "2026-11-21" }] }],
      process.stdout,
    ),
    [
      "OPERATION  SUNSET   DAYS LEFT  USE INSTEAD  CALLS IN 30 DAYS",
      "listPets   not set                          1,472",
      "",
      "OPERATION  KEY       CALLS IN 30 DAYS  LAST CALL",
      "listPets   (no key)  1,472             2026-11-21",
    ].join("\n"),
  );
});
