// Single records: a path at which a record is returned and changed. And parts of records that have a path of their own.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string, type = "application/json") => `content: { ${type}: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, others = "") => `responses: { 200: { description: x, ${json(schema)} }${others} }`;
const body = (schema: string, type?: string) => `requestBody: { required: true, ${json(schema, type)} }`;
const param = (name: string) => `parameters: [{ name: ${name}, in: path, required: true, schema: { type: string } }]`;
const text = documentOf(
  `  /settings:
    get: { operationId: getSettings, ${ok(ref("Settings"))} }
    patch: { operationId: changeSettings, ${body(ref("SettingsChange"))}, ${ok(ref("Settings"))} }
  /users/{user}/limit:
    ${param("user")}
    get: { operationId: getLimit, ${ok(ref("Limit"), ", 404: { description: x }")} }
    put: { operationId: setLimit, ${body(ref("Limit"))}, ${ok(ref("Limit"))} }
    delete: { operationId: removeLimit, responses: { 204: { description: x } } }
  /account:
    get: { operationId: getAccount, ${ok(`{ type: object, properties: { account: ${ref("Account")} } }`)} }
    post: { operationId: changeAccount, ${body("{ type: object, properties: { email: { type: string } } }", "application/x-www-form-urlencoded")}, ${ok(`{ type: object, properties: { account: ${ref("Account")} } }`)} }
  /orders:
    post: { operationId: addOrder, ${body(ref("Order"))}, responses: { 201: { description: x, ${json(ref("Order"))} } } }
  /orders/{id}:
    ${param("id")}
    get: { operationId: getOrder, ${ok(ref("Order"))} }
  /orders/{id}/status:
    ${param("id")}
    get: { operationId: getStatus, ${ok(ref("Status"))} }
    put: { operationId: setStatus, parameters: [{ name: dryRun, in: query, schema: { type: boolean } }], ${body(ref("Status")).replace("required: true, ", "")}, ${ok(ref("Status"))} }
    patch: { operationId: changeStatus, ${body(ref("Status"), "application/merge-patch+json")}, ${ok(ref("Status"))} }
    delete: { operationId: removeStatus, responses: { 204: { description: x } } }
  /orders/{id}/limit:
    ${param("id")}
    get: { operationId: getOrderLimit, responses: { 200: { description: x, headers: { ETag: { schema: { type: string } } }, ${json(ref("OrderLimit"))} }, 304: { description: x } } }
    put: { operationId: setOrderLimit, parameters: [{ name: If-Match, in: header, schema: { type: string } }], ${body(ref("OrderLimit"))}, ${ok(ref("OrderLimit"))} }
  /orders/{id}/note:
    ${param("id")}
    put: { operationId: setNote, ${body(ref("Order"))}, ${ok(ref("Order"))} }
  /orders/{id}/approve:
    ${param("id")}
    post: { operationId: approveOrder, ${body(ref("Order"))}, ${ok(ref("Order"))} }
  /orders/{id}/total:
    ${param("id")}
    get: { operationId: getTotal, ${ok("{ type: object, properties: { sum: { type: number } } }")} }
`,
  `components:
  schemas:
    Settings: { type: object, required: [theme, version], properties: { theme: { type: string, default: light }, size: { type: integer, default: 12 }, font: { type: string }, version: { const: 2 } } }
    SettingsChange: { type: object, properties: { theme: { type: string }, font: { type: string } } }
    Limit: { type: object, required: [limit], properties: { limit: { type: string }, origin: { type: string } } }
    Account: { type: object, properties: { email: { type: string } } }
    Order: { type: object, required: [total], properties: { id: { type: string }, total: { type: number }, note: { type: string }, limit: { type: integer }, status: ${ref("Status")} } }
    OrderLimit: { type: object, required: [limit], additionalProperties: false, properties: { limit: { type: integer } } }
    Status: { type: object, properties: { phase: { type: string, enum: [new, sent] }, reason: { type: string } } }
`,
);

testLikely("a single record has its defaults until it is changed", text, async (t, send) => {
  t.same((await send("GET", "/settings")).body, { theme: "light", size: 12, version: 2 });
  const changed = { theme: "light", size: 12, version: 2, font: "serif" };
  t.match(await send("PATCH", "/settings", { font: "serif" }), { status: 200, body: changed });
  t.match(await send("PATCH", "/settings", { theme: "dark" }), { status: 200 });
  t.same((await send("GET", "/settings")).body, { ...changed, theme: "dark" });
  t.match(await send("PATCH", "/settings", { theme: 1 }), { status: 400 });
});

testLikely("a single record that can be removed is created by PUT, one for each path", text, async (t, send) => {
  t.match(await send("GET", "/users/ada/limit"), { status: 404 });
  t.match(await send("PUT", "/users/ada/limit", { limit: "all", origin: "x" }), {
    status: 200,
    body: { limit: "all" },
  });
  t.same((await send("GET", "/users/ada/limit")).body, { limit: "all", origin: "x" });
  t.match(await send("GET", "/users/eve/limit"), { status: 404 });
  t.match(await send("PUT", "/users/ada/limit", { limit: "none" }), { status: 200 });
  t.same((await send("GET", "/users/ada/limit")).body, { limit: "none" });
  t.match(await send("DELETE", "/users/ada/limit"), { status: 204 });
  t.match(await send("DELETE", "/users/ada/limit"), { status: 404 });
  t.match(await send("GET", "/users/ada/limit"), { status: 404 });
});

testLikely("POST changes a single record that has neither PUT nor PATCH", text, async (t, send) => {
  t.same((await send("GET", "/account")).body, { account: {} });
  const form = "application/x-www-form-urlencoded";
  t.match(await send("POST", "/account", "email=a%40b.c", form), {
    status: 200,
    body: { account: { email: "a@b.c" } },
  });
  t.same((await send("GET", "/account")).body, { account: { email: "a@b.c" } });
});

testLikely("a path below a record that ends with a property is this property", text, async (t, send) => {
  const { id } = (await send("POST", "/orders", { total: 3, note: "n" })).body;
  const at = `/orders/${id}/status`;
  t.match(await send("GET", at), { status: 404 }, "it has none yet");
  t.match(await send("DELETE", at), { status: 404 });
  t.match(await send("PUT", at, { phase: "new", reason: "r" }), { status: 200, body: { phase: "new", reason: "r" } });
  t.same((await send("GET", `/orders/${id}`)).body, { id, total: 3, note: "n", status: { phase: "new", reason: "r" } });
  const patch = { phase: "sent", reason: null };
  t.match(await send("PATCH", at, { phase: "sent" }, "application/merge-patch+json"), { status: 200 });
  t.same((await send("GET", at)).body, { phase: "sent", reason: "r" });
  t.match(await send("PUT", at, { phase: "lost" }), { status: 400 });
  t.match(await send("PATCH", at, patch, "application/merge-patch+json"), { status: 400 }, "null is not in the schema");
  t.match(await send("DELETE", at), { status: 204 });
  t.same((await send("GET", `/orders/${id}`)).body, { id, total: 3, note: "n" });
  t.match(await send("GET", "/orders/none/status"), { status: 404 });
  const whole = await send("PUT", `/orders/${id}/note`, { total: 99, note: "m" });
  t.match(whole, { status: 200, body: { id, total: 3, note: "m" } }, "of a whole record, only the property is changed");
});

testLikely("a part is compared with its own ETag, and has no members of the rest", text, async (t, send) => {
  const { id } = (await send("POST", "/orders", { total: 3, limit: 5 })).body;
  const at = `/orders/${id}/limit`;
  const { headers, body } = await send("GET", at);
  t.same(body, { limit: 5 });
  const put = (limit: number, tag: unknown) => send("PUT", at, { limit }, "application/json", { "if-match": `${tag}` });
  t.match(await put(6, headers.etag), { status: 200, body: { limit: 6 } });
  t.match(await put(7, headers.etag), { status: 412 }, "it has changed");
  t.same((await send("GET", at)).body, { limit: 6 });
});

testLikely("what a part does not understand is refused, and a missing body changes nothing", text, async (t, send) => {
  const { id } = (await send("POST", "/orders", { total: 3, status: { phase: "new" } })).body;
  t.match(await send("PUT", `/orders/${id}/status?dryRun=true`, { phase: "sent" }), { status: 501 });
  t.match(await send("PUT", `/orders/${id}/status`), { status: 400, body: { message: /must have a body/ } });
  t.same((await send("GET", `/orders/${id}/status`)).body, { phase: "new" });
});

testLikely("an action, or a value that no record has, is not guessed", text, async (t, send) => {
  const { id } = (await send("POST", "/orders", { total: 3 })).body;
  t.match(await send("POST", `/orders/${id}/approve`, { total: 4 }), { status: 501 });
  t.match(await send("GET", `/orders/${id}/total`), { status: 501 }, "the response is no number");
});

const theme = "{ type: object, properties: { theme: { type: string } } }";
const inline = (required: string) => theme.replace("object,", `object, required: [${required}],`);
const copies = documentOf(`  /optional:
    get: { operationId: getOptional, ${ok(theme)} }
    put: { operationId: putOptional, ${body(theme)}, ${ok(theme)} }
  /required:
    get: { operationId: getRequired, ${ok(inline("theme"))} }
    put: { operationId: putRequired, ${body(inline("theme"))}, ${ok(inline("theme"))} }
`);

testLikely("a schema that is written several times is that of the same record", copies, async (t, send) => {
  for (const path of ["/optional", "/required"]) {
    t.match(await send("PUT", path, { theme: "light" }), { status: 200, body: { theme: "light" } });
    t.match(await send("GET", path), { status: 200, body: { theme: "light" } });
  }
});
