// The members of a record below another one that its path has, in both stores, over HTTP.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const parameter = (name: string, schema: string) => `{ name: ${name}, in: path, required: true, schema: ${schema} }`;
const [name, integer] = [parameter("name", "{ type: string }"), "{ type: integer, format: int64 }"];
const above = `${name}, ${parameter("shop_id", integer)}`;
const collection = (path: string, schema: string, id: string, scope: string) => `  ${path}:
    parameters: [${scope}]
    get: { operationId: list${schema}, responses: { 200: { description: x, ${json(`{ type: array, items: ${ref(schema)} }`)} } } }
    post: { operationId: add${schema}, requestBody: { required: true, ${json(ref(`New${schema}`))} }, responses: { 201: { description: x, ${json(ref(schema))} } } }
  ${path}/{${id}}:
    parameters: [${scope}, ${parameter(id, integer)}]
    get: { operationId: get${schema}, responses: { 200: { description: x, ${json(ref(schema))} } } }
`;
const document = documentOf(
  collection("/cities/{name}/shops", "Shop", "shop_id", name) +
    collection("/cities/{name}/shops/{shop_id}/books", "Book", "id", above),
  `components:
  schemas:
    NewShop: { type: object, properties: { name: { type: string } } }
    Shop: { type: object, required: [shop_id], properties: { shop_id: ${integer}, name: { type: string } } }
    NewBook: { type: object, required: [title], properties: { title: { type: string }, shop_id: ${integer} } }
    Book: { type: object, required: [id, shopId, title], properties: { id: ${integer}, shopId: { type: integer, readOnly: true, example: 77 }, title: { type: string }, name: { type: string } } }
`,
);

testLikely("a new record has the parameters of its path, and no other values for them", document, async (t, send) => {
  for (let shop = 1; shop <= 2; shop++)
    t.strictSame((await send("POST", "/cities/ulm/shops", {})).body, { shop_id: shop }, "a name is that of the city");
  t.strictSame((await send("POST", "/cities/ulm/shops/2/books", { title: "A" })).body, {
    id: 1,
    shopId: 2,
    title: "A",
  });
  t.match(await send("GET", "/cities/ulm/shops/2/books/1"), { body: { shopId: 2 } });
});
