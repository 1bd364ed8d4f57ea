// The typed client of the Pet Store: openapi-fetch with authentication, exact int64, retries, pagination and
// deprecation warnings.
import createFetchClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import { exactJson, parseExactJson } from "./exact-integers.ts";
import { describe, type Failure, isFailure, PetStoreError, unreachable, unreadable } from "./failure.ts";
import {
  type components,
  type ErrorCode,
  idempotentOperations,
  integers,
  maxLimit,
  type operations,
  type paths,
} from "./generated.ts";
import { findLink } from "./link.ts";
import { checkOptions, type Deprecation, type Options } from "./options.ts";
import { retry } from "./retry.ts";

export type { components, Deprecation, ErrorCode, Failure, Options, operations, paths };
export { exactJson, PetStoreError };

/** A pet. */
export type Pet = components["schemas"]["Pet"];
/** A pet to create. */
export type NewPet = components["schemas"]["NewPet"];
/** The status of a pet. */
export type PetStatus = components["schemas"]["PetStatus"];

// The paths of the document, whose errors are failures. Their code is a plain string, because openapi-fetch makes an
// object of the type `string & {}`.
type PathsOf<T> = { [Path in keyof T]: { [Method in keyof T[Path]]: OperationOf<T[Path][Method]> } };
type OperationOf<T> = T extends { responses: infer Responses }
  ? Omit<T, "responses"> & { responses: { [Status in keyof Responses]: ResponseOf<Responses[Status]> } }
  : T;
type ResponseOf<T> = T extends { content: { "application/json": components["schemas"]["Error"] } }
  ? Omit<T, "content"> & { content: { "application/json": Omit<Failure, "code"> & { code: string } } }
  : T;
type ClientPaths = PathsOf<paths>;

/** The query of `listPets`. `limit` is the page size. */
export type PetsQuery = NonNullable<operations["listPets"]["parameters"]["query"]>;

/**
 * Calls operations by method and path: `client.GET("/pets", { params: { query: { limit: 5 } } })`. Returns
 * `{ data, response }` or `{ error, response }`, and never throws. An `error` is a `Failure`. A 304, to a call with
 * `If-None-Match`, has neither, which the types do not show. Reads the whole body before it returns, even with
 * `parseAs: "stream"`.
 */
export interface Client extends FetchClient<ClientPaths> {
  /**
   * Iterates over all matching pets, ordered by id: `for await (const pet of client.pets())`. Reads pages of 100 pets,
   * unless `limit` says otherwise. Throws a PetStoreError if a page can't be read, because otherwise an incomplete list
   * would look complete. To continue, pass the same query with its `cursor`.
   */
  pets(query?: PetsQuery, options?: { readonly signal?: AbortSignal }): AsyncIterable<Pet>;
}

/** Creates a client. Throws a TypeError if an option is invalid, or if the runtime is too old. */
export function createClient(options: Options): Client {
  // Node 18 has AbortSignal.any, but no crypto.
  if (!("any" in AbortSignal && "canParse" in URL && "crypto" in globalThis))
    throw new TypeError("the client requires Node 20.3, Chrome 120, Firefox 124, Safari 17.4 or newer");
  const {
    baseUrl,
    key,
    timeout = 30_000,
    maxRetries = 5,
    signal,
    headers,
    fetch = (...args) => globalThis.fetch(...args),
    onDeprecation = ({ message }) => console.warn(message),
  } = options;
  checkOptions({ ...options, timeout, maxRetries, fetch, onDeprecation });

  const fetchClient = createFetchClient<ClientPaths>({
    baseUrl,
    headers: withAuthorization(headers, key),
    bodySerializer: exactJson,
    fetch: (request) => retry(request, { timeout, maxRetries, fetch, signal }),
  });
  fetchClient.use(setIdempotencyKey, reportDeprecation(onDeprecation));

  const methods = Object.entries(fetchClient).map(([name, method]) => [
    name,
    name === "request" ? withoutThrowing(method) : /^[A-Z]+$/.test(name) ? withoutThrowing(method, name) : method,
  ]);
  const client: FetchClient<ClientPaths> = Object.fromEntries(methods);
  return { ...client, pets: (query, options) => listPets(client, query, options) };
}

function withAuthorization(headers: Options["headers"], key: string): Headers {
  const all = new Headers(headers);
  all.set("authorization", `Bearer ${key}`);
  return all;
}

async function* listPets(
  client: FetchClient<ClientPaths>,
  query: PetsQuery = {},
  options: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Pet> {
  const list = (query: PetsQuery) => client.GET("/pets", { params: { query }, ...options });
  const seenCursors = new Set<string | undefined>();
  for (let page: PetsQuery | undefined = { limit: maxLimit, ...query }; page !== undefined; ) {
    seenCursors.add(page.cursor);
    const { data, error, response }: Awaited<ReturnType<typeof list>> = await list(page);
    if (!Array.isArray(data)) throw new PetStoreError(error ?? unreadable(response, data), response, page.cursor);
    yield* data;
    page = readNextQuery(response, seenCursors);
  }
}

// Uses only the query of the link, so that the client sends the API key only to `baseUrl`.
function readNextQuery(response: Response, seenCursors: ReadonlySet<string | undefined>): PetsQuery | undefined {
  const target = findLink("next", response.headers);
  if (target === undefined) return undefined;
  const next: PetsQuery | undefined = URL.canParse(target, response.url)
    ? Object.fromEntries(new URL(target, response.url).searchParams)
    : undefined;
  if (next?.cursor !== undefined && !seenCursors.has(next.cursor)) return next;
  throw new PetStoreError(unreadable(response, "the link to the next page is invalid"), response);
}

// Prevents retries from creating a second pet.
const setIdempotencyKey: Middleware = {
  onRequest({ request, schemaPath }) {
    if (idempotentOperations.has(`${request.method} ${schemaPath}`) && !request.headers.has("idempotency-key"))
      request.headers.set("idempotency-key", randomKey());
  },
};

// Not crypto.randomUUID, which browsers offer only to https pages.
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function reportDeprecation(onDeprecation: (deprecation: Deprecation) => void): Middleware {
  const reported = new Set<string>();
  return {
    onResponse({ request, schemaPath, response: { headers } }) {
      const operation = `${request.method} ${schemaPath}`;
      if (!headers.has("deprecation") || reported.has(operation)) return;
      reported.add(operation);
      const time = Date.parse(headers.get("sunset") ?? "");
      const sunset = Number.isNaN(time) ? undefined : new Date(time);
      const successor = findLink("successor-version", headers);
      const sentences = [`The Pet Store operation ${operation} is deprecated.`];
      if (sunset) sentences.push(`It will be removed on ${sunset.toUTCString()}.`);
      if (successor) sentences.push(`Use ${successor} instead.`);
      try {
        onDeprecation({ operation, sunset, successor, message: sentences.join(" ") });
      } catch {
        // An exception of the caller's function must not fail the call.
      }
    },
  };
}

type Result = { data?: unknown; error?: unknown; response: Response };

// Wraps a method of openapi-fetch. Its arguments are the HTTP method, unless `verb` is it, the path and options. Returns errors as
// values of the type Failure, and parses int64 exactly.
function withoutThrowing(method: (...args: unknown[]) => Promise<Result>, verb?: string) {
  const count = verb === undefined ? 2 : 1;
  return async (...args: unknown[]): Promise<Result> => {
    const init = (args[count] ?? {}) as { parseAs?: string };
    const operation = `${`${verb ?? args[0]}`.toUpperCase()} ${args[count - 1]}`;
    const isJson = (init.parseAs ?? "json") === "json";
    try {
      const result = await method(...args.slice(0, count), isJson ? { ...init, parseAs: "text" } : init);
      const { data, error, response } = result;
      if (response.status === 304) return { response };
      if (!response.ok)
        return { error: isFailure(error) ? describe(error, response) : unreadable(response, error), response };
      return isJson ? parseBody(response, data, operation) : { data, response };
    } catch (cause) {
      return { error: unreachable(cause as Error), response: Response.error() };
    }
  };
}

function parseBody(response: Response, text: unknown, operation: string): Result {
  if (response.status === 204) return { data: undefined, response };
  try {
    const places = integers.operations[operation]?.[response.status] ?? {};
    return { data: parseExactJson(text as string, places, integers), response };
  } catch {
    return { error: unreadable(response, text), response };
  }
}
