// Creates the Fastify instance: parser limits, timeouts and router options.
import { randomUUID } from "node:crypto";
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions } from "fastify";
import { parserTimeouts, serverTimeouts } from "./connections.ts";
import { normalizeTarget } from "./request-target.ts";

/** The maximum size of all headers of a request, in bytes. */
export const maxHeaderSize = 16_384;

/** A certificate with its chain, and its private key, in PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The options of `createFastify`. */
export interface FastifyOptions {
  readonly logger: FastifyBaseLogger;
  /** Logs requests. By default, Fastify's. */
  readonly logController?: NonNullable<FastifyServerOptions["logController"]>;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy?: readonly string[];
  /** The certificate for https; undefined serves http. */
  readonly tls?: Certificate | undefined;
  /** Milliseconds for a client to send its headers, and to finish its TLS handshake. */
  readonly headersTimeout?: number | undefined;
}

/** Creates a Fastify instance without routes. */
export function createFastify({ logger, logController, trustProxy = [], tls, headersTimeout }: FastifyOptions) {
  const parser = {
    ...parserTimeouts,
    ...(headersTimeout !== undefined && { headersTimeout }),
    maxHeaderSize,
    // Node would respond without a body. The error handler rejects requests without Host.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  };
  const app = fastify({
    ...serverTimeouts,
    ...(tls ? { https: { ...parser, ...tls, handshakeTimeout: parser.headersTimeout } } : { http: parser }),
    loggerInstance: logger,
    logController,
    genReqId: () => randomUUID(),
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    // A long id is an invalid id and not an unknown path. The limit for all headers bounds it.
    routerOptions: { maxParamLength: maxHeaderSize },
    rewriteUrl: ({ url }) => normalizeTarget(url as string),
    return503OnClosing: false,
  }) as FastifyInstance; // the type differs with TLS, but no code depends on it
  // Responds to clients that half-close the connection after sending their request. Node has no option for it.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.server.on("checkExpectation", app.routing); // an unknown expectation may be ignored (RFC 9110, section 10.1.1)
  app.server.on("checkContinue", app.routing); // src/spec/route.ts sends 100 after authentication
  return app;
}
