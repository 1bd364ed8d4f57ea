// The public API: a server for a document, and the same as a plugin for an existing Fastify app.
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from "fastify";
import { pino, type SerializerFn, symbols } from "pino";
import {
  createDataHeaders,
  createEdge,
  type EdgeOptions,
  type ErrorFormat,
  errorHandler,
  rejectUnrouted,
  representations,
  withoutQuery,
} from "../../http/index.ts";
import { toJson } from "../../lib/index.ts";
import { type Document, readDocument } from "../document/index.ts";
import { listForCors, type Operation, type UntypedHandler } from "../operation/index.ts";
import { servePublicFile, swaggerPages } from "../pages/index.ts";
import { routes, type SecuritySchemes } from "../routing/index.ts";
import type { Formats } from "../schema/index.ts";
import type { Handlers } from "../types/index.ts";
import { serviceLinks } from "./service-links.ts";

/** The operations of a document of which no types are generated. */
export interface UntypedOperations {
  readonly untyped: never;
}

/** What is served: the options of `createServer` and of the plugin `openApi`. */
export interface OpenApiOptions<Operations = UntypedOperations, Context = unknown, Caller = unknown> {
  /** A path, a file URL, or the parsed object. */
  readonly document: string | URL | object;
  /** By operationId. Each operation needs one, unless `mock` is set. */
  readonly handlers?:
    | ([Operations] extends [UntypedOperations]
        ? Readonly<Record<string, UntypedHandler>>
        : Partial<Handlers<NoInfer<Operations>, Context, Caller>>)
    | undefined;
  /** The checks of credentials, by the names of the document's security schemes. */
  readonly security?: SecuritySchemes<Caller> | undefined;
  /** The second argument of each handler. */
  readonly context?: Context | undefined;
  /** Operations without a handler respond with examples, and schemes without a check accept each credential. */
  readonly mock?: boolean | undefined;
  /** The shape of error responses. The default is `{ code, message, status }`; `problemDetails` follows RFC 9457. */
  readonly formatError?: ErrorFormat | undefined;
  /**
   * Serves Swagger UI at /docs and below, and the document at /openapi.json. The default is true, unless an operation has
   * one of these paths. They take precedence over parameters in paths, such as `/{name}`.
   */
  readonly docs?: boolean | undefined;
  /**
   * By default, a document is refused that contradicts itself or the specification, and what would not be enforced, such as an
   * unknown format, is logged as a warning. `true` also refuses a document with a warning, and `false` serves the valid part of an
   * invalid document. It is false by default for `mock`.
   */
  readonly strict?: boolean | undefined;
  /** The rules of errors and warnings that are accepted, as the messages name them: `["format:unix-time", "keyword"]`. */
  readonly ignore?: readonly string[] | undefined;
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly ignoreUnknownQuery?: boolean | undefined;
  /**
   * Formats besides those of JSON Schema and OpenAPI, by name: whether a text has the format. A number is passed as its digits.
   */
  readonly formats?: Formats | undefined;
  /** Whether read-only members of a request body are rejected (400), or removed. The default is `reject`, but `drop` for `mock`. */
  readonly readOnly?: "reject" | "drop" | undefined;
  /** Whether requests are validated, and their credentials. It can only be false for `mock` without handlers. The default is true. */
  readonly validateRequests?: boolean | undefined;
  /** Whether a response that does not match the document is a 500. The default is true, unless NODE_ENV is production. */
  readonly validateResponses?: boolean | undefined;
}

export interface ServerOptions<Operations, Context, Caller>
  extends OpenApiOptions<Operations, Context, Caller>,
    Partial<
      Pick<
        EdgeOptions,
        "logger" | "trustProxy" | "tls" | "maxConnections" | "identify" | "compression" | "gracePeriod" | "edge"
      >
    > {
  /** The origins whose pages may call the server. The default is none. */
  readonly origins?: readonly string[] | undefined;
}

/**
 * Creates the server of an OpenAPI document: a Fastify instance, with the limits, timeouts, errors and graceful shutdown of
 * `createEdge`. Rejects with an Error that names the operation if the document can't be served, or if document and handlers
 * do not agree.
 *
 * @example
 * const app = await createServer<operations>({ document: "books.yaml", handlers: { getBook } });
 * await app.listen({ port: 3000 });
 */
export async function createServer<Operations = UntypedOperations, Context = unknown, Caller = unknown>(
  options: ServerOptions<Operations, Context, Caller>,
): Promise<FastifyInstance> {
  const logger = options.logger ?? (pino() as FastifyBaseLogger);
  const document = await loadDocument(options, logger);
  const { trustProxy, tls, maxConnections, identify, formatError, origins, compression, gracePeriod, edge } = options;
  const isSecure = tls !== undefined;
  const app = await createEdge({
    logger,
    headers: createDataHeaders(isSecure),
    links: linksOf("", servesDocs(document, options)),
    formatError,
    compression,
    gracePeriod,
    edge,
    ...(trustProxy && { trustProxy }),
    ...(tls && { tls }),
    ...(maxConnections !== undefined && { maxConnections }),
    ...(identify && { identify }),
    ...(origins && { cors: { origins, ...listForCors(document.operations) } }),
  });
  await serveDocument(app, document, options, isSecure);
  await app.ready();
  return app;
}

type Plugin = FastifyPluginAsync<OpenApiOptions> & typeof serveInApp;

/**
 * Serves a document in an existing Fastify app: `app.register(openApi<operations>, { document, handlers })`. Its errors have the same
 * shape as those of `createServer`, and the app's own routes keep theirs. `app.close()` ends server-sent events. The log lines about its requests have no queries. The limits and timeouts are those of the app. With
 * the option `prefix` of `register`, all paths begin with it.
 */
export const openApi = serveInApp as Plugin;

async function serveInApp<Operations = UntypedOperations, Context = unknown, Caller = unknown>(
  app: FastifyInstance,
  options: OpenApiOptions<Operations, Context, Caller>,
): Promise<void> {
  const document = await loadDocument(options, app.log);
  hideQueries(app);
  await app.register(errorHandler, {
    links: linksOf(app.prefix, servesDocs(document, options)),
    format: options.formatError,
  });
  await app.register(representations, { compression: false });
  if (app.prefix !== "") app.setNotFoundHandler(rejectUnrouted); // at the root, that of the app stays
  await serveDocument(app, document, options, false);
}

// A query can contain a credential. Requests that no route of the plugin handles are logged as the app does.
function hideQueries(app: FastifyInstance): void {
  const { req: serialize } = (Reflect.get(app.log, symbols.serializersSym) ?? {}) as Record<string, SerializerFn>;
  if (serialize === undefined) return; // the app has no logger of pino
  app.addHook("onRoute", (route) => {
    route.logSerializers = { ...route.logSerializers, req: (request) => serialize(withoutQuery(request)) };
  });
}

function linksOf(prefix: string, hasDocs: boolean): string | undefined {
  return hasDocs ? serviceLinks(prefix) : undefined;
}

// The paths that `swaggerPages` and /openapi.json take.
const docsPaths = /^\/(openapi\.json|docs|docs\/(json|yaml)|docs\/static\/.*)\/?$/;

/**
 * Returns the operation that has a path of the documentation. If there is one, the documentation is not served. It takes
 * precedence over parameters in paths.
 */
export function findDocsOperation({ operations }: Pick<Document, "operations">): Operation | undefined {
  return operations.find(({ method, template }) => method === "GET" && docsPaths.test(template.routerPath));
}

function servesDocs(document: Document, { docs }: Pick<OpenApiOptions, "docs">): boolean {
  const operation = findDocsOperation(document);
  if (operation && docs)
    throw new Error(
      `The operation ${operation.id} has the path ${operation.path}, at which \`docs\` serves the documentation.`,
    );
  return docs ?? operation === undefined;
}

type LoadOptions = Pick<
  OpenApiOptions,
  "document" | "mock" | "strict" | "ignore" | "ignoreUnknownQuery" | "formats" | "readOnly"
>;

async function loadDocument(options: LoadOptions, logger: FastifyBaseLogger): Promise<Document> {
  const { mock, strict = mock ? false : undefined, ignore, formats, readOnly = mock ? "drop" : "reject" } = options;
  const document = await readDocument(options.document, {
    strict,
    ignore,
    formats,
    ignoreUnknown: options.ignoreUnknownQuery,
    dropsReadOnly: readOnly === "drop",
  });
  for (const { level, rule, message, count, places } of document.findings.list({ strict, ignore }))
    if (level !== "note")
      logger.warn({ rule, count, places: places.map(({ pointer }) => pointer) }, `document ${level}: ${message}`);
  return document;
}

async function serveDocument<Operations, Context, Caller>(
  app: FastifyInstance,
  document: Document,
  options: OpenApiOptions<Operations, Context, Caller>,
  isSecure: boolean,
): Promise<void> {
  const { handlers = {}, security = {}, context, mock } = options;
  const docs = servesDocs(document, options);
  const baseUrl = app.prefix + document.basePath;
  await app.register(routes<Operations, Context, Caller>, {
    document,
    handlers: handlers as object as Handlers<Operations, Context, Caller>,
    context: () => context as Context,
    security,
    mock,
    guards: app.hasPlugin("load-shedding") ? [app.shedLoad] : [],
    links: linksOf(app.prefix, docs),
    baseUrl,
    validateRequests: options.validateRequests,
    validateResponses: options.validateResponses ?? process.env.NODE_ENV !== "production",
    ...(docs && { docsUrl: `${app.prefix}/docs` }),
  });
  if (!docs) return;
  servePublicFile(app, { path: "/openapi.json", content: () => document.json ?? toJson(document.content) });
  const content = { ...document.content, servers: [{ url: baseUrl || "/" }] };
  await app.register(swaggerPages, { content, isSecure });
}
