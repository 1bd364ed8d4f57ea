// The handlers of operations that have none: they respond with examples of the document, or with values made from its schemas.
import { setTimeout as pause } from "node:timers/promises";
import { HttpError, isHeaderName, isHeaderText } from "../../http/index.ts";
import { getOrAdd, RawJson } from "../../lib/index.ts";
import type { UntypedHandler } from "../operation/call.ts";
import type { Operation } from "../operation/operation.ts";
import type { UntypedResponse } from "../operation/response/response.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { MediaTypeObject, ParameterObject, ResponseObject } from "../source/document-types.ts";
import type { Part } from "../source/part.ts";
import { hasItems } from "../wire/item-streams.ts";
import { essenceOf, isJson, listContents, negotiate } from "../wire/media-types.ts";
import { writeMockBody } from "./mock-body.ts";
import { chooseValue, type MockValue, type ValuePreferences } from "./mock-value.ts";

/** What a client prefers: the header Prefer (RFC 7240) with `status=404`, `example=name`, `dynamic=true` and `delay=500`. */
interface Preferences extends ValuePreferences {
  readonly status: string | undefined;
  /** Milliseconds. */
  readonly delay: number;
}

const maxDelay = 60_000;

// What the server sets, or what would describe another body than the one that is sent.
const automaticHeaders =
  /^(access-control-.*|connection|content-encoding|content-length|content-type|date|keep-alive|trailer|transfer-encoding|upgrade)$/i;
// What the server sets, unless the document has an example.
const defaultHeaders =
  /^(content-security-policy|strict-transport-security|vary|x-content-type-options|x-frame-options|x-request-id)$/i;

/**
 * Creates the handler of an operation that has none. It responds with the first success that the document declares, or
 * with the status that the client prefers. The body is an example that matches its schema, or made from the schema.
 */
export function createMockHandler(operation: Operation, schemas: Schemas): UntypedHandler {
  // Not those with an informational status, which is not the end of a response (RFC 9110, section 15.2).
  const responses = operation.part
    .membersOf("responses")
    .filter(([status]) => /^([2-5](\d\d|XX)|default)$/i.test(status));
  const cache = new Map<string, UntypedResponse>();
  return async ({ request, signal }) => {
    const preferences = parsePreferences(request.headers.prefer);
    await wait(preferences, signal);
    const [status, response] = selectResponse(responses, preferences.status);
    const contents = listContents(response?.membersOf("content") ?? []);
    return makeAcceptable(contents, request.headers.accept, (mediaType) => {
      const create = () => createResponse(status, response, mediaType, preferences, schemas);
      if (preferences.example !== undefined || preferences.isDynamic) return create();
      return { ...getOrAdd(cache, `${response?.pointer} ${mediaType}`, create), status };
    });
  };
}

async function wait({ delay }: Preferences, signal: AbortSignal): Promise<void> {
  if (delay > 0) await pause(delay, undefined, { signal });
}

/** Returns a handler that a client can delay, or for which it can prefer another status: it gets the response of `mock`. */
export function followPreferences(handler: UntypedHandler, mock: UntypedHandler): UntypedHandler {
  const run: UntypedHandler = async (call, context) => {
    const preferences = parsePreferences(call.request.headers.prefer);
    if (preferences.status !== undefined) return mock(call, context);
    await wait(preferences, call.signal);
    return handler(call, context);
  };
  return Object.assign(run, handler);
}

/** Returns what `make` returns for the media type that the client prefers, of those for which it does not fail with 501. */
export function makeAcceptable<T>(
  contents: readonly (readonly [mediaType: string, unknown])[],
  accept: string | undefined,
  make: (mediaType: string | undefined) => T,
): T {
  const mediaTypes = contents.map(([mediaType]) => mediaType);
  let failure: HttpError | undefined;
  let mediaType = negotiate(mediaTypes, accept) ?? mediaTypes[0];
  do {
    try {
      return make(mediaType);
    } catch (error) {
      if (!(error instanceof HttpError && error.response.status === 501)) throw error;
      failure ??= error;
    }
    mediaTypes.splice(mediaTypes.indexOf(mediaType as string), 1);
    mediaType = negotiate(mediaTypes, accept);
  } while (mediaType !== undefined);
  throw failure;
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
    const { value, problem, isDeclared } = createHeader(header, schemas);
    if (defaultHeaders.test(name) && !isDeclared) continue;
    if (value !== undefined) headers.push([name, value]);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  const content = response?.membersOf("content").find(([type]) => type === mediaType)?.[1];
  const body = content && mediaType !== undefined ? createBody(mediaType, content, preferences, schemas) : undefined;
  if (body?.problem !== undefined) problems.push(body.problem);
  return {
    status,
    headers: { ...Object.fromEntries(headers), ...toProblemHeader(problems.join(" ")) },
    ...(body && { type: body.type, body: body.value }),
  };
}

/** Returns the header of a response that does not tell, or match, what the document says; none for an empty text. */
export function toProblemHeader(problem: string): Record<string, string> {
  return problem === "" ? {} : { "Mock-Problem": problem.replace(/[^\x20-\x7e]/g, "?").slice(0, 1_000) };
}

function createHeader(header: Part<ParameterObject>, schemas: Schemas): MockValue {
  const [type, content] = listContents(header.membersOf("content"))[0] ?? [];
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

/** Returns a media type of a range. */
export function chooseOf(range: string, content: Part<MediaTypeObject>, schemas: Schemas): string {
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

/** Returns whether an example of a media type is the text that is sent. */
export function textOf(type: string): "plain" | "any" | undefined {
  if (isJson(type)) return undefined;
  return essenceOf(type) === "text/plain" ? "plain" : "any";
}

// A status, a range such as 2XX, or `default`.
function selectResponse(
  responses: readonly (readonly [string, Part<ResponseObject>])[],
  preferred: string | undefined,
): [status: number, response: Part<ResponseObject> | undefined] {
  const names = responses.map(([status]) => status);
  if (preferred !== undefined) {
    const response = findResponse(responses, preferred);
    if (response && /^[2-5]\d\d$/.test(preferred)) return [Number(preferred), response];
    // A document seldom declares what any server can respond.
    if (/^5\d\d$/.test(preferred))
      throw new HttpError({ code: "preferred", status: Number(preferred) }, "The request prefers this status.");
    const all = names.join(", ");
    throw new HttpError("invalid_parameter", `Prefer has the status ${preferred}, but the document declares ${all}.`);
  }
  const success = names.toSorted().find((name) => name.startsWith("2"));
  const name = success ?? names.find((one) => one === "default") ?? names[0] ?? "200";
  const status = name === "default" ? 200 : Number(name.replaceAll(/x/gi, "0"));
  return [status, responses.find(([one]) => one === name)?.[1]];
}

/** Returns what is declared for a status: as such, by its range, or by `default`. */
export function findResponse<T>(responses: readonly (readonly [string, T])[], status: number | string): T | undefined {
  const names = [`${status}`, `${`${status}`[0]}XX`, "DEFAULT"];
  return names.flatMap((name) => responses.filter(([key]) => key.toUpperCase() === name))[0]?.[1];
}

/** Parses the header Prefer, such as `status=404, example=missing`. `code` is the name that Prism has for `status`. */
export function parsePreferences(prefer: string | readonly string[] | undefined = ""): Preferences {
  const pairs = [prefer]
    .flat()
    .join(", ")
    .slice(0, 1_024)
    .split(/[,;]/)
    .map((pair) => pair.split("="));
  const find = (...names: string[]) => {
    const value = pairs.find(([name = ""]) => names.includes(name.trim().toLowerCase()))?.[1];
    return value?.trim().replace(/^"(.*)"$/, "$1");
  };
  const delay = Number(find("delay") ?? 0);
  if (!(delay >= 0 && delay <= maxDelay))
    throw new HttpError("invalid_parameter", `Prefer can have a delay of up to ${maxDelay} milliseconds.`);
  return { status: find("status", "code"), example: find("example"), isDynamic: find("dynamic") === "true", delay };
}
