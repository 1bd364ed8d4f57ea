// Compiles single schemas, for tests of the keywords of JSON Schema.
import type { Test } from "tap";
import type { Validate } from "../../src/openapi/ajv.ts";
import { upgradeSchema30 } from "../../src/openapi/dialect.ts";
import type { Direction } from "../../src/openapi/memoized-validation.ts";
import { Part } from "../../src/openapi/part.ts";
import { Schemas } from "../../src/openapi/schema.ts";

/** The options of `compileSchema`. */
export interface SchemaOptions {
  readonly direction?: Direction;
  /** Whether the schema is of OpenAPI 3.0. */
  readonly is30?: boolean;
  /** Called for each problem. By default, it is thrown. */
  readonly report?: (pointer: string, reason: string) => void;
  /** Further schemas of the document, by name. `#/components/schemas/x` is the schema itself. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** Returns the schemas of a document, with the schema `x` at /components/schemas/x. */
export function createSchemas(x: unknown, options: SchemaOptions = {}): Schemas {
  const refuse = (pointer: string, reason: string) => {
    throw new Error(`The schema at ${pointer} ${reason}.`);
  };
  const { is30, report = refuse, others = {} } = options;
  const all = { x, ...others };
  const schemas = new Schemas(Part.of({ components: { schemas: all } }), {
    upgrade: is30 ? upgradeSchema30 : undefined,
  });
  for (const [name, schema] of Object.entries(all)) schemas.add(schema, `/components/schemas/${name}`, { report });
  schemas.checkReferences({ report });
  return schemas;
}

/** Returns the validation of a schema. */
export function compileSchema(schema: unknown, options: SchemaOptions = {}): Validate {
  return createSchemas(schema, options).compileAt("/components/schemas/x", options.direction);
}

/** The cases of a schema: a description, the schema, and values that it accepts and rejects. */
export type SchemaCase = readonly [
  name: string,
  schema: unknown,
  valid: readonly unknown[],
  invalid: readonly unknown[],
];

/** Checks which values schemas accept. */
export function checkSchemas(t: Test, cases: readonly SchemaCase[], options: SchemaOptions = {}): void {
  for (const [name, schema, valid, invalid] of cases) {
    const validate = compileSchema(schema, options);
    for (const value of valid)
      t.match(validate(structuredClone(value)), { errors: undefined }, `${name}: accepts ${show(value)}`);
    for (const value of invalid)
      t.match(validate(structuredClone(value)), { errors: Array }, `${name}: rejects ${show(value)}`);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? "undefined";
}
