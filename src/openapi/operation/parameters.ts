// The parameters of an operation: reads them strictly from path, query, headers and cookies.
import { parseJson } from "../../lib/index.ts";
import { type ObjectMember, type Schemas, Shape } from "../schema/index.ts";
import type { OperationObject, ParameterObject, Part, PathItem, Report } from "../source/index.ts";
import {
  createEncoding,
  decodeComponent,
  decodePercent,
  type FormEncoding,
  formatOf,
  type Pairs,
  parseCookies,
  parsePairs,
  readForm,
  readPairs,
  readText,
  type Style,
  splitCookies,
} from "../wire/index.ts";
import { type GroupOptions, type Parameter, ParameterGroup } from "./parameter-group.ts";
import { findRawText, type ParameterPosition, type PathTemplate } from "./path-template.ts";
import type { SecurityRequirement } from "./security.ts";

// OpenAPI ignores header parameters with these names (3.1.1, section 4.8.12.1).
const ignoredHeaders = /^(accept|content-type|authorization)$/i;

/** Returns whether OpenAPI ignores a parameter. */
export function isIgnored({ name, in: location }: Pick<ParameterObject, "name" | "in">): boolean {
  return location === "header" && ignoredHeaders.test(name);
}

const defaultStyles = { path: "simple", query: "form", header: "simple", cookie: "form", querystring: "form" } as const;
const styles = {
  querystring: [],
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form", "cookie"],
} as const;

/** The parameters of an operation by location; undefined for a location of which none is read. */
export interface Parameters {
  readonly params: ParameterGroup<PathSource> | undefined;
  readonly querystring: ParameterGroup<QuerySource, Pairs> | ParameterGroup<QuerySource, string>;
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
  // API keys in the query, and pairs that select the operation, are no parameters.
  const declared = parts.flatMap(({ value }) => (value.in === "query" ? [value.name] : []));
  const keys = [
    ...security.flat().flatMap(({ scheme }) => (scheme.in === "query" ? [scheme.name as string] : [])),
    ...template.query.keys(),
  ].filter((name) => !declared.includes(name));
  checkPathParameters(parts, template, report);
  checkQuerystring(parts, report);
  const compile = <Texts>(locations: readonly string[], createRead: CreateRead<Texts>) => {
    // A path parameter that the path does not have was reported before.
    const isOwn = ({ in: location, name }: ParameterObject) =>
      locations.includes(location) && (location !== "path" || template.names.includes(name));
    const own = parts.filter(({ value }) => isOwn(value));
    const members = own.map((part): ObjectMember => {
      const { name, required = false } = part.value;
      return { name, pointer: schemaOf(part)?.pointer, required, allowEmptyValue: required && allowsEmpty(part.value) };
    });
    const parameters = own.map((part) => readParameter(part, schemas, createRead));
    return { parameters, validate: schemas.compileObject(members) };
  };
  const path = compile(["path"], (style) => readPath(style, template));
  const headers = compile(["header"], readHeader);
  const cookies = compile(["cookie"], readCookie);
  const isWhole = parts.some(({ value }) => value.in === "querystring");
  return {
    params: createGroup({ ...path, split: (source: PathSource) => source, noun: "path parameter" }),
    // Also without parameters: an unknown one is rejected.
    querystring: isWhole
      ? new ParameterGroup({
          ...compile(["querystring"], readWhole),
          split: ({ query }: QuerySource) => removePairs(query, keys),
          noun: "query parameter",
        })
      : new ParameterGroup({
          ...compile(["query"], readQuery),
          split: ({ query }: QuerySource) => parsePairs(removePairs(query, keys)),
          ...(!ignoreUnknown && { findUnknown: (pairs: Pairs) => pairs.keys() }),
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

function isServed({ value: { name, in: location, style, content } }: ParameterPart, report: Report): boolean {
  if (isIgnored({ name, in: location })) return false;
  if (location === "querystring" && content === undefined) {
    report(`has the querystring parameter ${name} without a media type`);
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
type CreateRead<Texts> = (style: Style, parameter: ParameterObject) => (texts: Texts) => unknown;

function readParameter<Texts>(part: ParameterPart, schemas: Schemas, createRead: CreateRead<Texts>): Parameter<Texts> {
  const { name, in: location, content, required = false } = part.value;
  const style = part.value.style ?? defaultStyles[location as keyof typeof defaultStyles];
  const schema = schemaOf(part);
  // Created at the first request, because most operations of a large document are never requested.
  const createStyle = (): Style => ({
    name,
    style,
    explode: part.value.explode ?? (style === "form" || style === "cookie"),
    shape: new Shape(schema === undefined || content !== undefined ? [] : [schemas.at(schema.pointer)]),
    decode: style === "cookie" ? (text) => text : decoders[location as keyof typeof decoders],
  });
  const isRest = () => {
    const { explode, shape } = createStyle();
    return /^(form|cookie)$/.test(style) && explode && shape.types.has("object") && shape.isOpen;
  };
  let readStyle: ((texts: Texts) => unknown) | undefined;
  const read = (texts: Texts) => {
    readStyle ??= createRead(createStyle(), part.value);
    return readStyle(texts);
  };
  const value = schema && !required ? schemas.defaultOf(schemas.at(schema.pointer)) : undefined;
  const [mediaType] = Object.keys(content ?? {});
  if (mediaType === undefined) return { name, required, default: value, isRest, read };
  let encoding: FormEncoding | undefined;
  const readValue = (texts: Texts) => {
    encoding ??= createEncoding(schema && schemas.at(schema.pointer), content?.[mediaType]?.encoding);
    return readContent(read(texts), mediaType, encoding);
  };
  return { name, required, default: value, read: readValue };
}

function readContent(text: unknown, mediaType: string, encoding: FormEncoding): unknown {
  const format = formatOf(mediaType);
  if (typeof text === "string" && format === "form") return readForm(text, encoding);
  return typeof text === "string" && format === "json" ? parseJson(text) : text;
}

const decoders = {
  path: decodePercent,
  query: decodeComponent,
  querystring: decodePercent,
  header: (text: string) => text.trim(),
  cookie: decodePercent,
} as const;

function readPath(style: Style, { names, routerNames, positions }: PathTemplate) {
  const index = names.indexOf(style.name);
  const routerName = routerNames[index] as string;
  const position = positions[index] as ParameterPosition;
  const isText =
    position.pattern === undefined &&
    style.style === "simple" &&
    !style.shape.types.has("array") &&
    !style.shape.types.has("object");
  return ({ params, path }: PathSource): unknown => {
    const text = params[routerName] as string;
    if (isText) return style.shape.parsePrimitive(text);
    // As it was sent, because the router has decoded its delimiters.
    return readText(findRawText(path, position) ?? encodeURIComponent(text), style);
  };
}

function readQuery(style: Style, parameter: ParameterObject) {
  const { name, required = false } = parameter;
  const ignoresEmpty = allowsEmpty(parameter) && !required;
  return (pairs: Pairs): unknown => {
    // An allowed empty value means that the parameter is not used (section 4.8.12.2.1).
    if (ignoresEmpty && pairs.get(name)?.every((text) => text === "")) pairs.delete(name);
    return readPairs(pairs, style);
  };
}

// The specification defines an empty value only for the style form.
function allowsEmpty({ in: location, style = "form", allowEmptyValue = false }: ParameterObject): boolean {
  return allowEmptyValue && location === "query" && style === "form";
}

// The whole query. An empty one is a missing parameter, or an empty form.
function readWhole({ decode }: Style, { content, required = false }: ParameterObject) {
  const isForm = formatOf(Object.keys(content as object)[0] as string) === "form";
  return (query: string): unknown => {
    if (query === "" && !required) return undefined;
    return isForm ? query : decode(query);
  };
}

// Removes the pairs with these names from a query.
function removePairs(query: string, names: readonly string[]): string {
  if (names.length === 0) return query;
  const isOther = (pair: string) => !names.includes(decodeComponent(pair.split("=", 1)[0] as string));
  return query.split("&").filter(isOther).join("&");
}

function readCookie(style: Style) {
  const { shape, explode } = style;
  const isExploded = explode && style.style === "form" && (shape.isOnly("array") || shape.isOnly("object"));
  return (pairs: Pairs): unknown => readPairs(isExploded ? splitCookies(pairs) : pairs, style);
}

function readHeader(style: Style) {
  const key = style.name.toLowerCase();
  return (headers: HeaderSource): unknown => {
    const text = Object.hasOwn(headers, key) ? headers[key] : undefined;
    return text === undefined ? undefined : readText([text].flat().join(", "), style);
  };
}

function checkQuerystring(parts: readonly ParameterPart[], report: Report): void {
  const [one, ...others] = parts.filter(({ value }) => value.in === "querystring");
  if (one === undefined) return;
  const other = others[0] ?? parts.find(({ value }) => value.in === "query");
  if (other)
    report(`has the querystring parameter ${one.value.name}, but also the query parameter ${other.value.name}`);
}

function checkPathParameters(parameters: readonly ParameterPart[], { names }: PathTemplate, report: Report): void {
  const declared = parameters.filter((parameter) => parameter.value.in === "path").map(({ value }) => value.name);
  for (const name of new Set(names).symmetricDifference(new Set(declared)))
    report(`must have the path parameter ${name} both in its path and among its parameters`);
}
