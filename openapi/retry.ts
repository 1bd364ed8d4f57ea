// Sends a request again where that is safe and promises something: the network failed, or the
// service asked for it with 429 or 503 and Retry-After (RFC 9110, section 10.2.3).

const tries = 4;
const longest = 30_000; // milliseconds; whoever is asked to wait for longer has the answer at once
const pause = 100; // milliseconds, doubled each time

/**
 * The answer, its body read to the end. Safe is a method that HTTP says may be repeated (RFC 9110,
 * section 9.2.2), and a request with an Idempotency-Key. Each try may take `timeout` milliseconds.
 * `wait` waits for a number of milliseconds, and rejects if the signal aborts.
 */
export async function retry(request: Request, timeout: number, wait = sleep): Promise<Response> {
  const safe = /^(GET|HEAD|PUT|DELETE|OPTIONS)$/.test(request.method) || request.headers.has("idempotency-key");
  for (let left = safe ? tries - 1 : 0; ; left--) {
    let delay = pause * 2 ** (tries - 1 - left) * (0.5 + Math.random());
    try {
      const response = await send(left > 0 ? request.clone() : request, timeout);
      const asked = [429, 503].includes(response.status) ? readDelay(response.headers.get("retry-after")) : undefined;
      if (left === 0 || asked === undefined || asked > longest) return response;
      delay = asked;
    } catch (error) {
      if (left === 0 || request.signal.aborted) throw error;
    }
    await wait(delay, request.signal);
  }
}

// A body that breaks off is a failure of the network, too.
async function send(request: Request, timeout: number): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]);
  const response = await fetch(request, { signal });
  const body = await response.arrayBuffer();
  const read = new Response(body.byteLength > 0 ? body : null, response);
  return Object.defineProperty(read, "url", { value: response.url });
}

/** Milliseconds, from seconds or a date; undefined where it is neither. */
function readDelay(text: string | null): number | undefined {
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
