// The parameters of an operation: parses them strictly, and validates them. A parameter is parsed only from the plain
// form of its type, because Ajv's coercion accepts 0x10, 1e1 and " 5".
import type { ErrorObject } from "ajv";
import { HttpError, type HttpErrorCode } from "../http/index.ts";
import { parseInteger, shorten } from "../lib/index.ts";
import type { Validated } from "./body.ts";
import type { OperationObject, ParameterObject } from "./document-types.ts";
import type { Reject } from "./operation.ts";
import type { Part } from "./part.ts";
import type { Schemas, Validate } from "./schema.ts";
import type { SchemaObject } from "./schema-keywords.ts";
import { describeFailure } from "./validation-messages.ts";

const types = ["string", "integer", "number", "boolean"];
// OpenAPI ignores header parameters with these names (3.1.1, section 4.8.12.1).
const ignoredHeaders = /^(accept|content-type|authorization)$/i;

/** The parameters of an operation by location; undefined for a location of which none is read. */
export interface Parameters {
  readonly params: ParameterGroup | undefined;
  readonly querystring: ParameterGroup;
  readonly headers: ParameterGroup | undefined;
}

/** What the parser of a parameter needs to know. */
interface Parameter {
  readonly name: string;
  readonly type: string;
  /** The default value; undefined if there is none. */
  readonly default: unknown;
}

/** The parameters of one location. Its `validate` is the validator that Fastify runs. */
export class ParameterGroup {
  readonly names: readonly string[];
  readonly #noun: string;
  readonly #code: HttpErrorCode;
  readonly #parameters: ReadonlyMap<string, Parameter>;
  readonly #isOpen: boolean;
  readonly #validate: Validate;

  /**
   * `validate` validates the parsed values. `noun` names a parameter in messages: "query parameter". `isOpen` ignores
   * undeclared names, and looks up names in lower case, as for headers.
   */
  constructor(
    parameters: readonly Parameter[],
    validate: Validate,
    { noun, code, isOpen = false }: { noun: string; code: HttpErrorCode; isOpen?: boolean },
  ) {
    this.names = parameters.map(({ name }) => name);
    this.#noun = noun;
    this.#code = code;
    this.#isOpen = isOpen;
    this.#parameters = new Map(parameters.map((parameter) => [parameter.name, parameter]));
    this.#validate = validate;
  }

  /** Parses and validates the parameters of a request, and fills in default values. */
  readonly validate = (raw: unknown): Validated => {
    const values = this.#parse(raw as Record<string, string | string[] | undefined>);
    if (values instanceof HttpError) return { error: values };
    const result = this.#validate(values);
    return "value" in result ? { value: result.value } : { error: this.#toHttpError(result.errors) };
  };

  #parse(texts: Record<string, string | string[] | undefined>): Record<string, unknown> | HttpError {
    const values: Record<string, unknown> = Object.create(null);
    for (const name of this.#isOpen ? this.names : Object.keys(texts)) {
      const text = texts[this.#isOpen ? name.toLowerCase() : name];
      if (Array.isArray(text))
        return new HttpError(
          this.#code,
          `The ${this.#noun} '${shorten(name)}' must be given once, not ${text.length} times.`,
        );
      if (text !== undefined) values[name] = parseParameter(text, this.#parameters.get(name)?.type);
    }
    for (const [name, parameter] of this.#parameters)
      if (parameter.default !== undefined && !(name in values)) values[name] = parameter.default;
    return values;
  }

  #toHttpError(errors: readonly ErrorObject[]): HttpError {
    const { path, requirement } = describeFailure(errors, this.#noun);
    const subject = path === "" ? "request" : `${this.#noun} '${path}'`;
    const form = requirement.startsWith("must be an integer") ? ", in plain decimal digits" : "";
    return new HttpError(this.#code, `The ${subject} ${requirement}${form}.`);
  }
}

// Text in another form stays text, so that the validation of its type rejects it.
function parseParameter(text: string, type: string | undefined): unknown {
  if (type === "integer" && /^(0|-?[1-9]\d*)$/.test(text)) return text.length > 20 ? Number(text) : parseInteger(text);
  if (type === "number" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

/** Compiles the parameters of an operation. Throws an Error if a style, location or type is not supported. */
export function compileParameters(
  path: string,
  operation: Part<OperationObject>,
  schemas: Schemas,
  reject: Reject,
): Parameters {
  const parts =
    operation
      .at("parameters")
      ?.members()
      .map(([, part]) => part) ?? [];
  const written = parts.map(({ value }) => value);
  checkPath(path, written, reject);
  checkParameters(written, reject);
  const group = (location: string, noun: string, isOpen = false) => {
    const own = parts.filter(({ value }) => value.in === location);
    const parameters = own.map((part) => readParameter(part, schemas, noun, reject));
    const pointers = own.map((part) => [part.value.name, (part.written("schema") as Part).pointer] as const);
    const required = own.filter(({ value }) => value.required).map(({ value }) => value.name);
    const validate = schemas.compileObject(new Map(pointers), required);
    return new ParameterGroup(parameters, validate, { noun, code: "invalid_parameter", isOpen });
  };
  const [params, headers] = [group("path", "path parameter"), group("header", "header", true)];
  return {
    params: params.names.length > 0 ? params : undefined,
    // Also without parameters: an unknown one is rejected.
    querystring: group("query", "query parameter"),
    headers: headers.names.length > 0 ? headers : undefined,
  };
}

function readParameter(part: Part<ParameterObject>, schemas: Schemas, noun: string, reject: Reject): Parameter {
  const { name } = part.value;
  const schema = part.at("schema") as Part<SchemaObject> | undefined;
  if (schema === undefined || !types.includes(schema.value.type as string))
    return reject(`has the parameter ${name}, whose type must be one of ${types.join(", ")}`);
  const { type } = schema.value;
  const written = part.written("schema") as Part<SchemaObject>;
  const value = written.value.default ?? schema.value.default;
  if (value !== undefined && "errors" in schemas.compileAt(written.pointer)(value))
    reject(`has a default of the ${noun} '${name}' that does not match its schema`);
  return { name, type: type as string, default: value };
}

/**
 * Creates the validation of a row of a table, whose cells are texts like parameters, by column. `schema` is the schema
 * of an object of the document.
 */
export function createRowValidator(schema: Part<SchemaObject>, schemas: Schemas): ParameterGroup["validate"] {
  const properties = (schema as Part<{ properties: Record<string, SchemaObject> }>).membersOf("properties");
  const columns = properties.map(([name, { value }]) => ({ name, type: value.type as string, default: value.default }));
  return new ParameterGroup(columns, schemas.compileAt(schema.pointer), { noun: "column", code: "invalid_body" })
    .validate;
}

// Checks that the router supports the path template, and that its names are those of the path parameters.
function checkPath(path: string, parameters: readonly ParameterObject[], reject: Reject): void {
  if (!/^(\/([\w.~-]|\{[^/{}]*\})+)+$/.test(path)) reject(`has the path ${path}, which the router does not support`);
  const inTemplate = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string);
  const misnamed = inTemplate.find((name) => !/^[a-z]\w*$/i.test(name));
  if (misnamed) reject(`has the path parameter ${misnamed}, whose name must be camelCase`);
  const declared = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const [missing] = new Set(inTemplate).symmetricDifference(new Set(declared));
  if (missing) reject(`must have the path parameter ${missing} both in its path and among its parameters`);
}

function checkParameters(parameters: readonly ParameterObject[], reject: Reject): void {
  for (const [index, parameter] of parameters.entries()) {
    const { name, in: location, style = "form", allowEmptyValue, allowReserved } = parameter;
    if (location === "cookie") reject(`has the cookie parameter ${name}, but cookies are not supported`);
    if (location === "header" && ignoredHeaders.test(name))
      reject(`has the header parameter ${name}, which OpenAPI ignores`);
    if (parameters.findIndex((other) => other.name === name && other.in === location) !== index)
      reject(`has the parameter ${name} twice`);
    if (allowEmptyValue) reject(`has the parameter ${name} with allowEmptyValue, which is not supported`);
    if (allowReserved) reject(`has the parameter ${name} with allowReserved, which is not supported`);
    if (!/^(form|simple)$/.test(style))
      reject(`has the parameter ${name} with the style ${style}, which is not supported`);
  }
}
