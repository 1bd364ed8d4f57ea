// What the clients of vendors send and follow: Stripe's forms, Linode's changes, Okta's links and secrets, Square's keys, Box's markers.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { describePlan, planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const content = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, headers = "") => `responses: { 200: { description: x, ${content(schema)}${headers} } }`;
const sends = (schema: string) => `requestBody: { required: true, ${content(schema)} }`;
const formType = "application/x-www-form-urlencoded";
const form = `requestBody: { required: true, content: { ${formType}: { schema: ${ref("NewCustomer")}, encoding: { metadata: { style: deepObject, explode: true } } } } }`;
const query = (name: string, schema = "type: string") => `{ name: ${name}, in: query, schema: { ${schema} } }`;
const id = "parameters: [{ name: id, in: path, required: true, schema: { type: string } }]";
const pageOf = (name: string, pages: string, total: string) =>
  `{ type: object, properties: { data: { type: array, items: ${ref(name)} }, page: { type: integer }, ${pages}: { type: integer }, ${total}: { type: integer }, next_marker: { type: string } } }`;
const linkHeader = `, headers: { Link: { schema: { type: string }, example: '</plans?page=2>; rel="next"' } }`;
const range = "anyOf: [{ type: object, properties: { gte: { type: integer } } }, { type: integer }]";

const text = documentOf(
  `  /customers:
    get: { operationId: listCustomers, parameters: [${query("limit", "type: integer, default: 2")}, ${query("marker")}, { name: created, in: query, style: deepObject, explode: true, schema: { ${range} } }], ${ok(pageOf("Customer", "pagesTotal", "itemsTotal"))} }
    post: { operationId: addCustomer, ${form}, ${ok(ref("Customer"))} }
  /customers/{id}:
    ${id}
    get: { operationId: getCustomer, ${ok(ref("Customer"))} }
    post: { operationId: changeCustomer, ${form}, ${ok(ref("Customer"))} }
  /plans:
    get: { operationId: listPlans, parameters: [${query("page_size", "type: integer, default: 2")}, ${query("page", "type: integer")}], ${ok(pageOf("Plan", "pages", "results"), linkHeader)} }
    post: { operationId: addPlan, ${sends(`{ allOf: [${ref("Plan")}], required: [type] }`)}, ${ok(ref("Plan"))} }
  /plans/{id}:
    ${id}
    get: { operationId: getPlan, ${ok(ref("Plan"))} }
    put: { operationId: putPlan, ${sends(ref("PlanChange"))}, ${ok(ref("Plan"))} }
  /hooks:
    post: { operationId: addHook, ${sends("{ type: object, required: [hook], properties: { idempotency_key: { type: string }, hook: { $ref: '#/components/schemas/Hook' } } }")}, ${ok(`{ type: object, properties: { hook: ${ref("Hook")} } }`)} }
    get: { operationId: listHooks, parameters: [${query("limit", "type: integer, default: 2")}, ${query("page", "type: integer")}], ${ok(`{ type: array, items: ${ref("Hook")} }`)} }
  /hooks/{id}:
    ${id}
    get: { operationId: getHook, ${ok(`{ type: object, properties: { hook: ${ref("Hook")} } }`)} }
`,
  `components:
  schemas:
    NewCustomer: { type: object, properties: { name: { type: string }, live: { type: boolean, default: true }, metadata: { anyOf: [{ type: object, additionalProperties: { type: string } }, { type: string, enum: [""] }] }, description: { anyOf: [{ type: string }, { type: string, enum: [""] }] } } }
    Customer: { type: object, required: [id], properties: { id: { type: string }, created: { type: integer }, name: { type: string }, live: { type: boolean }, description: { type: string }, metadata: { type: object, additionalProperties: { type: string } } } }
    Plan: { type: object, properties: { id: { type: string, readOnly: true }, type: { type: string }, port: { type: integer }, size: { type: integer, default: 1 } } }
    PlanChange: { type: object, properties: { port: { type: integer }, size: { type: integer, default: 1 } } }
    Hook: { type: object, properties: { id: { type: string, readOnly: true }, auth: { type: object, properties: { key: { type: string }, value: { type: string, writeOnly: true } } }, limit: { type: integer, format: int64, default: 9223372036854775807 } } }
`,
);

testLikely("a form changes the members that it has, and clears those with an empty text", text, async (t, send) => {
  const sent = "name=Ada&live=false&description=d&metadata[order]=7";
  const { status, body } = await send("POST", "/customers", sent, formType);
  t.match([status, body], [200, { name: "Ada", live: false, metadata: { order: "7" } }]);
  const changed = await send("POST", `/customers/${body.id}`, "metadata=&description=", formType);
  const { metadata: _, ...others } = body;
  t.same(changed.body, { ...others, description: "" }, "without defaults, and an empty text that is a value stays");
});

testLikely("a PUT without what a POST requires keeps all others", text, async (t, send) => {
  const { body } = await send("POST", "/plans", { type: "a", port: 80, size: 3 });
  const changed = await send("PUT", `/plans/${body.id}`, { port: 81 });
  t.same(changed.body, { ...body, port: 81 });
});

testLikely("pages by marker and number are followed to the end", text, async (t, send) => {
  for (const name of ["a", "b", "c"]) await send("POST", "/customers", `name=${name}`, formType);
  const first = await send("GET", "/customers");
  t.match(first.body, { pagesTotal: 2, itemsTotal: 3 });
  t.match(first.headers.link, /^<http:\/\/localhost:80\/customers\?limit=2&marker=[\w-]+>; rel="next"$/);
  const second = await send("GET", `/customers?marker=${first.body.next_marker}`);
  t.match(second.body.data, [{ name: "c" }]);
  t.notOk("next_marker" in second.body);
  for (const type of ["a", "b", "c"]) await send("POST", "/plans", { type });
  const plans = await send("GET", "/plans");
  t.match(plans.body, { page: 1, pages: 2, results: 3 });
  t.equal(plans.headers.link, '</plans?page_size=2&page=2>; rel="next"', "a path, as in the example of the document");
});

testLikely("write-only members are not kept at any depth", text, async (t, send) => {
  const { status, body } = await send("POST", "/hooks", { hook: { auth: { key: "k", value: "secret" } } });
  t.match([status, body.hook.auth], [200, { key: "k" }]);
  t.notOk("value" in body.hook.auth);
});

testLikely("a key can be a member of the body", text, async (t, send) => {
  const add = (idempotency_key: string, key = "k") =>
    send("POST", "/hooks", { idempotency_key, hook: { auth: { key } } });
  const { status, body } = await add("one");
  t.equal(status, 200);
  t.same((await add("one")).body, body, "the same record");
  t.match(await add("one", "l"), { status: 422 });
  t.not((await add("two")).body.hook.id, body.hook.id);
});

t.test("The plan prints integers that a number can't represent", async (t) => {
  t.match(describePlan(planOf(await parseDocument(text))), "limit (9223372036854775807: default)");
});
