// A document in an existing Fastify app.
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { type SerializerFn, symbols } from "pino";
import {
  addEdgeToApp,
  createDataHeaders,
  type ErrorHandlerOptions,
  errorHandler,
  rejectUnrouted,
  representations,
  withoutQuery,
} from "../http/index.ts";
import { type Document, listForCors } from "../openapi/index.ts";
import { serveDocsOfPlugin } from "./docs.ts";
import type { PluginEdgeOptions, PluginOptions, UntypedOperations } from "./options.ts";
import {
  createFailureFormat,
  linksOf,
  loadDocument,
  openResources,
  serveOperations,
  servesDocs,
  toErrorListener,
} from "./serve-document.ts";

type Plugin = FastifyPluginAsync<PluginOptions> & typeof serveInApp;

/**
 * Serves a document in an existing Fastify app: `app.register(openApi<operations>, { document, handlers })`. Its errors have the same
 * shape as those of `createServer`, and the app's own routes keep theirs. `app.close()` ends server-sent events. The log lines
 * about its requests have no queries. With the option `prefix` of `register`, all paths begin with it. The limits and timeouts are
 * those of the app, unless `edge` is set.
 */
export const openApi = serveInApp as Plugin;

async function serveInApp<Operations = UntypedOperations, Context = unknown, Caller = unknown>(
  app: FastifyInstance,
  options: PluginOptions<Operations, Context, Caller>,
): Promise<void> {
  const document = await loadDocument(options, app.log);
  const { onError, edge = false } = options;
  const failures: ErrorHandlerOptions = {
    links: linksOf(app.prefix, servesDocs(document, options)),
    format: createFailureFormat(document, options),
    onError: onError && toErrorListener(onError),
  };
  hideQueries(app);
  const isSecure = "https" in app.initialConfig && Boolean(app.initialConfig.https);
  if (edge) await addEdge(app, document, failures, isSecure, edge === true ? {} : edge);
  else {
    await app.register(errorHandler, failures);
    await app.register(representations, { compression: false });
    if (app.prefix !== "") app.setNotFoundHandler(rejectUnrouted); // at the root, that of the app stays
  }
  const baseUrl = app.prefix + document.basePath;
  const maxBytes = app.initialConfig.bodyLimit as number;
  const report = options.report ?? ((message: string) => app.log.warn(message));
  const resources = await openResources(document, options, { baseUrl, maxBytes, logger: app.log, report });
  if (resources) app.addHook("onClose", resources.close);
  const guards = app.hasPlugin("load-shedding") ? [app.shedLoad] : [];
  const security = options.security ?? {};
  await serveOperations(app, document, options, { baseUrl, root: app.prefix, resources, security, guards });
  const own = Object.keys(options.handlers ?? {});
  if (servesDocs(document, options)) await serveDocsOfPlugin(app, document, { resources, own, isSecure });
}

async function addEdge(
  app: FastifyInstance,
  { operations }: Document,
  { links, format, onError }: ErrorHandlerOptions,
  isSecure: boolean,
  { origins, trustProxy, maxConnections, identify, compression, gracePeriod }: PluginEdgeOptions,
): Promise<void> {
  await addEdgeToApp(app, {
    headers: createDataHeaders(isSecure),
    formatFailure: format,
    onError,
    compression,
    gracePeriod,
    links,
    maxConnections,
    identify,
    ...(trustProxy && { trustProxy }),
    cors: origins && { origins, ...listForCors(operations) },
  });
  // Otherwise, no hook would see a preflight request.
  if (origins) app.options("*", rejectUnrouted);
}

// A query can contain a credential. Requests that no route of the plugin handles are logged as the app does.
function hideQueries(app: FastifyInstance): void {
  const { req: serialize } = (Reflect.get(app.log, symbols.serializersSym) ?? {}) as Record<string, SerializerFn>;
  if (serialize === undefined) return; // the app has no logger of pino
  app.addHook("onRoute", (route) => {
    route.logSerializers = { ...route.logSerializers, req: (request) => serialize(withoutQuery(request)) };
  });
}
