// Headers of every response: the security headers of helmet, computed once, and the request id.
import type { IncomingMessage, ServerResponse } from "node:http";
import fp from "fastify-plugin";
import helmet, { type HelmetOptions } from "helmet";

const self = ["'self'"];
const none = ["'none'"];

/** The options of the plugin `responseHeaders`. */
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

/** The security headers of each kind of response. */
export interface SecurityHeaders {
  /** Of JSON and other data. */
  readonly data: Record<string, string>;
  /** Of the pages of Swagger UI. */
  readonly page: Record<string, string>;
  /** Of the status page. */
  readonly status: Record<string, string>;
}

/**
 * Creates the security headers. `urls` are the configured URLs of the service, which Swagger UI may call; empty ones
 * are ignored. The first is the public one: if it begins with https, clients use TLS, even if this process does not.
 */
export function createSecurityHeaders(tls: boolean, urls: readonly [string, ...string[]]): SecurityHeaders {
  const origins = urls.filter(Boolean).map((url) => new URL(url).origin);
  // Not without TLS (RFC 6797, section 7.2), and not for subdomains, which may not belong to this service.
  const strictTransportSecurity = (tls || urls[0].startsWith("https:")) && { includeSubDomains: false };
  return {
    data: computeHeaders({
      // Browsers never render, run or frame data.
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: none, frameAncestors: none } },
      xFrameOptions: { action: "deny" },
      strictTransportSecurity,
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
    }),
    page: computeHeaders({
      contentSecurityPolicy: {
        directives: {
          upgradeInsecureRequests: null, // over plain HTTP, upgraded requests would fail and leave the page blank
          connectSrc: ["'self'", ...origins],
          styleSrc: ["'self'", "'unsafe-inline'"], // Swagger UI sets style attributes
        },
      },
      strictTransportSecurity,
    }),
    status: computeHeaders({
      // The page handles an operator's key. It may load only files of this service, submit no forms, and create no HTML
      // from strings.
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

// helmet does not read the request, and calls only these two methods of the response.
function computeHeaders(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}
