// The server behind the proxy: forwards requests to it, and reads its responses.
import type { IncomingHttpHeaders } from "node:http";

/** A request as it was sent. */
export interface ProxiedRequest {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A response as the upstream has sent it. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The media type without its parameters; undefined for none. */
  readonly mediaType: string | undefined;
  readonly body: Buffer;
}

// Of one connection (RFC 9110, section 7.6.1), or changed on the way.
const ownHeaders = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/;
const timeout = 60_000; // milliseconds

/** Forwards a request. Rejects with an Error that names the upstream if it does not respond. Content is not compressed. */
export async function forward(request: ProxiedRequest, target: URL): Promise<UpstreamResponse> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (!ownHeaders.test(name)) for (const one of [value ?? []].flat()) headers.append(name, one);
  headers.set("accept-encoding", "identity");
  const hasBody = request.body.length > 0;
  const response = await fetch(target, {
    method: request.method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(timeout),
    ...(hasBody && { body: new Uint8Array(request.body) }),
  }).catch((error: Error) => {
    const { message } = (error.cause ?? error) as Error;
    throw new Error(`The upstream ${target.origin} does not respond: ${message || error.message}.`);
  });
  const fields = [...response.headers].filter(([name]) => !ownHeaders.test(name) && name !== "content-encoding");
  return {
    status: response.status,
    headers: fields,
    mediaType: response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase(),
    body: Buffer.from(await response.arrayBuffer()),
  };
}
