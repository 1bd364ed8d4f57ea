// The typed client of the Pet Store: openapi-fetch with authentication, exact int64, retries, pagination and
// deprecation warnings.
import createFetchClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import {
  basePath,
  type components,
  idempotentOperations,
  int64Fields,
  type operations,
  type paths,
} from "./generated.ts";
import { exactJson, parseExactJson, supportsExactJson } from "./json.ts";
import { findLink } from "./link.ts";
import { retry } from "./retry.ts";

export type { components, operations, paths };
export { exactJson };

/** A pet. */
export type Pet = components["schemas"]["Pet"];
/** A pet to create. */
export type NewPet = components["schemas"]["NewPet"];
/** The status of a pet. */
export type PetStatus = components["schemas"]["PetStatus"];
/**
 * An error. Its code is `unreachable`, with the status 0, if the client received no response. Its code is `unreadable`
 * if the response did not come from the service, but from a proxy for example.
 */
export type Failure = components["schemas"]["Error"];
/** The query of `listPets`. `limit` is the page size. */
export type PetsQuery = NonNullable<operations["listPets"]["parameters"]["query"]>;

/** The options of a client. */
export interface Options {
  /** The base URL of the service with its version segment, such as `https://petstore.example/v1`. */
  readonly baseUrl: string;
  /** The API key, `psk_…`. */
  readonly key: string;
  /** The timeout of each attempt, in milliseconds. The default is 30,000. */
  readonly timeout?: number;
  /** Receives a message on the first call of each deprecated operation. The default is `console.warn`. */
  readonly warn?: (message: string) => void;
}

/**
 * Calls operations by method and path: `client.GET("/pets", { params: { query: { limit: 5 } } })`. Returns
 * `{ data, response }` or `{ error, response }`, and never throws. Reads the whole body before it returns, even with
 * `parseAs: "stream"`.
 */
export interface Client extends FetchClient<paths> {
  /**
   * Iterates over all matching pets, ordered by id: `for await (const pet of client.pets())`. Throws a PetStoreError if
   * a page can't be read, because otherwise an incomplete list would look complete.
   */
  pets(query?: PetsQuery, options?: { readonly signal?: AbortSignal }): AsyncIterable<Pet>;
}

/** The error that an iteration over pets throws. */
export class PetStoreError extends Error {
  override readonly name = "PetStoreError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Creates a client. Throws a TypeError if an option is invalid, or if the runtime does not support exact int64. */
export function createClient({ baseUrl, key, timeout = 30_000, warn = console.warn }: Options): Client {
  if (!supportsExactJson || !("any" in AbortSignal))
    throw new TypeError("the client requires Node 22, Chrome 116, Firefox 135, Safari 18.4 or newer");
  // The messages do not contain the values, which may be secret.
  if (!isBaseUrl(baseUrl)) throw new TypeError(`baseUrl must be an http or https URL that ends with ${basePath}`);
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("key must be an API key, such as psk_…");
  if (!(timeout > 0 && timeout < 2 ** 31))
    throw new TypeError("timeout must be a positive number of milliseconds below 2^31");

  const fetchClient = createFetchClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    bodySerializer: exactJson,
    fetch: (request) => retry(request, timeout),
  });
  fetchClient.use(setIdempotencyKey, warnOfDeprecation(warn));

  const methods = Object.entries(fetchClient).map(([name, method]) => [
    name,
    /^[A-Z]+$|^request$/.test(name) ? withoutThrowing(method) : method,
  ]);
  const client: FetchClient<paths> = Object.fromEntries(methods);
  return { ...client, pets: (query, options) => listPets(client, query, options) };
}

function isBaseUrl(text: unknown): boolean {
  if (typeof text !== "string" || !/^https?:\/\/[^?#@]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).pathname.replace(/\/$/, "").endsWith(basePath);
}

async function* listPets(
  client: FetchClient<paths>,
  query: PetsQuery = {},
  options: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Pet> {
  const list = (query: PetsQuery) => client.GET("/pets", { params: { query }, ...options });
  const seenCursors = new Set<string | undefined>();
  for (let page: PetsQuery | undefined = query; page !== undefined; ) {
    seenCursors.add(page.cursor);
    const { data, error, response }: Awaited<ReturnType<typeof list>> = await list(page);
    if (!Array.isArray(data)) throw new PetStoreError(error ?? unreadable(response, data));
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
  throw new PetStoreError(unreadable(response, "the link to the next page is invalid"));
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

function warnOfDeprecation(warn: (message: string) => void): Middleware {
  const warned = new Set<string>();
  return {
    onResponse({ request, schemaPath, response: { headers } }) {
      const operation = `${request.method} ${schemaPath}`;
      if (!headers.has("deprecation") || warned.has(operation)) return;
      warned.add(operation);
      const sunset = headers.get("sunset");
      const successor = findLink("successor-version", headers);
      const sentences = [`The Pet Store operation ${operation} is deprecated.`];
      if (sunset) sentences.push(`It will be removed on ${sunset}.`);
      if (successor) sentences.push(`Use ${successor} instead.`);
      try {
        warn(sentences.join(" "));
      } catch {
        // An exception of the caller's function must not fail the call.
      }
    },
  };
}

type Result = { data?: unknown; error?: unknown; response: Response };

// Wraps a method of openapi-fetch. Returns errors as values of the type Failure, and parses int64 exactly.
function withoutThrowing(method: (...args: unknown[]) => Promise<Result>) {
  return async (...args: unknown[]): Promise<Result> => {
    const last = args.at(-1);
    const [init, target] = typeof last === "object" ? [last, args.slice(0, -1)] : [{}, args];
    const { parseAs = "json" } = (init ?? {}) as { parseAs?: string };
    try {
      const { data, error, response } = await method(
        ...target,
        parseAs === "json" ? { ...init, parseAs: "text" } : init,
      );
      if (!response.ok) return { error: isFailure(error) ? error : unreadable(response, error), response };
      return parseAs === "json" ? parseBody(response, data) : { data, response };
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
