// The summary of the types of a document.
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { compareTypes, summarizeTypes } from "../../../src/openapi/types/type-summary.ts";
import { documentOf } from "../../support/document-server.ts";
import { edit } from "../../support/files.ts";
import { libraryText } from "../../support/library.ts";

t.test("Describes parameters, bodies, responses and fields, and each schema once", async (t) => {
  const types = summarizeTypes(await parseDocument(libraryText));
  t.match(types, {
    "listBooks query author?": "string",
    "listBooks query limit": "integer",
    "getBook path bookId": "int64",
    "addBook body application/json": "NewBook",
    "addBook 201": "headers Location",
    "addBook 201 application/json": "Book",
    "listBooks 200 application/json items": "Book",
    "removeBook 204": "headers ",
    "NewBook.copies?": "integer",
    "Book.id": "int64",
  });
  t.same(Object.keys(types), Object.keys(types).sort());
});

t.test("Describes recursive and composed schemas", async (t) => {
  const text = edit(
    libraryText,
    [
      "    NewBook:\n",
      `    Base: { required: [next], properties: { next: { $ref: "#/components/schemas/NewBook" } }, allOf: [{ $ref: "#/components/schemas/Base" }] }
    NewBook:
      allOf: [{ $ref: "#/components/schemas/Base" }]\n`,
    ],
    ["copies: { type: integer, minimum: 0, default: 1 }", "copies: {}"],
  );
  const types = summarizeTypes(await parseDocument(text, { strict: false })); // Base leads to itself
  t.match(types, { "NewBook.next": "NewBook", "NewBook.copies?": "any" });
});

t.test("Describes optional bodies, alternatives, and schemas without a type", async (t) => {
  const schema = `{ allOf: [true, { properties: { a: false, b: true, c: { type: [string, "null"] } } }], oneOf: [{ type: integer }, { $ref: "#/components/schemas/Text" }], prefixItems: [{ type: boolean }], additionalProperties: { type: number } }`;
  const paths = `  /a: { post: { operationId: a, parameters: [{ name: q, in: query, content: { application/json: { schema: {} } } }], requestBody: { content: { application/json: { schema: ${schema} }, text/plain: {} } }, responses: { 204: { description: x, headers: { B: { schema: {} } } } } } }`;
  const types = summarizeTypes(
    await parseDocument(documentOf(paths, "components: { schemas: { Text: { type: string } } }"), { strict: false }),
  );
  t.match(types, {
    "a query q?": "any",
    "a body application/json?": "any",
    "a body application/json?.a?": "never",
    "a body application/json?.b?": "any",
    "a body application/json?.c?": "string | null",
    "a body application/json? oneOf/0": "integer",
    "a body application/json? oneOf/1": "Text",
    "a body application/json? prefixItems/0": "boolean",
    "a body application/json? additionalProperties": "number",
    "a body text/plain?": "any",
    "a 204": "headers B",
    Text: "string",
  });
});

t.test("Names the first difference, and the command to run", async (t) => {
  const document = await parseDocument(libraryText);
  const types = summarizeTypes(document);
  compareTypes(document, types, "npm run generate");
  t.throws(() => compareTypes(document, { ...types, "Book.isbn": "string" }, "npm run generate"), {
    message:
      "The document has nothing where the generated types have 'Book.isbn' of the type string. Run npm run generate.",
  });
});
