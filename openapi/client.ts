// The typed client of the Pet Store: openapi-fetch with what the contract asks of every caller. It
// sends the credential, keeps int64 exact, tries again where that is safe, and says what is going away.
import createFetchClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import { type components, int64Fields, keyedOperations, type operations, type paths } from "./generated.ts";
import { canBeExact, exactJson, parseExactJson } from "./json.ts";
import { retry } from "./retry.ts";

export type { components, operations, paths };

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
 * gives `{ data, response }` or `{ error, response }`, and never throws.
 */
export interface Client extends FetchClient<paths> {
  /**
   * All animals that match, over all pages, in order of id: `for await (const pet of client.pets())`.
   * Where a page can't be had the loop throws a PetStoreError: to end quietly would look like the
   * end of the list.
   */
  pets(query?: PetsQuery): AsyncIterable<Pet>;
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

/** Makes a client. Throws a TypeError where the address or the key can't be one, or the runtime is too old to keep int64 exact. */
export function createClient({ baseUrl, key, timeout = 30_000, warn = console.warn }: Options): Client {
  if (!canBeExact) throw new TypeError("this runtime would round int64: it takes Node 22, or a browser of 2025");
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(`baseUrl must be an http or https URL such as https://petstore.example/v1, not ${baseUrl}`);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError("key must be an API key, psk_…");

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
  return { ...client, pets: (query) => listAll(client, query) };
}

async function* listAll(client: FetchClient<paths>, query: PetsQuery = {}): AsyncGenerator<Pet> {
  for (let page: PetsQuery | undefined = query; page !== undefined; ) {
    const { data, error, response }: Awaited<ReturnType<typeof list>> = await list(client, page);
    if (data === undefined) throw new PetStoreError(error as Failure);
    yield* data;
    page = readNext(response);
  }
}

function list(client: FetchClient<paths>, query: PetsQuery) {
  return client.GET("/pets", { params: { query } });
}

// Only the query is taken from the link: the key goes to `baseUrl` and nowhere else.
function readNext(response: Response): PetsQuery | undefined {
  const [, target] = /<([^>]*)>[^<]*;\s*rel="?next"?/i.exec(response.headers.get("link") ?? "") ?? [];
  if (target === undefined) return undefined;
  return Object.fromEntries(new URL(target, "http://localhost").searchParams) as PetsQuery;
}

// A create that is sent again must not make a second animal (README, "Idempotency-Key").
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
      const [sunset, link] = [headers.get("sunset"), headers.get("link")];
      warn(
        `The Pet Store has deprecated ${operation}${sunset ? `, and removes it on ${sunset}` : ""}.${link ? ` See ${link}` : ""}`,
      );
    },
  };
}

type Result = { data?: unknown; error?: unknown; response: Response };

// A call whose every outcome is a value: its bodies read exactly, its failures of the one shape.
function safe(call: (...parameters: unknown[]) => Promise<Result>) {
  return async (...parameters: unknown[]): Promise<Result> => {
    const init = parameters.at(-1);
    const options = typeof init === "object" ? init : {};
    const asJson = ((options as { parseAs?: string } | null)?.parseAs ?? "json") === "json";
    const rest = typeof init === "object" ? parameters.slice(0, -1) : parameters;
    try {
      const { data, error, response } = await call(...rest, asJson ? { ...options, parseAs: "text" } : options);
      if (!response.ok) return { error: isFailure(error) ? error : unreadable(response, error), response };
      if (!asJson || typeof data !== "string") return { data, response };
      try {
        return { data: parseExactJson(data, int64Fields), response };
      } catch {
        return { error: unreadable(response, data), response };
      }
    } catch (cause) {
      const { message, cause: reason } = cause as Error;
      const why = [message, (reason as Error | undefined)?.message].filter(Boolean).join(": ");
      return {
        error: { code: "unreachable", message: `The Pet Store gave no answer: ${why}.`, status: 0 },
        response: Response.error(),
      };
    }
  };
}

function isFailure(error: unknown): error is Failure {
  return typeof (error as Failure | undefined)?.code === "string";
}

function unreadable({ status }: Response, body: unknown): Failure {
  const text = typeof body === "string" ? body : JSON.stringify(body ?? "");
  return {
    code: "unreadable",
    message: `What answered ${status} is not the Pet Store: ${text.slice(0, 200)}`,
    status,
  };
}
