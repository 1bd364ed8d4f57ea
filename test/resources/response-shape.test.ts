// What a request selects of the records in a response: some of their members, and other records in place of their ids.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const id = "{ name: id, in: path, required: true, schema: { type: integer } }";
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const texts = "{ type: array, items: { type: string } }";
const query = (name: string, schema = "{ type: string }") => `{ name: "${name}", in: query, schema: ${schema} }`;
const add = (name: string) => `requestBody: { required: true, ${json(ref(`New${name}`))} }, ${ok(ref(name), 201)}`;
const etag = "headers: { ETag: { schema: { type: string } } }, ";

const orders = documentOf(
  `  /customers:
    post: { operationId: addCustomer, ${add("Customer")} }
  /customers/{id}:
    parameters: [${id}]
    get: { operationId: getCustomer, ${ok(ref("Customer"))} }
  /orders:
    get: { operationId: listOrders, parameters: [${query("fields")}, ${query("expand", texts)}], ${ok(`{ type: object, properties: { data: { type: array, items: ${ref("Order")} }, total: { type: integer } } }`)} }
    post: { operationId: addOrder, parameters: [${query("fields")}], ${add("Order")} }
  /orders/{id}:
    parameters: [${id}]
    get: { operationId: getOrder, parameters: [${query("fields", texts)}, ${query("expand")}], responses: { 200: { description: x, ${etag}${json(ref("Order"))} }, 304: { description: x } } }
    patch: { operationId: changeOrder, requestBody: { required: true, ${json(ref("NewOrder"))} }, responses: { 200: { description: x, ${etag}${json(ref("Order"))} }, 412: { description: x } } }
  /orders/{id}/items:
    parameters: [${id}]
    get: { operationId: listItems, ${ok(`{ type: array, items: ${ref("Item")} }`)} }
    post: { operationId: addItem, ${add("Item")} }
  /orders/{id}/items/{item}:
    parameters: [${id}, { name: item, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getItem, ${ok(ref("Item"))} }
`,
  `components:
  schemas:
    NewCustomer: { type: object, required: [name], properties: { name: { type: string } } }
    Customer: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string } } }
    NewOrder: { type: object, required: [title], properties: { title: { type: string }, customer: { type: integer }, agent_id: { type: integer }, watchers: { type: array, items: { type: integer } } } }
    Order: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string }, customer: { anyOf: [{ type: integer }, ${ref("Customer")}] }, agent_id: { type: integer }, agent: ${ref("Customer")}, watchers: { type: array, items: { anyOf: [{ type: integer }, ${ref("Customer")}] } }, items: { type: array, items: ${ref("Item")} } } }
    NewItem: { type: object, required: [sku], properties: { sku: { type: string } } }
    Item: { type: object, required: [id, sku], properties: { id: { type: integer }, sku: { type: string } } }
`,
);

testLikely("fields select members, beside the id and what the schema requires", orders, async (t, send) => {
  await send("POST", "/orders", { title: "a", agent_id: 7 });
  t.same((await send("GET", "/orders/1?fields=title")).body, { id: 1, title: "a" });
  t.same((await send("GET", "/orders?fields=agent_id")).body, {
    data: [{ id: 1, title: "a", agent_id: 7 }],
    total: 1,
  });
  t.match(await send("GET", "/orders/1?fields=color"), {
    status: 400,
    body: { message: /can't have color\. It can have: id, title, customer/ },
  });
  t.match(await send("POST", "/orders?fields=color", { title: "b" }), { status: 400 });
  for (const other of ["+title", "%2Btitle", "-title", "*"])
    t.match(await send("GET", `/orders/1?fields=${other}`), { status: 501 });
  const created = await send("POST", "/orders?fields=title", { title: "b", agent_id: 7 });
  t.same([created.status, created.body], [201, { id: 2, title: "b" }]);
});

const compact = (more = "") =>
  orders.replace(
    `items: ${ref("Order")} }, total`,
    `items: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string } }${more} } }, total`,
  );

testLikely("a list of compact records has the other members that a request selects", compact(), async (t, send) => {
  await send("POST", "/orders", { title: "a", agent_id: 7 });
  t.same((await send("GET", "/orders")).body.data, [{ id: 1, title: "a" }]);
  t.same((await send("GET", "/orders?fields=agent_id")).body.data, [{ id: 1, title: "a", agent_id: 7 }]);
});

testLikely(
  "a list of records that can have no other members has only its own",
  compact(", additionalProperties: false"),
  async (t, send) => {
    await send("POST", "/orders", { title: "a", agent_id: 7 });
    t.same((await send("GET", "/orders?fields=agent_id")).body.data, [{ id: 1, title: "a" }]);
  },
);

testLikely("a response with fields has the ETag of the whole record", orders, async (t, send) => {
  await send("POST", "/orders", { title: "a", agent_id: 7 });
  const { headers } = await send("GET", "/orders/1?fields=title");
  const change = (title: string) => send("PATCH", "/orders/1", { title }, undefined, { "if-match": `${headers.etag}` });
  t.match(await change("b"), { status: 200 });
  t.match(await change("c"), { status: 412 });
});

testLikely("an expansion has other records in place of their ids, and those below", orders, async (t, send) => {
  for (const name of ["Ada", "Bob"]) await send("POST", "/customers", { name });
  await send("POST", "/orders", { title: "a", customer: 1, agent_id: 2, watchers: [2, 9] });
  await send("POST", "/orders/1/items", { sku: "x" });
  const [ada, bob] = [
    { id: 1, name: "Ada" },
    { id: 2, name: "Bob" },
  ];
  const whole = { id: 1, title: "a", customer: 1, agent_id: 2, watchers: [2, 9] };
  t.same((await send("GET", "/orders/1")).body, whole);
  t.same((await send("GET", "/orders/1?expand=customer,agent")).body, { ...whole, customer: ada, agent: bob });
  const list = await send("GET", "/orders?expand=data.customer&expand=watchers&expand=items&fields=title");
  t.same(list.body.data, [{ id: 1, title: "a", customer: ada, watchers: [bob, 9], items: [{ id: 1, sku: "x" }] }]);
  t.match(await send("GET", "/orders/1?expand=color"), { status: 501 });
  t.match(await send("GET", "/orders/1?expand=title"), { status: 501, body: { message: /parameter expand=title/ } });
  await send("POST", "/orders", { title: "b", customer: 9 });
  t.match(
    (await send("GET", "/orders/2?expand=customer")).body,
    { customer: 9 },
    "one that does not exist stays an id",
  );
});

testLikely("a response has up to 16 MiB of other records, each as often as it is named", orders, async (t, send) => {
  await send("POST", "/customers", { name: "x".repeat(900_000) });
  for (let count = 0; count < 19; count++) await send("POST", "/orders", { title: "a", customer: 1 });
  t.match(await send("GET", `/orders/1?expand=${"customer,".repeat(1_000)}`), { status: 200 });
  t.match(await send("GET", "/orders?expand=customer"), {
    status: 400,
    body: { message: /1000 other records and 16 MiB/, details: [{ name: "expand" }] },
  });
});

const teams = documentOf(
  ["team", "org"]
    .map(
      (parent) => `  /${parent}s:
    post: { operationId: add_${parent}, ${add("Customer")} }
  /${parent}s/{id}:
    parameters: [${id}]
    get: { operationId: get_${parent}, ${ok(ref("Customer"))} }
`,
    )
    .join("") +
    `  /orgs/{id}/badges:
    parameters: [${id}]
    post: { operationId: addBadge, ${add("Item")} }
  /orgs/{id}/badges/{badge}:
    parameters: [${id}, { name: badge, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getBadge, ${ok(ref("Item"))} }
  /teams/{id}/members:
    parameters: [${id}]
    post: { operationId: addMember, ${add("Member")} }
  /teams/{id}/members/{member}:
    parameters: [${id}, { name: member, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getMember, parameters: [${query("expand")}], ${ok(ref("Member"))} }
`,
  `components:
  schemas:
    NewCustomer: { type: object, required: [name], properties: { name: { type: string } } }
    Customer: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string } } }
    NewItem: { type: object, required: [sku], properties: { sku: { type: string } } }
    Item: { type: object, required: [id, sku], properties: { id: { type: integer }, sku: { type: string } } }
    NewMember: { type: object, properties: { item: { type: integer } } }
    Member: { type: object, required: [id], properties: { id: { type: integer }, item: { anyOf: [{ type: integer }, ${ref("Item")}] } } }
`,
);

testLikely(
  "no expansion has records below another parent, whose parameter has the same name",
  teams,
  async (t, send) => {
    for (const path of ["/teams", "/orgs"]) await send("POST", path, { name: "x" });
    t.match(await send("POST", "/orgs/1/badges", { sku: "secret" }), { status: 201, body: { id: 1 } });
    t.match(await send("POST", "/teams/1/members", { item: 1 }), { status: 201 });
    t.match(await send("GET", "/teams/1/members/1?expand=item"), { status: 501 });
  },
);

const articles = documentOf(
  `  /articles:
    get: { operationId: listArticles, parameters: [${query("fields[people]")}, ${query("fields[articles]")}], ${ok(`{ type: object, properties: { data: { type: array, items: ${ref("Article")} } } }`)} }
    post: { operationId: addArticle, requestBody: { required: true, ${json(`{ type: object, properties: { data: ${ref("Article")} } }`)} }, ${ok(`{ type: object, properties: { data: ${ref("Article")} } }`, 201)} }
  /articles/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getArticle, ${ok(`{ type: object, properties: { data: ${ref("Article")} } }`)} }
`,
  `components: { schemas: { Article: { type: object, required: [type], properties: { id: { type: string }, type: { type: string, enum: [articles] }, attributes: { type: object, properties: { title: { type: string }, text: { type: string } } } } } } }
`,
);

testLikely("fields of JSON:API select attributes", articles, async (t, send) => {
  const data = { type: "articles", attributes: { title: "a", text: "b" } };
  t.match(await send("POST", "/articles", { data }), { status: 201 });
  const { body } = await send("GET", "/articles?fields[articles]=title");
  t.match(body.data, [{ type: "articles", attributes: { title: "a" } }]);
  t.notOk("text" in body.data[0].attributes);
  t.match(await send("GET", "/articles?fields[people]=title"), { status: 501 }, "those of other records");
});

const minimal = orders.replaceAll(
  query("fields", texts),
  query("fields", "{ type: string, enum: [all, minimal], default: all }"),
);
testLikely("a choice of fields by other words than members is a 501 when it is sent", minimal, async (t, send) => {
  await send("POST", "/orders", { title: "a" });
  t.match(await send("GET", "/orders/1"), { status: 200, body: { title: "a" } });
  t.match(await send("GET", "/orders/1?fields=minimal"), { status: 501 });
});

const charges = documentOf(
  `  /charges:
    get: { operationId: listCharges, parameters: [${query("expand", texts)}], ${ok(`{ type: array, items: ${ref("Charge")} }`)} }
    post: { operationId: addCharge, requestBody: { ${json(ref("NewCharge"))} }, ${ok(ref("Charge"), 201)} }
  /charges/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getCharge, parameters: [${query("expand", texts)}], ${ok(ref("Charge"))} }
`,
  `components:
  schemas:
    Payout: { type: object, properties: { amount: { type: integer } } }
    NewCharge: { type: object, properties: { payout: { type: string }, text: { type: string } } }
    Charge: { type: object, required: [id], properties: { id: { type: integer }, payout: { anyOf: [{ type: string }, ${ref("Payout")}] }, text: { type: string } } }
`,
);

testLikely(
  "an expansion of no collection has no effect on a record without the id, and is a 501 with it",
  charges,
  async (t, send) => {
    await send("POST", "/charges", { text: "a" });
    await send("POST", "/charges", { payout: "p1" });
    t.same((await send("GET", "/charges/1?expand=payout")).body, { id: 1, text: "a" });
    t.match(await send("GET", "/charges/2?expand=payout.amount"), { status: 501, body: { message: /expand=payout/ } });
    t.match(await send("GET", "/charges?expand=text"), { status: 501, body: { message: /expand=text/ } });
  },
);

const incidents = documentOf(
  `  /services:
    post: { operationId: addService, requestBody: { ${json(ref("Service"))} }, ${ok(ref("Service"), 201)} }
  /services/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getService, ${ok(ref("Service"))} }
  /incidents:
    post: { operationId: addIncident, requestBody: { ${json(ref("NewIncident"))} }, ${ok(ref("Incident"), 201)} }
  /incidents/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getIncident, parameters: [{ name: "include[]", in: query, schema: { type: array, items: { type: string, enum: [services, notes] } } }], ${ok(ref("Incident"))} }
`,
  `components:
  schemas:
    Service: { type: object, properties: { id: { type: integer }, name: { type: string }, kind: { type: string } } }
    Reference: { type: object, properties: { id: { type: integer }, type: { type: string } } }
    NewIncident: { type: object, properties: { service: ${ref("Reference")} } }
    Incident: { type: object, required: [id], properties: { id: { type: integer }, service: ${ref("Reference")} } }
`,
);

testLikely("a reference is expanded to the record of the collection with its name", incidents, async (t, send) => {
  await send("POST", "/services", { name: "A", kind: "x" });
  await send("POST", "/incidents", { service: { id: 1, type: "reference" } });
  const service = { id: 1, name: "A", kind: "x" };
  t.same((await send("GET", "/incidents/1?include[]=services")).body, { id: 1, service });
  t.same((await send("GET", "/incidents/1")).body, { id: 1, service: { id: 1, type: "reference" } });
  t.match(await send("GET", "/incidents/1?include[]=notes"), { status: 501, body: { message: /=notes/ } });
});
