// Mock responses: the examples of the document, or values made from its schemas.
import { HttpError, isHeaderText } from "../../http/index.ts";
import { toJson } from "../../lib/index.ts";
import type { Operation, UntypedHandler, UntypedResponse } from "../operation/index.ts";
import type { Schemas } from "../schema/index.ts";
import type { ExampleObject, MediaTypeObject, ParameterObject, Part, ResponseObject } from "../source/index.ts";
import { formatOf, isItemStream, negotiate } from "../wire/index.ts";
import { createExample } from "./example.ts";

/** What a client prefers: the header Prefer (RFC 7240) with `status=404` and `example=name`. */
interface Preferences {
  readonly status: string | undefined;
  readonly example: string | undefined;
}

/**
 * Creates the handler of an operation that has none. It responds with the first success that the document declares, or
 * with the status that the client prefers. The body is an example that matches its schema, or made from the schema.
 */
export function createMockHandler(operation: Operation, schemas: Schemas): UntypedHandler {
  // Not those with an informational status, which is not the end of a response (RFC 9110, section 15.2).
  const responses = operation.part.membersOf("responses").filter(([status]) => !/^(x-|1)/.test(status));
  const cache = new Map<string, UntypedResponse>();
  return async (_call, _context, { raw: { headers } }) => {
    const { prefer, accept } = headers;
    const preferences = parsePreferences([prefer].flat().join(", "));
    const [status, response] = selectResponse(responses, preferences.status);
    const contents = response?.membersOf("content") ?? [];
    const mediaTypes = contents.map(([mediaType]) => mediaType);
    const mediaType = negotiate(mediaTypes, accept) ?? mediaTypes[0];
    const key = `${status} ${mediaType} ${preferences.example}`;
    const found = cache.get(key) ?? createResponse(status, response, mediaType, preferences.example, schemas);
    if (preferences.example === undefined) cache.set(key, found);
    return found;
  };
}

function createResponse(
  status: number,
  response: Part<ResponseObject> | undefined,
  mediaType: string | undefined,
  example: string | undefined,
  schemas: Schemas,
): UntypedResponse {
  const headers = response?.membersOf("headers").filter(([, { value }]) => value.required === true) ?? [];
  const content = response?.membersOf("content").find(([type]) => type === mediaType)?.[1];
  return {
    status,
    headers: Object.fromEntries(headers.map(([name, header]) => [name, createHeader(header, schemas)])),
    ...(content && mediaType !== undefined && createBody(mediaType, content, example, schemas)),
  };
}

function createHeader(header: Part<ParameterObject>, schemas: Schemas): unknown {
  const [, content] = header.membersOf("content")[0] ?? [];
  return createValue(
    content ?? header,
    undefined,
    schemas,
    (value) => typeof value !== "string" || isHeaderText(value),
  );
}

function createBody(
  mediaType: string,
  content: Part<MediaTypeObject>,
  example: string | undefined,
  schemas: Schemas,
): Pick<UntypedResponse, "type" | "body"> {
  const type = mediaType === "*/*" ? "application/json" : mediaType.replace("/*", "/octet-stream");
  const items = content.written("itemSchema");
  if (items && isItemStream(type, [])) return { type, body: createItems(content, items, example, schemas) };
  const value = createValue(content, example, schemas);
  if (formatOf(type) === "json") return { type, body: value };
  if (typeof value === "object" && value !== null && isItemStream(type, [])) return { type, body: [value].flat() };
  return { type, body: value === undefined ? "" : typeof value === "string" ? value : toJson(value) };
}

// The content is an array of items (OpenAPI 3.2, section 4.14).
function createItems(
  content: Part<MediaTypeObject>,
  { pointer }: Part,
  example: string | undefined,
  schemas: Schemas,
): unknown[] {
  const check = schemas.compileCheckAt(pointer);
  const isValid = (item: unknown) => "value" in check(item);
  const isList = (value: unknown) => Array.isArray(value) && value.every(isValid);
  const declared = listExamples(content, example).find(isList) as unknown[] | undefined;
  return declared ?? [createExample(schemas.at(pointer), isValid)];
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
  return { status: find("status", "code"), example: find("example") };
}

// Returns the example with a name, or else all.
function listExamples(content: Part<MediaTypeObject>, name: string | undefined): unknown[] {
  const named = content.membersOf("examples");
  if (name === undefined) return [content.value.example, ...named.map(([, { value }]) => readExample(value))];
  const found = named.find(([key]) => key === name);
  if (found) return [readExample(found[1].value)];
  const names = named.map(([key]) => key).join(", ") || "none";
  throw new HttpError("invalid_parameter", `Prefer has the example ${name}, but the document declares ${names}.`);
}

function createValue(
  part: Part<MediaTypeObject> | Part<ParameterObject>,
  example: string | undefined,
  schemas: Schemas,
  isAllowed: (value: unknown) => boolean = () => true,
): unknown {
  const content = part as Part<MediaTypeObject>;
  const schema = content.written("schema");
  const check = schema && schemas.compileCheckAt(schema.pointer);
  const isValid = (value: unknown) => isAllowed(value) && (check === undefined || "value" in check(value));
  const examples = listExamples(content, example);
  if (example !== undefined) return examples[0];
  const valid = examples.find((value) => value !== undefined && isValid(value));
  if (valid !== undefined) return valid;
  return schema === undefined
    ? examples.find((value) => value !== undefined)
    : createExample(schemas.at(schema.pointer), isValid);
}

function readExample({ value, dataValue, serializedValue }: ExampleObject): unknown {
  return dataValue ?? value ?? serializedValue;
}
