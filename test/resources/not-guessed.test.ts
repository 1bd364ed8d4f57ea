// What could only be answered with something that the document does not say is a 501.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const object = (properties: string, required = "") =>
  `{ type: object, required: [${required}], properties: { ${properties} } }`;
const path = (name: string, schema = "schema: { type: string }") =>
  `parameters: [{ name: ${name}, in: path, required: true, ${schema} }]`;

const maps = documentOf(`  /genes/{geneId}:
    ${path("geneId")}
    get: { operationId: getGene, ${ok("{ type: object, additionalProperties: { type: string } }")} }
`);

testLikely("a key of a map is no id of a record", maps, async (t, send) => {
  t.match(await send("GET", "/genes/1"), { status: 501, body: { message: /returns what no POST/ } });
});

const command = object("name: { type: string }", "name");
const jsonPaths = documentOf(`  /commands:
    post: { operationId: addCommand, ${body(command)}, ${ok(command, 201)} }
  /commands/{name}:
    ${path("name", json("{ type: string }"))}
    get: { operationId: getCommand, ${ok(command)} }
`);

testLikely("a value of a path as JSON is no id", jsonPaths, async (t, send) => {
  t.match(await send("GET", "/commands/%22a%22"), {
    status: 501,
    body: { message: /parameter name of its path as JSON/ },
  });
  t.equal((await send("POST", "/commands", { name: "a" })).status, 501);
});

const team = object(
  "id: { type: string, readOnly: true }, type: { const: team }, name: { type: string, readOnly: true }",
);
const teams = documentOf(`  /teams:
    post: { operationId: addTeam, ${body(team)}, ${ok(team, 201)} }
  /teams/{id}:
    ${path("id")}
    get: { operationId: getTeam, ${ok(team)} }
`);

testLikely("a POST of which a record keeps nothing creates none", teams, async (t, send) => {
  const { status, body } = await send("POST", "/teams", { id: "PQ9K7I8", type: "team" });
  t.match([status, body.message], [501, /takes no property that a record keeps, so that all would be alike/]);
});

const member = object("id: { type: string }, type: { const: member }", "id, type");
const members = documentOf(`  /members:
    post: { operationId: addMember, ${body(member)}, ${ok(member, 201)} }
  /members/{id}:
    ${path("id")}
    get: { operationId: getMember, ${ok(member)} }
`);

testLikely("a POST that requires the id of what it creates says all of it", members, async (t, send) => {
  t.match(await send("POST", "/members", { id: "a", type: "member" }), { status: 201 });
  t.match(await send("GET", "/members/a"), { status: 200, body: { id: "a", type: "member" } });
  t.match(await send("POST", "/members", { id: "a", type: "member" }), { status: 409 });
});

const note = object("id: { type: integer }, text: { type: string }", "id");
const options = `requestBody: { ${json(object("id: { type: integer }, purge: { type: boolean }"))} }`;
const notes = documentOf(`  /notes:
    post: { operationId: addNote, ${body(object("text: { type: string }"))}, ${ok(note, 201)} }
  /notes/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: getNote, ${ok(note)} }
    delete: { operationId: removeNote, ${options}, responses: { 204: { description: x } } }
`);

testLikely("the body of a DELETE has no effect that is known", notes, async (t, send) => {
  for (const text of ["a", "b"]) await send("POST", "/notes", { text });
  t.match(await send("DELETE", "/notes/1", { purge: true }), { status: 501, body: { message: /member purge/ } });
  t.equal((await send("GET", "/notes/1")).status, 200);
  t.equal((await send("DELETE", "/notes/1", { id: 1 })).status, 204, "its id is that of the path");
  t.equal((await send("DELETE", "/notes/2")).status, 204);
});

const user = object("id: { type: integer }, name: { type: string }", "id");
const wholeUser = object(
  "id: { type: integer }, name: { type: string }, bio: { type: string }, seen: { type: string, readOnly: true }",
);
const users = documentOf(`  /users:
    post: { operationId: addUser, ${body(object("name: { type: string }"))}, ${ok(user, 201)} }
  /users/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: getUser, ${ok(user)} }
    put: { operationId: putUser, ${body(wholeUser)}, ${ok(wholeUser)} }
`);

testLikely("what only the response of a change declares is kept", users, async (t, send) => {
  await send("POST", "/users", { name: "Ada" });
  const changed = { id: 1, name: "Ada", bio: "b" };
  t.strictSame((await send("PUT", "/users/1", { name: "Ada", bio: "b", seen: "x" })).body, changed);
  t.strictSame((await send("GET", "/users/1")).body, changed);
});

const wrapped = (members: string, required = "note, ok, more") =>
  object(`note: ${note}, ok: { type: boolean }, ${members}`, required);
const more = "more: { type: [string, 'null'] }, message: { type: string }";
const wrappedNotes = documentOf(`  /notes:
    post: { operationId: addNote, ${body(object("text: { type: string }"))}, ${ok(wrapped(more, "note, ok, more, message"), 201)} }
  /notes/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: getNote, ${ok(wrapped("more: { type: string, example: 12ms }"))} }
    delete: { operationId: removeNote, ${ok(object("taskUid: { type: integer }", "taskUid"))} }
`);

testLikely("what a response has beside a record is not that of an example", wrappedNotes, async (t, send) => {
  const { body } = await send("POST", "/notes", { text: "a" });
  t.same(body, { note: { id: 1, text: "a" }, ok: true, more: null, message: "" }, "a message can be empty");
  t.equal((await send("GET", "/notes/1")).status, 501);
  t.equal((await send("DELETE", "/notes/1")).status, 501);
});

const page = (members: string) =>
  ok(
    `{ type: object, required: [notes, took, href], properties: { notes: { type: array, items: ${note} }, ${members} } }`,
  );
const listed = (name: string, members: string) => `  /${name}:
    get: { operationId: ${name}List, ${page(members)} }
    post: { operationId: ${name}Add, ${body(object("text: { type: string }"))}, ${ok(note, 201)} }
  /${name}/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: ${name}Get, ${ok(note)} }
`;
const known =
  "itemsTotal: { type: integer }, total_count: { type: number }, took: { const: 0 }, href: { type: string }";
const paged = documentOf(listed("notes", known) + listed("others", "took: { type: integer }, href: { type: string }"));

testLikely(
  "a list is not answered if it has a required member beside its records that is not known",
  paged,
  async (t, send) => {
    await send("POST", "/notes", { text: "a" });
    const { body } = await send("GET", "/notes");
    t.same(body, { notes: [{ id: 1, text: "a" }], itemsTotal: 1, total_count: 1, took: 0, href: "/notes" });
    t.equal((await send("GET", "/others")).status, 501);
  },
);

const settings = (members: string) => object(members, "enabled, hosts");
const changed = (schema: string) => `get: { operationId: getIt, ${ok(schema)} }
    patch: { operationId: changeIt, ${body(object("enabled: { type: boolean }, hosts: { type: array }"))}, ${ok(schema)} }
`;
const said = settings("enabled: { type: boolean, default: true }, hosts: { type: array, items: { type: string } }");
const open = settings("enabled: { type: boolean }, hosts: { type: array, items: { type: string } }");

testLikely(
  "a single record has what the document says of it",
  documentOf(`  /settings:\n    ${changed(said)}`),
  async (t, send) => {
    t.same((await send("GET", "/settings")).body, { enabled: true, hosts: [] });
    t.same((await send("PATCH", "/settings", { hosts: ["a"] })).body, { enabled: true, hosts: ["a"] });
  },
);

testLikely(
  "what the document does not say of a single record is imported",
  documentOf(`  /settings:\n    ${changed(open)}`),
  async (t, send) => {
    t.match(await send("GET", "/settings"), { status: 501, body: { message: /Import them/ } });
    t.equal((await send("PATCH", "/settings", { enabled: true })).status, 501);
  },
);

const rack = (site: string) => object(`id: { type: integer, readOnly: true }, site: ${site}`, "site");
const sites = object("id: { type: integer }, name: { type: string, minLength: 1 }", "id, name");
const racks = documentOf(`  /racks/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: getRack, ${ok(rack(sites))} }
    patch: { operationId: changeRack, ${body(rack("{ type: integer }"))}, ${ok(rack(sites))} }
`);

testLikely("a change that requires a member in a form that no record has is a 501", racks, async (t, send) => {
  t.match(await send("PATCH", "/racks/1", { site: 1 }), {
    status: 501,
    body: { message: /takes the property site in another form/ },
  });
});

const line = object("id: { type: integer, readOnly: true }, text: { type: string }", "id");
const order = object(
  "id: { type: integer, readOnly: true }, note: { type: string }, shipping: { type: object, properties: { speed: { type: string } } }",
  "id",
);
const text = "{ type: string }";
const newOrder = object(
  `note: ${text}, shippingId: ${text}, speed: ${text}, lines: { type: array, items: ${line} }`,
  "note",
);
const notice = object(
  `id: { type: integer, readOnly: true }, type: ${text}, attributes: ${object(`type: ${text}, text: ${text}`)}`,
  "id",
);
const orders = documentOf(`  /orders:
    post: { operationId: addOrder, ${body(newOrder)}, ${ok(order, 201)} }
  /orders/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: getOrder, ${ok(order)} }
  /orders/{id}/lines:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: listLines, ${ok(`{ type: array, items: ${line} }`)} }
    post: { operationId: addLine, ${body(line)}, ${ok(line, 201)} }
  /notices:
    post: { operationId: addNotice, ${body(object(`type: ${text}, text: ${text}`, "type"))}, ${ok(notice, 201)} }
  /notices/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: getNotice, ${ok(notice)} }
`);

testLikely(
  "a member that belongs into an object of the record, or below it, is not dropped",
  orders,
  async (t, send) => {
    t.match(await send("POST", "/orders", { note: "a" }), { status: 201, body: { id: 1, note: "a" } });
    for (const member of [{ shippingId: "s" }, { speed: "fast" }, { lines: [] }]) {
      const [name] = Object.keys(member);
      const { status, body } = await send("POST", "/orders", { note: "a", ...member });
      t.match([status, body.message], [501, new RegExp(`effect of the member ${name} is not known`)]);
    }
    const { status, body } = await send("POST", "/notices", { type: "a" });
    t.match([status, body.message], [501, /requires the property type, whose effect is not known/], "of JSON:API");
  },
);

const session = object("id: { type: integer, readOnly: true }, active: { type: boolean }", "id");
const sessions = (description: string) =>
  documentOf(`  /sessions:
    post: { operationId: addSession, ${body(object("active: { type: boolean }"))}, ${ok(session, 201)} }
  /sessions/{id}:
    ${path("id", "schema: { type: integer }")}
    get: { operationId: getSession, ${ok(session)} }
    delete: { operationId: endSession, description: "${description}", responses: { 204: { description: x } } }
`);

for (const [description, status] of [
  ["Deactivates a session.", 501],
  ["Ends a session. Its data is not deleted.", 501],
  ["Disables a session. It removes all of its data.", 204],
  ["Deletes a session, and cancels its calls.", 204],
] as const)
  testLikely(`a DELETE that says "${description}" has the status ${status}`, sessions(description), async (t, send) => {
    await send("POST", "/sessions", { active: true });
    t.equal((await send("DELETE", "/sessions/1")).status, status);
  });
