// Creates the Fastify instance: limits and timeouts of the HTTP parser, and options of the router.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions } from "fastify";
import { allowHalfOpen } from "../patches/server-options.ts";
import { createNetworkMatcher } from "./connection/networks.ts";
import { maxHeaderSize } from "./headers/header-syntax.ts";
import { QueryFreeLogController } from "./message/request-log.ts";
import { normalizeTarget } from "./message/request-target.ts";

// Timeouts in milliseconds. The defaults of Fastify allow a request to take forever.
const serverTimeouts = {
  connectionTimeout: 120_000, // without a byte in either direction
  keepAliveTimeout: 72_000, // between two requests
  requestTimeout: 30_000,
};
const parserOptions = {
  headersTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  // Node would respond without a body. The plugin requestChecks rejects requests without Host.
  requireHostHeader: false,
  joinDuplicateHeaders: true,
};

/** The options of TLS: from version 1.2, and only cipher suites with AEAD, as those of TLS 1.3, and forward secrecy. */
export const tlsOptions = { minVersion: "TLSv1.2", ciphers: "ECDHE+AESGCM:ECDHE+CHACHA20" } as const;

/** A certificate with its chain, and its private key, in PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export type LogController = NonNullable<FastifyServerOptions["logController"]>;

export interface FastifyOptions {
  readonly logger: FastifyBaseLogger;
  /** Logs requests. By default, as Fastify does, without queries. */
  readonly logController?: LogController | undefined;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy?: readonly string[];
  /** The certificate for https; undefined serves http. */
  readonly tls?: Certificate | undefined;
  /** `false` if only a reverse proxy connects to the server. The default is true. */
  readonly edge?: boolean | undefined;
  /** Milliseconds for a client to send its headers, and to finish its TLS handshake. */
  readonly headersTimeout?: number | undefined;
}

/** Creates a Fastify instance without routes. */
export function createFastify(options: FastifyOptions): FastifyInstance {
  const { logger, logController = new QueryFreeLogController(), trustProxy = [], tls } = options;
  const { edge = true, headersTimeout = parserOptions.headersTimeout } = options;
  const parser = { ...parserOptions, headersTimeout, maxHeaderSize };
  const app = fastify({
    ...serverTimeouts,
    ...(tls
      ? { https: { ...parser, ...tlsOptions, ...tls, handshakeTimeout: headersTimeout, allowHalfOpen: true } }
      : { http: parser }),
    loggerInstance: logger,
    logController,
    genReqId: createRequestIds(trustProxy),
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    // By default, a parameter of more than 100 characters matches no route (404), but a long id is an invalid id (400).
    // The limit of the headers bounds its length. Queries are parsed strictly, by the parameters of the operation.
    routerOptions: { maxParamLength: maxHeaderSize, querystringParser: () => ({}) },
    rewriteUrl: ({ url }) => normalizeTarget(url as string),
    return503OnClosing: false,
    pluginTimeout: 0, // a start validates records and compiles operations for as long as that takes
    ...(edge && { clientErrorHandler: () => {} }), // the plugin clientErrors responds
  }) as FastifyInstance; // the type differs with TLS, but no code depends on it
  if (edge) allowHalfOpen(app.server);
  app.server.maxHeadersCount = maxHeadersCount;
  app.server.on("checkExpectation", app.routing); // an unknown expectation may be ignored (RFC 9110, section 10.1.1)
  app.server.on("checkContinue", app.routing); // the route sends 100 once the request is authenticated
  return app;
}

// No limit: Node before 24.18.1 ignores headers behind the first 1,000, and later versions reject the request.
const maxHeadersCount = 0;

/**
 * Sets the limits and timeouts of a server that `createFastify` has not created, and that does not listen yet. The size of the
 * headers is that of Node. Throws an Error if it is not a server of HTTP/1.1.
 */
export function limitServer(server: FastifyInstance["server"]): void {
  if (!("requestTimeout" in server)) throw new Error("`edge` needs a server of HTTP/1.1.");
  const { connectionTimeout: timeout, ...timeouts } = serverTimeouts;
  Object.assign(server, { ...parserOptions, ...timeouts, timeout, maxHeadersCount });
  server.removeAllListeners("clientError"); // that of Fastify, because the plugin clientErrors responds
  allowHalfOpen(server);
}

// A trusted proxy gives a request its id. Others could forge those of the log.
function createRequestIds(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createNetworkMatcher(trustProxy);
  return ({ headers, socket }) => {
    const id = headers["x-request-id"];
    const isAdopted = typeof id === "string" && isRequestId(id) && isTrusted(socket.remoteAddress ?? "");
    return isAdopted ? id : randomUUID();
  };
}

// Visible ASCII. Two headers are joined by a comma and a space.
function isRequestId(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text);
}
