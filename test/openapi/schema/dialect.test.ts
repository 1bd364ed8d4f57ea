// The dialects of schemas: OpenAPI 3.0, 3.1 and 3.2, and JSON Schema.
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { checkSchemas, compileSchema } from "../../support/schemas.ts";

t.test("Reads the schemas of OpenAPI 3.0", async (t) => {
  checkSchemas(
    t,
    [
      ["nullable", { type: "string", nullable: true }, ["x", null], [1]],
      ["nullable false", { type: "string", nullable: false }, ["x"], [null]],
      ["nullable without a type has no effect", { nullable: true, minLength: 1 }, [null, "x", 1], [""]],
      ["nullable beside an enum without null", { type: "string", nullable: true, enum: ["x"] }, ["x"], [null, "y"]],
      ["nullable beside an enum with null", { type: "string", nullable: true, enum: ["x", null] }, ["x", null], ["y"]],
      [
        "nullable beside allOf does not widen it",
        { type: "object", nullable: true, allOf: [{ $ref: "#/components/schemas/y" }] },
        [{}],
        [null],
      ],
      ["nullable of an int64", { type: "integer", format: "int64", nullable: true }, [null, 2n ** 60n], ["x"]],
      ["exclusiveMinimum true", { minimum: 5, exclusiveMinimum: true }, [6], [5]],
      ["exclusiveMinimum false", { minimum: 5, exclusiveMinimum: false }, [5], [4]],
      ["exclusiveMaximum true", { maximum: 5, exclusiveMaximum: true }, [4], [5]],
      ["exclusiveMaximum without a maximum", { exclusiveMaximum: true, minimum: 1 }, [5], [0]],
      ["limits as numbers, of OpenAPI 3.1", { minimum: 1, exclusiveMinimum: 2, exclusiveMaximum: 5 }, [3], [2, 5, 0]],
      [
        "keywords beside $ref are ignored",
        { $ref: "#/components/schemas/y", required: ["a"], nullable: true },
        [{}],
        [null],
      ],
      [
        "nested schemas",
        { properties: { a: { items: { type: "integer", nullable: true } } } },
        [{ a: [null, 1] }],
        [{ a: ["x"] }],
      ],
    ],
    { is30: true, others: { y: { type: "object" } } },
  );
  t.throws(
    () => compileSchema({ type: "string", nullable: true }),
    { message: /unknown keyword "nullable"/ },
    "not in 3.1",
  );
  t.throws(() => compileSchema({ minimum: 5, exclusiveMinimum: true }), {
    message: /"exclusiveMinimum", which must be a number/,
  });
});

const paths = `  /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: SCHEMA } } }, responses: { 204: { description: x } } } }`;

t.test("Serves documents of each version", async (t) => {
  for (const [version, schema, good, bad] of [
    ["3.0.4", "{ type: string, nullable: true }", null, 1],
    ["3.0.0", "{ type: number, minimum: 1, exclusiveMinimum: true }", 2, 1],
    ["3.1.0", "{ type: [string, 'null'] }", null, 1],
    ["3.1.1", "{ const: { a: 1 } }", { a: 1 }, { a: 2 }],
    ["3.2.0", "{ type: number, exclusiveMinimum: 1 }", 2, 1],
  ] as const) {
    const { send } = await serve(documentOf(paths.replace("SCHEMA", schema), "", version));
    const post = async (value: unknown) =>
      (await send("POST", "/a", { payload: JSON.stringify(value), headers: { "content-type": "application/json" } }))
        .status;
    t.same([await post(good), await post(bad)], [204, 400], version);
  }
});

t.test("Enforces the dialects of OpenAPI and JSON Schema 2020-12, and warns of others", async (t) => {
  const parse = (dialect: string) =>
    parseDocument(documentOf("  {}", `jsonSchemaDialect: ${dialect}`), { strict: true });
  for (const dialect of [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://spec.openapis.org/oas/3.1/dialect/2024-11-10",
    "https://spec.openapis.org/oas/3.2/dialect/2025-09-17",
    "https://json-schema.org/draft/2020-12/schema",
  ])
    t.ok(await parse(dialect), dialect);
  for (const dialect of ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"])
    await t.rejects(
      parse(dialect),
      { message: /has the jsonSchemaDialect .*, which is read as JSON Schema 2020-12/ },
      dialect,
    );
});

t.test("The dialect of the document is that of its schemas", async (t) => {
  const path = `  /a:
    get: { operationId: a, parameters: [{ name: q, in: query, schema: { type: string, format: date } }], responses: { 204: { description: x } } }`;
  for (const [dialect, status] of [
    ["https://json-schema.org/draft/2020-12/schema", 204],
    ["https://spec.openapis.org/oas/3.1/dialect/base", 400],
  ] as const) {
    const { send } = await serve(documentOf(path, `jsonSchemaDialect: ${dialect}`));
    t.match(await send("GET", "/a?q=x"), { status }, `${dialect} asserts formats: ${status === 400}`);
  }
});
