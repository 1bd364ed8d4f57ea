// Retries requests with exponential backoff and jitter: after network errors, after 408, and after 429 or 503 with
// Retry-After (RFC 9110, sections 10.2.3 and 15.5.9).

const maxDelay = 60_000; // milliseconds; a response with a longer Retry-After is not retried
const baseDelay = 100; // milliseconds, doubled for each retry

/** The options of `retry`. */
export interface RetryOptions {
  /** Milliseconds for each attempt. */
  readonly timeout: number;
  readonly maxRetries: number;
  /** Sends a request. */
  readonly fetch: typeof globalThis.fetch;
  /** Ends the request when it aborts, besides the request's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Waits for a number of milliseconds, and rejects if the signal aborts. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends a request, and returns the response with its body read to the end. Retries only idempotent methods (RFC 9110,
 * section 9.2.2) and requests with an Idempotency-Key. Waits for Retry-After, and then for a random time that grows with
 * each retry, because other clients wait for the same moment.
 */
export async function retry(request: Request, options: RetryOptions): Promise<Response> {
  const { maxRetries, wait = sleep } = options;
  const signal = options.signal ? AbortSignal.any([request.signal, options.signal]) : request.signal;
  const isIdempotent = /^(GET|HEAD|PUT|DELETE|OPTIONS)$/.test(request.method) || request.headers.has("idempotency-key");
  for (let retries = 0; ; retries++) {
    const isLast = !isIdempotent || retries >= maxRetries;
    let retryAfter = 0;
    try {
      const response = await send(isLast ? request : request.clone(), signal, options);
      const { status, headers } = response;
      const isRetryable = status === 408 || status === 429 || status === 503;
      const sent = isRetryable ? parseRetryAfter(headers.get("retry-after")) : undefined;
      const after = status === 408 ? (sent ?? 0) : sent;
      if (isLast || after === undefined || after > maxDelay) return response;
      retryAfter = after;
    } catch (error) {
      if (isLast || signal.aborted) throw error;
    }
    const backoff = Math.max(baseDelay, retryAfter) * 2 ** retries;
    await wait(Math.min(retryAfter + backoff * Math.random(), maxDelay), signal);
  }
}

// Reads the body, so that an incomplete body is also a network error.
async function send(request: Request, signal: AbortSignal, { fetch, timeout }: RetryOptions): Promise<Response> {
  // A redirect could send the request to another origin.
  const options = { redirect: "manual", signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]) } as const;
  const response = await fetch(request, options);
  const body = await response.arrayBuffer();
  const complete = new Response(body.byteLength > 0 ? body : null, response);
  return Object.defineProperty(complete, "url", { value: response.url });
}

/** Returns the milliseconds of a header Retry-After, which contains seconds or a date; undefined if it is not valid. */
export function parseRetryAfter(text: string | null): number | undefined {
  if (text !== null && /^\d+$/.test(text)) return Number(text) * 1000;
  const date = text?.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
