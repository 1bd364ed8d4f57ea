// Security headers of responses: those of helmet, computed once.
import type { IncomingMessage, ServerResponse } from "node:http";
import fp from "fastify-plugin";
import helmet, { type HelmetOptions } from "helmet";

const self = ["'self'"];
const none = ["'none'"];

function headersOf(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  // helmet does not read the request, and calls only these two methods of the response.
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}

/** Adds headers to every response, and its request id as X-Request-Id. */
export const responseHeaders = fp<{ readonly headers: Readonly<Record<string, string>> }>(
  async (app, { headers }) => {
    app.addHook("onRequest", (request, reply, done) => {
      reply.headers(headers).header("x-request-id", request.id);
      done();
    });
  },
  { name: "response-headers" },
);

/** The security headers of data, of Swagger UI, and of the status page. */
export interface SecurityHeaders {
  readonly data: Record<string, string>;
  readonly page: Record<string, string>;
  readonly status: Record<string, string>;
}

/**
 * Creates the security headers. `urls` are the configured URLs of the service, which Swagger UI may call; empty ones are
 * ignored. The first is the public one: if it begins with https, clients connect over TLS, even if this process does not.
 */
export function createSecurityHeaders(tls: boolean, urls: readonly [string, ...string[]]): SecurityHeaders {
  const origins = urls.filter(Boolean).map((url) => new URL(url).origin);
  // Not without TLS (RFC 6797, section 7.2), and not for subdomains, which may not belong to this service.
  const strictTransportSecurity = (tls || urls[0].startsWith("https:")) && { includeSubDomains: false };
  return {
    // Data is never rendered, run or framed. Without the headers that concern only pages, and without those that keep
    // other origins from reading: a browser never sends a key by itself.
    data: headersOf({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: none, frameAncestors: none } },
      xFrameOptions: { action: "deny" },
      strictTransportSecurity,
      crossOriginOpenerPolicy: false,
      crossOriginResourcePolicy: false,
      referrerPolicy: false,
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }),
    page: headersOf({
      // Over plain HTTP, upgraded requests would fail and leave the page blank.
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null, connectSrc: ["'self'", ...origins] } },
      strictTransportSecurity,
    }),
    // The page takes an operator's key: only files of this service, no forms, and no HTML from strings.
    status: headersOf({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: none,
          scriptSrc: self,
          styleSrc: self,
          imgSrc: self,
          connectSrc: self,
          baseUri: none,
          formAction: none,
          frameAncestors: none,
          requireTrustedTypesFor: ["'script'"],
          trustedTypes: none,
        },
      },
      xFrameOptions: { action: "deny" },
      strictTransportSecurity,
    }),
  };
}
