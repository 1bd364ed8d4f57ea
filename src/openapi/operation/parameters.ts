// The parameters of an operation: those of its path and its own, by location.
import type { Schemas } from "../schema/schemas.ts";
import type { OperationObject, ParameterObject, PathItem } from "../source/document-types.ts";
import type { ReportReason } from "../source/findings.ts";
import type { Part } from "../source/part.ts";
import { listContents } from "../wire/media-types.ts";
import type { Query } from "../wire/pairs.ts";
import { Parameter } from "./parameter.ts";
import {
  asQuery,
  inCookies,
  inHeaders,
  inQuery,
  ParameterLocation,
  PathParameters,
  type SentHeaders,
} from "./parameter-locations.ts";
import type { PathTemplate } from "./path-template.ts";
import type { SecurityRequirement } from "./security-requirements.ts";

// OpenAPI ignores header parameters with these names (3.1.1, section 4.8.12.1).
const ignoredHeaders = /^(accept|content-type|authorization)$/i;

const styles = {
  querystring: [],
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form", "cookie"],
} as const;

/** The parameters of an operation by location; undefined for a location of which none is read. */
export interface Parameters {
  readonly path: PathParameters | undefined;
  /** Also without parameters: an unknown one is rejected. */
  readonly query: ParameterLocation<Query>;
  readonly headers: ParameterLocation<SentHeaders> | undefined;
  readonly cookies: ParameterLocation<SentHeaders> | undefined;
}

export interface ParameterOptions {
  readonly parts: readonly ParameterPart[];
  readonly template: PathTemplate;
  readonly security: readonly SecurityRequirement[];
  readonly schemas: Schemas;
  readonly report: ReportReason;
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly ignoreUnknown?: boolean | undefined;
}

type ParameterPart = Part<ParameterObject>;

/** Compiles the parameters of an operation. Reports what can't be served. */
export function compileParameters(options: ParameterOptions): Parameters {
  const { parts, schemas, template, security, report, ignoreUnknown = false } = options;
  checkPathParameters(parts, template, report);
  checkQuerystring(parts, report);
  const find = (location: string) =>
    parts.filter(({ value }) => value.in === location).map((part) => new Parameter(part, schemas));
  const query = find("query");
  // API keys in the query, and pairs that select the operation, are no parameters.
  const others = [
    ...security.flat().flatMap(({ scheme }) => (scheme.in === "query" ? [scheme.name as string] : [])),
    ...template.query.keys(),
  ].filter((name) => !query.some((parameter) => parameter.name === name));
  const path = find("path").filter(({ name }) => template.names.includes(name)); // another one was reported
  const whole = find("querystring");
  const headers = find("header");
  const cookies = find("cookie");
  return {
    path: path.length > 0 ? new PathParameters(path, schemas, template) : undefined,
    query:
      whole.length > 0
        ? new ParameterLocation(whole, schemas, asQuery(others))
        : new ParameterLocation(query, schemas, inQuery(others, ignoreUnknown)),
    headers: headers.length > 0 ? new ParameterLocation(headers, schemas, inHeaders) : undefined,
    cookies: cookies.length > 0 ? new ParameterLocation(cookies, schemas, inCookies) : undefined,
  };
}

/**
 * Returns the parameters of an operation and of its path. Those of the operation replace those with the same name and
 * location. Reports those that are not served.
 */
export function collectParameters(
  item: Part<PathItem>,
  operation: Part<OperationObject>,
  report: ReportReason,
): ParameterPart[] {
  const found = new Map<string, ParameterPart>();
  for (const part of [item, operation]) {
    const own = new Set<string>();
    for (const [, parameter] of (part as Part<OperationObject>).membersOf("parameters")) {
      const { name, in: location } = parameter.value;
      const key = `${location} ${name}`;
      if (own.has(key)) report("parameter", `has the parameter ${name} twice`, parameter.pointer);
      own.add(key);
      found.set(key, parameter);
    }
  }
  return [...found.values()].filter((parameter) => isServed(parameter, report));
}

function isServed(parameter: ParameterPart, report: ReportReason): boolean {
  const { value, pointer } = parameter;
  const { name, in: location, style, content } = value;
  listContents(parameter.membersOf("content"), (reason, place) =>
    report("content", `has the ${location} parameter ${name} ${reason}`, place),
  );
  if (location === "header" && ignoredHeaders.test(name)) {
    report("ignored-header", `has the header parameter ${name}, which OpenAPI ignores`, pointer);
    return false;
  }
  if (location === "querystring" && content === undefined) {
    report("parameter", `has the querystring parameter ${name} without a media type`, pointer);
    return false;
  }
  const allowed: readonly string[] | undefined = styles[location as keyof typeof styles];
  if (allowed === undefined)
    report("parameter", `has the parameter ${name} in '${location}', which is not a location`, pointer);
  else if (style !== undefined && !allowed.includes(style)) {
    const reason = `with the style ${style}, but it must be ${allowed.join(" or ")}`;
    report("parameter", `has the ${location} parameter ${name} ${reason}`, pointer);
  }
  return allowed !== undefined;
}

function checkQuerystring(parts: readonly ParameterPart[], report: ReportReason): void {
  const [one, ...others] = parts.filter(({ value }) => value.in === "querystring");
  if (one === undefined) return;
  const other = others[0] ?? parts.find(({ value }) => value.in === "query");
  if (other === undefined) return;
  const [name, otherName] = [one.value.name, other.value.name];
  report("parameter", `has the querystring parameter ${name}, but also the query parameter ${otherName}`);
}

function checkPathParameters(
  parameters: readonly ParameterPart[],
  { names }: PathTemplate,
  report: ReportReason,
): void {
  const declared = parameters.filter((parameter) => parameter.value.in === "path").map(({ value }) => value.name);
  for (const name of new Set(names).symmetricDifference(new Set(declared)))
    report("parameter", `must have the path parameter ${name} both in its path and among its parameters`);
}
