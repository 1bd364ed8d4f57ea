// The typed client of the Pet Store: openapi-fetch with authentication, exact int64, retries, pagination and
// deprecation warnings.
import createFetchClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import {
  basePath,
  type components,
  type ErrorCode,
  idempotentOperations,
  int64Fields,
  maxLimit,
  type operations,
  type paths,
} from "./generated.ts";
import { exactJson, parseExactJson } from "./json.ts";
import { findLink } from "./link.ts";
import { parseRetryAfter, retry } from "./retry.ts";

export type { components, ErrorCode, operations, paths };
export { exactJson };

/** A pet. */
export type Pet = components["schemas"]["Pet"];
/** A pet to create. */
export type NewPet = components["schemas"]["NewPet"];
/** The status of a pet. */
export type PetStatus = components["schemas"]["PetStatus"];
/**
 * An error of a call. Its code is `unreachable`, with the status 0, if the client received no response, and `unreadable`
 * if the client can't read the response, which came from a proxy for example.
 */
export interface Failure extends Omit<components["schemas"]["Error"], "code"> {
  /** Later versions of the service can add codes. */
  code: ErrorCode | "unreachable" | "unreadable" | (string & {});
  /** The id of the request in the log of the service. */
  requestId?: string;
  /** The seconds to wait before another try, if the service has sent them. */
  retryAfter?: number;
}
// The paths of the document, whose errors are failures. Their code is a plain string, because openapi-fetch makes an object of
// the type `string & {}`.
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

/** A deprecated operation that was called. */
export interface Deprecation {
  /** Such as `GET /pets/{petId}`. */
  readonly operation: string;
  /** The time at which it will be removed; undefined if the service does not say it. */
  readonly sunset: Date | undefined;
  /** The target of the link to its successor. */
  readonly successor: string | undefined;
  /** All of this, for people. */
  readonly message: string;
}

/** The options of a client. */
export interface Options {
  /** The base URL of the service with its version segment, such as `https://petstore.example/v1`. */
  readonly baseUrl: string;
  /** The API key, `psk_…`. */
  readonly key: string;
  /** The timeout of each attempt, in milliseconds: a positive integer below 2^31. The default is 30,000. */
  readonly timeout?: number;
  /**
   * How often an idempotent call is repeated: after a network error, a timeout or 408, and after 429 or 503 with a
   * `Retry-After` of at most 60 s. The default is 5.
   */
  readonly maxRetries?: number;
  /** Ends all calls of the client when it aborts. */
  readonly signal?: AbortSignal;
  /** Headers of each request, such as `traceparent`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Sends the requests. Its second argument has the signal and `redirect: "manual"`: pass it on. The default is the
   * `fetch` of the runtime.
   */
  readonly fetch?: typeof globalThis.fetch;
  /** Called at the first call of each deprecated operation. The default logs the message with `console.warn`. */
  readonly onDeprecation?: (deprecation: Deprecation) => void;
}

/**
 * Calls operations by method and path: `client.GET("/pets", { params: { query: { limit: 5 } } })`. Returns
 * `{ data, response }` or `{ error, response }`, and never throws. An `error` is a `Failure`. A 304, to a call with
 * `If-None-Match`, has neither. Reads the whole body before it returns, even with `parseAs: "stream"`.
 */
export interface Client extends FetchClient<ClientPaths> {
  /**
   * Iterates over all matching pets, ordered by id: `for await (const pet of client.pets())`. Reads pages of 100 pets,
   * unless `limit` says otherwise. Throws a PetStoreError if a page can't be read, because otherwise an incomplete list
   * would look complete. To continue, pass the same query with its `cursor`.
   */
  pets(query?: PetsQuery, options?: { readonly signal?: AbortSignal }): AsyncIterable<Pet>;
}

/** The error that an iteration over pets throws. */
export class PetStoreError extends Error {
  override readonly name = "PetStoreError";
  readonly failure: Failure;
  readonly response: Response;
  /**
   * The cursor of the page that could not be read: the same query with this cursor continues with it. Undefined if the
   * first page could not be read, or if the link to the next page is not valid.
   */
  readonly cursor: string | undefined;

  constructor(failure: Failure, response: Response, cursor?: string) {
    super(failure.message);
    this.failure = failure;
    this.response = response;
    this.cursor = cursor;
  }

  get code(): Failure["code"] {
    return this.failure.code;
  }

  get status(): number {
    return this.failure.status;
  }

  /** The invalid parts of the request. */
  get details(): Failure["details"] {
    return this.failure.details;
  }

  get requestId(): string | undefined {
    return this.failure.requestId;
  }

  get headers(): Headers {
    return this.response.headers;
  }
}

/** Creates a client. Throws a TypeError if an option is invalid, or if the runtime is too old. */
export function createClient(options: Options): Client {
  // Node 18 has AbortSignal.any, but no crypto.
  if (!("any" in AbortSignal && "crypto" in globalThis))
    throw new TypeError("the client requires Node 20.3, Chrome 116, Firefox 124, Safari 17.4 or newer");
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
    headers: { ...headers, authorization: `Bearer ${key}` },
    bodySerializer: exactJson,
    fetch: (request) => retry(request, { timeout, maxRetries, fetch, signal }),
  });
  fetchClient.use(setIdempotencyKey, reportDeprecation(onDeprecation));

  const methods = Object.entries(fetchClient).map(([name, method]) => [
    name,
    name === "request" ? withoutThrowing(method, 2) : /^[A-Z]+$/.test(name) ? withoutThrowing(method, 1) : method,
  ]);
  const client: FetchClient<ClientPaths> = Object.fromEntries(methods);
  return { ...client, pets: (query, options) => listPets(client, query, options) };
}

// The messages do not contain the values, which may be secret.
function checkOptions(options: Options & Required<Pick<Options, "timeout" | "maxRetries">>): void {
  const { baseUrl, key, timeout, maxRetries, signal, headers, fetch, onDeprecation } = options;
  const check = (isValid: boolean, rule: string) => {
    if (!isValid) throw new TypeError(rule);
  };
  check(isBaseUrl(baseUrl), `baseUrl must be an http or https URL that ends with ${basePath}`);
  check(typeof key === "string" && /^[\x21-\x7e]+$/.test(key), "key must be an API key, such as psk_…");
  const isTimeout = Number.isInteger(timeout) && timeout > 0 && timeout < 2 ** 31;
  check(isTimeout, "timeout must be a positive integer of milliseconds below 2^31");
  check(Number.isInteger(maxRetries) && maxRetries >= 0, "maxRetries must be an integer that is not negative");
  check(areHeaders(headers), "headers must be an object of valid names and values of headers");
  check(signal === undefined || signal instanceof AbortSignal, "signal must be an AbortSignal");
  check(typeof fetch === "function", "fetch must be a function");
  check(typeof onDeprecation === "function", "onDeprecation must be a function");
}

function areHeaders(headers: unknown): boolean {
  try {
    new Headers(headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

function isBaseUrl(text: unknown): boolean {
  if (typeof text !== "string" || !/^https?:\/\/[^?#@]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).pathname.replace(/\/$/, "").endsWith(basePath);
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

// Wraps a method of openapi-fetch, whose options follow `count` other arguments. Returns errors as values of the type
// Failure, and parses int64 exactly.
function withoutThrowing(method: (...args: unknown[]) => Promise<Result>, count: number) {
  return async (...args: unknown[]): Promise<Result> => {
    const init = (args[count] ?? {}) as { parseAs?: string };
    const isJson = (init.parseAs ?? "json") === "json";
    try {
      const result = await method(...args.slice(0, count), isJson ? { ...init, parseAs: "text" } : init);
      const { data, error, response } = result;
      if (response.status === 304) return { response };
      if (!response.ok)
        return { error: describe(isFailure(error) ? error : unreadable(response, error), response), response };
      return isJson ? parseBody(response, data) : { data, response };
    } catch (cause) {
      return { error: unreachable(cause as Error), response: Response.error() };
    }
  };
}

function parseBody(response: Response, text: unknown): Result {
  if (response.status === 204) return { data: undefined, response };
  try {
    return { data: parseExactJson(text as string, int64Fields), response };
  } catch {
    return { error: unreadable(response, text), response };
  }
}

function isFailure(error: unknown): error is Failure {
  return typeof (error as Failure | undefined)?.code === "string";
}

function describe(failure: Failure, { headers }: Response): Failure {
  const [requestId, retryAfter] = [headers.get("x-request-id"), parseRetryAfter(headers.get("retry-after"))];
  return {
    ...failure,
    ...(requestId !== null && { requestId }),
    ...(retryAfter !== undefined && { retryAfter: retryAfter / 1000 }),
  };
}

function unreachable({ message, cause }: Error): Failure {
  const reason = [message, (cause as Error | undefined)?.message].filter(Boolean).join(": ");
  return { code: "unreachable", message: `The Pet Store did not respond: ${reason}.`, status: 0 };
}

function unreadable({ status }: Response, body: unknown): Failure {
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "nothing");
  return {
    code: "unreadable",
    message: `Can't read the response with the status ${status}: ${text.slice(0, 200)}`,
    status,
  };
}
