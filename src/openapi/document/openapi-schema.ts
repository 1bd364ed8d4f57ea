// Compares a document with the schema of OpenAPI. What the server needs is checked when it is compiled, with better messages: the
// differences that remain are warnings, except misspelled fields, because a typing error loses a rule.
import { createRequire } from "node:module";
import { findSimilarName, getOrAdd } from "../../lib/index.ts";
import { upgradeSchema30 } from "../schema/dialect.ts";
import type { Validate } from "../schema/keyword.ts";
import { Schemas } from "../schema/schemas.ts";
import type { OpenApi, SchemaObject } from "../source/document-types.ts";
import { fieldNames } from "../source/fields.ts";
import type { Report } from "../source/findings.ts";
import { listAround } from "../source/part.ts";
import { toNumbers } from "../source/text.ts";

const require = createRequire(import.meta.url);
const validates = new Map<string, Validate>(); // by version, such as 3.1

// The errors of the validator, which are those of Ajv.
interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Reports the differences between a document and the schema of its version of OpenAPI. */
export async function compareWithSchema(content: OpenApi, report: Report): Promise<void> {
  const version = content.openapi.slice(0, 3);
  const validate = getOrAdd(validates, version, () => compileSchema(version));
  if ("value" in validate(content)) return;
  // Ajv compiles the schema for 0.15 s, but finds each difference.
  const { Validator } = await import("@seriousme/openapi-schema-validator");
  // A copy, which the validator changes. It does not know bigint.
  const copy = toNumbers(content) as Record<string, unknown>;
  const { valid, errors } = await new Validator({ allErrors: true }).validate(copy);
  // If `errors` is a text, the validator could not resolve a reference. `checkDocument` checks references.
  if (valid || !Array.isArray(errors)) return;
  const found = errors as SchemaError[];
  for (const [pointer, names] of listUnknown(found)) for (const name of names) reportUnknown(pointer, name, report);
  for (const [pointer, error] of selectErrors(found)) {
    const subject = pointer === "" ? "The document" : `The part ${pointer}`;
    report("schema", subject, error.message.replace("NOT", "not"), pointer);
  }
}

function compileSchema(version: string): Validate {
  const schema = require(`@seriousme/openapi-schema-validator/schemas/v${version}/schema.json`) as SchemaObject;
  // That of 3.0 is in the dialect of draft 4, in which limits are as in OpenAPI 3.0.
  const schemas = new Schemas(schema, {
    ...(version === "3.0" && { upgrade: upgradeSchema30 }),
    skipPatternCheck: true,
  });
  const options = { report: () => {} };
  schemas.add("", options);
  schemas.checkReferences(options);
  return schemas.compileCheckAt("", "parameters");
}

// The fields that are not allowed, by the place of their objects. Each alternative to an object, such as a reference, refuses all of
// its fields: those that one of them allows are not listed.
function listUnknown(errors: readonly SchemaError[]): Map<string, Set<string>> {
  const unknown = errors.flatMap(({ instancePath, schemaPath, params }) => {
    const name = params.additionalProperty ?? params.unevaluatedProperty;
    return typeof name === "string" ? [{ instancePath, schemaPath, name }] : [];
  });
  const byPlace = Map.groupBy(unknown, ({ instancePath }) => instancePath);
  return new Map(
    [...byPlace].map(([place, found]) => {
      const alternatives = Map.groupBy(found, ({ schemaPath }) => schemaPath).values();
      const names = alternatives.map((same) => new Set(same.map(({ name }) => name)));
      return [place, names.reduce((known, other) => known.intersection(other))];
    }),
  );
}

// The most informative error of each place that has no other one below: errors of a part cause others in the parts around it.
function selectErrors(errors: readonly SchemaError[]): Map<string, SchemaError> {
  const outer = new Set(errors.flatMap(({ instancePath }) => listAround(instancePath).slice(1)));
  const selected = new Map<string, SchemaError>();
  for (const error of errors) {
    const { instancePath, keyword, params } = error;
    // Formats are those of URLs and the like, which are not used. Fields that are not allowed are listed apart.
    if (keyword === "format" || params.additionalProperty !== undefined || params.unevaluatedProperty !== undefined)
      continue;
    const before = selected.get(instancePath);
    if (!outer.has(instancePath) && (before === undefined || rankOf(error) < rankOf(before)))
      selected.set(instancePath, error);
  }
  return selected;
}

function rankOf({ keyword, params }: SchemaError): number {
  if (/^(oneOf|anyOf|not|if|dependentSchemas)$/.test(keyword)) return 2;
  return params.missingProperty === "$ref" ? 1 : 0;
}

function reportUnknown(pointer: string, name: string, report: Report): void {
  const subject = pointer === "" ? "The document" : `The part ${pointer}`;
  const similar = findSimilarName(name, fieldNames);
  const reason = `has the field '${name}', which OpenAPI does not define here`;
  if (similar === undefined || similar === name) report("schema", subject, reason, pointer);
  else report(`misspelled:${name}`, subject, `${reason}: did you mean ${similar}?`, pointer);
}
