// Records below another one that it has as a member, too: the member shows them as they are.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ok = (schema: string, status = 200) =>
  `responses: { ${status}: { description: x, headers: { ETag: { schema: { type: string } } }, ${json(schema)} }, 304: { description: x } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const inPath = (...names: string[]) =>
  `parameters: [${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: integer } }`)}]`;
const body = (name: string) => `requestBody: { required: true, ${json(ref(name))} }`;

const documentWith = (recordId: string, type: string) =>
  documentOf(
    `  /zones:
    get: { operationId: listZones, ${ok(`{ type: array, items: ${ref("Zone")} }`)} }
    post: { operationId: addZone, ${body("Zone")}, ${ok(ref("Zone"), 201)} }
  /zones/{zone}:
    ${inPath("zone")}
    get: { operationId: getZone, ${ok(ref("Zone"))} }
    put: { operationId: putZone, ${body("Zone")}, ${ok(ref("Zone"))} }
    patch: { operationId: changeZone, requestBody: { content: { application/json: { schema: ${ref("Zone")} }, application/json-patch+json: {} } }, ${ok(ref("Zone"))} }
  /zones/{zone}/records:
    ${inPath("zone")}
    get: { operationId: listRecords, ${ok(`{ type: array, items: ${ref("Record")} }`)} }
    post: { operationId: addRecord, ${body("Record")}, ${ok(ref("Record"), 201)} }
  /zones/{zone}/records/{record}:
    ${inPath("zone", "record").replace(/integer(?=[^{]*$)/, type)}
    get: { operationId: getRecord, ${ok(ref("Record"))} }
    delete: { operationId: removeRecord, responses: { 204: { description: x } } }
`,
    `components:
  schemas:
    Record: { type: object, properties: { id: ${recordId}, name: { type: string } } }
    Zone: { type: object, properties: { id: { type: integer, readOnly: true }, title: { type: string }, records: { type: array, items: ${ref("Record")} }, records_count: { type: integer, readOnly: true } }, required: [records_count] }
`,
  );

const zones = documentWith("{ type: integer, readOnly: true }", "integer");

testLikely("a record has the records below it as a member, as they are", zones, async (t, send) => {
  t.same((await send("POST", "/zones", { title: "a" })).body, { id: 1, title: "a", records: [], records_count: 0 });
  await send("POST", "/zones", { title: "b" });
  const before = (await send("GET", "/zones/1")).headers.etag;
  for (const name of ["x", "y"]) await send("POST", "/zones/1/records", { name });
  const records = [
    { id: 1, name: "x" },
    { id: 2, name: "y" },
  ];
  const one = await send("GET", "/zones/1");
  t.same(one.body, { id: 1, title: "a", records, records_count: 2 });
  t.not(one.headers.etag, before, "the tag is that of what the response has");
  t.same((await send("GET", "/zones")).body, [one.body, { id: 2, title: "b", records: [], records_count: 0 }]);
  const old = { "if-match": `${before}` };
  t.equal((await send("PATCH", "/zones/1", { title: "c" }, "application/json", old)).status, 412);
  const tag = { "if-match": `${one.headers.etag}` };
  t.same((await send("PATCH", "/zones/1", { title: "c" }, "application/json", tag)).body, {
    id: 1,
    title: "c",
    records,
    records_count: 2,
  });
  await send("DELETE", "/zones/1/records/1");
  t.same((await send("GET", "/zones/1")).body.records, records.slice(1));
});

testLikely("a record is created with those below it", zones, async (t, send) => {
  const { body } = await send("POST", "/zones", { title: "a", records: [{ name: "x" }, { id: 9, name: "y" }] });
  const records = [
    { id: 1, name: "x" },
    { id: 2, name: "y" },
  ];
  t.same(body, { id: 1, title: "a", records, records_count: 2 });
  t.same((await send("GET", "/zones/1/records")).body, records);
  t.same((await send("GET", "/zones/1/records/2")).body, records[1]);
  t.same((await send("PATCH", "/zones/1", { title: "c", records })).body, { ...body, title: "c" });
  const change = /^Change the records at \/zones\/\{zone\}\/records, and send the request without them/;
  t.match(await send("PATCH", "/zones/1", { records: [], records_count: 0 }), {
    status: 501,
    body: { message: change },
  });
  t.match(await send("PATCH", "/zones/1", [{ op: "remove", path: "/records/0" }], "application/json-patch+json"), {
    status: 501,
    body: { message: change },
  });
  t.same((await send("PUT", "/zones/1", { title: "d", records })).body, { ...body, title: "d" });
  t.same((await send("PUT", "/zones/1", { title: "e" })).body, { ...body, title: "e" });
});

testLikely(
  "a record is not created without one of those below it",
  documentWith("{ type: string }", "string"),
  async (t, send) => {
    const records = ["x", "y", "x"].map((id) => ({ id }));
    t.match(await send("POST", "/zones", { title: "a", records }), {
      status: 409,
      body: { message: "Another record has the id x." },
    });
    t.same((await send("GET", "/zones")).body, []);
    for (const id of ["..", "", "a".repeat(600)])
      t.match(await send("POST", "/zones", { title: "a", records: [{ id }] }), {
        status: 501,
        body: { message: /^The id / },
      });
    const { body } = await send("POST", "/zones", { title: "a", records: records.slice(1) });
    t.same(body.records, records.slice(1));
  },
);

testLikely(
  "an imported record keeps the members that it has, also if a client sends them back",
  zones,
  async (t, send, store) => {
    const imported = { title: "a", records: [{ id: 5, name: "own" }], records_count: 1 };
    await store.records("zones").create(imported);
    const { body } = await send("GET", "/zones/1");
    t.match(body, { title: "a", records: [{ id: 5, name: "own" }], records_count: 1 });
    t.same((await send("PATCH", "/zones/1", { ...body, title: "b" })).body, { ...body, title: "b" });
    t.same((await send("PUT", "/zones/1", { ...body, title: "c" })).body, { ...body, title: "c" });
  },
);

testLikely(
  "a record that can't be without others below it is created with them",
  zones.replace("records: { type: array,", "records: { type: array, minItems: 1,"),
  async (t, send) => {
    const { body } = await send("POST", "/zones", { title: "a", records: [{ name: "x" }] });
    t.match(body, { id: 1, title: "a", records: [{ id: 1, name: "x" }], records_count: 1 });
    await send("POST", "/zones/1/records", { name: "y" });
    t.equal((await send("GET", "/zones/1")).body.records.length, 2);
  },
);
