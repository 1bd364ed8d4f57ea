// The typed client of the Pet Store: openapi-fetch with what the contract asks of every caller. It
// sends the credential, keeps int64 exact, tries again where that is safe, and says what is going away.
import createFetchClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import { basePath, type components, int64Fields, keyedOperations, type operations, type paths } from "./generated.ts";
import { canBeExact, exactJson, parseExactJson } from "./json.ts";
import { linkTo } from "./link.ts";
import { retry } from "./retry.ts";

export type { components, operations, paths };
export { exactJson };

/** An animal of the store. */
export type Pet = components["schemas"]["Pet"];
/** An animal to add. */
export type NewPet = components["schemas"]["NewPet"];
/** Whether an animal can be bought. */
export type PetStatus = components["schemas"]["PetStatus"];
/**
 * What every failure looks like. Where no answer of the service came, the code is `unreachable`
 * (status 0), or `unreadable`, where something else answered in its place.
 */
export type Failure = components["schemas"]["Error"];
/** Which animals to list; `limit` is the size of a page, not of the list. */
export type PetsQuery = NonNullable<operations["listPets"]["parameters"]["query"]>;

/** What a client is made of. */
export interface Options {
  /** The address of the service with its version segment, such as `https://petstore.example/v1`. */
  readonly baseUrl: string;
  /** The API key, `psk_…`. */
  readonly key: string;
  /** How long one try may take, in milliseconds: 30 seconds by default. */
  readonly timeout?: number;
  /** Told once of each deprecated operation that is called; `console.warn` by default. */
  readonly warn?: (message: string) => void;
}

/**
 * Calls the operations by method and path: `client.GET("/pets", { params: { query: { limit: 5 } } })`
 * gives `{ data, response }` or `{ error, response }`, and never throws. Bodies are read to the end
 * before, also where `parseAs` asks for a stream.
 */
export interface Client extends FetchClient<paths> {
  /**
   * All animals that match, over all pages, in order of id: `for await (const pet of client.pets())`.
   * Where a page can't be had the loop throws a PetStoreError: to end quietly would look like the
   * end of the list.
   */
  pets(query?: PetsQuery, options?: { readonly signal?: AbortSignal }): AsyncIterable<Pet>;
}

/** Why a list broke off. */
export class PetStoreError extends Error {
  override readonly name = "PetStoreError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Makes a client. Throws a TypeError where an option can't be one, or the runtime is too old to keep int64 exact. */
export function createClient({ baseUrl, key, timeout = 30_000, warn = console.warn }: Options): Client {
  if (!canBeExact || !("any" in AbortSignal))
    throw new TypeError("this runtime is too old: it takes Node 22, Chrome 116, Firefox 135 or Safari 18.4");
  // None of the messages holds what was given: it may be a secret.
  if (!isAddress(baseUrl))
    throw new TypeError(`baseUrl must be the http or https URL of the service, which ends with ${basePath}`);
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("key must be an API key, as `petstore keys create` prints it");
  if (!(timeout > 0 && timeout < 2 ** 31)) throw new TypeError("timeout must be a number of milliseconds");

  const fetched = createFetchClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    bodySerializer: exactJson,
    fetch: (request) => retry(request, timeout),
  });
  fetched.use(withIdempotencyKey, warnOnce(warn));

  const calls = Object.entries(fetched).map(([name, call]) => [
    name,
    /^[A-Z]+$|^request$/.test(name) ? safe(call) : call,
  ]);
  const client: FetchClient<paths> = Object.fromEntries(calls);
  return { ...client, pets: (query, options) => listAll(client, query, options) };
}

function isAddress(text: unknown): boolean {
  if (typeof text !== "string" || !/^https?:\/\/[^?#@]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).pathname.replace(/\/$/, "").endsWith(basePath);
}

async function* listAll(
  client: FetchClient<paths>,
  query: PetsQuery = {},
  options: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Pet> {
  const list = (query: PetsQuery) => client.GET("/pets", { params: { query }, ...options });
  const seen = new Set<string | undefined>();
  for (let page: PetsQuery | undefined = query; page !== undefined; ) {
    seen.add(page.cursor);
    const { data, error, response }: Awaited<ReturnType<typeof list>> = await list(page);
    if (!Array.isArray(data)) throw new PetStoreError(error ?? unreadable(response, data));
    yield* data;
    page = readNext(response, seen);
  }
}

// Only the query is taken from the link: the key goes to `baseUrl` and nowhere else.
function readNext(response: Response, seen: ReadonlySet<string | undefined>): PetsQuery | undefined {
  const target = linkTo("next", response.headers);
  if (target === undefined) return undefined;
  const next: PetsQuery | undefined = URL.canParse(target, response.url)
    ? Object.fromEntries(new URL(target, response.url).searchParams)
    : undefined;
  if (next?.cursor !== undefined && !seen.has(next.cursor)) return next;
  throw new PetStoreError(unreadable(response, "its link to the next page leads nowhere"));
}

// A create that is sent again must not make a second animal.
const withIdempotencyKey: Middleware = {
  onRequest({ request, schemaPath }) {
    if (keyedOperations.has(`${request.method} ${schemaPath}`) && !request.headers.has("idempotency-key"))
      request.headers.set("idempotency-key", randomKey());
  },
};

// Not randomUUID, which a page has only over https.
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function warnOnce(warn: (message: string) => void): Middleware {
  const told = new Set<string>();
  return {
    onResponse({ request, schemaPath, response: { headers } }) {
      const operation = `${request.method} ${schemaPath}`;
      if (!headers.has("deprecation") || told.has(operation)) return;
      told.add(operation);
      const sunset = headers.get("sunset");
      const successor = linkTo("successor-version", headers);
      const parts = [`The Pet Store's ${operation} is deprecated`];
      if (sunset) parts.push(`it goes away on ${sunset}`);
      if (successor) parts.push(`use ${successor}`);
      try {
        warn(parts.join("; "));
      } catch {
        // What the caller does with a warning is no outcome of the call.
      }
    },
  };
}

type Result = { data?: unknown; error?: unknown; response: Response };

// A call whose every outcome is a value: its bodies read exactly, its failures of the one shape.
function safe(call: (...parameters: unknown[]) => Promise<Result>) {
  return async (...parameters: unknown[]): Promise<Result> => {
    const last = parameters.at(-1);
    const [init, target] = typeof last === "object" ? [last, parameters.slice(0, -1)] : [{}, parameters];
    const { parseAs = "json" } = (init ?? {}) as { parseAs?: string };
    try {
      const { data, error, response } = await call(...target, parseAs === "json" ? { ...init, parseAs: "text" } : init);
      if (!response.ok) return { error: isFailure(error) ? error : unreadable(response, error), response };
      return parseAs === "json" ? readBody(response, data) : { data, response };
    } catch (cause) {
      return { error: unreachable(cause as Error), response: Response.error() };
    }
  };
}

function readBody(response: Response, text: unknown): Result {
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
  const why = [message, (cause as Error | undefined)?.message].filter(Boolean).join(": ");
  return { code: "unreachable", message: `No answer of the Pet Store: ${why}.`, status: 0 };
}

function unreadable({ status }: Response, body: unknown): Failure {
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "nothing");
  return { code: "unreadable", message: `What answered ${status} is not the Pet Store: ${text.slice(0, 200)}`, status };
}
