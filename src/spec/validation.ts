// Validates each part of a request against its schema in the document. A parameter is parsed only from the plain form
// of its type, because Ajv's coercion accepts 0x10, 1e1 and " 5".
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import { HttpError, type HttpErrorCode } from "../http/index.ts";
import { parseInteger, shorten } from "../lib/index.ts";
import { numberKeywords, replaceNumberSchemas } from "./int64.ts";
import { describeError, findMainError } from "./validation-messages.ts";

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
  // A row of CSV, whose cells are text like parameters.
  row: { name: "column", code: "invalid_body" },
} as const satisfies Record<string, { name: string; code: HttpErrorCode }>;

type Part = keyof typeof parts;

/**
 * Creates the compiler that Fastify calls for each part of each operation. The compiled function returns the value,
 * with numbers parsed and default values filled in, or an HttpError. The compiler throws an Error if a schema has a
 * keyword, format or default value that would not be enforced. `extensions` are the names of the document's `x-…`
 * fields.
 */
export function createValidatorCompiler(extensions: Iterable<string>): FastifySchemaCompiler<Schema> {
  const ajv = createAjv(extensions);
  const compile = (schema: object) => ajv.compile(JSON.parse(JSON.stringify(schema), replaceNumberSchemas));
  return ({ schema, httpPart }) => {
    const part = httpPart as Part;
    const validate = compile(part === "querystring" ? { ...schema, additionalProperties: false } : schema);
    for (const [name, property] of Object.entries({ ...schema.properties })) {
      if (!("default" in property)) continue;
      const validateDefault = compile({ type: "object", properties: { [name]: property } });
      if (!validateDefault({ [name]: property.default }))
        throw new Error(`the default of the ${parts[part].name} '${name}' does not match its schema`);
    }
    const parse = part === "body" ? (body: unknown) => body : createParameterParser(part, schema);
    return (raw: unknown) => {
      const value = parse(raw);
      if (value instanceof HttpError) return { error: value };
      return validate(value) ? { value } : { error: toHttpError(part, validate.errors as ErrorObject[]) };
    };
  };
}

function createAjv(extensions: Iterable<string>): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    useDefaults: true,
    removeAdditional: false,
    verbose: true,
    addUsedSchema: false,
  });
  addFormats.default(ajv, { keywords: false });
  // Implemented by the keyword of the same name. A schema that it can't replace is rejected for an unknown format.
  delete ajv.formats.int64;
  ajv.addVocabulary(["example", "xml", "externalDocs", "discriminator", ...extensions]);
  for (const keyword of numberKeywords) ajv.addKeyword(keyword);
  ajv.removeKeyword("nullable"); // of OpenAPI 3.0; in 3.1, it is type: [string, "null"]
  return ajv;
}

/** Creates a function that parses the parameters of a part by the types of their schemas. */
function createParameterParser(part: Part, { properties = {} }: Schema) {
  const { name: kind, code } = parts[part];
  return (raw: unknown): Record<string, unknown> | HttpError => {
    const texts = raw as Record<string, string | string[] | undefined>;
    // Reads only declared headers. Node has their names in lower case.
    const names = part === "headers" ? Object.keys(properties) : Object.keys(texts);
    const values: Record<string, unknown> = Object.create(null);
    for (const name of names) {
      const text = texts[part === "headers" ? name.toLowerCase() : name];
      if (Array.isArray(text))
        return new HttpError(code, `The ${kind} '${shorten(name)}' must be given once, not ${text.length} times.`);
      if (text !== undefined) values[name] = parseParameter(text, properties[name]?.type);
    }
    return values;
  };
}

// Text in another form stays text, so that the validation of its type rejects it.
function parseParameter(text: string, type: string | undefined): unknown {
  if (type === "integer" && /^(0|-?[1-9]\d*)$/.test(text)) return text.length > 20 ? Number(text) : parseInteger(text);
  if (type === "number" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function toHttpError(part: Part, errors: readonly ErrorObject[]): HttpError {
  const { name, code } = parts[part];
  const error = findMainError(errors);
  const path = shorten(error.instancePath.slice(1).replaceAll("/", "."), 200);
  const subject = path === "" ? (part === "body" ? "body" : "request") : `${name} '${path}'`;
  const requirement = describeError(error, name);
  const isText = part !== "body" && requirement.startsWith("must be an integer");
  return new HttpError(code, `The ${subject} ${requirement}${isText ? ", in plain decimal digits" : ""}.`);
}
