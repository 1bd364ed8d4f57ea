// Compares a document with the schema of OpenAPI. What the server needs is checked when it is compiled, with better messages: the
// differences that remain are warnings, except misspelled fields, because a typing error loses a rule.
import { createRequire } from "node:module";
import { findSimilarName } from "../../lib/index.ts";
import { Schemas, upgradeSchema30, type Validate } from "../schema/index.ts";
import { fieldNames, type OpenApi, type Report, type SchemaObject, toNumbers } from "../source/index.ts";

const require = createRequire(import.meta.url);
const validates = new Map<string, Validate>(); // by version, such as 3.1

// The errors of the validator, which are those of Ajv.
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Reports the differences between a document and the schema of its version of OpenAPI. */
export async function compareWithSchema(content: OpenApi, report: Report): Promise<void> {
  if ("value" in validateOf(content.openapi.slice(0, 3))(content)) return;
  // Ajv compiles the schema for 0.15 s, but finds each difference.
  const { Validator } = await import("@seriousme/openapi-schema-validator");
  // A copy, which the validator changes. It does not know bigint.
  const copy = toNumbers(content) as Record<string, unknown>;
  const { valid, errors } = await new Validator({ allErrors: true }).validate(copy);
  // If `errors` is a text, the validator could not resolve a reference. `checkDocument` checks references.
  if (valid || !Array.isArray(errors)) return;
  for (const [pointer, error] of selectErrors(errors as SchemaError[])) reportError(pointer, error, report);
}

function validateOf(version: string): Validate {
  const known = validates.get(version);
  if (known) return known;
  const schema = require(`@seriousme/openapi-schema-validator/schemas/v${version}/schema.json`) as SchemaObject;
  // That of 3.0 is in the dialect of draft 4, in which limits are as in OpenAPI 3.0.
  const schemas = new Schemas(schema, {
    ...(version === "3.0" && { upgrade: upgradeSchema30 }),
    skipPatternCheck: true,
  });
  const options = { report: () => {} };
  schemas.add("", options);
  schemas.checkReferences(options);
  const validate = schemas.compileCheckAt("", "parameters");
  validates.set(version, validate);
  return validate;
}

// The most informative error of each place: errors of a part cause others in the parts around it, and the alternative to most
// objects is a reference.
function selectErrors(errors: readonly SchemaError[]): Map<string, SchemaError> {
  const outer = new Set<string>();
  for (const { instancePath } of errors)
    for (let end = instancePath.lastIndexOf("/"); end >= 0; end = instancePath.lastIndexOf("/", end - 1)) {
      const path = instancePath.slice(0, end);
      if (outer.has(path)) break;
      outer.add(path);
      if (end === 0) break;
    }
  const selected = new Map<string, SchemaError>();
  for (const error of errors) {
    const { instancePath } = error;
    if (error.keyword === "format") continue; // of URLs, addresses and the like, which are not used
    const before = selected.get(instancePath);
    if (outer.has(instancePath) && nameOf(error) === undefined) continue;
    if (before === undefined || rankOf(error) < rankOf(before)) selected.set(instancePath, error);
  }
  return selected;
}

function rankOf({ keyword, params }: SchemaError): number {
  if (/^(oneOf|anyOf|not|if|dependentSchemas)$/.test(keyword)) return 2;
  return params.missingProperty === "$ref" ? 1 : 0;
}

// The name of a field that is not allowed.
function nameOf({ params }: SchemaError): string | undefined {
  return (params.additionalProperty ?? params.unevaluatedProperty) as string | undefined;
}

function reportError(pointer: string, error: SchemaError, report: Report): void {
  const subject = pointer === "" ? "The document" : `The part ${pointer}`;
  const name = nameOf(error);
  if (name === undefined) {
    report("schema", subject, error.message.replace("NOT", "not"), pointer);
    return;
  }
  const similar = findSimilarName(name, fieldNames);
  const reason = `has the field '${name}', which OpenAPI does not define here`;
  if (similar === undefined || similar === name) report("schema", subject, reason, pointer);
  else report(`misspelled:${name}`, subject, `${reason}: did you mean ${similar}?`, pointer);
}
