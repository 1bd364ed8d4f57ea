// Operations are compared with the signatures of their handlers, for any application.
import t from "tap";
import { parseDocument } from "../../src/spec/document.ts";
import { checkSignatures } from "../../src/spec/signature-check.ts";
import { edit } from "../support/files.ts";
import { libraryText, signatures } from "./books/library.ts";

const check = async (edits: [string | RegExp, string][], own: object = {}) =>
  checkSignatures((await parseDocument(edit(libraryText, ...edits))).operations, { ...signatures, ...own });
const newBook = "        title: { type: string, minLength: 1 }\n";
const bookBody = 'content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } }';

t.test("Rejects an operation whose handler does not implement it, and names the field", async (t) => {
  for (const [message, ...edits] of [
    [
      /addBook has the field 'isbn' of the body \(string\), which the code does not read/,
      [newBook, `${newBook}        isbn: { type: string }\n`],
    ],
    [
      /addBook has the field 'isbn' of the body/,
      [
        "      additionalProperties: false\n",
        "      unevaluatedProperties: false\n      anyOf: [{ properties: { isbn: { type: string } } }, {}]\n",
      ],
    ],
    [
      /addBook has the field 'isbn' of the body/,
      [
        "      additionalProperties: false\n",
        "      unevaluatedProperties: false\n      dependentSchemas: { title: { properties: { isbn: { type: string } } } }\n",
      ],
    ],
    [
      /addBook has the field 'title' of the body with the type string or integer/,
      ["title: { type: string, minLength: 1 }", "title: { anyOf: [{ type: string }, { type: integer }] }"],
    ],
    [
      /addBook accepts unknown fields in the body/,
      ["additionalProperties: false", "additionalProperties: { type: string }\n      unevaluatedProperties: false"],
    ],
    [
      /addBook accepts unknown fields in the body/,
      ["additionalProperties: false", "additionalProperties: false\n      patternProperties: { ^x: { type: string } }"],
    ],
    [
      /addBook has a body of the type array, but the code has the type object: change it back/,
      [bookBody, bookBody.replace("{ $ref", "{ type: array, items: { $ref").replace('" } }', '" } } }')],
    ],
    [
      /listBooks has the field 'id' of the response 200's items with writeOnly, but the code sends it/,
      [
        "id: { type: integer, format: int64 }\n        title",
        "id: { type: integer, format: int64, writeOnly: true }\n        title",
      ],
    ],
    [
      /removeBook has a body in the response 204, which the code never sends/,
      [
        "The book was removed. }",
        "The book was removed., content: { application/json: { schema: { type: string } } } }",
      ],
    ],
    [
      /listBooks has the field 'trace' of the response default \(string\), which the code never sends/,
      ["code: { type: string }", "code: { type: string }\n        trace: { type: string }"],
    ],
    [/addBook has a body without a schema for application\/json/, [bookBody, "content: { application/json: {} }"]],
    [/addBook has a body without a schema for application\/json/, [bookBody, "content: {}"]],
  ] as [RegExp, ...[string, string][]][])
    await t.rejects(check(edits), { message }, String(message));
});

t.test("Compares no fields of a body that the handler reads as object", async (t) => {
  await t.resolves(
    check([["      additionalProperties: false\n", ""]], {
      addBook: { ...signatures.addBook, body: "object" },
      replaceBook: { ...signatures.replaceBook, body: "object" },
    }),
  );
});

t.test("Accepts an optional body if the handler does", async (t) => {
  const optional: [string, string][] = [["      required: true\n      x-max-bytes", "      x-max-bytes"]];
  await t.rejects(check(optional), { message: /addBook has an optional body, but the code needs one/ });
  const optionalBody = true;
  await t.resolves(
    check(optional, {
      addBook: { ...signatures.addBook, optionalBody },
      replaceBook: { ...signatures.replaceBook, optionalBody },
    }),
  );
});

t.test("Skips an operation without a signature", async (t) => {
  await t.resolves(check([["operationId: getBook", "operationId: toString"]]));
  await t.resolves(
    check([[newBook, `${newBook}        isbn: { type: string }\n`]], { addBook: undefined, replaceBook: undefined }),
  );
});
