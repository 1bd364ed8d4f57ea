// The parameters of an operation: reads them strictly from path, query, headers and cookies, and validates them. A
// parameter is parsed only from the plain form of its type, because Ajv's coercion accepts 0x10, 1e1 and " 5".
import type { ErrorObject } from "ajv";
import { HttpError, type HttpErrorCode } from "../http/index.ts";
import { parseJson, shorten } from "../lib/index.ts";
import type { Validated } from "./body.ts";
import type { OperationObject, ParameterObject, PathItem } from "./document-types.ts";
import { isJson } from "./media-types.ts";
import type { Report } from "./operation.ts";
import { decodeComponent, decodePercent, type Pairs, parseCookies, parsePairs } from "./pairs.ts";
import { readPairs, readText, type Style, StyleError } from "./parameter-styles.ts";
import type { Part } from "./part.ts";
import type { PathTemplate } from "./path-template.ts";
import type { ObjectMember, Schemas, Validate } from "./schema.ts";
import type { SecurityRequirement } from "./security.ts";
import { describeFailure } from "./validation-messages.ts";
import { Shape } from "./value-shape.ts";

// OpenAPI ignores header parameters with these names (3.1.1, section 4.8.12.1).
const ignoredHeaders = /^(accept|content-type|authorization)$/i;
const defaultStyles = { path: "simple", query: "form", header: "simple", cookie: "form", querystring: "form" } as const;
const styles = {
  querystring: ["form"],
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form", "cookie"],
} as const;

/** The parameters of an operation by location; undefined for a location of which none is read. */
export interface Parameters {
  readonly params: ParameterGroup<PathSource> | undefined;
  readonly querystring: ParameterGroup<QuerySource, Pairs>;
  readonly headers: ParameterGroup<HeaderSource> | undefined;
  readonly cookies: ParameterGroup<HeaderSource, Pairs> | undefined;
}

/** The parameters that the router has found, and the path of the request. */
export interface PathSource {
  readonly params: Readonly<Record<string, string>>;
  readonly path: string;
}
/** The query of a request, as it was sent. */
export interface QuerySource {
  readonly query: string;
}
/** The headers of a request, by name in lower case. */
export type HeaderSource = Readonly<Record<string, string | string[] | undefined>>;

/** A parameter, and how it is read. `Texts` are the texts of its location. */
interface Parameter<Texts> {
  readonly name: string;
  /** The default value; undefined if there is none. */
  readonly default: unknown;
  /** Returns the value; undefined if it is missing. Throws a StyleError. */
  read(texts: Texts): unknown;
}

/** The options of `ParameterGroup`. */
interface GroupOptions<Source, Texts> {
  readonly parameters: readonly Parameter<Texts>[];
  /** Validates the values. */
  readonly validate: Validate;
  /** Splits the source. Throws a StyleError. */
  readonly split: (source: Source) => Texts;
  /** Returns the names in a source that no parameter has read. They are rejected. */
  readonly findUnknown?: (texts: Texts) => Iterable<string>;
  /** The name of a parameter in messages: "query parameter". */
  readonly noun: string;
  readonly code?: HttpErrorCode;
}

/** The parameters of one location. Its `validate` is the validator that Fastify runs. */
export class ParameterGroup<Source, Texts = Source> {
  readonly names: readonly string[];
  readonly #options: GroupOptions<Source, Texts>;

  constructor(options: GroupOptions<Source, Texts>) {
    this.names = options.parameters.map(({ name }) => name);
    this.#options = options;
  }

  /** Reads and validates the parameters of a request, and fills in default values. */
  readonly validate = (source: unknown): Validated => {
    const { parameters, validate, split, findUnknown, noun } = this.#options;
    const values: Record<string, unknown> = Object.create(null);
    let subject = "request";
    try {
      const texts = split(source as Source);
      for (const parameter of parameters) {
        subject = `${noun} '${shorten(parameter.name)}'`;
        const value = parameter.read(texts) ?? structuredClone(parameter.default);
        if (value !== undefined) values[parameter.name] = value;
      }
      if (findUnknown) for (const name of findUnknown(texts)) values[name] = "";
    } catch (error) {
      if (!(error instanceof StyleError)) throw error;
      return { error: this.#fail(`The ${subject} ${error.message}.`) };
    }
    const result = validate(values);
    return "value" in result ? { value: result.value } : { error: this.#toHttpError(result.errors) };
  };

  #toHttpError(errors: readonly ErrorObject[]): HttpError {
    const { noun } = this.#options;
    const { path, requirement } = describeFailure(errors, noun);
    const subject = path === "" ? "request" : `${noun} '${path}'`;
    const form = requirement.startsWith("must be an integer") ? ", in plain decimal digits" : "";
    return this.#fail(`The ${subject} ${requirement}${form}.`);
  }

  #fail(message: string): HttpError {
    return new HttpError(this.#options.code ?? "invalid_parameter", message);
  }
}

/** What `compileParameters` needs to know about an operation. */
export interface ParameterOptions {
  readonly parts: readonly ParameterPart[];
  readonly template: PathTemplate;
  readonly security: readonly SecurityRequirement[];
  readonly schemas: Schemas;
  readonly report: Report;
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly ignoreUnknown?: boolean | undefined;
}

type ParameterPart = Part<ParameterObject>;

/** Compiles the parameters of an operation. Reports what can't be served. */
export function compileParameters(options: ParameterOptions): Parameters {
  const { parts, schemas, template, security, report, ignoreUnknown } = options;
  // An API key in the query is no parameter.
  const keys = security.flat().flatMap(({ scheme }) => (scheme.in === "query" ? [scheme.name] : []));
  checkPathParameters(parts, template, report);
  const compile = <Texts>(locations: readonly string[], createRead: CreateRead<Texts>) => {
    const own = parts.filter(({ value }) => locations.includes(value.in));
    const members = own.map((part): ObjectMember => {
      const { name, required = false, allowEmptyValue = false } = part.value;
      return { name, pointer: schemaOf(part)?.pointer, required, allowEmptyValue };
    });
    const parameters = own.map((part) => readParameter(part, schemas, createRead));
    return { parameters, validate: schemas.compileObject(members) };
  };
  const path = compile(["path"], (style) => readPath(style, template));
  const query = compile(["query", "querystring"], readQuery);
  const headers = compile(["header"], readHeader);
  const cookies = compile<Pairs>(["cookie"], (style) => (pairs) => readPairs(pairs, style));
  return {
    params: createGroup({ ...path, split: (source: PathSource) => source, noun: "path parameter" }),
    // Also without parameters: an unknown one is rejected.
    querystring: new ParameterGroup({
      ...query,
      split: ({ query }: QuerySource) => parsePairs(query),
      ...(!ignoreUnknown && {
        findUnknown: (pairs: Pairs) => [...pairs.keys()].filter((name) => !keys.includes(name)),
      }),
      noun: "query parameter",
    }),
    headers: createGroup({ ...headers, split: (source: HeaderSource) => source, noun: "header" }),
    cookies: createGroup({
      ...cookies,
      split: ({ cookie }: HeaderSource) => parseCookies(cookie as string),
      noun: "cookie",
    }),
  };
}

function createGroup<Source, Texts>(options: GroupOptions<Source, Texts>): ParameterGroup<Source, Texts> | undefined {
  return options.parameters.length > 0 ? new ParameterGroup(options) : undefined;
}

/**
 * Returns the parameters of an operation and of its path. Those of the operation replace those with the same name and
 * location. Reports those that are not served.
 */
export function collectParameters(
  item: Part<PathItem>,
  operation: Part<OperationObject>,
  report: Report,
): ParameterPart[] {
  const found = new Map<string, ParameterPart>();
  for (const part of [item, operation]) {
    const own = new Set<string>();
    for (const [, parameter] of (part as Part<OperationObject>).membersOf("parameters")) {
      const { name, in: location } = parameter.value;
      const key = `${location} ${name}`;
      if (own.has(key)) report(`has the parameter ${name} twice`);
      own.add(key);
      found.set(key, parameter);
    }
  }
  return [...found.values()].filter((parameter) => isServed(parameter, report));
}

function isServed({ value: { name, in: location, style } }: ParameterPart, report: Report): boolean {
  if (location === "header" && ignoredHeaders.test(name)) {
    report(`has the header parameter ${name}, which OpenAPI ignores`);
    return false;
  }
  const allowed: readonly string[] | undefined = styles[location as keyof typeof styles];
  if (allowed === undefined) report(`has the parameter ${name} in '${location}', which is not a location`);
  else if (style !== undefined && !allowed.includes(style))
    report(`has the ${location} parameter ${name} with the style ${style}, but it must be ${allowed.join(" or ")}`);
  return allowed !== undefined;
}

// The schema of a parameter, or of its only media type.
function schemaOf(part: ParameterPart): Part | undefined {
  const content = part.membersOf("content")[0]?.[1];
  return content === undefined ? part.written("schema") : content.written("schema");
}

/** Creates the function that reads a parameter from the texts of its location. */
type CreateRead<Texts> = (style: Style) => (texts: Texts) => unknown;

function readParameter<Texts>(part: ParameterPart, schemas: Schemas, createRead: CreateRead<Texts>): Parameter<Texts> {
  const { name, in: location, content } = part.value;
  const style = part.value.style ?? defaultStyles[location as keyof typeof defaultStyles];
  const schema = schemaOf(part);
  // Created at the first request, because most operations of a large document are never requested.
  const createStyle = (): Style => ({
    name,
    style,
    explode: part.value.explode ?? (style === "form" || style === "cookie"),
    shape: new Shape(schema === undefined || content !== undefined ? [] : [schemas.at(schema.pointer)]),
    decode: decoders[location as keyof typeof decoders],
  });
  let readStyle: ((texts: Texts) => unknown) | undefined;
  const read = (texts: Texts) => {
    readStyle ??= createRead(createStyle());
    return readStyle(texts);
  };
  const mediaType = Object.keys(content ?? {})[0];
  const value = schema && findDefault(schemas, schema);
  return {
    name,
    default: value,
    read: mediaType === undefined ? read : (texts) => readContent(read(texts), mediaType),
  };
}

function findDefault(schemas: Schemas, schema: Part): unknown {
  return schemas
    .at(schema.pointer)
    .parts()
    .find((part) => part.schema.default !== undefined)?.schema.default;
}

function readContent(text: unknown, mediaType: string): unknown {
  if (typeof text !== "string" || !isJson(mediaType)) return text;
  try {
    return parseJson(text);
  } catch (error) {
    throw new StyleError(`must be JSON: ${(error as Error).message}`);
  }
}

const decoders = {
  path: decodePercent,
  query: decodeComponent,
  querystring: decodeComponent,
  header: (text: string) => text.trim(),
  cookie: decodePercent,
} as const;

function readPath(style: Style, { names, routerNames, wholeSegments }: PathTemplate) {
  const index = names.indexOf(style.name);
  const routerName = routerNames[index] as string;
  const segment = wholeSegments[index];
  const isText = style.style === "simple" && !style.shape.types.has("array") && !style.shape.types.has("object");
  return ({ params, path }: PathSource): unknown => {
    const text = params[routerName];
    if (text === undefined) return undefined;
    if (isText) return style.shape.parsePrimitive(text);
    // As it was sent, because the router has decoded its delimiters. The path can have a prefix, so from its end.
    return readText(segment === undefined ? encodeURIComponent(text) : (path.split("/").at(segment) as string), style);
  };
}

function readQuery(style: Style) {
  return (pairs: Pairs): unknown => readPairs(pairs, style);
}

function readHeader(style: Style) {
  const key = style.name.toLowerCase();
  return (headers: HeaderSource): unknown => {
    const text = headers[key];
    return text === undefined ? undefined : readText([text].flat().join(", "), style);
  };
}

/**
 * Creates the validation of a row of a table, whose cells are texts like parameters, by column. `schema` is the schema
 * of an object of the document.
 */
export function createRowValidator(schema: Part, schemas: Schemas): (row: unknown) => Validated {
  const shape = new Shape([schemas.at(schema.pointer)]);
  const columns = shape.propertyNames;
  const parameters = columns.map((name): Parameter<Readonly<Record<string, string>>> => {
    const property = shape.property(name);
    return {
      name,
      default: undefined, // filled in by the validation
      read: (row) => (row[name] === undefined ? undefined : property.parsePrimitive(row[name])),
    };
  });
  return new ParameterGroup({
    parameters,
    validate: schemas.compileAt(schema.pointer),
    split: (row: Readonly<Record<string, string>>) => row,
    findUnknown: (row) => Object.keys(row).filter((name) => !columns.includes(name)),
    noun: "column",
    code: "invalid_body",
  }).validate;
}

function checkPathParameters(parameters: readonly ParameterPart[], { names }: PathTemplate, report: Report): void {
  const declared = parameters.filter((parameter) => parameter.value.in === "path").map(({ value }) => value.name);
  for (const name of new Set(names).symmetricDifference(new Set(declared)))
    report(`must have the path parameter ${name} both in its path and among its parameters`);
}
