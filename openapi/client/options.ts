// The options of a client, and their checks.
import { basePath } from "./generated.ts";

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
   * How often an idempotent call is repeated: after a network error, a timeout or 408, and after 429 or 503 with
   * `Retry-After`. A response whose `Retry-After` is more than 60 s is not retried. The default is 5.
   */
  readonly maxRetries?: number;
  /** Ends all calls of the client when it aborts. */
  readonly signal?: AbortSignal;
  /** Headers of each request, such as `traceparent`. */
  readonly headers?: NonNullable<RequestInit["headers"]>;
  /**
   * Sends the requests. Its second argument has the signal and `redirect: "manual"`: pass it on. The default is the
   * `fetch` of the runtime.
   */
  readonly fetch?: typeof globalThis.fetch;
  /** Called at the first call of each deprecated operation. The default logs the message with `console.warn`. */
  readonly onDeprecation?: (deprecation: Deprecation) => void;
}

/** Throws a TypeError that names the first invalid option. It does not contain the value, which may be secret. */
export function checkOptions(options: Options & Required<Pick<Options, "timeout" | "maxRetries">>): void {
  const { baseUrl, key, timeout, maxRetries, signal, headers, fetch, onDeprecation } = options;
  const check = (isValid: boolean, rule: string) => {
    if (!isValid) throw new TypeError(rule);
  };
  check(
    isBaseUrl(baseUrl),
    `baseUrl must be an http or https URL without user, query or fragment that ends with ${basePath}`,
  );
  check(typeof key === "string" && /^[\x21-\x7e]+$/.test(key), "key must be an API key, such as psk_…");
  const isTimeout = Number.isInteger(timeout) && timeout > 0 && timeout < 2 ** 31;
  check(isTimeout, "timeout must be a positive integer of milliseconds below 2^31");
  check(Number.isInteger(maxRetries) && maxRetries >= 0, "maxRetries must be an integer that is not negative");
  check(areHeaders(headers), "headers must have valid names and values");
  check(signal === undefined || signal instanceof AbortSignal, "signal must be an AbortSignal");
  check(typeof fetch === "function", "fetch must be a function");
  check(typeof onDeprecation === "function", "onDeprecation must be a function");
}

function isBaseUrl(text: unknown): boolean {
  if (typeof text !== "string" || !/^https?:\/\/[^?#@]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).pathname.replace(/\/$/, "").endsWith(basePath);
}

function areHeaders(headers: Options["headers"] = {}): boolean {
  try {
    new Headers(headers);
    const pairs: Iterable<readonly unknown[]> = Symbol.iterator in headers ? headers : Object.entries(headers);
    return [...pairs].every(([, value]) => typeof value === "string");
  } catch {
    return false;
  }
}
