// An edit of the document that the generated types do not have, or a filter that the store can't apply, is rejected at the start: no value is dropped.
import { readFileSync } from "node:fs";
import t from "tap";
import { parseDocument } from "../../src/openapi/application.ts";
import { summarizeTypes } from "../../src/openapi/types/type-summary.ts";
import { parseOwnDocument, readDocument } from "../../src/pets/document.ts";
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
const tags = { tags: { type: "array", items: int64 } };

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

/** Reads an edited document as if `npm run generate` had run. */
async function readGenerated(text: string): Promise<unknown> {
  return readDocument(text, summarizeTypes(await parseOwnDocument(text)));
}

t.test("Rejects an edit that changes types until they are generated", async (t) => {
  for (const [place, ...changes] of [
    ["'NewPet.tags?' of the type array where the generated types have nothing", setProperties("NewPet", tags)],
    [
      "nothing where the generated types have 'NewPet.status?' of the type PetStatus",
      setProperties("NewPet", { status: undefined }),
    ],
    ["'NewPet.categoryId?' of the type int64", makeOptional("NewPet", "categoryId")],
    [
      "'NewPet.name' of the type integer where the generated types have 'NewPet.name' of the type string",
      setProperties("NewPet", { name: { type: "integer" } }),
    ],
    ["'NewPet.name' of the type string | null", setProperties("NewPet", { name: { type: ["string", "null"] } })],
    ["'NewPet.title?' of the type any", setProperties("NewPet", { title: true })],
    [
      "nothing where the generated types have 'NewPet additionalProperties'",
      setSchema("NewPet", { additionalProperties: undefined }),
    ],
    ["'NewPet additionalProperties' of the type string", setSchema("NewPet", { additionalProperties: text })],
    [
      "'Pet.shoeSize' of the type string",
      setSchema("Pet", { allOf: [{ required: ["shoeSize"], properties: { shoeSize: text } }] }),
    ],
    ["'Pet oneOf/0' of the type object", setSchema("Pet", { oneOf: [{ type: "object" }] })],
    [
      "'listPets query size?' of the type integer",
      addParameter("listPets", { name: "size", in: "query", schema: { type: "integer" } }),
    ],
    ["'listPets query limit?' of the type integer", setParameterSchema("listPets", "limit", { default: undefined })],
    [
      "'getPet header X-Shop' of the type string",
      addParameter("getPet", { name: "X-Shop", in: "header", required: true, schema: text }),
    ],
    [
      "'createPet body application/json?' of the type NewPet",
      (document) => Object.assign(findOperation(document, "createPet").requestBody, { required: false }),
    ],
    ["'createPet 202' of the type headers", (document) => rename(responsesOf(document, "createPet"), "201", "202")],
    [
      "'listPets 200' of the type headers .*X-Version",
      (document) => Object.assign(responsesOf(document, "listPets")[200].headers, { "X-Version": { schema: text } }),
    ],
    [
      "'listPets 200 application/json' of the type Pet ",
      (document) =>
        Object.assign(responsesOf(document, "listPets")[200].content["application/json"].schema, {
          $ref: "#/components/schemas/Pet",
        }),
    ],
  ] as [string, ...Change[]][])
    await t.rejects(
      readDocument(editDocument(...changes)),
      { message: new RegExp(`^The document has (.* )?${place.replace(/[?|]/g, "\\$&")}.* Run npm run generate\\.$`) },
      place,
    );
});

t.test("Rejects a filter that the store can't apply", async (t) => {
  for (const [name, schema] of [
    ["size", { type: "integer" }], // not a property
    ["categoryId", text], // another type
    ["names", text], // not an array
  ] as const)
    await t.rejects(readGenerated(editDocument(addParameter("listPets", { name, in: "query", schema }))), {
      message: `The store can't filter pets by '${name}': a parameter of a list must have the name and the type of a property, or of the items of an array.`,
    });
});

t.test("Does not start with a field of which no types were generated", async (t) => {
  const document = editDocument(setProperties("NewPet", tags));
  await t.rejects(start(t, { document }), { message: /Run npm run generate\.$/ });
});

t.test("Accepts edits that change no type, without a generation", async (t) => {
  for (const [name, ...changes] of [
    ["a limit", setParameterSchema("listPets", "limit", { maximum: 50 })],
    ["another default", setParameterSchema("listPets", "limit", { default: 5 })],
    ["a value of an enumeration", ({ components }) => components.schemas.PetStatus.enum.push("reserved")],
    [
      "a description beside a reference",
      ({ components }) => Object.assign(components.schemas.NewPet.properties.status, { description: "Text." }),
    ],
    [
      "a link",
      (document) => Object.assign(responsesOf(document, "getPet")[200], { links: { self: { operationId: "getPet" } } }),
    ],
    ["a deprecated parameter", setParameter("listPets", "limit", { deprecated: true, explode: true })],
    ["another summary", setOperation("listPets", { summary: "Lists pets" })],
  ] as [string, ...Change[]][])
    t.ok(await readDocument(editDocument(...changes)), name);
});

t.test("Accepts generated types that the store implements", async (t) => {
  for (const [name, ...changes] of [
    ["a field added", setProperties("NewPet", tags), setProperties("Pet", tags)],
    [
      "filters added",
      setProperties("Pet", tags),
      addParameter("listPets", { name: "tag", in: "query", schema: int64 }),
      addParameter("listPets", { name: "categoryId", in: "query", schema: int64 }),
    ],
    ["a filter removed", removeParameter("listPets", "status")],
    ["an optional field removed from the body", setProperties("NewPet", { status: undefined })],
    ["a field of the body made required", makeRequired("NewPet", "status")],
    [
      "a composed body",
      setSchema("NewPet", {
        additionalProperties: undefined,
        unevaluatedProperties: false,
        allOf: [{ required: ["name"] }],
      }),
    ],
    [
      "a response that is never sent",
      (document) => Object.assign(responsesOf(document, "getPet"), { 409: { description: "Never." } }),
    ],
  ] as [string, ...Change[]][])
    t.ok(await readGenerated(editDocument(...changes)), name);
});

t.test("The document is valid, whatever the code that generated its hash has checked", async (t) => {
  const { operations } = await parseDocument(readFileSync("openapi/petstore.yaml", "utf8"));
  const ids = new Set(operations.map(({ id }) => id));
  t.ok(["listPets", "createPet", "getPet"].every((id) => ids.has(id)));
});
