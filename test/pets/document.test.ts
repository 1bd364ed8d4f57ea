// An edit of the document that the handlers and the store do not implement is rejected at the start: no value is dropped.
import t from "tap";
import { readDocument } from "../../src/pets/document.ts";
import {
  addParameter,
  type Change,
  editDocument,
  findOperation,
  type Node,
  removeParameter,
  rename,
  setOperation,
  setParameter,
  setParameterSchema,
  setProperties,
  setSchema,
} from "../support/document.ts";
import { start } from "../support/service.ts";

const int64 = { type: "integer", format: "int64" };
const text = { type: "string" };

/** Sets fields of one property of a schema. */
const setProperty =
  (schema: string, property: string, fields: object): Change =>
  ({ components }) =>
    Object.assign(components.schemas[schema].properties[property], fields);
const setBody =
  (fields: object): Change =>
  (document) =>
    Object.assign(findOperation(document, "createPet").requestBody, fields);
const makeRequired =
  (schema: string, ...fields: string[]): Change =>
  ({ components }) =>
    components.schemas[schema].required.push(...fields);
const makeOptional =
  (schema: string, field: string): Change =>
  ({ components }) => {
    const { required } = components.schemas[schema];
    required.splice(required.indexOf(field), 1);
  };
const responsesOf = (document: Node, id: string) => findOperation(document, id).responses;

const rejections: [RegExp, ...Change[]][] = [
  // Fields
  [
    /createPet has the field 'tags' of the body \(array\), which the code does not read: remove it, or implement/,
    setProperties("NewPet", { tags: { type: "array", items: { type: "string", maxLength: 9 } } }),
  ],
  [
    /listPets has the field 'shoeSize' of the response 200's items \(string\), which the code never sends/,
    setProperties("NewPet", { shoeSize: text }),
    setProperties("Pet", { shoeSize: text }),
  ],
  [
    /createPet has the field 'shoeSize' of the body \(integer\)/,
    setProperties("NewPet", { shoeSize: { type: "integer", default: 1 } }),
  ],
  [
    /createPet has the field 'shop' of the body \(object\)/,
    setProperties("NewPet", { shop: { type: "object", properties: { name: text } } }),
  ],
  [
    /createPet has the field 'shoeSize' of the body \(number\)/,
    setProperties("NewPet", { shoeSize: { type: "number" } }),
    makeRequired("NewPet", "shoeSize"),
  ],
  [/createPet has the field 'id' of the body \(int64\)/, setProperties("NewPet", { id: int64 })],
  [
    /listPets has the field 'tags' of the response 200's items \(array\), which the code never sends: remove it, or/,
    setProperties("Pet", { tags: { type: "array" } }),
  ],
  [/createPet has the field 'title' of the body \(any\)/, setProperties("NewPet", { title: true })],
  [
    /createPet lacks the field 'categoryId' of the body \(int64\), which the code needs: declare it/,
    setProperties("NewPet", { categoryId: undefined }),
    makeOptional("NewPet", "categoryId"),
  ],
  [
    /createPet has the field 'categoryId' of the body as optional, but the code needs a value: make it required/,
    makeOptional("NewPet", "categoryId"),
  ],
  [
    /listPets has the field 'categoryId' of the response 200's items with the type string, but the code has the type int64: /,
    setProperties("Pet", { categoryId: text }),
  ],
  [
    /createPet has the field 'status' of the body with the type string or null, but the code has the type string/,
    setProperties("NewPet", { status: { type: ["string", "null"] } }),
  ],
  [/createPet has the field 'name' of the body with readOnly/, setProperty("NewPet", "name", { readOnly: true })],
  [
    /listPets lacks the field 'status' of the response 200's items \(string\?\), which the code sends: declare it/,
    setProperties("Pet", { status: undefined }),
  ],
  [
    /listPets has the field 'title' of the response 200's items \(string\), which the code never sends/,
    ({ components }) => rename(components.schemas.Pet.properties, "name", "title"),
    makeOptional("Pet", "name"),
    makeRequired("Pet", "title"),
  ],
  [
    /listPets has the field 'status' of the response 200's items as required, but the code can omit it/,
    makeRequired("Pet", "status"),
  ],
  [
    /createPet accepts unknown fields in the body, which the code does not read: add additionalProperties: false/,
    setSchema("NewPet", { additionalProperties: undefined }),
  ],
  // Parameters
  [
    /listPets has the query parameter 'categoryId' \(int64\), which the code does not read: remove it, or implement it/,
    addParameter("listPets", { name: "categoryId", in: "query", schema: int64 }),
  ],
  [
    /listPets has the header parameter 'X-Shop' \(string\), which the code does not read/,
    addParameter("listPets", { name: "X-Shop", in: "header", schema: text }),
  ],
  [
    /getPet has the path parameter 'shop' \(string\), which the code does not read/,
    ({ paths }) => rename(paths, "/pets/{petId}", "/shops/{shop}/pets/{petId}"),
    addParameter("getPet", { name: "shop", in: "path", required: true, schema: text }),
  ],
  [
    /getPet has the query parameter 'fields' \(string\)/,
    addParameter("getPet", { name: "fields", in: "query", schema: text }),
  ],
  [
    /createPet has the header parameter 'idempotency-key'/,
    setParameter("createPet", "Idempotency-Key", { name: "idempotency-key" }),
  ],
  [
    /listPets lacks the query parameter 'limit' \(integer\), which the code needs/,
    removeParameter("listPets", "limit"),
  ],
  [
    /listPets has the query parameter 'limit' as optional, but the code needs a value: make it required, or give it a default/,
    setParameterSchema("listPets", "limit", { default: undefined }),
  ],
  [
    /getPet has the path parameter 'petId' with the type string, but the code has the type int64/,
    setParameter("getPet", "petId", { schema: text }),
  ],
  // Bodies and responses
  [/createPet has an optional body, but the code needs one: add required: true/, setBody({ required: undefined })],
  [/createPet lacks the body, which the code needs/, setOperation("createPet", { requestBody: undefined })],
  [
    /getPet has a body, which the code does not read/,
    setOperation("getPet", { requestBody: { content: { "application/json": { schema: text } } } }),
  ],
  [
    /createPet lacks the response 201, which the code sends/,
    (document) => rename(responsesOf(document, "createPet"), "201", "202"),
  ],
  [
    /getPet lacks the response 404, which the code sends/,
    (document) => Object.assign(responsesOf(document, "getPet"), { 404: undefined }),
  ],
  [
    /listPets has the response 200 without the body/,
    (document) => Object.assign(responsesOf(document, "listPets")["200"], { content: undefined }),
  ],
  [
    /listPets has a response 200 of the type object, but the code has the type array/,
    (document) =>
      Object.assign(responsesOf(document, "listPets")["200"].content["application/json"], {
        schema: { $ref: "#/components/schemas/Pet" },
      }),
  ],
  [
    /listPets has the response header 'ETag', which the code never sends/,
    (document) => Object.assign(responsesOf(document, "listPets")["200"].headers, { ETag: { schema: text } }),
  ],
  [
    /listPets has a response 200 of text\/plain, but only application\/json is supported/,
    (document) => rename(responsesOf(document, "listPets")["200"].content, "application/json", "text/plain"),
  ],
  [
    /listPets has a response 400 of application\/problem\+json, but only application\/json is supported/,
    ({ components }) => rename(components.responses.BadRequest.content, "application/json", "application/problem+json"),
  ],
];

t.test("Rejects edits that the handlers or the store do not implement, and names the operation", async (t) => {
  for (const [message, ...changes] of rejections)
    await t.rejects(readDocument(editDocument(...changes)), { message }, String(message));
});

t.test("Does not start with a field or filter that the store does not have", async (t) => {
  for (const [message, ...changes] of rejections.filter(([{ source }]) => /'tags'|'categoryId' \\\(int64/.test(source)))
    await t.rejects(start(t, { document: editDocument(...changes) }), { message }, String(message));
});

t.test("Accepts edits that the code implements, and documentation", async (t) => {
  for (const [name, ...changes] of [
    ["a filter removed", removeParameter("listPets", "status")],
    ["an optional field removed from the body", setProperties("NewPet", { status: undefined })],
    ["a field of the body made required", makeRequired("NewPet", "status")],
    [
      "a field with a default instead of required",
      makeOptional("NewPet", "name"),
      setProperty("NewPet", "name", { default: "Rex" }),
    ],
    [
      "a type in a part of the schema",
      setProperties("NewPet", {
        status: { allOf: [{ $ref: "#/components/schemas/PetStatus" }], description: "Text." },
      }),
    ],
    [
      "a composed body",
      ({ components }) => {
        const { required } = components.schemas.NewPet;
        const composition = { allOf: [{ required }], unevaluatedProperties: false };
        Object.assign(components.schemas.NewPet, composition, { required: undefined, additionalProperties: undefined });
      },
    ],
    [
      "a response that is never sent",
      (document) => Object.assign(responsesOf(document, "getPet"), { 409: { description: "Never." } }),
    ],
    [
      "a link",
      (document) =>
        Object.assign(responsesOf(document, "getPet")["200"], { links: { self: { operationId: "getPet" } } }),
    ],
    ["a deprecated parameter", setParameter("listPets", "limit", { deprecated: true, explode: true })],
  ] as [string, ...Change[]][])
    t.ok(await readDocument(editDocument(...changes)), name);
});
