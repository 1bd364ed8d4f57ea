// Compiles single schemas, for tests of the keywords of JSON Schema.
import type { Test } from "tap";
import { upgradeSchema30 } from "../../src/openapi/schema/dialect.ts";
import type { Direction } from "../../src/openapi/schema/evaluation.ts";
import type { Validate } from "../../src/openapi/schema/keyword.ts";
import { type ReportSchema, Schemas } from "../../src/openapi/schema/schemas.ts";

/** The options of `compileSchema`. */
export interface SchemaOptions {
  readonly direction?: Direction;
  /** Whether the schema is of OpenAPI 3.0. */
  readonly is30?: boolean;
  /** Called for each problem. By default, it is thrown. */
  readonly report?: ReportSchema;
  /** Further schemas of the document, by name. `#/components/schemas/x` is the schema itself. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** Returns the schemas of a document, with the schema `x` at /components/schemas/x. */
export function createSchemas(x: unknown, options: SchemaOptions = {}): Schemas {
  const refuse: ReportSchema = (_, pointer, reason) => {
    throw new Error(`The schema at ${pointer} ${reason}.`);
  };
  const { is30, report = refuse, others = {} } = options;
  const all = { x, ...others };
  const schemas = new Schemas(
    { components: { schemas: all } },
    {
      upgrade: is30 ? upgradeSchema30 : undefined,
    },
  );
  for (const name of Object.keys(all)) schemas.add(`/components/schemas/${name}`, { report });
  schemas.checkReferences({ report });
  schemas.checkDefaults(["/components/schemas/x"], report);
  return schemas;
}

/** Returns the validation of a schema. */
export function compileSchema(schema: unknown, options: SchemaOptions = {}): Validate {
  return createSchemas(schema, options).compileReaderAt("/components/schemas/x", options.direction);
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
      t.match(validate(structuredClone(value)), { problems: undefined }, `${name}: accepts ${show(value)}`);
    for (const value of invalid)
      t.match(validate(structuredClone(value)), { problems: Array }, `${name}: rejects ${show(value)}`);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? "undefined";
}
