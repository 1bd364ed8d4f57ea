// Parts of a document that the server would ignore are rejected, if they promise a behavior.
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { edit } from "../../support/files.ts";
import { libraryText } from "../../support/library.ts";

const get = (extra: string): [string, string] => ["operationId: getBook", `operationId: getBook\n      ${extra}`];
const top = (extra: string): [string, string] => ["paths:\n", `${extra}\npaths:\n`];

t.test("Rejects parts that would be ignored, and names the place", async (t) => {
  for (const [message, ...edits] of [
    [
      /The document has the jsonSchemaDialect http:\/\/x\.example, which is read as JSON Schema 2020-12/,
      top("jsonSchemaDialect: http://x.example"),
    ],
    [
      /operation getBook has x-max-bytes in a place where it has no effect: move it to a requestBody .*\[extension\]/,
      get("x-max-bytes: 10"),
    ],
    [
      /The document has x-stability in a place .*: move it to an operation \(line 1, column 1\)/,
      top("x-stability: beta"),
    ],
    [
      /operation getBook has required beside \$ref, which is ignored: remove it \(line 36, column 20\) \[siblings\]/,
      [
        'parameters: [{ $ref: "#/components/parameters/BookId" }]',
        'parameters: [{ $ref: "#/components/parameters/BookId", required: true }]',
      ],
    ],
    [
      /The document has x-sunset in a place .* \(line \d+, column \d+\)/,
      ["  schemas:\n", "  schemas:\n    Any: { properties: { properties: { x-sunset: 1 } } }\n"],
    ],
    [/operation getBook has x-sunset, but is not deprecated: add deprecated: true/, get("x-sunset: 2030-01-01")],
  ] as [RegExp, ...[string, string][]][])
    await t.rejects(
      async () => parseDocument(edit(libraryText, ...edits), { strict: true }),
      { message },
      String(message),
    );
});

t.test("Accepts documentation and the extensions of other tools", async (t) => {
  for (const [name, ...edits] of [
    [
      "requests that the application sends",
      top("webhooks: { sold: { post: { responses: { default: { description: x } } } } }"),
      get("callbacks: {}"),
    ],
    ["extensions of other tools", get("x-internal: true"), top("x-tagGroups: []")],
    ["the default dialect", top("jsonSchemaDialect: https://spec.openapis.org/oas/3.1/dialect/base")],
    [
      "a description beside $ref",
      ['{ $ref: "#/components/schemas/NewBook" }', '{ $ref: "#/components/schemas/NewBook", description: Text. }'],
    ],
    [
      "a field with the name of an extension",
      [
        "copies: { type: integer }",
        "copies: { type: integer }\n        x-sunest: { type: string }\n        callbacks: { type: string }",
      ],
    ],
    [
      "components with the names of extensions",
      [
        "\n  parameters:\n",
        `
  headers: { x-sunset: { schema: { type: string } } }
  parameters:
    x-stability: { name: x-stability, in: header, schema: { type: string } }\n`,
      ],
      [
        "\n  responses:\n",
        "\n  responses:\n    Any: { description: Text., headers: { x-sunest: { schema: { type: string } } } }\n",
      ],
      [
        "\n  schemas:\n",
        "\n  schemas:\n    x-released: { patternProperties: { x-succesor: {} }, $defs: { x-sunsets: {} } }\n",
      ],
    ],
    ["an example", ["  schemas:\n", "  schemas:\n    Any: { examples: [{ x-sunest: 1 }] }\n"]],
  ] as [string, ...[string, string][]][])
    t.ok(await parseDocument(edit(libraryText, ...edits), { strict: true }), name);
});
