// Forms of documents such as PagerDuty's: references that a response completes, the kind of an object, ids of the path in a body.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const param = (name: string, format = "") =>
  `parameters: [{ name: ${name}, in: path, required: true, schema: { type: string${format} } }]`;
const text = documentOf(
  `  /incidents:
    post: { operationId: addIncident, ${body(ref("NewIncident"))}, ${ok(ref("Incident"), 201)} }
    get: { operationId: listIncidents, parameters: [{ name: kind, in: query, schema: { enum: [alert], default: alert } }], ${ok(`{ type: array, items: ${ref("Incident")} }`)} }
  /incidents/{id}:
    ${param("id")}
    get: { operationId: getIncident, ${ok(ref("Incident"))} }
    put: { operationId: setIncident, ${body(`{ type: object, required: [incident, id], properties: { incident: ${ref("NewIncident")}, id: { type: string } } }`)}, ${ok(`{ allOf: [${ref("Incident")}, { type: object, properties: { warnings: { type: array, items: { type: string } } } }] }`)} }
  /units:
    post: { operationId: addUnit, ${body(ref("Unit"))}, ${ok(ref("Unit"), 201)} }
  /units/{code}:
    ${param("code", ", maxLength: 3")}
    get: { operationId: getUnit, ${ok(ref("Unit"))} }
`,
  `components:
  schemas:
    Reference: { type: object, required: [id, type], properties: { id: { type: string }, type: { type: string, enum: [service_reference] } } }
    Service: { type: object, required: [id, type, name], properties: { id: { type: string }, type: { type: string, enum: [service] }, name: { type: string } } }
    NewIncident: { type: object, required: [title], properties: { title: { type: string }, service: { type: object, properties: { id: { type: string } } }, kind: { type: string, enum: [alert] } } }
    Incident: { type: object, required: [id, title], properties: { id: { type: string, readOnly: true }, type: { type: string, enum: [incident], readOnly: true }, kind: { type: string, enum: [alert] }, title: { type: string }, state: { type: string, enum: [closed] }, service: { oneOf: [${ref("Service")}, ${ref("Reference")}] } } }
    Unit: { type: object, required: [code], properties: { code: { type: string }, size: { type: integer } } }
`,
);

testLikely("a reference gets the members of the alternative that has them", text, async (t, send) => {
  const { status, body } = await send("POST", "/incidents", { title: "a", service: { id: "s" } });
  t.match({ status, body }, { status: 201, body: { title: "a", service: { id: "s", type: "service_reference" } } });
  t.same((await send("GET", `/incidents/${body.id}`)).body, body);
});

testLikely("a record says what kind of object it is, and a list selects by it", text, async (t, send) => {
  const { body } = await send("POST", "/incidents", { title: "a" });
  t.match(body, { type: "incident", kind: "alert" });
  t.notOk("state" in body, "a member that is no kind is not made up");
  t.match((await send("GET", "/incidents")).body, [{ title: "a" }]);
});

testLikely("a body can repeat the id of its path, and no other", text, async (t, send) => {
  const { id } = (await send("POST", "/incidents", { title: "a" })).body;
  t.match(await send("PUT", `/incidents/${id}`, { incident: { title: "b" }, id }), {
    status: 200,
    body: { title: "b" },
  });
  t.match(await send("PUT", `/incidents/${id}`, { incident: { title: "c" }, id: "other" }), {
    status: 400,
    body: { message: "The property id must be that of the path." },
  });
  t.match((await send("GET", `/incidents/${id}`)).body, { title: "b" });
});

testLikely("what neither the request nor the response declares is kept", text, async (t, send) => {
  const { body } = await send("POST", "/units", { code: "kg", color: "red" });
  t.same(body, { code: "kg", color: "red" });
  t.same((await send("GET", "/units/kg")).body, body);
});

testLikely("a record has no id that its path can't have", text, async (t, send) => {
  t.match(await send("POST", "/units", { code: "kilo" }), {
    status: 400,
    body: { message: "The id must match the schema of the parameter code of its path." },
  });
  t.match(await send("POST", "/units", { code: "kg" }), { status: 201 });
  t.same((await send("GET", "/units/kg")).body, { code: "kg" });
});
