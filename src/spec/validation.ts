// Validates each part of a request against its schema in the document. The text of a parameter
// becomes a value only where it is that value's plain form: Ajv's coercion takes 0x10, 1e1 and " 5".
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import { HttpError, type HttpErrorCode } from "../http/index.ts";
import { parseInteger } from "../lib/index.ts";
import { numberKeywords, replaceNumberSchemas } from "./int64.ts";

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly [keyword: string]: unknown;
}

const parts = {
  body: { name: "field", code: "invalid_body" },
  params: { name: "path parameter", code: "invalid_parameter" },
  querystring: { name: "query parameter", code: "invalid_parameter" },
  headers: { name: "header", code: "invalid_parameter" },
  row: { name: "column", code: "invalid_body" }, // of a table: no part of a request, but texts like its parameters
} as const satisfies Record<string, { name: string; code: HttpErrorCode }>;

type Part = keyof typeof parts;

/**
 * Makes the compiler that Fastify calls for each part of each operation. What it compiles gives the
 * value with numbers and defaults in place, or the Refusal. A schema with a keyword or format that
 * would not be enforced is refused. `extensions`: the names of the document's `x-…` fields.
 */
export function createValidatorCompiler(extensions: Iterable<string>): FastifySchemaCompiler<Schema> {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    useDefaults: true,
    removeAdditional: false,
    verbose: true,
    addUsedSchema: false,
  });
  addFormats.default(ajv, { keywords: false });
  delete ajv.formats.int64; // src/spec/int64.ts has it: where that can't reach, the schema is refused
  ajv.addVocabulary(["example", "xml", "externalDocs", "discriminator", ...extensions]);
  for (const keyword of numberKeywords) ajv.addKeyword(keyword);
  ajv.removeKeyword("nullable"); // of OpenAPI 3.0: 3.1 says type: [string, "null"]
  return ({ schema, httpPart }) => {
    const part = httpPart as Part;
    const closed = part === "querystring" ? { ...schema, additionalProperties: false } : schema;
    const compile = (one: object) => ajv.compile(JSON.parse(JSON.stringify(one), replaceNumberSchemas));
    const validate = compile(closed);
    for (const [name, property] of Object.entries({ ...schema.properties }))
      if (
        "default" in property &&
        !compile({ type: "object", properties: { [name]: property } })({ [name]: property.default })
      )
        throw new Error(`the default of the ${parts[part].name} '${name}' does not fit its own schema`);
    const read = part === "body" ? (value: unknown) => value : buildReader(part, schema);
    return (raw: unknown) => {
      const value = read(raw);
      if (value instanceof HttpError) return { error: value };
      return validate(value)
        ? { value }
        : { error: refuse(part, (validate.errors as ErrorObject[])[0] as ErrorObject) };
    };
  };
}

/** Reads the parameters of a part from their text, each by the type that its schema names. */
function buildReader(part: Part, { properties = {} }: Schema) {
  return (raw: unknown): Record<string, unknown> | HttpError => {
    const given = raw as Record<string, string | string[] | undefined>;
    // Of the headers only those that the document names are looked at; Node has them in lower case.
    const names = part === "headers" ? Object.keys(properties) : Object.keys(given);
    const value: Record<string, unknown> = Object.create(null);
    for (const name of names) {
      const text = given[part === "headers" ? name.toLowerCase() : name];
      if (Array.isArray(text))
        return new HttpError(
          parts[part].code,
          `The ${parts[part].name} '${name}' must be given once, not ${text.length} times.`,
        );
      if (text !== undefined) value[name] = readText(text, properties[name]?.type);
    }
    return value;
  };
}

// Text that is not the plain form of its type stays text, and so fails the check of the type.
function readText(text: string, type: string | undefined): unknown {
  if (type === "integer" && /^(0|-?[1-9]\d*)$/.test(text)) return text.length > 20 ? Number(text) : parseInteger(text);
  if (type === "number" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

/** Says what is wrong and what would be right, in words. */
function refuse(part: Part, error: ErrorObject): HttpError {
  const { name, code } = parts[part];
  const path = error.instancePath.slice(1).replaceAll("/", ".");
  const subject = path === "" ? (part === "body" ? "body" : "request") : `${name} '${path}'`;
  return new HttpError(code, `The ${subject} ${explain(part, error)}.`);
}

function explain(part: Part, { keyword, message, params, parentSchema }: ErrorObject): string {
  const { name } = parts[part];
  if (keyword === "additionalProperties")
    return `has the unknown ${name} '${params.additionalProperty.slice(0, 50)}'; ${known(Object.keys({ ...parentSchema?.properties }))}`;
  if (keyword === "required") return `must have the ${name} '${params.missingProperty}'`;
  if (keyword === "enum") return `must be one of: ${params.allowedValues.join(", ")}`;
  if (keyword === "maxLength") return `must have at most ${params.limit} characters`;
  if (keyword === "minLength") return `must have at least ${params.limit} characters`;
  if (keyword === "pattern" && parentSchema?.title) return `must be ${parentSchema.title}`;
  const text = keyword === "type" ? `must be ${/^[aeio]/.test(params.type) ? "an" : "a"} ${params.type}` : message;
  return part !== "body" && text?.startsWith("must be an integer") ? `${text}, in plain decimal digits` : `${text}`;
}

function known(names: string[]): string {
  return names.length > 0 ? `known are: ${names.join(", ")}` : "it takes none";
}
