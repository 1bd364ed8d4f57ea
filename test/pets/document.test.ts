// An edit of the document that the handlers and the store do not implement is rejected at the start: no value is dropped.
import t from "tap";
import { readDocument } from "../../src/pets/document.ts";
import { documentText, edit } from "../support/files.ts";
import { start } from "../support/service.ts";

type Edit = [from: string | RegExp, to: string];

const add = (schema: string, field: string): Edit => [
  new RegExp(`(?<= {4}${schema}:\\n[\\s\\S]*?\\n {6}properties:\\n)`),
  `        ${field}\n`,
];
const remove = (schema: string, field: string): Edit => [
  new RegExp(`(?<= {4}${schema}:\\n(?:(?!\\n {4}\\w)[\\s\\S])*?) {8}${field}:.*\\n(?: {10}.*\\n)*`),
  "",
];
const parameter = (operation: string, yaml: string): Edit => [
  new RegExp(`(?<=operationId: ${operation}\\n(?:(?!operationId)[\\s\\S])*?\\n {6}parameters:\\n)`),
  `        - ${yaml}\n`,
];
const json = "          content:\n            application/json:";

const rejections: [RegExp, ...Edit[]][] = [
  // Fields
  [
    /createPet has the field 'tags' of the body \(array\), which the code does not read: remove it, or implement/,
    add("NewPet", "tags: { type: array, items: { type: string, maxLength: 9 } }"),
  ],
  [
    /listPets has the field 'breed' of the response 200's items \(string\), which the code never sends/,
    add("NewPet", "breed: { type: string }"),
    add("Pet", "breed: { type: string }"),
  ],
  [/createPet has the field 'age' of the body \(integer\)/, add("NewPet", "age: { type: integer, default: 1 }")],
  [
    /createPet has the field 'owner' of the body \(object\)/,
    add("NewPet", "owner: { type: object, properties: { name: { type: string } } }"),
  ],
  [
    /createPet has the field 'weight' of the body \(number\)/,
    add("NewPet", "weight: { type: number }"),
    ["required: [name, categoryId]", "required: [name, categoryId, weight]"],
  ],
  [/createPet has the field 'id' of the body \(int64\)/, add("NewPet", "id: { type: integer, format: int64 }")],
  [
    /listPets has the field 'tags' of the response 200's items \(array\), which the code never sends: remove it, or/,
    add("Pet", "tags: { type: array }"),
  ],
  [/createPet has the field 'title' of the body \(any\)/, add("NewPet", "title: true")],
  [
    /createPet lacks the field 'categoryId' of the body \(int64\), which the code needs: declare it/,
    remove("NewPet", "categoryId"),
    [/name: \*name\n {8}categoryId: \*categoryId/, "name: *name\n        categoryId: { type: integer, format: int64 }"],
    ["required: [name, categoryId]", "required: [name]"],
  ],
  [
    /createPet has the field 'categoryId' of the body as optional, but the code needs a value: make it required/,
    ["required: [name, categoryId]", "required: [name]"],
  ],
  [
    /listPets has the field 'categoryId' of the response 200's items with the type string, but the code has the type int64: /,
    [/(categoryId: &categoryId\n {10}type: )integer\n {10}format: int64/, "$1string"],
  ],
  [
    /createPet has the field 'status' of the body with the type string or null, but the code has the type string/,
    [/( {8}status:\n) {10}\$ref: .*/, '$1          type: [string, "null"]'],
  ],
  [
    /createPet has the field 'name' of the body with readOnly/,
    ["name: &name\n", "name: &name\n          readOnly: true\n"],
  ],
  [
    /listPets lacks the field 'status' of the response 200's items \(string\?\), which the code sends: declare it/,
    remove("Pet", "status"),
  ],
  [
    /listPets has the field 'title' of the response 200's items \(string\), which the code never sends/,
    ["        name: *name\n", "        title: *name\n"],
    ["[id, name, categoryId]", "[id, title, categoryId]"],
  ],
  [
    /listPets has the field 'status' of the response 200's items as required, but the code can omit it/,
    ["required: [id, name, categoryId]", "required: [id, name, categoryId, status]"],
  ],
  [
    /createPet accepts unknown fields in the body, which the code does not read: add additionalProperties: false/,
    ["      additionalProperties: false\n", ""],
  ],
  // Parameters
  [
    /listPets has the query parameter 'categoryId' \(int64\), which the code does not read: remove it, or implement it/,
    parameter("listPets", "{ name: categoryId, in: query, schema: { type: integer, format: int64 } }"),
  ],
  [
    /listPets has the header parameter 'X-Shop' \(string\), which the code does not read/,
    parameter("listPets", "{ name: X-Shop, in: header, schema: { type: string } }"),
  ],
  [
    /getPet has the path parameter 'shop' \(string\), which the code does not read/,
    ["/pets/{petId}:", "/shops/{shop}/pets/{petId}:"],
    parameter("getPet", "{ name: shop, in: path, required: true, schema: { type: string } }"),
  ],
  [
    /getPet has the query parameter 'fields' \(string\)/,
    parameter("getPet", "{ name: fields, in: query, schema: { type: string } }"),
  ],
  [/createPet has the header parameter 'idempotency-key'/, ["name: Idempotency-Key", "name: idempotency-key"]],
  [
    /listPets lacks the query parameter 'limit' \(integer\), which the code needs/,
    [/ {8}- name: limit\n(?: {10}.*\n)+/, ""],
  ],
  [
    /listPets has the query parameter 'limit' as optional, but the code needs a value: make it required, or give it a default/,
    ["            default: 20\n", ""],
  ],
  [
    /getPet has the path parameter 'petId' with the type string, but the code has the type int64/,
    [/(name: petId[\s\S]*?schema:\n) {12}\$ref: "#\/components\/schemas\/Id"/, "$1            type: string"],
  ],
  // Bodies and responses
  [
    /createPet has an optional body, but the code needs one: add required: true/,
    ["        required: true\n        description: The pet", "        description: The pet"],
  ],
  [/createPet lacks the body, which the code needs/, [/ {6}requestBody:\n(?: {8}.*\n)+/, ""]],
  [
    /getPet has a body, which the code does not read/,
    [
      "operationId: getPet",
      "operationId: getPet\n      requestBody: { content: { application/json: { schema: { type: string } } } }",
    ],
  ],
  [/createPet lacks the response 201, which the code sends/, ['"201":', '"202":']],
  [/getPet lacks the response 404, which the code sends/, [/ {8}"404":\n.*NotFound"\n/, ""]],
  [
    /listPets has the response 200 without the body/,
    [/(A page of pets, ordered by id\.[\s\S]*?) {10}content:\n {12}application\/json:\n(?: {14}.*\n)+/, "$1"],
  ],
  [
    /listPets has a response 200 of the type object, but the code has the type array/,
    ['#/components/schemas/Pets"', '#/components/schemas/Pet"'],
  ],
  [
    /listPets has the response header 'ETag', which the code never sends/,
    [/( {10}headers: &headers\n)/, "$1            ETag: { schema: { type: string } }\n"],
  ],
  [
    /listPets has a response 200 of text\/plain, but only application\/json is supported/,
    [json, json.replace("application/json", "text/plain")],
  ],
  [
    /listPets has a response 400 of application\/problem\+json, but only application\/json is supported/,
    [/(BadRequest:\n[\s\S]*?)application\/json/, "$1application/problem+json"],
  ],
];

t.test("Rejects edits that the handlers or the store do not implement, and names the operation", async (t) => {
  for (const [message, ...edits] of rejections)
    await t.rejects(readDocument(edit(documentText, ...edits)), { message }, String(message));
});

t.test("Does not start with a field or filter that the store does not have", async (t) => {
  for (const [message, ...edits] of rejections.filter(([{ source }]) => /'tags'|'categoryId' \\\(int64/.test(source)))
    await t.rejects(start(t, { document: edit(documentText, ...edits) }), { message }, String(message));
});

t.test("Accepts edits that the code implements, and documentation", async (t) => {
  for (const [name, ...edits] of [
    ["a filter removed", [/ {8}- name: status\n(?: {10}.*\n)+/, ""]],
    ["an optional field removed from the body", remove("NewPet", "status")],
    ["a field of the body made required", ["required: [name, categoryId]", "required: [name, categoryId, status]"]],
    [
      "a field with a default instead of required",
      ["required: [name, categoryId]", "required: [categoryId]"],
      ["name: &name\n", "name: &name\n          default: Rex\n"],
    ],
    [
      "a type in a part of the schema",
      [
        /( {8}status:\n) {10}\$ref: ("#\/components\/schemas\/PetStatus")/,
        "$1          allOf: [{ $ref: $2 }]\n          description: Text.",
      ],
    ],
    [
      "a composed body",
      [
        "      required: [name, categoryId]\n      additionalProperties: false\n",
        "      allOf: [{ required: [name, categoryId] }]\n      unevaluatedProperties: false\n",
      ],
    ],
    ["a response that is never sent", [/( {8})"404":\n(.*\n)/, '$1"404":\n$2$1"409": { description: Never. }\n']],
    [
      "a link",
      [
        "          description: The pet.\n",
        "          description: The pet.\n          links: { self: { operationId: getPet } }\n",
      ],
    ],
    [
      "a deprecated parameter",
      ["- name: limit\n", "- name: limit\n          deprecated: true\n          explode: true\n"],
    ],
  ] as [string, ...Edit[]][])
    t.ok(await readDocument(edit(documentText, ...edits)), name);
});
