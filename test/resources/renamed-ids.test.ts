// Members of a request with the id of another record, under another name than that of the record: `authorId` of `author: { id }`.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { describePlan, ImportReader, planOf, readResources } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const text = "{ type: string }";
const path = (type = text) => `parameters: [{ name: id, in: path, required: true, schema: ${type} }]`;
const object = (properties: string, required = "") =>
  `{ type: object, required: [${required}], properties: { ${properties} } }`;
const own = "id: { type: string, readOnly: true }";

// Operations of posts, whose POST, PUT and PATCH have the same members.
const posts = (sent: string, record: string, others = "", schemas = "") =>
  documentOf(
    `${others}  /posts:
    get: { operationId: listPosts, ${ok(`{ type: array, items: ${ref("Post")} }`)} }
    post: { operationId: addPost, ${body(sent)}, ${ok(ref("Post"), 201)} }
  /posts/{id}:
    ${path()}
    get: { operationId: getPost, ${ok(ref("Post"))} }
    put: { operationId: putPost, ${body(sent)}, ${ok(ref("Post"))} }
    patch: { operationId: changePost, requestBody: { required: true, content: { application/json: { schema: ${sent} }, application/json-patch+json: { schema: { type: array } } } }, ${ok(ref("Post"))} }
`,
    `components:
  schemas:
    Post: ${record}
${schemas}`,
  );

const collectionOf = (name: string) => `  /${name.toLowerCase()}s:
    post: { operationId: add${name}, ${body(ref(name))}, ${ok(ref(name), 201)} }
  /${name.toLowerCase()}s/{id}:
    ${path()}
    get: { operationId: get${name}, ${ok(ref(name))} }
    patch: { operationId: change${name}, ${body(ref(name))}, ${ok(ref(name))} }
`;
const named = object(`${own}, name: ${text}`, "id, name");

for (const [style, author, tags] of [
  ["camelCase", "authorId", "tagIds"],
  ["snake_case", "author_id", "tag_ids"],
] as const) {
  const document = posts(
    object(`title: ${text}, ${author}: { type: [string, "null"] }, ${tags}: { type: array, items: ${text} }`),
    object(
      `${own}, title: ${text}, author: { anyOf: [${ref("Author")}, { type: "null" }] }, tags: { type: array, items: ${ref("Tag")} }`,
      "id",
    ),
    collectionOf("Author") + collectionOf("Tag"),
    `    Author: ${named}\n    Tag: ${named}\n`,
  );

  testLikely(`a record has the records whose ids were sent in ${style}`, document, async (t, send) => {
    const add = async (place: string, name: string) => (await send("POST", place, { name })).body;
    const [one, two, tag] = [await add("/authors", "a"), await add("/authors", "b"), await add("/tags", "c")];
    const made = await send("POST", "/posts", { title: "x", [author]: one.id, [tags]: [tag.id] });
    const { id } = made.body;
    t.match(made, { status: 201, body: { id, title: "x", author: one, tags: [tag] } });
    t.notOk(author in made.body || tags in made.body);
    const get = async () => (await send("GET", `/posts/${id}`)).body;
    t.same(await get(), made.body);
    const renamed = (await send("PATCH", `/authors/${one.id}`, { name: "d" })).body;
    t.match([await get(), (await send("GET", "/posts")).body], [{ author: renamed }, [{ author: renamed }]]);
    const change = async (patch: object) => (await send("PATCH", `/posts/${id}`, patch)).body;
    t.match(await change({ title: "y" }), { title: "y", author: renamed, tags: [tag] });
    t.match(await change({ [author]: two.id, [tags]: [] }), { author: two, tags: [] });
    t.equal((await change({ [author]: null })).author, null);
    const replaced = (await send("PUT", `/posts/${id}`, { title: "z", [author]: one.id })).body;
    t.same(replaced, { id, title: "z", author: renamed });
    t.same((await send("PUT", `/posts/${id}`, { title: "z" })).body, { id, title: "z" });
  });

  testLikely(`a request names in ${style} the id of a record that does not exist`, document, async (t, send) => {
    const { id } = (await send("POST", "/posts", { title: "x" })).body;
    for (const [member, value] of [
      [author, "none"],
      [tags, ["none"]],
    ] as const)
      for (const [method, url] of [
        ["POST", "/posts"],
        ["PUT", `/posts/${id}`],
        ["PATCH", `/posts/${id}`],
      ] as const) {
        const { status, body } = await send(method, url, { title: "y", [member]: value });
        t.match(
          [status, body.details],
          [400, [{ name: member, message: /has the id none\.$/ }]],
          `${method} ${member}`,
        );
      }
    t.same((await send("GET", `/posts/${id}`)).body, { id, title: "x" });
    t.match(await send("POST", "/posts", { [author]: "1", author: { id: "2" } }), {
      status: 400,
      body: { message: `A request can have author or ${author}, and not both.` },
    });
  });
}

const plain = posts(
  object(
    `title: ${text}, ownerUuid: { type: [string, "null"], format: uuid }, groupKey: ${text}, itemIds: { type: array, items: { type: integer } }, constructorId: ${text}`,
  ),
  object(
    `${own}, title: ${text}, owner: ${object(`uuid: { type: string, format: uuid }, name: ${text}`)}, group: ${object(`key: ${text}, kind: { const: group }`, "key, kind")}, items: { type: array, items: ${object("id: { type: integer, format: int64 }, size: { type: integer }")} }, constructor: ${object(`id: ${text}`)}`,
    "id",
  ),
);
const uuid = "0b5c2f5e-6f0e-4c0e-9d5a-0d1f0a3c6a11";
const other = "1b5c2f5e-6f0e-4c0e-9d5a-0d1f0a3c6a11";

testLikely("of records that the document does not have, a record has the ids", plain, async (t, send) => {
  const sent = { title: "x", ownerUuid: uuid, groupKey: "g", itemIds: [1, 2], constructorId: "c" };
  const { status, body } = await send("POST", "/posts", sent);
  const members = {
    title: "x",
    owner: { uuid },
    group: { kind: "group", key: "g" },
    items: [{ id: 1 }, { id: 2 }],
    constructor: { id: "c" },
  };
  t.same([status, body], [201, { id: body.id, ...members }]);
  t.same((await send("GET", `/posts/${body.id}`)).body, body);
  const changed = (await send("PATCH", `/posts/${body.id}`, { ownerUuid: other, itemIds: [3], groupKey: null })).body;
  t.same(changed.details?.[0].name, "groupKey", "null is not allowed");
  const { owner, items, group } = (await send("PATCH", `/posts/${body.id}`, { ownerUuid: other, itemIds: [3] })).body;
  t.same([owner, items, group], [{ uuid: other }, [{ id: 3 }], members.group]);
  t.notOk("owner" in (await send("PATCH", `/posts/${body.id}`, { ownerUuid: null })).body, "null removes it");
  t.notOk("owner" in (await send("POST", "/posts", { title: "y", ownerUuid: null })).body);
  t.same((await send("PUT", `/posts/${body.id}`, { groupKey: "h" })).body, {
    id: body.id,
    group: { kind: "group", key: "h" },
  });
});

t.test("An import reads whole records as they are, and those of requests by their names", async (t) => {
  const [resource] = readResources(await parseDocument(plain));
  const reader = new ImportReader(resource as NonNullable<typeof resource>);
  const whole = { id: "1", title: "x", owner: { uuid, name: "a" }, items: [{ id: 1, size: 2 }] };
  t.same(reader.read(whole).value?.record, whole);
  t.same(reader.read({ title: "x", ownerUuid: uuid }).value?.record, { title: "x", owner: { uuid } });
  t.ok(["owner", "ownerUuid"].every((name) => reader.columns.includes(name)));
});

// As Django REST framework describes a serializer: one schema with a read-only object, and a write-only id.
const django = posts(
  ref("Post"),
  object(
    `${own}, title: ${text}, author: { readOnly: true, allOf: [${ref("Author")}] }, author_id: { type: string, writeOnly: true }`,
    "id, author, author_id",
  ),
  collectionOf("Author"),
  `    Author: ${named}\n`,
);

testLikely("a read-only record has a write-only id", django, async (t, send) => {
  const [one, two] = [
    (await send("POST", "/authors", { name: "a" })).body,
    (await send("POST", "/authors", { name: "b" })).body,
  ];
  const { status, body } = await send("POST", "/posts", { title: "x", author_id: one.id });
  t.same([status, body], [201, { id: body.id, title: "x", author: one }]);
  t.same((await send("PUT", `/posts/${body.id}`, { ...body, author_id: two.id })).body.author, two);
  const change = { title: "y", author: one, author_id: two.id };
  t.match((await send("PATCH", `/posts/${body.id}`, change)).body, { title: "y", author: two });
  t.match(await send("PATCH", `/posts/${body.id}`, { author_id: "none" }), { status: 400 });
  const patch = JSON.stringify([{ op: "replace", path: "/author/name", value: "c" }]);
  t.match(await send("PATCH", `/posts/${body.id}`, patch, "application/json-patch+json"), {
    status: 400,
    body: { message: "The property author.name is read-only." },
  });
});

const unclear = posts(
  object(
    `title: ${text}, nameId: ${text}, placeId: ${text}, ownerId: ${text}, userUuid: ${text}, teamId: ${text}, teamKey: ${text}, tagIds: ${text}`,
  ),
  object(
    `${own}, title: ${text}, place: ${object("id: { type: integer }")}, owner: ${object(`id: ${text}, name: ${text}`, "id, name")}, user: ${object(`id: ${text}, uuid: ${text}`)}, team: ${object(`id: ${text}, key: { type: integer }`)}, tags: { type: array, items: ${object(`id: ${text}`)} }`,
    "id",
  ),
);

testLikely("an id of which it is not certain what the record has is a 501", unclear, async (t, send) => {
  for (const name of ["placeId", "ownerId", "userUuid", "teamKey", "tagIds"])
    t.match(await send("POST", "/posts", { title: "x", [name]: "1" }), {
      status: 501,
      body: { message: `The effect of the member ${name} is not known. Send the request without it.` },
    });
  t.match(await send("POST", "/posts", { title: "x", teamId: "1" }), { status: 201, body: { team: { id: "1" } } });
});

const required = posts(
  object(`title: ${text}, teamId: { type: [string, "null"] }`),
  object(`${own}, title: ${text}, team: ${object(`id: ${text}`, "id")}`, "id, team"),
);

testLikely("an error about the record names what the request can have", required, async (t, send) => {
  const { id } = (await send("POST", "/posts", { teamId: "1" })).body;
  const { status, body } = await send("PATCH", `/posts/${id}`, { teamId: null });
  t.match([status, body.details], [400, [{ name: "teamId", message: /^The post must have the field 'team', also/ }]]);
  t.match(
    (await send("POST", "/posts", { title: "x" })).body.message,
    /field 'team'\. Send the request with teamId\.$/,
  );
});

t.test("the plan says by which names a request has ids", async (t) => {
  const { operations, ...others } = planOf(await parseDocument(django));
  const { body, embedded } = operations.find(({ id }) => id === "addPost")?.does ?? {};
  t.same([body?.renamed, embedded], [{ author: "author_id" }, { author: "authors" }]);
  const plan = describePlan({ operations, ...others });
  t.match(plan, /it takes the property author_id as the id of author\./);
  t.match(plan, /it has the records of authors whose ids a request has as author_id\./);
  t.notMatch(plan, /write-only|does not have/);
});
