// The HTTP request of a tool call: its arguments in the styles of their parameters. All names are those of the document.
import { isHeaderText, isNormalized } from "../http/index.ts";
import { InvalidValue, isObject, shorten, toJson } from "../lib/index.ts";
import type { Document, Operation, RequiredScheme } from "../openapi/index.ts";
import { formatOf, isJson, listContents, serializationOf } from "../openapi/tools.ts";
import type { Layout } from "./arguments.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** Returns the credential of a scheme as it is sent: an API key, or the header Authorization. */
export type Credentials = (required: RequiredScheme) => string | undefined;

/** A request of a tool call. */
export interface ToolRequest {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly payload: Buffer | undefined;
}

type Pair = readonly [name: string, value: string];
type Encode = (text: string) => string;

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };
const asIs: Encode = (text) => text;
const toText = (value: unknown) => (typeof value === "string" ? value : toJson(value));

/** Creates the request of a call. Throws an InvalidValue for arguments that no request can have; the server checks the others. */
export async function toRequest(
  operation: Operation,
  { parameters, body }: Layout,
  args: Arguments,
  { operations, schemas }: Document,
  credentials: Credentials,
): Promise<ToolRequest> {
  const { template, method } = operation;
  const query: Pair[] = [...template.query].flatMap(([name, values]) => values.map((value): Pair => [name, value]));
  const cookies: string[] = [];
  const headers: Record<string, string> = {};
  const others = new Map(Object.entries(args).filter(([, value]) => value !== undefined));
  const values = new Map<string, string>(); // of the path
  for (const { argument, part } of parameters) {
    const value = others.get(argument);
    others.delete(argument);
    const { name, in: location } = part.value;
    if (value === undefined || value === null) continue;
    const { style = "", explode } = serializationOf(part.value);
    const [type] = listContents(part.membersOf("content"))[0] ?? [];
    const content = type !== undefined && isJson(type) ? toJson(value) : value;
    if (location === "path") values.set(name, toPathText(name, content, style, explode));
    else if (location === "header") headers[name.toLowerCase()] = joinMembers(content, explode, asIs);
    else if (location === "cookie")
      cookies.push(joinPairs(toPairs(name, content, style, explode, style === "cookie" ? asIs : encodeURIComponent)));
    else if (location === "query") query.push(...toPairs(name, content, style, explode));
    else query.push(...Object.entries(Object(value)).flatMap(([key, member]) => toPairs(key, member, "form", true)));
  }
  const path = template.names.reduce((key, name) => {
    const text = values.get(name);
    if (text === undefined || text === "")
      throw new InvalidValue(`must have the path parameter ${name}, and not empty`);
    return key.replace("{}", () => text);
  }, template.key);
  requireOwnPath(path, operation, operations);
  const payload = await writeBody(body, others, headers, operation, schemas);
  const { security } = operation;
  const isGiven = (all: (typeof security)[number]) =>
    all.length > 0 && all.every((one) => credentials(one) !== undefined);
  for (const required of security.find(isGiven) ?? security.flat()) {
    const { type, in: location, name = "" } = required.scheme;
    const value = credentials(required);
    if (value === undefined) continue;
    if (type !== "apiKey") headers.authorization = value;
    else if (location === "header") headers[name.toLowerCase()] = value;
    else if (location === "query") query.push([encodeURIComponent(name), encodeURIComponent(value)]);
    else cookies.push(`${name}=${value}`);
  }
  if (cookies.some((text) => text.includes(";"))) throw new InvalidValue("must have no ; in a cookie");
  if (cookies.length > 0) headers.cookie = cookies.join("; ");
  for (const [name, value] of Object.entries(headers))
    if (!isHeaderText(value)) throw new InvalidValue(`must have a text for the header ${name}, in one line of Latin-1`);
  const url = `${path}${query.length > 0 ? `?${joinPairs(query)}` : ""}`;
  if (!isNormalized(url)) throw new InvalidValue("must have no path parameter that is . or ..");
  return { method, url, headers: { accept: "application/json, */*;q=0.5", ...headers }, payload };
}

// A value such as `all` can be the path of another operation, which would be called instead. Some servers decode a path before they
// route it, and read \ as a slash: an encoded slash then leads to other paths, too.
function requireOwnPath(path: string, operation: Operation, operations: readonly Operation[]): void {
  const { key } = operation.template;
  if (!key.includes("{}")) return;
  if (segmentsOf(path).some((segment) => segment === "." || segment === ".."))
    throw new InvalidValue("must have no path parameter with the segment . or ..");
  const other = operations.find(
    ({ method, template }) =>
      method === operation.method &&
      template.key !== key &&
      matches(template.key, path) &&
      !matches(template.key, key.replaceAll("{}", "\0")),
  );
  if (other) throw new InvalidValue(`must not have path parameters that address the operation ${other.id}`);
}

// Also without empty segments, which some servers ignore.
const segmentsOf = (path: string) =>
  decodeURIComponent(path)
    .split(/[/\\]/)
    .filter((segment) => segment !== "");

function matches(key: string, path: string): boolean {
  const segments = segmentsOf(path);
  const templates = segmentsOf(key).map((segment) => segment.split("{}"));
  return (
    segments.length === templates.length &&
    templates.every(([start = "", ...literals], index) => {
      const segment = segments[index] as string;
      const end = literals.at(-1);
      return end === undefined ? segment === start : segment.startsWith(start) && segment.endsWith(end);
    })
  );
}

function toPathText(name: string, value: unknown, style: string, explode: boolean): string {
  const encode = encodeURIComponent;
  if (style === "label") return `.${joinMembers(value, explode, encode, explode ? "." : ",")}`;
  if (style !== "matrix") return joinMembers(value, explode, encode);
  if (!explode || typeof value !== "object") return `;${encode(name)}=${joinMembers(value, false, encode)}`;
  return toPairs(name, value, "form", true)
    .map((pair) => `;${pair.join("=")}`)
    .join("");
}

function joinMembers(value: unknown, explode: boolean, encode: Encode, delimiter = ","): string {
  if (Array.isArray(value)) return value.map((item) => encode(toText(item))).join(delimiter);
  if (!isObject(value)) return encode(toText(value));
  return Object.entries(value)
    .map(([key, member]) => encode(key) + (explode ? "=" : delimiter) + encode(toText(member)))
    .join(delimiter);
}

function toPairs(
  name: string,
  value: unknown,
  style: string,
  explode: boolean,
  encode: Encode = encodeURIComponent,
): Pair[] {
  if (style === "deepObject" && isObject(value))
    return Object.entries(value).flatMap(([key, member]) => toPairs(`${name}[${key}]`, member, style, true));
  if (explode && Array.isArray(value)) return value.map((item) => [encode(name), encode(toText(item))]);
  if (explode && isObject(value))
    return Object.entries(value).map(([key, member]) => [encode(key), encode(toText(member))]);
  return [[encode(name), joinMembers(value, false, encode, delimiters[style])]];
}

const joinPairs = (pairs: readonly Pair[]) => pairs.map((pair) => pair.join("=")).join("&");

// Adds its media type to the headers. `args` are the arguments that are no parameters.
async function writeBody(
  body: Layout["body"],
  args: ReadonlyMap<string, unknown>,
  headers: Record<string, string>,
  { body: declared }: Operation,
  schemas: Document["schemas"],
): Promise<Buffer | undefined> {
  const [other] = [...args.keys()].filter((name) => body === undefined || (body.argument ?? name) !== name);
  if (other !== undefined)
    throw new InvalidValue(`must have no argument ${toJson(shorten(other))}: the tool does not declare it`);
  const isFlat = body !== undefined && body.argument === undefined;
  if (body === undefined || (args.size === 0 && !(isFlat && declared?.required))) return undefined;
  const value = isFlat ? Object.fromEntries(args) : args.get(body.argument as string);
  const { mediaType } = body;
  const format = formatOf(mediaType);
  headers["content-type"] = mediaType.includes("*") ? "application/json" : mediaType;
  if (format === "json" || mediaType.includes("*")) return Buffer.from(toJson(value));
  if (format === "text") return Buffer.from(toText(value));
  if (format === "stream") return Buffer.from(`${value}`, "base64");
  const encode = format === "form" ? encodeURIComponent : asIs;
  const fields = Object.entries(Object(value)).flatMap(([name, field]) => {
    const { style, explode } = body.part.value.encoding?.[name] ?? {};
    const written = style === undefined && isObject(field) ? toJson(field) : field; // OpenAPI 3.1.1, section 4.8.15.1
    return toPairs(name, written, style ?? "form", explode ?? (style ?? "form") === "form", encode);
  });
  if (format === "form") return Buffer.from(joinPairs(fields));
  const form = new FormData();
  const shape = schemas.shapeAt(body.part.written("schema")?.pointer);
  for (const [name, text] of fields)
    if (shape.property(name).isBinary) form.append(name, new Blob([Buffer.from(text, "base64")]), name);
    else form.append(name, text);
  const written = new Response(form);
  headers["content-type"] = written.headers.get("content-type") as string;
  return Buffer.from(await written.arrayBuffer());
}
