// Which member is the id of a record: paths with one of two ids, such as `/roles/{roleIdOrLabel}`, and records with several ids.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const object = (properties: string) => `{ type: object, required: [label], properties: { ${properties} } }`;
const sent = object("label: { type: string }");
const documentWith = (parameter: string, record: string) =>
  documentOf(`  /roles:
    post: { operationId: addRole, requestBody: { required: true, ${json(sent)} }, responses: { 201: { description: x, ${json(record)} } } }
  /roles/{${parameter}}:
    parameters: [{ name: ${parameter}, in: path, required: true, schema: { type: string } }]
    get: { operationId: getRole, responses: { 200: { description: x, ${json(record)} } } }
    put: { operationId: putRole, requestBody: { required: true, ${json(sent)} }, responses: { 200: { description: x, ${json(record)} } } }
`);

for (const parameter of ["roleIdOrLabel", "label_or_id"])
  testLikely(
    `the id of {${parameter}} is that of the server`,
    documentWith(parameter, object("id: { type: string }, label: { type: string }")),
    async (t, send) => {
      const { body } = await send("POST", "/roles", { label: "a" });
      t.match(body, { id: /^.{22,}$/, label: "a" });
      t.same((await send("PUT", `/roles/${body.id}`, { label: "b" })).body, { id: body.id, label: "b" });
      t.same((await send("GET", "/roles/b")).body, { id: body.id, label: "b" });
      t.same((await send("PUT", "/roles/b", { label: "c" })).body, { id: body.id, label: "c" });
      t.equal((await send("GET", "/roles/b")).status, 404);
    },
  );

testLikely(
  "the id of {label_or_uuid} is the one that a record has, before a number that the path has not",
  documentWith("label_or_uuid", object("id: { type: integer }, label: { type: string }")),
  async (t, send) => {
    await send("POST", "/roles", { label: "a" });
    t.match(await send("GET", "/roles/a"), { status: 200, body: { label: "a" } });
  },
);

const shop = object("id: { type: integer }, slug: { type: string }, label: { type: string }");
const book = object("id: { type: integer }, label: { type: string }, shop: { type: integer }");
const inPath = (...names: string[]) =>
  `parameters: [${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`)}]`;
const found = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const labelled = `requestBody: { required: true, ${json(sent)} }`;

testLikely(
  "Records below {shop_id_or_slug} are those of the shop with the id or the slug",
  documentOf(`  /shops:
    post: { operationId: addShop, requestBody: { required: true, ${json(object("slug: { type: string }, label: { type: string }"))} }, ${found(shop, 201)} }
  /shops/{shop_id_or_slug}:
    ${inPath("shop_id_or_slug")}
    get: { operationId: getShop, ${found(shop)} }
    delete: { operationId: removeShop, responses: { 204: { description: x } } }
  /shops/{shop}/books:
    ${inPath("shop")}
    get: { operationId: listBooks, ${found(`{ type: array, items: ${book} }`)} }
    post: { operationId: addBook, ${labelled}, ${found(book, 201)} }
  /shops/{shop}/books/{book_id_or_label}:
    ${inPath("shop", "book_id_or_label")}
    get: { operationId: getBook, ${found(book)} }
    patch: { operationId: changeBook, ${labelled}, ${found(book)} }
`),
  async (t, send) => {
    for (const slug of ["a", "b"]) await send("POST", "/shops", { slug, label: slug });
    const { status, body, headers } = await send("POST", "/shops/b/books", { label: "x" });
    t.match([status, body], [201, { id: 1, shop: 2, label: "x" }]);
    t.equal(headers.location, "/shops/2/books/1");
    t.equal((await send("POST", "/shops/c/books", { label: "x" })).status, 404);
    for (const place of ["/shops/2/books/1", "/shops/b/books/x", "/shops/2/books/x", "/shops/b/books/1"])
      t.same((await send("GET", place)).body, body, place);
    t.equal((await send("GET", "/shops/a/books/x")).status, 404);
    t.same((await send("PATCH", "/shops/b/books/x", { label: "y" })).body, { ...body, label: "y" });
    t.same((await send("GET", "/shops/b/books")).body, [{ ...body, label: "y" }]);
    t.equal((await send("DELETE", "/shops/b")).status, 204);
    t.equal((await send("GET", "/shops/2/books/1")).status, 404);
  },
);

const text = "{ type: string }";
const ids: readonly (readonly [
  why: string,
  path: string,
  members: readonly string[],
  id: string,
  description?: string,
])[] = [
  ["its own before that of another record", "/refunds/{terminal_refund_id}", ["refund_id", "id"], "id"],
  ["its own before what the parameter only begins with", "/promotion_codes/{promotion_code}", ["code", "id"], "id"],
  ["not its own if the path is by its number", "/pulls/{pull_number}", ["number", "id"], "number"],
  [
    "that with the whole name, in another case",
    "/templates/{report_template_id}",
    ["id", "reportTemplateId"],
    "reportTemplateId",
  ],
  ["not its name", "/files/{file_key}", ["name"], ""],
  ["its name, if the parameter is one", "/tags/{tag_id}", ["name"], "name", "The name of the tag."],
  ["its name before its id, if the parameter is one", "/tags/{tag}", ["id", "name"], "name", "Name of the tag to get."],
  ["not its name, if the parameter is also an id", "/tags/{tag}", ["id", "name"], "id", "The id or name of the tag."],
  [
    "its own, not that of its parts",
    "/folders/{folder_id}",
    ["id", "parent_id"],
    "id",
    "It is the `parent_id` property of its files.",
  ],
  ["not its key, if the parameter has its id", "/keys/{key_id}", ["key", "uuid"], "uuid"],
  ["not its text", "/comments/{comment}", ["comment", "id"], "id"],
  ["its login, if the parameter is a name", "/users/{username}", ["id", "login"], "login"],
  [
    "the one that the parameter names",
    "/tickets/{ticket_id}",
    ["id", "ticket_id"],
    "id",
    "This is the `id` field, not the `ticket_id` property.",
  ],
];

for (const [why, path, members, id, description = ""] of ids)
  t.test(`the id of ${path} is ${why}`, async (t) => {
    const record = object(["label", ...members].map((name) => `${name}: ${text}`).join(", "));
    const parameter = `{ name: "${path.slice(path.indexOf("{") + 1, -1)}", in: path, required: true, schema: ${text}, description: "${description}" }`;
    const document = documentOf(`  ${path}:
    get: { operationId: get, parameters: [${parameter}], responses: { 200: { description: x, ${json(record)} } } }
`);
    t.equal(planOf(await parseDocument(document)).collections[0]?.id.path[0] ?? "", id);
  });
