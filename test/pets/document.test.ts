// An edit of the document that the generated types do not have, or a filter that the store can't apply, is rejected at the start: no value is dropped.
import { readFileSync } from "node:fs";
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { hashTypes } from "../../src/openapi/types/modules.ts";
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
  return readDocument(text, hashTypes(await parseOwnDocument(text), false));
}

t.test("Rejects an edit that changes types until they are generated", async (t) => {
  for (const [name, ...changes] of [
    ["a field", setProperties("NewPet", tags)],
    ["a field removed", setProperties("NewPet", { status: undefined })],
    ["an optional field", makeOptional("NewPet", "categoryId")],
    ["another type", setProperties("NewPet", { name: { type: "integer" } })],
    ["null", setProperties("NewPet", { name: { type: ["string", "null"] } })],
    ["further fields", setSchema("NewPet", { additionalProperties: text })],
    ["a field of a part", setSchema("Pet", { allOf: [{ required: ["shoeSize"], properties: { shoeSize: text } }] })],
    ["a parameter", addParameter("listPets", { name: "size", in: "query", schema: { type: "integer" } })],
    ["a parameter without its default", setParameterSchema("listPets", "limit", { default: undefined })],
    [
      "an optional body",
      (document) => Object.assign(findOperation(document, "createPet").requestBody, { required: false }),
    ],
    ["another status", (document) => rename(responsesOf(document, "createPet"), "201", "202")],
    [
      "a header",
      (document) => Object.assign(responsesOf(document, "listPets")[200].headers, { "X-Version": { schema: text } }),
    ],
    [
      "another schema of a response",
      (document) =>
        Object.assign(responsesOf(document, "listPets")[200].content["application/json"].schema, {
          $ref: "#/components/schemas/Pet",
        }),
    ],
  ] as [string, ...Change[]][])
    await t.rejects(
      readDocument(editDocument(...changes)),
      { message: /have changed.* Run npm run generate again\.$/ },
      name,
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
  await t.rejects(start(t, { document }), { message: /Run npm run generate again\.$/ });
});

t.test("Accepts edits that change no type, without a generation", async (t) => {
  for (const [name, ...changes] of [
    ["a limit", setParameterSchema("listPets", "limit", { maximum: 50 })],
    ["a value of an enumeration", ({ components }) => components.schemas.PetStatus.enum.push("reserved")],
    ["another default", setParameterSchema("listPets", "limit", { default: 5 })],
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
