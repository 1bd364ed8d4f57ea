// What the objects of responses mean: a list or a thing, and what they say beside a record.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const object = (properties: string, rest = "") => `{ type: object, properties: { ${properties} }${rest} }`;

async function listAnswered(paths: string) {
  const { operations } = planOf(await parseDocument(documentOf(paths)));
  return operations.flatMap(({ id, does }) => (does ? [id] : []));
}

t.test("An object that is one thing is no list of what it has", async (t) => {
  const products = `products: { type: array, items: ${object("id: { type: string }", ", required: [id]")} }`;
  const answered = async (beside: string) => {
    const own = object(`${products}, ${beside}`);
    const inner = object(`code: { type: integer }, result: ${own}`);
    return listAnswered(`  /basket: { get: { operationId: bare, ${ok(own)} } }
  /other-basket: { get: { operationId: inner, ${ok(inner)} } }
`);
  };
  const text = "{ type: string }";
  for (const thing of [
    `id: ${text}`,
    `name: ${text}`,
    `customer: ${object(`email: ${text}`)}`,
    `currency: ${text}, shipping: { type: number }, tax: { type: number }`,
  ])
    t.same(await answered(thing), [], thing);
  for (const list of [
    `currency: ${text}`,
    `_links: ${object(`self: ${text}`)}, kind: ${text}, requestId: ${text}`,
    `user: ${object(`email: ${text}`)}, total_count: { type: integer }`,
    `cart: ${text}, shop: ${text}, tax: ${text}, paging_info: ${object("total: { type: integer }, limit: { type: integer }")}`,
  ])
    t.same(await answered(list), ["bare", "inner"], list);
});

const page = object("id: { type: integer, readOnly: true }, text: { type: string }");
const said =
  'success: { type: boolean }, responseStatus: { type: integer, description: "Http status code of the response." }, statusCode: { type: integer }';
const number = "parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]";

testLikely(
  "a response says that it is a success, and its status",
  documentOf(`  /pages:
    get: { operationId: listPages, ${ok(object(`data: { type: array, items: ${page} }, ${said}`))} }
    post: { operationId: addPage, requestBody: { ${json(page)} }, ${ok(object(`data: ${page}, ${said}`), 201)} }
  /pages/{id}:
    ${number}
    get: { operationId: getPage, ${ok(object(`data: ${page}, ${said}`))} }
    put: { operationId: replacePage, requestBody: { ${json(page)} }, ${ok(object(said, ", required: [responseStatus]"))} }
    delete: { operationId: deletePage, ${ok(object(said), 202)} }
`),
  async (t, send) => {
    const data = { id: 1, text: "a" };
    const success = (status: number) => ({ success: true, responseStatus: status });
    t.same((await send("POST", "/pages", { text: "a" })).body, { data, ...success(201) });
    t.same((await send("GET", "/pages/1")).body, { data, ...success(200) });
    t.same((await send("GET", "/pages")).body, { data: [data], ...success(200) });
    t.same((await send("PUT", "/pages/1", { text: "b" })).body, success(200));
    t.same((await send("DELETE", "/pages/1")).body, success(202));
  },
);

testLikely(
  "a DELETE says the id of what it deleted, and no other",
  documentOf(`  /pages:
    post: { operationId: addPage, requestBody: { ${json(page)} }, ${ok(page, 201)} }
  /pages/{id}:
    ${number}
    get: { operationId: getPage, ${ok(page)} }
    delete: { operationId: deletePage, ${ok(object("deleted_page_id: { type: integer }, message: { type: string }"))} }
  /notes:
    post: { operationId: addNote, requestBody: { ${json(page)} }, ${ok(page, 201)} }
  /notes/{id}:
    ${number}
    get: { operationId: getNote, ${ok(page)} }
    put: { operationId: replaceNote, requestBody: { ${json(page)} }, ${ok(object("id: { type: integer }, progress: { type: number }"))} }
    delete: { operationId: deleteNote, ${ok(object("id: { type: integer }, deletedObjectId: { type: integer }"))} }
`),
  async (t, send) => {
    for (const path of ["/pages", "/notes"]) t.match(await send("POST", path, { text: "a" }), { status: 201 });
    t.match(await send("DELETE", "/pages/1"), { status: 200, body: { deleted_page_id: 1 } });
    t.match(await send("PUT", "/notes/1", { text: "b" }), { status: 501 });
    t.match(await send("DELETE", "/notes/1"), { status: 501 });
  },
);

t.test("A search in an object of any properties is not understood", async (t) => {
  const search = "parameters: [{ name: search, in: query, schema: { type: string } }]";
  const refusedWith = async (beside: string) => {
    const item = object(`id: { type: string }, ${beside}`, ", required: [id]");
    const { operations } = planOf(
      await parseDocument(
        documentOf(
          `  /rows: { get: { operationId: listRows, ${search}, ${ok(`{ type: array, items: ${item} }`)} } }\n`,
        ),
      ),
    );
    return operations[0]?.does?.refused.map(({ name }) => name);
  };
  t.same(await refusedWith("fields: { type: object }"), ["search"]);
  t.same(await refusedWith("fields: { type: object }, title: { type: string }"), []);
  t.same(await refusedWith("size: { type: integer }"), []);
});
