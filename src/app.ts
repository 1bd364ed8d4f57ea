// Document, handlers and store become a Fastify instance. All behaviour is decided here and in what
// it imports; tests call it as the server does.
import { randomUUID } from "node:crypto";
import fastify, { type FastifyInstance, type RouteOptions } from "fastify";
import glue from "fastify-openapi-glue";
import type { Logger } from "pino";
import { callerDecorator, createAuthentication, type KeyUsage, trackKeyUsage } from "./auth/index.ts";
import type { Config } from "./config.ts";
import { type Addresses, addDocs, toPublicUrls } from "./docs/index.ts";
import {
  createLoadShedder,
  createRateLimiter,
  createSecurityHeaders,
  enableCors,
  gracefulShutdown,
  handleClientErrors,
  handleErrors,
  type LoadSheddingOptions,
  limitConnections,
  maxHeaderSize,
  normalizeTarget,
  parseJsonBodies,
  parserTimeouts,
  serverTimeouts,
  serviceLinks,
} from "./http/index.ts";
import { throttle } from "./lib/index.ts";
import { createPagination } from "./pets/index.ts";
import {
  type AnyHandler,
  buildRoute,
  createValidatorCompiler,
  type Document,
  deprecationHeaders,
  type Handlers,
  type OperationId,
} from "./spec/index.ts";
import { addHealth, addStatus, addStatusPage } from "./status/index.ts";
import type { Store } from "./store/index.ts";
import {
  aggregateLocally,
  createRequestMetrics,
  type MetricsHub,
  RequestLogger,
  type RequestMetrics,
  type Tracing,
  withLazyChildren,
} from "./telemetry/index.ts";

/** What the service is made of. */
export interface Dependencies extends LoadSheddingOptions {
  readonly document: Document;
  readonly handlers: Handlers;
  readonly store: Store;
  readonly config: Config;
  readonly logger: Logger;
  /** The certificate with which to serve https; without it, http. */
  readonly tls?: Certificate | undefined;
  /** Milliseconds for a client to send its headers, and for its TLS handshake. */
  readonly headersTimeout?: number | undefined;
  /** Follows each call; without it, there are no traces. */
  readonly tracing?: Tracing | undefined;
  /** Where the figures of all processes are; without it, there is only this one. */
  readonly metrics?: MetricsHub | undefined;
}

/** A certificate with its chain, and its private key, in PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Builds the service. Throws an Error that names the operation where the document and the code
 * don't agree: an operation without a handler, a handler without an operation, a security scheme
 * without an implementation, a schema that would not be enforced.
 */
export async function buildApp(parts: Dependencies): Promise<FastifyInstance> {
  const { document, store, config, logger, tls, tracing } = parts;
  // A missing Host and an unknown Expect are Node's to answer, without a body: the first is
  // refused in src/http/error-handler.ts, the second may be passed over (RFC 9110, section 10.1.1).
  const headersTimeout = parts.headersTimeout ?? parserTimeouts.headersTimeout;
  const parser = {
    ...parserTimeouts,
    headersTimeout,
    maxHeaderSize,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  };
  const counts = createRequestMetrics(document.operations);
  const app = fastify({
    ...serverTimeouts,
    ...(tls ? { https: { ...parser, ...tls, handshakeTimeout: parser.headersTimeout } } : { http: parser }),
    loggerInstance: withLazyChildren(logger),
    logController: new RequestLogger(logger, counts.recordResponse),
    genReqId: () => randomUUID(),
    trustProxy: config.TRUST_PROXY.length > 0 && [...config.TRUST_PROXY],
    // The parser's limit for all headers is the limit: a long id is a bad id, not a wrong path.
    routerOptions: { maxParamLength: maxHeaderSize },
    rewriteUrl: ({ url }) => normalizeTarget(url as string),
    return503OnClosing: false,
  }) as FastifyInstance; // also over TLS: nothing here looks at which it is
  // Who has sent all and says so by closing their side is answered: Node has no option for it, only this field.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.server.on("checkExpectation", app.routing);
  app.server.on("checkContinue", app.routing); // src/spec/route.ts asks for the body, after the credentials
  const addresses = { production: config.BASE_URL, staging: config.STAGING_BASE_URL };
  const configured = Object.values(addresses).filter((address) => address !== "");
  const secure = createSecurityHeaders(
    tls !== undefined || addresses.production.startsWith("https:"),
    configured.map((address) => new URL(address).origin),
  );
  const countUnanswered = handleClientErrors(app.server, logger, secure.data, counts.recordMalformed);
  const sockets = limitConnections(app, config.MAX_CONNECTIONS, parts);

  app.decorateRequest(callerDecorator);
  tracing?.traceRequests(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(secure.data).header("x-request-id", request.id);
    done();
  });
  gracefulShutdown(app);
  enableCors(app, document, config.CORS_ORIGINS);
  handleErrors(app, serviceLinks(toPublicUrls(document, addresses).root));
  parseJsonBodies(app);
  app.setValidatorCompiler(createValidatorCompiler(document.extensions));

  const usage = trackKeyUsage(app, store);
  const failures = createRateLimiter(
    "failed-credentials",
    config.RATE_LIMIT_FAILED,
    "Too many wrong keys came from this address",
    parts.clock,
  );
  const observed = tracing?.traceStore(store) ?? store;
  const authentication = createAuthentication(observed.keys, usage, failures);
  await addOperations(app, { ...parts, store: observed, counts, usage, authentication }, addresses);
  await addDocs(app, document, addresses, secure.page);
  addHealth(app, store);
  const authenticate = authentication({ id: "status", security: [["http bearer"]] });
  const inFlight = () => countUnanswered(sockets);
  const figures =
    parts.metrics ?? aggregateLocally(throttle((err) => logger.warn({ err }, "the figures can't be read")));
  addStatus(app, { document, store, config, figures, authenticate, counts, usage, inFlight });
  addStatusPage(app, secure.status);
  await app.ready();
  return app;
}

type OperationParts = Omit<Dependencies, "logger"> & {
  readonly counts: RequestMetrics;
  readonly usage: KeyUsage;
  readonly authentication: ReturnType<typeof createAuthentication>;
};

// Every operation of the document becomes a route, and every handler has an operation.
async function addOperations(app: FastifyInstance, parts: OperationParts, addresses: Addresses): Promise<void> {
  const { document, handlers, store, config, counts, usage, authentication } = parts;
  const { base, root } = toPublicUrls(document, addresses);
  const links = serviceLinks(root);
  const quota = config.RATE_LIMIT
    ? createRateLimiter("calls", config.RATE_LIMIT, "This key has made too many calls", parts.clock)
    : undefined;
  const admit = createLoadShedder(
    app,
    () => {
      counts.rejected += 1;
    },
    parts,
  );
  const routes = new Map(
    document.operations.map((operation) => {
      const { id } = operation;
      if (!Object.hasOwn(handlers, id))
        throw new Error(`The operation ${id} has no handler: add src/pets/handlers/${id}.ts to src/pets/handlers.ts.`);
      // The types tie each handler to its operation; here all are called alike.
      const handler = handlers[id as OperationId] as unknown as AnyHandler;
      const context = { pets: store.pets, pages: createPagination(store.secret, base + operation.path) };
      const headers = deprecationHeaders(operation, base, `${root}/docs`);
      const authenticate = authentication(operation);
      return [id, buildRoute({ operation, handler, admit, authenticate, usage, quota, context, headers, links })];
    }),
  );
  const orphan = Object.keys(handlers).find((id) => !routes.has(id));
  if (orphan) throw new Error(`The handler ${orphan} has no operation in the document.`);

  app.addHook("onRoute", ({ schema }) => {
    // Where an operation declares no query parameter, any one is unknown.
    if (schema && "operationId" in schema) schema.querystring ??= { type: "object", properties: {} };
  });
  await app.register(glue, {
    specification: document.content,
    prefix: document.basePath,
    operationResolver: (id) => routes.get(id) as RouteOptions,
  });
}
