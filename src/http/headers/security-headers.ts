// Headers of every response: the security headers of helmet, computed once, and the request id.
import type { IncomingMessage, ServerResponse } from "node:http";
import fp from "fastify-plugin";
import helmet, { type HelmetOptions } from "helmet";

const none = ["'none'"];

export interface ResponseHeadersOptions {
  readonly headers: Readonly<Record<string, string>>;
}

/** Adds headers to every response, and its request id as X-Request-Id. */
export const responseHeaders = fp<ResponseHeadersOptions>(
  async (app, { headers }) => {
    app.addHook("onRequest", (request, reply, done) => {
      reply.headers(headers).header("x-request-id", request.id);
      done();
    });
  },
  { name: "response-headers" },
);

/** Creates the security headers of JSON and other data. `isSecure` says whether clients use TLS. */
export function createDataHeaders(isSecure: boolean): Record<string, string> {
  return createSecurityHeaders(isSecure, {
    // Browsers never render, run or frame data.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: none, frameAncestors: none } },
    xFrameOptions: { action: "deny" },
    // These would keep pages of other origins from reading data. A browser never sends a key by itself.
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    // These concern only pages.
    referrerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}

/** Creates the security headers of a page, with the options of helmet. `isSecure` says whether clients use TLS. */
export function createSecurityHeaders(isSecure: boolean, options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  // helmet does not read the request, and calls only these two methods of the response.
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  // Not without TLS (RFC 6797, section 7.2), and not for subdomains, which may not belong to this service.
  const strictTransportSecurity = isSecure && { includeSubDomains: false };
  const addHeaders = helmet({ ...(options as object), strictTransportSecurity });
  addHeaders({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}
