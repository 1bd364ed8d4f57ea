// Retries requests with exponential backoff and jitter, after network errors and after 429 or 503 with Retry-After (RFC
// 9110, section 10.2.3).

const maxAttempts = 4;
const maxDelay = 30_000; // milliseconds; a response with a longer Retry-After is not retried
const baseDelay = 100; // milliseconds, doubled for each retry

/**
 * Sends a request, and returns the response with its body read to the end. Retries only idempotent methods (RFC 9110,
 * section 9.2.2) and requests with an Idempotency-Key. `timeout` applies to each attempt, in milliseconds. `wait` waits
 * for a number of milliseconds, and rejects if the signal aborts.
 */
export async function retry(request: Request, timeout: number, wait = sleep): Promise<Response> {
  const isIdempotent = /^(GET|HEAD|PUT|DELETE|OPTIONS)$/.test(request.method) || request.headers.has("idempotency-key");
  for (let left = isIdempotent ? maxAttempts - 1 : 0; ; left--) {
    let delay = baseDelay * 2 ** (maxAttempts - 1 - left) * (0.5 + Math.random());
    try {
      const response = await send(left > 0 ? request.clone() : request, timeout);
      const { status, headers } = response;
      const retryAfter = [429, 503].includes(status) ? parseRetryAfter(headers.get("retry-after")) : undefined;
      if (left === 0 || retryAfter === undefined || retryAfter > maxDelay) return response;
      delay = retryAfter;
    } catch (error) {
      if (left === 0 || request.signal.aborted) throw error;
    }
    await wait(delay, request.signal);
  }
}

// Reads the body, so that an incomplete body is also a network error.
async function send(request: Request, timeout: number): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]);
  const response = await fetch(request, { signal });
  const body = await response.arrayBuffer();
  const complete = new Response(body.byteLength > 0 ? body : null, response);
  return Object.defineProperty(complete, "url", { value: response.url });
}

// Returns milliseconds. The header contains seconds or a date.
function parseRetryAfter(text: string | null): number | undefined {
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
