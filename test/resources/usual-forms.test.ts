// Forms of documents such as Stripe's: a POST changes a record, cursors are ids, records have alternatives, filters name objects.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string, type = "application/json") => `content: { ${type}: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string) => `responses: { 200: { description: x, ${json(schema)} } }`;
const form = (schema: string) =>
  `requestBody: { required: true, ${json(schema, "application/x-www-form-urlencoded")} }`;
const param = (name: string) => `parameters: [{ name: ${name}, in: path, required: true, schema: { type: string } }]`;
const query = (name: string, schema: string) => `{ name: ${name}, in: query, schema: { ${schema} } }`;
const listOf = (name: string) =>
  `{ type: object, required: [object, data, has_more, url], properties: { object: { type: string, enum: [list] }, data: { type: array, items: ${ref(name)} }, has_more: { type: boolean }, url: { type: string }, next_cursor: { type: [string, "null"] } } }`;
const text = documentOf(
  `  /customers:
    get:
      operationId: listCustomers
      parameters: [${query("limit", "type: integer, default: 2")}, ${query("starting_after", "type: string")}, ${query("ending_before", "type: string")}, ${query("owner_id", "type: string")}, ${query("plan", "type: string")}]
      ${ok(listOf("Customer"))}
    post: { operationId: addCustomer, ${form(ref("NewCustomer"))}, ${ok(ref("Customer"))} }
  /customers/{customer}:
    ${param("customer")}
    get: { operationId: getCustomer, ${ok(`{ anyOf: [${ref("Customer")}, ${ref("Deleted")}] }`)} }
    post: { operationId: changeCustomer, ${form(ref("NewCustomer"))}, ${ok(ref("Customer"))} }
    delete: { operationId: removeCustomer, ${ok(ref("Deleted"))} }
  /events:
    get: { operationId: listEvents, parameters: [${query("after", "type: integer")}, ${query("limit", "type: integer, default: 2")}], ${ok(`{ type: array, items: ${ref("Event")} }`)} }
    post: { operationId: addEvent, requestBody: { required: true, ${json(ref("Event"), '"*/*"')} }, ${ok(ref("Event"))} }
  /events/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getEvent, ${ok(ref("Event"))} }
  /events/search:
    post: { operationId: searchEvents, requestBody: { required: true, ${json(ref("Event"))} }, ${ok(ref("Event"))} }
  /events/search/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getSearch, ${ok(ref("Event"))} }
  /lookup/query:
    get: { operationId: getLookup, ${ok(ref("Event"))} }
    post: { operationId: lookUp, requestBody: { required: true, ${json(ref("Event"))} }, ${ok(ref("Event"))} }
  /shapes:
    post: { operationId: addShape, requestBody: { required: true, ${json(ref("NewShape"))} }, ${ok(ref("Shape"))} }
  /shapes/{id}:
    ${param("id")}
    get: { operationId: getShape, ${ok(ref("Shape"))} }
  /people:
    post: { operationId: addPerson, requestBody: { required: true, ${json(ref("PersonChange"))} }, ${ok(ref("Person"))} }
  /people/{id}:
    ${param("id")}
    get: { operationId: getPerson, ${ok(ref("Person"))} }
    patch: { operationId: changePerson, requestBody: { required: true, ${json(ref("PersonChange"), "application/merge-patch+json")} }, ${ok(ref("Person"))} }
  /widgets:
    post: { operationId: addWidget, requestBody: { required: true, ${json(ref("NewWidget"))} }, responses: { "201": { description: x, ${json(ref("Widget"), "application/vnd.shop+json")} } } }
    get: { operationId: listWidgets, parameters: [{ name: status, in: query, schema: { type: string, enum: [all, active, paused], default: all } }, { name: limit, in: query, schema: { type: number } }, { name: page, in: query, schema: { type: string } }], responses: { "200": { description: x, ${json(ref("Widgets"))} } } }
  /widgets/{id}:
    ${param("id")}
    get: { operationId: getWidget, responses: { "200": { description: x, ${json(ref("Widget"), "application/vnd.shop+json")} } } }
    put: { operationId: putWidget, requestBody: { required: true, ${json(ref("NewWidget"))} }, ${ok(ref("Widget"))} }
    patch: { operationId: changeWidget, requestBody: { required: true, ${json("{ type: object, properties: { name: { type: string }, note: { type: [string, 'null'] }, status: { type: string, default: active } } }")} }, ${ok(ref("Widget"))} }
  /widgets/{id}/parts:
    ${param("id")}
    post: { operationId: addPart, requestBody: { required: true, ${json("{ type: object, required: [part], properties: { part: { type: object, properties: { name: { type: string } } }, notify: { type: boolean } } }")} }, ${ok("{ type: object, properties: { part: { $ref: '#/components/schemas/Part' } } }")} }
  /widgets/{id}/parts/{partId}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }, { name: partId, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getPart, ${ok("{ type: object, properties: { part: { $ref: '#/components/schemas/Part' } } }")} }
  /rooms:
    post: { operationId: addRoom, parameters: [{ name: From, in: header, required: true, schema: { type: string } }, { name: Shop-Request-Id, in: header, schema: { type: string } }], requestBody: { required: true, ${json(ref("NewRoom"))} }, ${ok(ref("Room"))} }
    get: { operationId: listRooms, parameters: [{ name: building, in: query, schema: { type: string } }], responses: { "200": { description: x, ${json(`{ type: array, items: ${ref("RoomSummary")} }`)} } } }
  /rooms/{room_id}:
    parameters: [{ name: room_id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getRoom, ${ok(ref("Room"))} }
    patch: { operationId: changeRoom, requestBody: { required: true, ${json("{ type: array, items: { type: object, required: [op, path], properties: { op: { type: string }, path: { type: string }, value: {} } } }")} }, responses: { "204": { description: x } } }
  /aliases/{name}:
    ${param("name")}
    get: { operationId: getAlias, ${ok(ref("Alias"))} }
    put: { operationId: setAlias, requestBody: { required: true, ${json(ref("Alias"))} }, ${ok(ref("Alias"))} }
`,
  `components:
  schemas:
    NewCustomer: { type: object, properties: { email: { type: string }, plan: { type: string }, owner: ${ref("Owner")}, address: { type: object, properties: { city: { type: string } } }, expand: { type: array, items: { type: string } } } }
    Customer: { type: object, required: [id, object, created, email, address], properties: { id: { type: string }, object: { type: string, enum: [customer] }, created: { type: integer }, email: { type: [string, "null"] }, plan: { anyOf: [{ type: string }, { type: object, properties: { id: { type: string } } }] }, owner: ${ref("Owner")}, address: { type: object, required: [city, country], properties: { city: { type: string }, country: { type: string, example: FR } } } } }
    Owner: { type: object, properties: { id: { type: string } } }
    Deleted: { type: object, required: [id, object, deleted], properties: { id: { type: string }, object: { type: string, enum: [customer] }, deleted: { type: boolean, enum: [true] } } }
    PersonChange: { type: object, properties: { note: { type: [string, "null"] }, home: { type: object, properties: { city: { type: string }, country: { type: string } } } } }
    Person: { type: object, required: [id], properties: { id: { type: string }, note: { type: string }, home: { type: object, required: [city, country], properties: { city: { type: string, example: Paris }, country: { type: string, example: FR } } } } }
    NewWidget: { type: object, properties: { id: { type: string }, name: { type: string }, note: { type: [string, "null"] }, status: { type: string } } }
    Widget: { type: object, required: [id, note], properties: { id: { type: string }, name: { type: string }, note: { type: [string, "null"] }, status: { type: string, enum: [active, paused] }, made_at: { type: string, readOnly: true } }, additionalProperties: { type: string } }
    Widgets: { type: object, required: [items, first, last, empty, number, size, total_pages, next_page], properties: { items: { type: array, items: ${ref("Widget")} }, first: { type: boolean }, last: { type: boolean }, empty: { type: boolean }, number: { type: integer }, size: { type: integer }, total_pages: { type: integer }, next_page: { type: [integer, "null"] } } }
    Part: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    NewRoom: { type: object, properties: { name: { type: string }, building: { type: string }, floor: { type: string }, seats: { type: string } } }
    Room: { type: object, required: [id, created_at], properties: { id: { type: string }, name: { type: string, enum: [small, large] }, building: { type: object, required: [gid, name], properties: { gid: { type: string }, name: { type: string, example: Main } } }, floor: { type: integer }, seats: { type: array, items: { type: integer } }, created_at: { type: integer, format: date-time, readOnly: true } } }
    RoomSummary: { type: object, required: [id], properties: { id: { type: string }, name: { type: string }, building: { type: object, properties: { gid: { type: string } } }, floor: { type: integer, maximum: 9 } } }
    Event: { type: object, properties: { id: { type: integer, readOnly: true }, text: { type: string } } }
    NewShape: { type: object, properties: { radius: { type: number }, side: { type: number } } }
    Shape: { oneOf: [${ref("Circle")}, ${ref("Square")}] }
    Circle: { type: object, required: [id, radius, kind], additionalProperties: false, properties: { id: { type: string }, radius: { type: number }, kind: { const: circle } } }
    Square: { type: object, required: [id, side, kind], additionalProperties: false, properties: { id: { type: string }, side: { type: number }, kind: { const: square } } }
    Alias: { type: object, required: [target], properties: { target: { type: string } } }
`,
);
const formType = "application/x-www-form-urlencoded";

testLikely("POST changes a record that has neither PUT nor PATCH", text, async (t, send) => {
  const made = await send("POST", "/customers", "email=a%40b.c&address[city]=Paris", formType);
  t.match(made, {
    status: 200,
    body: { object: "customer", email: "a@b.c", address: { city: "Paris", country: "" } },
  });
  const at = `/customers/${made.body.id}`;
  t.same((await send("GET", at)).body, made.body);
  t.match(await send("POST", at, "plan=gold", formType), { status: 200, body: { ...made.body, plan: "gold" } });
  t.same((await send("GET", at)).body, { ...made.body, plan: "gold" });
  t.match(await send("DELETE", at), { status: 200, body: { id: made.body.id, object: "customer", deleted: true } });
  t.match(await send("GET", at), { status: 404 });
  t.match(await send("POST", at, "plan=gold", formType), { status: 404 });
});

testLikely("a member that selects what a response has is refused, and not ignored", text, async (t, send) => {
  const made = await send("POST", "/customers", "email=a&expand[0]=owner", formType);
  t.match(made, { status: 501, body: { message: /The effect of the member expand is not known/ } });
  t.equal((await send("GET", "/customers")).body.data.length, 0);
});

testLikely("a POST with the name of an action is not guessed", text, async (t, send) => {
  t.match(await send("POST", "/events/search", { text: "x" }), {
    status: 501,
    body: { message: /of an action: search/ },
  });
  t.match(await send("POST", "/lookup/query", { text: "x" }), {
    status: 501,
    body: { message: /of an action: query/ },
  });
});

testLikely("a client can send an Idempotency-Key that the document does not declare", text, async (t, send) => {
  const add = (email: string, key: string) =>
    send("POST", "/customers", `email=${email}`, formType, { "idempotency-key": key });
  const first = await add("a", "k");
  t.match(await add("a", "k"), { status: 200, body: first.body, headers: { "idempotency-replayed": "true" } });
  t.match(await add("b", "k"), { status: 422 });
  t.match(await add("a", "x".repeat(256)), { status: 400 });
  t.equal((await send("GET", "/customers")).body.data.length, 1);
});

testLikely("a patch changes what it has, and nothing else", text, async (t, send) => {
  const made = await send("POST", "/people", { note: "n", home: { city: "Bonn", country: "DE" } });
  const at = `/people/${made.body.id}`;
  const patch = (body: object) => send("PATCH", at, body, "application/merge-patch+json");
  t.match(await patch({ home: { city: "Kiel" } }), { status: 200, body: { home: { city: "Kiel", country: "DE" } } });
  t.match(await patch({ note: null }), { status: 200 });
  t.same((await send("GET", at)).body, { id: made.body.id, home: { city: "Kiel", country: "DE" } });
  t.match(await patch({ home: null }), { status: 400 }, "the schema of the patch does not allow it");
  const { id } = (await send("POST", "/people", {})).body;
  const first = await send("PATCH", `/people/${id}`, { home: { city: "Rome" } }, "application/merge-patch+json");
  t.match(first.body, { id, home: { city: "Rome", country: "" } }, "what is required is completed");
});

testLikely("what is sent is kept, and what is not sent stays", text, async (t, send) => {
  const made = await send("POST", "/widgets", { name: "a", status: "paused", color: "red" });
  t.match(made, { status: 201, headers: { "content-type": "application/vnd.shop+json" } });
  const at = `/widgets/${made.body.id}`;
  t.match(made.body, { name: "a", status: "paused", color: "red", note: null });
  t.match(await send("PATCH", at, { name: "b", note: "n" }), {
    body: { name: "b", status: "paused", color: "red", note: "n" },
  });
  t.match(
    await send("PATCH", at, { note: null }),
    { status: 200, body: { note: null } },
    "null is a value of the property",
  );
  await send("PATCH", at, { note: "n" });
  t.same((await send("PUT", at, { name: "c" })).body, { id: made.body.id, name: "c", note: null });
  const at0 = (await send("PATCH", at, { made_at: "1999-01-01" })).body;
  t.notOk("made_at" in at0, "a read-only member that no request has");
  t.match(await send("POST", "/widgets", { id: ".." }), { status: 400, body: { message: /must not be \. or \.\./ } });
});

testLikely("what says something about a page is that of the page", text, async (t, send) => {
  for (const status of ["active", "paused", "active", "paused", "active"]) await send("POST", "/widgets", { status });
  const page = async (query: string) => (await send("GET", `/widgets?${query}`)).body;
  t.match(await page("limit=2&page=1"), {
    first: true,
    last: false,
    empty: false,
    number: 1,
    size: 2,
    total_pages: 3,
    next_page: 2,
  });
  t.match(await page("limit=2&page=3"), { first: false, last: true, number: 3, size: 2, next_page: null });
  t.equal((await page("status=paused&limit=9")).items.length, 2);
  t.equal((await page("status=all&limit=9")).items.length, 5);
  for (const wrong of ["limit=1.5", "limit=-1", "limit=1e300", "limit=2&page=0", "page=x", "limit=2&page=1.5"])
    t.match(await send("GET", `/widgets?${wrong}`), { status: 400 }, wrong);
});

testLikely("a key is that of one parent, and the id below it is that of the server", text, async (t, send) => {
  const ids: string[] = [];
  for (const name of ["a", "b"]) ids.push((await send("POST", "/widgets", { name })).body.id);
  const add = (id: string | undefined, body: object, key: string) =>
    send("POST", `/widgets/${id}/parts`, body, "application/json", { "idempotency-key": key });
  const first = await add(ids[0], { part: { name: "p" } }, "k");
  t.match(await add(ids[0], { part: { name: "p" } }, "k"), { body: first.body });
  t.match(await add(ids[1], { part: { name: "p" } }, "k"), { status: 422 });
  t.match(await add(ids[0], { part: { name: "p" }, notify: true }, "k2"), { status: 501, body: { message: /notify/ } });
});

testLikely("what a request has in another form is converted, or refused", text, async (t, send) => {
  const add = (body: object, headers = {}) =>
    send("POST", "/rooms", body, "application/json", { From: "a@b.example", ...headers });
  const made = await add({ name: "small", building: "b1", floor: "3" });
  t.match(made, {
    status: 200,
    body: { id: /^\d{15,16}$/, building: { gid: "b1", name: "" }, floor: 3, created_at: Number },
  });
  t.match(await send("GET", `/rooms/${made.body.id}`), { status: 200, body: made.body });
  t.match((await send("GET", "/rooms?building=b1")).body, [{ id: made.body.id }]);
  t.same((await send("GET", "/rooms?building=b2")).body, []);
  t.match(await add({ name: "huge" }), { status: 501, body: { message: /value of name does not match its schema/ } });
  t.match(await add({ seats: "many" }), { status: 501, body: { message: /value of seats does not match its schema/ } });
  t.match(await add({ floor: "12" }), {
    status: 501,
    body: { message: /floor must match the schema RoomSummary, too/ },
  });
  t.match(await add({}, { "Shop-Request-Id": "r 1" }), { status: 200 });
  const { id } = (await add({}, { "Shop-Request-Id": "r 2" })).body;
  t.equal(
    (await add({}, { "Shop-Request-Id": "r 2" })).body.id,
    id,
    "the id of a request that only a POST has is its key",
  );
  t.match(await send("PATCH", `/rooms/${id}`, [{ op: "replace", path: "/created_at", value: 5 }]), {
    status: 400,
    body: { message: "The property created_at is read-only." },
  });
  const change = [{ op: "add", path: "/name", value: "large" }];
  t.match(await send("PATCH", `/rooms/${id}`, change), { status: 204 });
  t.match((await send("GET", `/rooms/${id}`)).body, { name: "large" });
});

testLikely("a cursor can be the id of a record", text, async (t, send) => {
  const ids: string[] = [];
  for (const email of ["a", "b", "c", "d", "e"])
    ids.push((await send("POST", "/customers", `email=${email}`, formType)).body.id);
  const first = (await send("GET", "/customers")).body;
  t.match(first, { object: "list", has_more: true, data: [{ email: "a" }, { email: "b" }], next_cursor: ids[1] });
  const second = await send("GET", `/customers?starting_after=${ids[1]}`);
  t.match(second.body, { has_more: true, data: [{ email: "c" }, { email: "d" }] });
  t.match(second.headers.link, new RegExp(`starting_after=${ids[3]}[^>]*>; rel="next"`));
  t.match((await send("GET", `/customers?starting_after=${ids[3]}`)).body, { has_more: false, data: [{ email: "e" }] });
  t.match((await send("GET", `/customers?ending_before=${ids[4]}`)).body.data, [{ email: "c" }, { email: "d" }]);
  t.match(await send("GET", "/customers?starting_after=none"), { status: 400 });
  const both = await send("GET", `/customers?starting_after=${ids[0]}&ending_before=${ids[4]}`);
  t.match(both, { status: 400, body: { message: /starting_after and ending_before can't be used together/ } });
  for (const text of ["x", "y", "z"]) await send("POST", "/events", { text });
  const page = await send("GET", "/events?after=1");
  t.same(page.body, [
    { id: 2, text: "y" },
    { id: 3, text: "z" },
  ]);
});

testLikely("a filter can name an object by its id, and a text that can be an object, too", text, async (t, send) => {
  await send("POST", "/customers", "email=a&owner[id]=o&plan=p", formType);
  await send("POST", "/customers", "email=b&owner[id]=q", formType);
  t.match((await send("GET", "/customers?owner_id=q")).body.data, [{ email: "b" }]);
  t.match((await send("GET", "/customers?plan=p")).body.data, [{ email: "a" }]);
  t.same((await send("GET", "/customers?owner_id=none")).body.data, []);
});

testLikely("a record can match any of the alternatives of its schema", text, async (t, send) => {
  const circle = await send("POST", "/shapes", { radius: 2 });
  t.match(circle, { status: 200, body: { radius: 2, kind: "circle" } });
  const square = await send("POST", "/shapes", { side: 3 });
  t.match(square, { status: 200, body: { side: 3, kind: "square" } });
  t.same((await send("GET", `/shapes/${square.body.id}`)).body, square.body);
});

testLikely("a record without an id has that of its path", text, async (t, send) => {
  t.match(await send("GET", "/aliases/a"), { status: 404 });
  t.match(await send("PUT", "/aliases/a", { target: "x" }), { status: 200, body: { target: "x" } });
  t.match(await send("PUT", "/aliases/b", { target: "y" }), { status: 200 });
  t.same((await send("GET", "/aliases/a")).body, { target: "x" });
  t.match(await send("PUT", "/aliases/a", { target: "z" }), { status: 200 });
  t.same((await send("GET", "/aliases/a")).body, { target: "z" });
});
