// The resources of a document: which collections a store keeps, and by what they can be filtered.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { collectionsOf, readResources } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";

const schemas = `components:
  schemas:
    Id: { type: integer, format: int64 }
    New: { type: object, required: [title], properties: { title: { type: string }, pages: { type: integer } } }
    Book:
      type: object
      properties:
        id: { $ref: "#/components/schemas/Id" }
        title: { type: string }
        pages: { type: [integer, "null"] }
        price: { type: number }
        lent: { type: boolean }
        tags: { type: array, items: { type: string } }
        shelf: { $ref: "#/components/schemas/Id" }
        owner: { type: object }
        code: { type: [string, integer] }`;
const content = (name: string) => `content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } }`;
const ok = (name: string) => `responses: { 200: { description: x, ${content(name)} } }`;
const create = `post: { requestBody: { ${content("New")} }, responses: { 201: { description: x } } }`;
const item = (path: string, parameter: string, schema = '{ $ref: "#/components/schemas/Id" }') =>
  `  ${path}/{${parameter}}:\n    parameters: [{ name: ${parameter}, in: path, required: true, schema: ${schema} }]\n    get: { ${ok("Book")} }\n`;
const query = (name: string, schema: string) => `{ name: ${name}, in: query, schema: ${schema} }`;

const read = (paths: string, rest = schemas) => parseDocument(documentOf(paths, rest), { strict: false });

t.test("A resource has a path at which records are created, and one for each record", async (t) => {
  const list = `get: { ${ok("Book")} }`;
  const document = await read(
    `  /books: { ${create}, ${list} }\n${item("/books", "bookId")}` +
      `  /shop/books: { ${create} }\n${item("/shop/books", "id")}` +
      `  /keys: { ${create} }\n${item("/keys", "id")}` +
      `  /notes: { ${create}, ${list} }\n` + // no path of a record
      `  /shops/{shop}/books: { parameters: [{ name: shop, in: path, required: true, schema: {} }], ${create} }\n` +
      `  /shops/{shop}/books/{id}: { parameters: [{ name: shop, in: path, required: true, schema: {} }, { name: id, in: path, required: true, schema: {} }], get: { ${ok("Book")} } }\n`,
  );
  t.same(
    collectionsOf(document).map(({ name, id }) => [name, id]),
    [
      ["books", "id"],
      ["shop_books", "id"],
      ["keys_records", "id"],
      ["shops_shop_books", "id"],
    ],
  );
  t.match(readResources(document)[3], {
    path: "/shops/{shop}/books",
    scopeParameters: ["shop"],
    collection: { isScoped: true },
  });
  const [books] = readResources(document);
  t.same(books?.collection.properties, ["id", "title", "pages", "price", "lent", "tags", "shelf", "owner", "code"]);
  t.match(books?.newRecord, { propertyNames: ["title", "pages"], required: ["title"] });
  const validate = books?.newRecord.createValidator("request");
  t.match(validate?.({ title: "A", pages: 5 }), { value: { pages: 5 } });
  t.match(validate?.({ pages: "x" }), { problem: { part: "title" } });
});

t.test("The id of a record is an int64 or a string", async (t) => {
  const withId = (schema: string) => schemas.replace('id: { $ref: "#/components/schemas/Id" }', `id: ${schema}`);
  const pathsWith = (schema: string) => `  /books: { ${create} }\n${item("/books", "bookId", schema)}`;
  for (const [schema, ids] of [
    ["{ type: string, format: uuid }", [["id", "string"]]],
    ["{ type: integer, format: int64 }", [["id", "int64"]]],
    ["{ type: boolean }", []],
    ["{ type: [string, integer] }", []],
  ] as const)
    t.same(
      collectionsOf(await read(pathsWith(schema), withId(schema))).map(({ id, idType }) => [id, idType]),
      ids,
      schema,
    );
  const other = await read(pathsWith("{ type: integer }"), withId("{ type: string, format: uuid }"));
  t.match(collectionsOf(other), [{ idForm: undefined }], "the store can make no id that both allow");
  const digits = await read(pathsWith("{ type: integer }"), withId("{ type: string }"));
  t.match(collectionsOf(digits), [{ id: "id", idForm: "safeDigits" }], "the number of a text");
  t.match(readResources(digits), [{ plan: { id: { isUsual: false } } }]);
  const prefixed = await read(pathsWith("{ type: string }"), withId('{ type: string, pattern: "^BK[0-9a-f]{32}$" }'));
  t.match(collectionsOf(prefixed), [{ idForm: "hex32", idPrefix: "BK" }], "as a pattern describes it");
  const named = `  /books: { ${create} }\n${item("/books", "book_title", "{ type: string }")}`;
  t.match(readResources(await read(named)), [{ idPath: ["title"], plan: { id: { isUsual: false } } }], "before `id`");
});

t.test(
  "Another order of the paths, or of upper and lower case, gives no collection the table of another one",
  async (t) => {
    const collection = (path: string) => `  ${path}: { ${create} }\n${item(path, "id")}`;
    const namesOf = async (...paths: string[]) => {
      const resources = readResources(await read(paths.map(collection).join("")));
      return new Map(resources.map(({ path, name }) => [path, name]));
    };
    const paths = ["/user_groups", "/user/groups", "/Books", "/books", "/Keys", "/other"];
    const names = await namesOf(...paths);
    t.same(names, await namesOf(...paths.toReversed()));
    t.equal(new Set([...names.values()].map((name) => name.toLowerCase())).size, 6);
    t.match(
      [...names.values()],
      [/^user_groups_\w{8}$/, /^user_groups_\w{8}$/, /^Books_/, /^books_/, "Keys_records", "other"],
    );
    t.match(await namesOf("/user_groups"), new Map([["/user_groups", "user_groups"]]));
    t.match([...(await namesOf("/keys", "/keys/records")).values()], [/^keys_records_\w{8}$/, /^keys_records_\w{8}$/]);
    const report = `  /user_groups: { get: { responses: { 200: { description: x } } } }\n`;
    t.match(readResources(await read(collection("/user/groups") + report)), [{ name: "user_groups" }], "no collection");
  },
);

t.test("A parameter of the list with the name and type of a property is a filter", async (t) => {
  const parameters = [
    query("limit", "{ type: integer }"),
    query("cursor", "{ type: string }"),
    query("title", "{ type: string }"),
    query("pages", "{ type: integer }"),
    query("price", "{ type: number }"),
    query("lent", "{ type: boolean }"),
    query("tag", "{ type: string }"),
    query("shelf", '{ $ref: "#/components/schemas/Id" }'),
    query("owner", "{ type: object }"),
    query("code", "{ type: string }"),
    query("titles", "{ type: string }"),
    query("sort", "{ type: string }"),
    query("tags", "{ type: array, items: { type: string } }"),
  ];
  const paths = `  /books: { ${create}, get: { parameters: [${parameters}], ${ok("Book")} } }\n${item("/books", "bookId")}`;
  const [books] = readResources(await read(paths));
  t.same(books?.collection.filters, [
    { name: "title", property: "title", type: "string", contains: false, isLong: true },
    { name: "pages", property: "pages", type: "number", contains: false, isLong: false },
    { name: "price", property: "price", type: "number", contains: false, isLong: false },
    { name: "lent", property: "lent", type: "boolean", contains: false, isLong: false },
    { name: "tag", property: "tags", type: "string", contains: true, isLong: true },
    { name: "shelf", property: "shelf", type: "int64", contains: false, isLong: false },
    { name: "tags", property: "tags", type: "string", contains: true, isLong: true },
  ]);
  t.same(books?.plan.unknownParameters, ["owner", "code", "titles", "sort"]);
  t.match(books?.readFilter("shelf", "9007199254740993"), { filter: { name: "shelf" }, value: 2n ** 53n + 1n });
  t.match(books?.readFilter("lent", "true"), { value: true });
  t.match(books?.readFilter("lent", "yes"), { problem: /must be a boolean|must be/ });
  t.match(books?.readFilter("sort", "x"), {
    problem: "books can be filtered by: title, pages, price, lent, tag, shelf, tags",
  });
});
