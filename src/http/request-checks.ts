// Rejects requests that no route can handle: another protocol, an invalid Host, an unknown path, an unsupported method.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { HttpError, notFound } from "./errors.ts";

const hostPattern = /^[\w.~%!$&'()*+;=:[\]-]*$/; // RFC 3986, section 3.2.2, with a port; a comma separates two headers

/**
 * Responds with 400 to requests of another protocol or without a valid Host, with 404 to unknown paths, and with 405 to
 * unsupported methods, before the body is read. Register it before routes, because it tracks them.
 */
export const requestChecks = fp(
  async (app) => {
    const patterns = new Map<string, RegExp>(); // by the URL of the route
    app.addHook("onRoute", ({ url }) => {
      patterns.set(url, toPattern(url));
    });
    app.addHook("onRequest", (request, _, done) => {
      done(checkProtocol(request.raw) ?? (request.is404 ? toRoutingError(request, patterns) : undefined));
    });
    // Reached only through reply.callNotFound(): the hook rejects unknown paths first, without reading the body.
    app.setNotFoundHandler(() => {
      throw notFound();
    });
  },
  { name: "request-checks", dependencies: ["error-handler"] },
);

function checkProtocol({ httpVersion, headers: { host } }: IncomingMessage): HttpError | undefined {
  // Node accepts a request line without a version, and versions of other protocols.
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return new HttpError("malformed_request", "The request must use HTTP/1.1.");
  // RFC 9112, section 3.2. HTTP/1.0 has no Host.
  const isValid = host === undefined ? httpVersion === "1.0" : hostPattern.test(host);
  if (!isValid)
    return new HttpError(
      "malformed_request",
      "The request must have one Host header, with a host name or an IP address.",
    );
  return undefined;
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^$()|[\]{}\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/:\w+/g, "[^/]+").replaceAll("*", ".*")}$`);
}

function toRoutingError({ method, url, server }: FastifyRequest, patterns: ReadonlyMap<string, RegExp>): HttpError {
  const path = decodeURI(url.split("?", 1)[0] as string);
  const routes = [...patterns].filter(([, pattern]) => pattern.test(path)).map(([route]) => route);
  const methods = server.supportedMethods.filter((name) =>
    routes.some((route) => server.hasRoute({ url: route, method: name })),
  );
  if (methods.length === 0) return notFound();
  const allow = methods.sort().join(", ");
  return new HttpError(
    "method_not_allowed",
    `This path does not support the method ${method}. Supported methods: ${allow}.`,
    {
      allow,
    },
  );
}
