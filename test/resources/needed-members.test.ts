// Forms of documents such as Stripe's, Okta's and PagerDuty's: members that only a request can say, and what is no obstacle to an answer.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const id = (name: string, schema = "type: string") =>
  `{ name: ${name}, in: path, required: true, schema: { ${schema} } }`;
const text = documentOf(
  `  /plans:
    get: { operationId: listPlans, parameters: [{ name: limit, in: query, schema: { type: integer, default: -1 } }], ${ok(`{ type: array, items: ${ref("Plan")} }`)} }
    post: { operationId: addPlan, parameters: [{ name: Accept-Language, in: header, schema: { type: string } }], ${body(ref("NewPlan"))}, ${ok(ref("Plan"), 201)} }
  /plans/{id}:
    parameters: [${id("id")}]
    get: { operationId: getPlan, ${ok(ref("Plan"))} }
    post: { operationId: updatePlan, ${body(ref("NewPlan"))}, ${ok(ref("Plan"), 201)} }
  /incidents:
    post: { operationId: addIncident, ${body(ref("Incident"))}, ${ok(ref("Incident"), 201)} }
  /incidents/{id}:
    parameters: [${id("id")}]
    get: { operationId: getIncident, ${ok(ref("Incident"))} }
  /spaces:
    post: { operationId: addSpace, ${body("{ type: object, required: [name], properties: { name: { type: string } } }")}, ${ok(ref("Space"), 201)} }
  /spaces/{id}:
    parameters: [${id("id")}]
    get: { operationId: getSpace, ${ok(ref("Space"))} }
    put: { operationId: putSpace, ${body(ref("Space"))}, ${ok(ref("Space"))} }
  /spaces/{space_id}/files:
    parameters: [${id("space_id")}]
    post: { operationId: addFile, ${body("{ type: object, required: [name], properties: { name: { type: string } } }")}, ${ok(ref("File"), 201)} }
  /spaces/{space_id}/files/{id}:
    parameters: [${id("space_id")}, ${id("id")}]
    get: { operationId: getFile, ${ok(ref("File"))} }
  /features/{name}:
    parameters: [${id("name", "type: string, enum: [imports, exports]")}]
    get: { operationId: getFeature, ${ok(ref("Feature"))} }
    put: { operationId: putFeature, ${body("{ type: object, properties: { size: { type: integer } } }")}, ${ok(ref("Feature"))} }
`,
  `components:
  schemas:
    NewPlan: { type: object, required: [name, unit], properties: { name: { type: string }, unit: { type: string }, scheme: { type: string, enum: [flat, tiered] } }, example: { name: a, unit: b } }
    Plan:
      type: object
      required: [id, name, unit, scheme, modify_time, refunds]
      properties: { id: { type: string }, name: { type: string }, unit: { type: string, enum: [day, month] }, scheme: { type: string, enum: [tiered, volume] }, modify_time: { type: string, format: date-time }, refunds: { type: object, required: [url, data], properties: { url: { type: string, pattern: "^/v1/refunds" }, data: { type: array, items: {} } } } }
    Base: { type: object, properties: { id: { type: string, readOnly: true }, type: { type: string, readOnly: true } } }
    Reference: { allOf: [${ref("Base")}, { type: object, required: [id, type] }] }
    Incident:
      allOf: [${ref("Base")}, { type: object, required: [type, service], properties: { type: { type: string, enum: [alert, outage] }, service: ${ref("Reference")} } }]
    Space: { type: object, required: [id, name, owner], properties: { id: { type: string }, name: { type: string }, owner: { type: object, required: [url], properties: { url: { type: string, format: uri, maxLength: 3 } } } } }
    File: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } }
    Feature: { type: object, required: [name], properties: { name: { type: string, enum: [imports, exports] }, size: { type: integer } } }
`,
);

testLikely("an optional member that a record requires is sent, or a 501 names it", text, async (t, send) => {
  const plan = { name: "a", unit: "day" };
  const headers = { "accept-language": "*" };
  const { status, body } = await send("POST", "/plans", { ...plan, scheme: "tiered" }, "application/json", headers);
  t.match({ status, body }, { status: 201, body: { scheme: "tiered", refunds: { url: "/v1/refunds", data: [] } } });
  t.ok(Math.abs(Date.parse(body.modify_time) - Date.now()) < 60_000, "the time of the change");
  t.match(await send("POST", "/plans", plan), {
    status: 501,
    body: { message: /must have the field 'scheme'\. Send the request with scheme\.$/ },
  });
  t.match(await send("POST", "/plans", { ...plan, scheme: "flat" }), {
    status: 501,
    body: { message: /The value of scheme .* Send the request without it\.$/ },
  });
  t.match(await send("POST", "/plans", { ...plan, unit: "year", scheme: "tiered" }), {
    status: 501,
    body: { message: /The value of unit .* Send it with another value\.$/ },
  });
  t.match((await send("GET", "/plans")).body, [{ id: body.id }], "a default of -1 is no limit");
  t.match(await send("GET", "/plans?limit=-2"), { status: 400 });
  t.match(await send("POST", `/plans/${body.id}`, { ...plan, name: "b" }), { status: 201, body: { name: "b" } });
});

testLikely("a record has the type that a request chooses, and the ids of others", text, async (t, send) => {
  const incident = { type: "outage", service: { id: "s", type: "service" } };
  const { status, body } = await send("POST", "/incidents", { ...incident, id: "mine" });
  t.match({ status, body }, { status: 201, body: incident });
  t.not(body.id, "mine", "but not an id of its own");
  t.same((await send("GET", `/incidents/${body.id}`)).body, body);
});

testLikely("records can be below any, if no operation creates those above", text, async (t, send) => {
  t.match(await send("POST", "/spaces", { name: "a" }), { status: 501 });
  t.match(await send("POST", "/spaces/any/files", { name: "a" }), { status: 201 });
});

testLikely("a record can have an id of a list", text, async (t, send) => {
  t.match(await send("PUT", "/features/exports", { size: 1 }), { body: { name: "exports", size: 1 } });
});
