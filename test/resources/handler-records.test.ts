// The records of a store for handlers: within a scope, valid, and completed.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer, HttpError } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const param = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`;
const text = documentOf(
  `  /bikes:
    post: { operationId: addBike, ${body(ref("NewBike"))}, ${ok(ref("Bike"), 201)} }
  /bikes/{bikeId}:
    parameters: [${param("bikeId")}]
    get: { operationId: getBike, ${ok(ref("Bike"))} }
    delete: { operationId: removeBike, responses: { 204: { description: x } } }
  /bikes/{bikeId}/repairs:
    parameters: [${param("bikeId")}]
    get: { operationId: listRepairs, parameters: [{ name: limit, in: query, schema: { type: integer, default: 5 } }, { name: state, in: query, schema: { type: string } }], ${ok(`{ type: array, items: ${ref("Repair")} }`)} }
    post: { operationId: addRepair, ${body(ref("Repair"))}, ${ok(ref("Repair"), 201)} }
  /bikes/{bikeId}/repairs/{repairId}:
    parameters: [${param("bikeId")}, ${param("repairId")}]
    get: { operationId: getRepair, ${ok(ref("Repair"))} }
  /bikes/{bikeId}/repairs/{repairId}/complete:
    parameters: [${param("bikeId")}, ${param("repairId")}]
    post: { operationId: completeRepair, ${ok(ref("Repair"))} }
`,
  `components:
  schemas:
    NewBike: { type: object, required: [name], properties: { name: { type: string } } }
    Bike: { type: object, required: [id, name, createdAt], properties: { id: { type: string, format: uuid, readOnly: true }, name: { type: string }, createdAt: { type: string, format: date-time, readOnly: true } } }
    Repair: { type: object, required: [id, state], properties: { id: { type: string, format: uuid, readOnly: true }, state: { type: string, enum: [open, done], default: open }, hours: { type: number }, closedAt: { type: string, format: date-time } } }
`,
);

type Repair = { id: string; state: string };

/** Serves the document with the handlers of an application. */
async function serve(t: Test) {
  const store = openStore("sqlite::memory:");
  const repairsOf = (bikeId: string) => store.records<Repair, object>("bikes_bikeId_repairs", bikeId);
  const app = await createServer({
    document: parse(text),
    resources: store,
    logger: pino({ level: "silent" }),
    docs: false,
    mock: true,
    handlers: {
      async completeRepair({ params }: { params: { bikeId: string; repairId: string } }) {
        const repair = await repairsOf(params.bikeId).change(params.repairId, (repair) => ({
          ...repair,
          state: "done",
        }));
        if (repair === undefined) throw new HttpError({ code: "not_found", status: 404 }, "No such repair.");
        return { status: 200, body: repair };
      },
    } as never,
  });
  t.teardown(() => app.close());
  const send = async (method: "GET" | "POST" | "DELETE", url: string, payload?: object) => {
    const response = await app.inject({ method, url, ...(payload && { payload }) });
    return { status: response.statusCode, body: response.payload === "" ? undefined : response.json() };
  };
  return { store, send, repairsOf };
}

t.test("A handler has the records of one scope, by their ids", async (t) => {
  const { send, repairsOf } = await serve(t);
  const [first, second] = [
    (await send("POST", "/bikes", { name: "A" })).body.id,
    (await send("POST", "/bikes", { name: "B" })).body.id,
  ];
  const { id } = (await send("POST", `/bikes/${first}/repairs`, { state: "open" })).body;
  t.match(await send("POST", `/bikes/${first}/repairs/${id}/complete`), { status: 200, body: { id, state: "done" } });
  t.match(await send("POST", `/bikes/${second}/repairs/${id}/complete`), { status: 404 });
  const created = await repairsOf(second).create({ state: "open" });
  t.match(created, { state: "open", id: /^[0-9a-f-]{36}$/ });
  const own = created.id;
  t.match(await send("GET", `/bikes/${second}/repairs/${own}`), { status: 200, body: { id: own } });
  t.match(await repairsOf(second).find(own), { id: own });
  t.equal(await repairsOf(first).find(own), undefined);
  t.same((await repairsOf(first).list({ limit: 5 })).records, [{ id, state: "done" }]);
  t.equal(await repairsOf(first).count({ state: "done" }), 1n);
  t.equal(await repairsOf(second).count({ state: "done" }), 0n);
  const given = "0b0fd6a5-5d31-4f0b-9f2f-6f1c2a0b4a11";
  t.same(await repairsOf(second).put(given, () => ({ state: "open" })), { id: given, state: "open" });
  t.match((await send("GET", `/bikes/${second}/repairs/${given}`)).body, { id: given });
  t.equal(await repairsOf(second).remove(given, () => false), undefined);
  t.match(await repairsOf(second).remove(given), { id: given });
  t.equal(await repairsOf(second).remove(given), undefined);
  t.equal(await repairsOf(second).change(given, () => ({ state: "done" })), undefined);
  t.match(await send("GET", `/bikes/${second}/repairs/${given}`), { status: 404 });
});

t.test("A handler asks for records by their members, in an order, also of all parents", async (t) => {
  const { store, send } = await serve(t);
  const repairs = store.records<Repair & { hours?: number; closedAt?: string }, object>("bikes_bikeId_repairs");
  for (const name of ["A", "B"]) {
    const { id } = (await send("POST", "/bikes", { name })).body;
    for (const hours of [3, 20, 7])
      await send("POST", `/bikes/${id}/repairs`, { state: hours > 5 ? "done" : "open", hours });
  }
  const hoursOf = async (query: object) => {
    const { records } = await repairs.list({ limit: 9, scope: "all", ...query });
    return records.map(({ hours }) => hours);
  };
  t.same(await hoursOf({ orderBy: ["-hours"] }), [20, 20, 7, 7, 3, 3]);
  t.same(await hoursOf({ where: { hours: { gt: 3, lt: 20 }, state: "done" } }), [7, 7]);
  t.same(await hoursOf({ where: { state: { in: ["open"] } }, limit: 1 }), [3]);
  t.same(await hoursOf({ where: { state: { not: "done" } }, filter: { state: "open" } }), [3, 3]);
  t.same(
    await hoursOf({ where: { state: "done" }, filter: { state: "open" } }),
    [],
    "a filter and a condition both hold",
  );
  t.equal(await repairs.count({ state: { startsWith: "DO", ignoresCase: true } }, "all"), 4n);
  t.equal(await repairs.count({ closedAt: null }, "all"), 6n);
  await t.rejects(repairs.list({ limit: 1 }), /are those of \/bikes\/\{bikeId\}\/repairs.*scope: "all"/);
  await t.rejects(repairs.create({ state: "open" }), /scope: "all"/);
  await t.rejects(repairs.removeBelow("", 9), /scope: "all"/);
  await t.rejects(
    repairs.count({ color: "red" } as never, "all"),
    /has no member color\. It has: id, state, hours, closedAt/,
  );
  await t.rejects(repairs.count({ hours: { over: 1 } } as never, "all"), /no operator over\. There are: eq, not, in/);
});

t.test("A record that is removed has none below it any more", async (t) => {
  const { store, send, repairsOf } = await serve(t);
  const { id } = (await send("POST", "/bikes", { name: "A" })).body;
  await send("POST", `/bikes/${id}/repairs`, { state: "open" });
  t.equal(await repairsOf(id).count(), 1n);
  await store.records("bikes").remove(id);
  t.equal(await repairsOf(id).count(), 0n);
});

t.test("Only valid records are written, and new ones are completed", async (t) => {
  const { store, send, repairsOf } = await serve(t);
  const bikes = store.records<{ id: string }>("bikes");
  const created = await bikes.create({ name: "A" });
  t.match(created, { name: "A", createdAt: /^\d{4}-/ });
  await t.rejects(
    bikes.create({ name: 5 }),
    /A record of bikes does not match its schema: its property name must be a string/,
  );
  const { id } = created;
  await t.rejects(
    bikes.change(id, () => ({ name: "B" })),
    /it must have the field 'createdAt'/,
  );
  await t.rejects(
    repairsOf("x").put("0b0fd6a5-5d31-4f0b-9f2f-6f1c2a0b4a11", () => ({ state: "lost" })),
    /state must be one of/,
  );
  t.match((await send("GET", `/bikes/${id}`)).body, { name: "A" });
  t.equal(await repairsOf("x").count(), 0n);
});

t.test("A new record keeps the id that it has, and no other record has it", async (t) => {
  const { store, send } = await serve(t);
  const id = "0b0fd6a5-5d31-4f0b-9f2f-6f1c2a0b4a11";
  const bikes = store.records("bikes");
  t.match(await bikes.create({ id, name: "A" }), { name: "A", id });
  t.match((await send("GET", `/bikes/${id}`)).body, { id, name: "A" });
  await t.rejects(bikes.create({ id, name: "B" }), /Another record of bikes has the id 0b0fd6a5/);
  await t.rejects(bikes.create({ id: "x", name: "B" }), /its property id must have the format uuid/);
});

t.test("The name of a collection and its scope must be those of the document", async (t) => {
  const { store } = await serve(t);
  t.throws(
    () => store.records("repairs"),
    /no collection repairs\. Its collections are: bikes, bikes_bikeId_repairs\./,
  );
  t.throws(() => store.records("bikes", "x"), /below no others: records\("bikes"\)/);
  t.throws(() => store.records("bikes_bikeId_repairs", "a", "b"), /records\("bikes_bikeId_repairs", bikeId\)/);
});
