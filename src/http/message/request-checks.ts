// Rejects requests that no route can handle: another protocol, an invalid Host, an unknown transfer coding, an unknown
// path, an unsupported method.
import type { FastifyRequest, HTTPMethods } from "fastify";
import fp from "fastify-plugin";
import { shorten } from "../../lib/index.ts";
import { HttpError, notFound } from "../failure/http-error.ts";
import { isHost, readAuthority } from "./request-target.ts";

export interface RequestChecksOptions {
  /** Whether unknown paths are rejected: those below the prefix of the app. */
  readonly handlesUnrouted: boolean;
}

/**
 * Responds with 400 to requests of another protocol or without a valid Host, with 501 to unknown transfer codings, with
 * 404 to unknown paths, and with 405 to unsupported methods, before the body is read. Register it before routes.
 */
export const requestChecks = fp<RequestChecksOptions>(
  async (app, { handlesUnrouted }) => {
    app.addHook("onRequest", (request, _, done) => {
      done(checkProtocol(request) ?? (request.is404 ? toRoutingError(request) : undefined));
    });
    // Reached only through reply.callNotFound(): the hook rejects unknown paths first, without reading the body.
    if (handlesUnrouted)
      app.setNotFoundHandler(() => {
        throw notFound();
      });
  },
  { name: "request-checks", dependencies: ["error-handler"] },
);

function checkProtocol({ originalUrl, raw }: FastifyRequest): HttpError | undefined {
  const { httpVersion, headers } = raw;
  // Node accepts a request line without a version, and versions of other protocols.
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return new HttpError("malformed_request", "The request must use HTTP/1.1.");
  // RFC 9112, section 3.2. HTTP/1.0 has no Host, and the value is empty if the client knows no host.
  const { host } = headers;
  if (host === undefined ? httpVersion !== "1.0" : host !== "" && !isHost(host))
    return new HttpError(
      "malformed_request",
      "The request must have one Host header, with a host name or an IP address.",
    );
  // RFC 9110, sections 4.2.1 and 4.2.4: neither an empty host nor a user.
  const authority = readAuthority(originalUrl);
  if (authority !== undefined && !isHost(authority))
    return new HttpError("malformed_request", "The URL of the request must have a host name or an IP address.");
  return checkTransferEncoding(headers["transfer-encoding"]);
}

// Node decodes chunks and ignores every other transfer coding (RFC 9112, section 6.1).
function checkTransferEncoding(value: string | undefined): HttpError | undefined {
  if (value === undefined) return undefined;
  const codings = value.split(",").map((coding) => coding.trim());
  const unknown = codings.find((coding) => coding !== "" && coding.toLowerCase() !== "chunked");
  if (unknown === undefined) return undefined;
  return new HttpError("not_implemented", `The Transfer-Encoding ${shorten(unknown)} is not supported.`, {
    connection: "close", // the end of the body is uncertain
  });
}

/** Throws the HttpError of a request that no route handles: 405, or 404 if its path does not exist. */
export function rejectUnrouted(request: FastifyRequest): never {
  throw toRoutingError(request);
}

function toRoutingError({ method, url, server, raw }: FastifyRequest): HttpError {
  const constraints = Object.fromEntries(server.edge.requestConstraints.map((name) => [name, raw]));
  const methods = server.supportedMethods.filter((name) => {
    const route = server.findRoute({ url, method: name as HTTPMethods, constraints });
    // The router matches /books/ to /books/:bookId with an empty bookId.
    if (name === "OPTIONS" && route && "*" in route.params) return false; // that of CORS, for any path
    return route && Object.entries(route.params).every(([parameter, text]) => text !== "" || parameter === "*");
  });
  if (methods.length === 0) return notFound();
  const allow = methods.sort().join(", ");
  return new HttpError(
    "method_not_allowed",
    `This path does not support the method ${method}. Supported methods: ${allow}.`,
    { allow },
  );
}
