// Operations that use unsupported features of OpenAPI are rejected, with the name of the operation.
import t from "tap";
import { readDocument } from "../../../src/pets/document.ts";
import { type Change, editDocument, rename, setOperation, setParameter } from "../../support/document.ts";

const renamePath =
  (path: string): Change =>
  ({ paths }) =>
    rename(paths, "/pets/{petId}", path);

t.test("Rejects an operation that uses an unsupported feature", async (t) => {
  for (const [message, ...changes] of [
    [/The path \/pets\/\*\/\{petId\} has a \*/, renamePath("/pets/*/{petId}")],
    [/The path \/pets\/\{petId\}\{petId\} has the same parameter twice/, renamePath("/pets/{petId}{petId}")],
    [/The path \/pets\/\{petId has a brace/, renamePath("/pets/{petId")],
    [/listPets has the parameter status twice/, setParameter("listPets", "cursor", { name: "status" })],
    [/getPet must have the path parameter petId both/, setParameter("getPet", "petId", { name: "id" })],
    [/getPet must have the path parameter other both/, renamePath("/pets/{petId}/{other}")],
    [/getPet must have the path parameter petId both/, renamePath("/pets/one")],
    [
      /getPet has the x-stability alpha, but it must be experimental or beta/,
      setOperation("getPet", { "x-stability": "alpha" }),
    ],
    [
      /getPet requires the security scheme nope, which is not declared/,
      setOperation("getPet", { security: [{ nope: [] }] }),
    ],
    [
      /getPet is deprecated, but its x-sunset is not a date such as 2030-12-05/,
      setOperation("getPet", { "x-sunset": "2030-02-30" }),
    ],
    [/getPet has an x-sunset before its deprecation/, setOperation("getPet", { "x-sunset": "2020-12-05" })],
    [/getPet has the x-successor nope, which is not an operationId/, setOperation("getPet", { "x-successor": "nope" })],
  ] as [RegExp, ...Change[]][])
    await t.rejects(async () => readDocument(editDocument(...changes)), { message }, String(message));
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
