// What a document says beside its usual names: in formats, descriptions and alternatives.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const listOf = (schema: string) => ok(`{ type: array, items: ${schema} }`);
const path = (name: string, schema = "type: string") =>
  `parameters: [{ name: ${name}, in: path, required: true, schema: { ${schema} } }]`;
const object = (properties: string, rest = "") => `{ type: object, properties: { ${properties} }${rest} }`;

async function plan(paths: string, rest = "") {
  const { collections, operations } = planOf(await parseDocument(documentOf(paths, rest)));
  const answered = operations.flatMap(({ id, does }) => (does ? [id] : []));
  return { answered, ids: collections.map(({ id }) => id.path.join(".")) };
}

t.test("Records that another collection has are not imported a second time", async (t) => {
  const { answered } = await plan(
    `  /users/{id}: { ${path("id")}, get: { operationId: getUser, ${ok(ref("User"))} } }
  /teams/{team}/members: { ${path("team")}, get: { operationId: listMembers, ${listOf(ref("User"))} } }
  /regions/{region}/states: { ${path("region")}, get: { operationId: listStatesOfRegion, ${listOf(ref("State"))} } }
  /states: { get: { operationId: listStates, ${listOf(ref("State"))} } }
  /lands: { get: { operationId: listLands, ${listOf(ref("State"))} } }
  /states/old: { get: { operationId: listOldStates, ${listOf(ref("State"))} } }
`,
    `components: { schemas: { User: ${object("id: { type: string }, name: { type: string }", ", required: [id]")}, State: ${object("id: { type: string }, name: { type: string }", ", required: [id]")} } }`,
  );
  t.same(answered, ["getUser", "listStates", "listLands"]);
});

t.test("Records that other operations create, or add to a list, are not imported", async (t) => {
  const user = ref("User");
  const { answered } = await plan(
    `  /chats/{id}: { ${path("id")}, get: { operationId: getChat, ${ok(user)} } }
  /chats/groups: { get: { operationId: listGroups, ${listOf(user)} }, post: { operationId: addGroup, requestBody: { ${json(user)} }, ${ok(user, 201)} } }
  /teams/{team}/members: { ${path("team")}, get: { operationId: listMembers, ${listOf(ref("Member"))} } }
  /teams/{team}/members/{id}:
    parameters: [${["team", "id"].map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`)}]
    get: { operationId: getMember, ${ok(ref("Member"))} }
    put: { operationId: addMember, responses: { 204: { description: x } } }
    delete: { operationId: removeMember, responses: { 204: { description: x } } }
`,
    `components: { schemas: { User: ${object("id: { type: string }, name: { type: string }", ", required: [id]")}, Member: ${object("id: { type: string }, role: { type: string }", ", required: [id]")} } }`,
  );
  t.same(answered, ["listGroups", "addGroup"]);
});

t.test("What a service makes of its records is not imported", async (t) => {
  const item = object("id: { type: string }", ", required: [id]");
  const list = (id: string, text = "") => `{ get: { operationId: ${id}, description: "${text}", ${listOf(item)} } }`;
  const { answered } = await plan(`  /items: ${list("listItems")}
  /things/similar: ${list("listSimilar")}
  /events: ${list("listEvents", "Lists the events of the last 90 days.")}
`);
  t.same(answered, ["listItems"]);
});

t.test("The id has the letters of the parameter, or else its format", async (t) => {
  const uuid = "type: string, format: uuid";
  const { ids } = await plan(
    `  /keypairs/{kp_uuid}: { ${path("kp_uuid", uuid)}, get: { operationId: a, ${ok(object(`pk: { ${uuid}, readOnly: true }, name: { type: string }`))} } }
  /terms/{acceptancereference}: { ${path("acceptancereference")}, get: { operationId: b, ${ok(object("id: { type: string }, acceptanceReference: { type: string }"))} } }
`,
  );
  t.same(ids, ["pk", "acceptanceReference"]);
});

const note = object(
  "id: { type: integer, readOnly: true }, labels: { type: object, additionalProperties: { type: string } }",
);
const labels = object(
  'labels: { type: object, description: "Individual keys can be unset by posting an empty value to them.", additionalProperties: { type: string } }',
);
const notes = documentOf(`  /notes:
    get: { operationId: listNotes, parameters: [{ name: limit, in: query, description: "From 1 to 100, and the default is 2.", schema: { type: integer } }, { name: cursor, in: query, schema: { type: string } }], ${listOf(note)} }
    post: { operationId: addNote, requestBody: { ${json(labels)} }, ${ok(note, 201)} }
  /notes/{id}:
    ${path("id", "type: integer")}
    get: { operationId: getNote, ${ok(note)} }
    patch: { operationId: changeNote, requestBody: { ${json(labels)} }, ${ok(note)} }
`);

testLikely("the default of a limit can be in its description", notes, async (t, send) => {
  for (const _ of [1, 2, 3]) await send("POST", "/notes", {});
  t.equal((await send("GET", "/notes")).body.length, 2);
  t.equal((await send("GET", "/notes?limit=3")).body.length, 3);
});

testLikely("an empty text removes a key of a map whose description says so", notes, async (t, send) => {
  t.match((await send("POST", "/notes", { labels: { a: "1", b: "2" } })).body, { id: 1, labels: { a: "1", b: "2" } });
  t.same((await send("PATCH", "/notes/1", { labels: { a: "", c: "3" } })).body.labels, { b: "2", c: "3" });
});

const contact = (type: string, own: string) =>
  object(`id: { type: string, readOnly: true }, type: { const: ${type} }, ${own}`, ", required: [type]");
const either = `{ oneOf: [${contact("email", "short: { type: boolean, default: false }")}, ${contact("phone", "area: { type: integer, default: 1 }")}] }`;
const contacts = documentOf(`  /contacts:
    post: { operationId: addContact, requestBody: { required: true, ${json(either)} }, ${ok(either, 201)} }
  /contacts/{id}:
    ${path("id")}
    get: { operationId: getContact, ${ok(either)} }
`);

testLikely("a record has no default of another alternative", contacts, async (t, send) => {
  const { body } = await send("POST", "/contacts", { type: "phone" });
  t.notOk("short" in body, JSON.stringify(body));
});

t.test("Another key, another place and a part of a record are no collections", async (t) => {
  const book = object("id: { type: string }, isbn: { type: string }, title: { type: string }", ", required: [id]");
  const rest = `components: { schemas: { Book: ${book}, Volume: ${object(`id: { type: string }, chapters: { type: array, items: ${object("id: { type: string }")} }`)} } }`;
  const { answered } = await plan(
    `  /books/{id}: { ${path("id")}, get: { operationId: getBook, ${ok(ref("Book"))} } }
  /books/isbn/{isbn}: { ${path("isbn")}, get: { operationId: getByIsbn, ${ok(ref("Book"))} } }
  /books/all/{id}: { ${path("id")}, get: { operationId: getOfAll, ${ok(ref("Book"))} } }
  /shelves/{shelf}/books: { ${path("shelf")}, get: { operationId: listOfShelf, ${listOf(object("id: { type: string }, row: { type: integer }"))} } }
  /volume: { get: { operationId: getVolume, ${ok(ref("Volume"))} } }
`,
    rest,
  );
  t.same(answered, ["getBook"]);
});

const user = object("id: { type: string, readOnly: true }, name: { type: string }, password: { type: string }");
t.test("A secret, and a value of any form, are not stored as they are sent", async (t) => {
  const { answered } = await plan(`  /users:
    post: { operationId: addUser, requestBody: { ${json(user)} }, ${ok(user, 201)} }
  /users/{id}: { ${path("id")}, get: { operationId: getUser, ${ok(user)} } }
  /users/{id}/password: { ${path("id")}, put: { operationId: setPassword, requestBody: { ${json(object("password: { type: string }"))} }, ${ok(user)} } }
  /values/{key}:
    ${path("key")}
    get: { operationId: getValue, ${ok(object("key: { type: string }, value: {}"))} }
    put: { operationId: setValue, requestBody: { ${json("{}")} }, responses: { 200: { description: x } } }
`);
  t.same(answered, ["addUser", "getUser", "getValue"]);
});

const team = object(
  "id: { type: string, readOnly: true }, name: { type: string }, lead: { type: object, required: [id, type], properties: { id: { type: string } } }",
);
const sentTeam = object(
  `name: { type: string }, lead: ${object("id: { type: string }, type: { type: string }", ", required: [id, type]")}`,
);
const nextPage = object("offset: { type: string, nullable: true }, path: { type: string }");
const teams = documentOf(
  `  /teams:
    get: { operationId: listTeams, parameters: [{ name: size, in: query, schema: { type: integer } }, { name: page, in: query, description: "Pages start at page 1.", schema: { type: integer, minimum: 0 } }, { name: name, in: query, description: "The response will only contain the team with this name.", schema: { type: string } }], ${ok(object(`data: { type: array, items: ${team} }, next_page: ${nextPage}`))} }
    post: { operationId: addTeam, requestBody: { ${json(sentTeam)} }, ${ok(team, 201)} }
  /teams/{id}: { ${path("id")}, get: { operationId: getTeam, ${ok(team)} } }
`,
  "",
  "3.0.3",
);

testLikely(
  "an object about the next page is there if there is one, and pages are counted as the document says",
  teams,
  async (t, send) => {
    for (const name of ["red", "redder"]) t.match(await send("POST", "/teams", { name }), { status: 201 });
    const { body } = await send("GET", "/teams?size=1&page=1");
    t.match(body, { data: [{ name: "red" }], next_page: { path: /page=2/ } });
    t.same(Object.keys((await send("GET", "/teams?size=1&page=2")).body), ["data"]);
    t.equal((await send("GET", "/teams?name=red")).body.data.length, 1);
  },
);

testLikely("a member that a record requires, and does not declare, is kept", teams, async (t, send) => {
  const lead = { id: "a", type: "user" };
  t.same((await send("POST", "/teams", { name: "x", lead })).body.lead, lead);
});

const said = (description: string, type = "string") => `{ type: ${type}, description: "${description}" }`;
const server = [
  "name: { type: string }",
  `port: ${said("Custom port (default: 22).", "integer")}`,
  `user: ${said("Custom user (default: git)")}`,
  `kind: ${said("Use `web` for all. Default: `web`.")}`,
  `label: ${said("Defaults to `name`.")}`,
  `days: ${said("Defaults to 30 days.", "integer")}`,
  `main: ${said("Defaults to `true` for the first one.", "boolean")}`,
  `color: ${said("Default red or blue")}`,
  `opacity: ${said("Default: 0.5", "number")}`,
  `size: ${said("Defaults to 5 MB", "integer")}`,
  `ports: ${said("Default: 80 (HTTP) or 443", "integer")}`,
].join(", ");
const servers = documentOf(`  /servers:
    post: { operationId: addServer, requestBody: { ${json(object(server))} }, ${ok(object(`id: { type: integer }, ${server}`), 201)} }
  /servers/{id}:
    ${path("id", "type: integer")}
    get: { operationId: getServer, ${ok(object(`id: { type: integer }, ${server}`))} }
`);

testLikely("the default of a member can be in its description", servers, async (t, send) => {
  const made = { port: 22, user: "git", kind: "web" };
  t.same((await send("POST", "/servers", { name: "a" })).body, { id: 1, name: "a", ...made });
  t.same((await send("POST", "/servers", { name: "b", port: 1, main: true })).body, {
    id: 2,
    name: "b",
    ...made,
    port: 1,
    main: true,
  });
});

const spot = (checked: string) => object(`city: { type: string }, checked: ${checked}`, ", required: [city, checked]");
const trip = (checked: string) =>
  object(`id: { type: integer, readOnly: true }, name: { type: string }, to: ${spot(checked)}`);
const named = object("name: { type: string }");
const moment = "{ type: string, format: date-time, readOnly: true }";
const trips = documentOf(`  /trips:
    post: { operationId: addTrip, requestBody: { ${json(named)} }, ${ok(trip(moment), 201)} }
  /trips/{id}:
    ${path("id", "type: integer")}
    get: { operationId: getTrip, ${ok(trip(moment))} }
    patch: { operationId: changeTrip, requestBody: { ${json(trip(moment))} }, ${ok(trip(moment))} }
`);

testLikely("a change is a 501 if it needs a member that no request can have", trips, async (t, send) => {
  await send("POST", "/trips", { name: "A" });
  t.match(await send("PATCH", "/trips/1", { to: { city: "Tartu" } }), {
    status: 501,
    body: { message: /The value of to does not match its schema in the \w+ of a response/ },
  });
});

const texts = "{ type: array, items: { type: string } }";
const members = `name: { type: string }, peers: ${texts}, parent: { type: string }`;
const shownGroup = object(
  `id: { type: integer }, ${members}, peers_count: { type: integer }, parent_label: { type: string }`,
  ", required: [id, name, peers_count, parent_label]",
);
const groups = documentOf(`  /groups:
    post: { operationId: addGroup, requestBody: { ${json(object(members, ", required: [name]"))} }, ${ok(shownGroup, 201)} }
  /groups/{id}:
    ${path("id", "type: integer")}
    get: { operationId: getGroup, ${ok(shownGroup)} }
    put: { operationId: putGroup, requestBody: { ${json(object(members, ", required: [name]"))} }, ${ok(shownGroup)} }
    patch: { operationId: changeGroup, requestBody: { ${json(object(members))} }, ${ok(shownGroup)} }
`);

testLikely(
  "the number of items of an array is counted, and what a member refers to is not empty",
  groups,
  async (t, send) => {
    const { body } = await send("POST", "/groups", { name: "A", peers: ["x", "y"] });
    t.same(body, { id: 1, name: "A", peers: ["x", "y"], peers_count: 2, parent_label: "" });
    t.equal((await send("PATCH", "/groups/1", { peers: ["x"] })).body.peers_count, 1);
    t.equal((await send("PATCH", "/groups/1", { peers: [] })).body.peers_count, 0);
    t.equal((await send("PUT", "/groups/1", { name: "A", peers: ["x", "y", "z"] })).body.peers_count, 3);
    t.match(await send("POST", "/groups", { name: "A", parent: "B" }), {
      status: 501,
      body: { message: /member parent/ },
    });
  },
);
