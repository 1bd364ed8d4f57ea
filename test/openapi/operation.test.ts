// Operations that use unsupported features of OpenAPI are rejected, with the name of the operation.
import t from "tap";
import { parseDocument } from "../../src/openapi/document.ts";
import { readDocument } from "../../src/pets/document.ts";
import {
  type Change,
  editDocument,
  findOperation,
  rename,
  setOperation,
  setParameter,
  setParameterSchema,
} from "../support/document.ts";
import { edit } from "../support/files.ts";
import { libraryText } from "./books/library.ts";

const renamePath =
  (path: string): Change =>
  ({ paths }) =>
    rename(paths, "/pets/{petId}", path);

t.test("Rejects an operation that uses an unsupported feature", async (t) => {
  for (const [message, ...changes] of [
    [
      /listPets has the parameter limit, whose type/,
      setParameter("listPets", "limit", { schema: undefined, content: { "text/plain": {} } }),
    ],
    [
      /createPet has the x-max-bytes lots, but it must be a positive integer/,
      (document) => Object.assign(findOperation(document, "createPet").requestBody, { "x-max-bytes": "lots" }),
    ],
    [/getPet has the field servers, which is not supported/, setOperation("getPet", { servers: [{ url: "/x" }] })],
    [/getPet has the path \/pets\/a:b\/\{petId\}, which the router/, renamePath("/pets/a:b/{petId}")],
    [/listPets has the parameter status twice/, setParameter("listPets", "cursor", { name: "status" })],
    [
      /createPet has the header parameter Authorization/,
      setParameter("createPet", "Idempotency-Key", { name: "Authorization" }),
    ],
    [
      /listPets has the parameter limit with allowEmptyValue/,
      setParameter("listPets", "limit", { allowEmptyValue: true }),
    ],
    [
      /listPets has the parameter cursor with allowReserved/,
      setParameter("listPets", "cursor", { allowReserved: true }),
    ],
    [
      /listPets has the parameter limit with the style deepObject/,
      setParameter("listPets", "limit", { style: "deepObject" }),
    ],
    [
      /getPet has the path parameter pet-id, whose name must be camelCase/,
      renamePath("/pets/{pet-id}"),
      setParameter("getPet", "petId", { name: "pet-id" }),
    ],
    [/getPet must have the path parameter petId both/, setParameter("getPet", "petId", { name: "id" })],
    [/getPet must have the path parameter other both/, renamePath("/pets/{petId}/{other}")],
    [/getPet must have the path parameter petId both/, renamePath("/pets/one")],
    [/listPets has the cookie parameter status/, setParameter("listPets", "status", { in: "cookie" })],
    [
      /listPets has the parameter limit, whose type must be one of/,
      setParameterSchema("listPets", "limit", { type: "array" }),
    ],
    [
      /createPet has a body of text\/csv, but only application\/json is supported/,
      (document) => Object.assign(findOperation(document, "createPet").requestBody.content, { "text/csv": {} }),
    ],
    [
      /getPet has the x-stability alpha, but it must be experimental or beta/,
      setOperation("getPet", { "x-stability": "alpha" }),
    ],
    [
      /getPet requires the security scheme nope, which is not declared/,
      setOperation("getPet", { security: [{ nope: [] }] }),
    ],
    [
      /getPet requires roles of the security scheme apiKey, which are not supported/,
      setOperation("getPet", { security: [{ apiKey: ["admin"] }] }),
    ],
    [
      /getPet is deprecated, but its x-sunset is not a date such as 2030-12-05/,
      setOperation("getPet", { "x-sunset": "2030-02-30" }),
    ],
    [
      /getPet is deprecated, but its x-deprecated-since is not a date/,
      setOperation("getPet", { "x-deprecated-since": undefined }),
      ({ info }) => Object.assign(info, { "x-released": undefined }),
    ],
    [/getPet has an x-sunset before its deprecation/, setOperation("getPet", { "x-sunset": "2020-12-05" })],
    [/getPet has the x-successor nope, which is not an operationId/, setOperation("getPet", { "x-successor": "nope" })],
  ] as [RegExp, ...Change[]][])
    await t.rejects(async () => readDocument(editDocument(...changes)), { message }, String(message));
});

t.test("Rejects a body without a schema", async (t) => {
  const bookBody = 'content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } }';
  for (const content of ["content: { application/json: {} }", "content: {}"])
    await t.rejects(parseDocument(edit(libraryText, [bookBody, content])), {
      message: /addBook has a body without a schema for application\/json/,
    });
});

t.test("Accepts x-stability beta", async (t) => {
  const text = editDocument(setOperation("getPet", { "x-stability": "beta" }));
  t.match((await readDocument(text)).operations, Array);
});

t.test("Accepts a deprecated operation without x-sunset and x-successor", async (t) => {
  const text = editDocument(setOperation("getPet", { "x-sunset": undefined, "x-successor": undefined }));
  const { operations } = await readDocument(text);
  t.match(operations.find(({ id }) => id === "getPet")?.deprecation, {
    since: Date,
    sunset: undefined,
    successor: undefined,
  });
});
