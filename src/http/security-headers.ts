// What a browser may do with an answer, whoever brought it there: helmet's headers, made once.
import type { IncomingMessage, ServerResponse } from "node:http";
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
  // It looks at nothing of the request, and uses nothing else of the answer.
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}

/** The headers of answers that are data, of the pages of Swagger UI, and of the page at /status. */
export interface SecurityHeaders {
  readonly data: Record<string, string>;
  readonly page: Record<string, string>;
  readonly status: Record<string, string>;
}

/**
 * The headers for a service whose clients come by TLS or not, and whose pages may call it at `origins`
 * beside their own.
 */
export function createSecurityHeaders(tls: boolean, origins: readonly string[]): SecurityHeaders {
  // Without TLS it must not be there (RFC 6797, section 7.2); other names of the domain are not ours to speak for.
  const strictTransportSecurity = tls && { includeSubDomains: false };
  return {
    // Nothing in data is to be shown, run or framed. What concerns pages alone is left out, and what
    // keeps other origins from reading: no browser sends a key on its own.
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
      // Over plain http away from loopback, upgraded requests would leave the page blank.
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null, connectSrc: ["'self'", ...origins] } },
      strictTransportSecurity,
    }),
    // Ours, and an operator's key is entered there: files of this service alone, no form that goes anywhere, no HTML from text.
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
