// `x-resource` corrects what is understood of a document.
import t from "tap";
import { parse } from "yaml";
import { parseDocument } from "../../src/openapi/index.ts";
import { collectionsOf, planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const query = (name: string, others = "") => `{ name: ${name}, in: query, schema: { type: string }${others} }`;
const text = documentOf(
  `  /import:
    post: { operationId: importBook, x-resource: { create: "/books/{isbn}" }, requestBody: { required: true, ${json(ref("NewBook"))} }, ${ok(ref("Book"), 201)} }
  /search:
    get: { operationId: searchBooks, x-resource: { list: "/books/{isbn}" }, parameters: [${query("q", ", x-resource: owner.name")}, ${query("title")}], ${ok(`{ type: array, items: ${ref("Book")} }`)} }
  /books/{isbn}:
    x-resource: { name: volumes, id: code }
    parameters: [{ name: isbn, in: path, required: true, schema: { type: string } }]
    get: { operationId: getBook, ${ok(ref("Book"))} }
    delete: { operationId: removeBook, x-resource: false, responses: { 204: { description: x } } }
  /notes:
    post: { operationId: addNote, requestBody: { required: true, ${json(ref("Note"))} }, ${ok(ref("Note"), 201)} }
  /notes/{id}:
    x-resource: false
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getNote, ${ok(ref("Note"))} }
`,
  `components:
  schemas:
    NewBook: { type: object, required: [code, title], properties: { code: { type: string }, title: { type: string }, owner: ${ref("Owner")} } }
    Book: { type: object, required: [code, title], properties: { id: { type: string }, code: { type: string }, title: { type: string }, owner: ${ref("Owner")} } }
    Owner: { type: object, properties: { name: { type: string } } }
    Note: { type: object, properties: { id: { type: string }, text: { type: string } } }
`,
);

testLikely("a create, a list, an id and a filter can be where the document says", text, async (t, send) => {
  const book = { code: "a", title: "A", owner: { name: "Ada" } };
  t.match(await send("POST", "/import", book), { status: 201, body: book, headers: { location: "/books/a" } });
  t.match(await send("POST", "/import", { ...book, code: "b", owner: { name: "Eve" } }), { status: 201 });
  t.same((await send("GET", "/books/a")).body, book);
  t.match((await send("GET", "/search?q=Eve")).body, [{ code: "b" }]);
  t.match((await send("GET", "/search?title=A")).body, [{ code: "a" }, { code: "b" }]);
  t.match(await send("DELETE", "/books/a"), { status: 501, body: { message: /it has x-resource: false/ } });
  t.match(await send("POST", "/notes", { text: "x" }), { status: 501 });
});

t.test("The collection has the name that the document gives", async (t) => {
  t.same(
    collectionsOf(await parseDocument(text)).map(({ name }) => name),
    ["volumes"],
  );
});

t.test("A hint that is wrong is an error, which says where it is", async (t) => {
  const change = async (edit: (paths: Record<string, Record<string, unknown>>) => void) => {
    const document = parse(text);
    edit(document.paths);
    return planOf(await parseDocument(JSON.stringify(document)));
  };
  const ofPath = (hint: unknown) =>
    change((paths) => {
      (paths["/books/{isbn}"] as object as Record<string, unknown>)["x-resource"] = hint;
    });
  await t.rejects(
    ofPath({ nam: "x" }),
    /The x-resource of the path \/books\/\{isbn\} is wrong: .*nam: it can have name, id/,
  );
  await t.rejects(ofPath({ name: "a b" }), /the name "a b" must be/);
  for (const name of ["keys", "Secret"]) await t.rejects(ofPath({ name }), /another table has the name/);
  await t.rejects(ofPath({ id: "isbn" }), /a record has no property isbn, a string, or an integer/);
  await t.rejects(ofPath({ id: "a.b.c" }), /the id a\.b\.c must be a property, or a property of an object/);
  await t.rejects(ofPath("books"), /it must be false, or an object with some of name, id/);
  await t.rejects(ofPath({ id: 1 }), /its member id must be a text/);
  const ofOperation = (path: string, method: string, hint: unknown) =>
    change((paths) => {
      (paths[path]?.[method] as Record<string, unknown>)["x-resource"] = hint;
    });
  await t.rejects(ofOperation("/import", "post", { create: "/x" }), /the document has no GET \/x/);
  await t.rejects(
    ofOperation("/import", "post", { creates: "x" }),
    /The x-resource of the operation importBook is wrong/,
  );
  await t.rejects(
    change((paths) => {
      const { post } = paths["/import"] as { post: object };
      paths["/shops/{shop}/import"] = {
        parameters: [{ name: "shop", in: "path", required: true, schema: {} }],
        post: { ...post, operationId: "other" },
      };
      delete paths["/import"];
    }),
    /its path must have the parameters of \/books/,
  );
  await t.rejects(
    change((paths) => {
      const { parameters } = paths["/search"]?.get as { parameters: Record<string, unknown>[] };
      (parameters[0] as Record<string, unknown>)["x-resource"] = "owner";
    }),
    /The x-resource of the parameter q is wrong: a record has no property owner with the type of the parameter/,
  );
});
