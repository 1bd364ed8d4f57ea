// The handlers of operations that have none: they respond with examples of the document, or with values made from its schemas.
import { HttpError, isHeaderName, isHeaderText } from "../../http/index.ts";
import { RawJson } from "../../lib/index.ts";
import type { Operation, UntypedHandler, UntypedResponse } from "../operation/index.ts";
import type { Schemas } from "../schema/index.ts";
import type { MediaTypeObject, ParameterObject, Part, ResponseObject } from "../source/index.ts";
import { hasItems, isJson, negotiate } from "../wire/index.ts";
import { writeMockBody } from "./mock-body.ts";
import { chooseValue, type MockValue, type ValuePreferences } from "./mock-value.ts";

/** What a client prefers: the header Prefer (RFC 7240) with `status=404`, `example=name` and `dynamic=true`. */
interface Preferences extends ValuePreferences {
  readonly status: string | undefined;
}

// What the server sets, or what would describe another body than the one that is sent.
const automaticHeaders =
  /^(connection|content-encoding|content-length|content-type|date|keep-alive|trailer|transfer-encoding|upgrade)$/i;

/** The header of a response that does not match the document, or whose examples do not. */
const problemHeader = "Mock-Problem";

/**
 * Creates the handler of an operation that has none. It responds with the first success that the document declares, or
 * with the status that the client prefers. The body is an example that matches its schema, or made from the schema.
 */
export function createMockHandler(operation: Operation, schemas: Schemas): UntypedHandler {
  // Not those with an informational status, which is not the end of a response (RFC 9110, section 15.2).
  const responses = operation.part.membersOf("responses").filter(([status]) => !/^(x-|1)/.test(status));
  const cache = new Map<string, UntypedResponse>();
  return async ({ request }) => {
    const { prefer, accept } = request.headers;
    const preferences = parsePreferences([prefer].flat().join(", "));
    const [status, response] = selectResponse(responses, preferences.status);
    const contents = response?.membersOf("content") ?? [];
    const mediaTypes = contents.map(([mediaType]) => mediaType);
    const mediaType = negotiate(mediaTypes, accept) ?? mediaTypes[0];
    const create = () => createResponse(status, response, mediaType, preferences, schemas);
    if (preferences.example !== undefined || preferences.isDynamic) return create();
    const key = `${response?.pointer} ${mediaType}`;
    const found = cache.get(key) ?? create();
    cache.set(key, found);
    return { ...found, status };
  };
}

function createResponse(
  status: number,
  response: Part<ResponseObject> | undefined,
  mediaType: string | undefined,
  preferences: Preferences,
  schemas: Schemas,
): UntypedResponse {
  const headers: [string, unknown][] = [];
  const problems: string[] = [];
  for (const [name, header] of response?.membersOf("headers") ?? []) {
    if (automaticHeaders.test(name) || !isHeaderName(name)) continue;
    const { value, problem } = createHeader(header, schemas);
    if (value !== undefined) headers.push([name, value]);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  const content = response?.membersOf("content").find(([type]) => type === mediaType)?.[1];
  const body = content && mediaType !== undefined ? createBody(mediaType, content, preferences, schemas) : undefined;
  if (body?.problem !== undefined) problems.push(body.problem);
  if (problems.length > 0)
    headers.push([
      problemHeader,
      problems
        .join(" ")
        .replace(/[^\x20-\x7e]/g, "?")
        .slice(0, 1_000),
    ]);
  return {
    status,
    headers: Object.fromEntries(headers),
    ...(body && { type: body.type, body: body.value }),
  };
}

function createHeader(header: Part<ParameterObject>, schemas: Schemas): MockValue {
  const [type, content] = header.membersOf("content")[0] ?? [];
  const isAllowed = (value: unknown): boolean =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flat().every(isAllowed)
      : isHeaderText(`${value}`);
  const { value, sent, problem } = chooseValue(content ?? header, schemas, {}, isAllowed, type);
  const own = content ? value : (sent?.toString() ?? value);
  return isAllowed(own) ? { value: own, problem } : { value: undefined };
}

function createBody(
  mediaType: string,
  content: Part<MediaTypeObject>,
  preferences: Preferences,
  schemas: Schemas,
): MockValue & { readonly type: string } {
  const type = chooseOf(mediaType, content, schemas);
  const { value, sent, problem } = chooseValue(content, schemas, preferences, undefined, type);
  if (sent) return { type, value: isJson(type) ? new RawJson(sent.toString()) : sent, problem };
  if (typeof value === "object" && value !== null && hasItems(type)) return { type, value: [value].flat(), problem };
  const schema = content.written("schema");
  return { type, value: writeMockBody(type, value, schema && schemas.at(schema.pointer)), problem };
}

// A media type of a range.
function chooseOf(range: string, content: Part<MediaTypeObject>, schemas: Schemas): string {
  if (!range.includes("*")) return range;
  if (range.includes("/*+")) return range.replace("/*+", "/");
  const { types } = schemas.shapeAt(content.written("schema")?.pointer);
  const isBinary = types.size > 0 && [...types].every((type) => type === "string");
  if (range === "*/*" || (range === "application/*" && !isBinary)) return "application/json";
  return (
    ({ "text/*": "text/plain", "image/*": "image/png" } as Record<string, string>)[range] ??
    range.replace("/*", "/octet-stream")
  );
}

// A status, a range such as 2XX, or `default`.
function selectResponse(
  responses: readonly (readonly [string, Part<ResponseObject>])[],
  preferred: string | undefined,
): [status: number, response: Part<ResponseObject> | undefined] {
  const find = (name: string) => responses.find(([status]) => status.toUpperCase() === name.toUpperCase())?.[1];
  if (preferred !== undefined) {
    const response = find(preferred) ?? find(`${preferred[0]}XX`) ?? find("default");
    if (response && /^[2-5]\d\d$/.test(preferred)) return [Number(preferred), response];
    const names = responses.map(([status]) => status).join(", ");
    throw new HttpError("invalid_parameter", `Prefer has the status ${preferred}, but the document declares ${names}.`);
  }
  const success = responses
    .map(([status]) => status)
    .sort()
    .find((status) => status.startsWith("2"));
  const name =
    success ?? responses.map(([status]) => status).find((status) => status === "default") ?? responses[0]?.[0] ?? "200";
  const status = /^\d+$/.test(name) ? Number(name) : name === "default" ? 200 : Number(name[0]) * 100;
  return [status, find(name)];
}

// For example, `Prefer: status=404, example=missing`. `code` is the name that Prism has for `status`.
function parsePreferences(header: string): Preferences {
  const pairs = header
    .slice(0, 1_024)
    .split(/[,;]/)
    .map((pair) => pair.split("="));
  const find = (...names: string[]) => {
    const value = pairs.find(([name = ""]) => names.includes(name.trim().toLowerCase()))?.[1];
    return value?.trim().replace(/^"(.*)"$/, "$1");
  };
  return { status: find("status", "code"), example: find("example"), isDynamic: find("dynamic") === "true" };
}
