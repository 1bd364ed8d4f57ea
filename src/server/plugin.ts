// A document in an existing Fastify app.
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { type SerializerFn, symbols } from "pino";
import { addEdgeToApp, addErrorsToApp, createDataHeaders, rejectUnrouted, withoutQuery } from "../http/index.ts";
import { findSimilarName } from "../lib/index.ts";
import { type Document, listForCors } from "../openapi/index.ts";
import { describeSetting } from "../settings/index.ts";
import { openAccess } from "./access.ts";
import { nameOf } from "./dependencies.ts";
import { serveDocsOfPlugin } from "./docs.ts";
import type { PluginEdgeOptions, PluginOptions, UntypedOperations } from "./options.ts";
import {
  createFailures,
  type Failures,
  loadDocument,
  openResources,
  serveOperations,
  servesDocs,
} from "./serve-document.ts";

/** The names of the options of the plugin. */
export const pluginOptions: readonly (keyof PluginOptions)[] = [
  ...(["allowedFolders", "apiKeys", "audience", "context", "docs", "document", "edge", "errors"] as const),
  ...(["formatError", "formats", "handlers", "ignore", "ignoreUnknownQuery", "issuer", "mock", "name"] as const),
  ...(["onError", "prefer", "rateLimit", "rateLimitFailed", "rateLimitStore", "readOnly", "report"] as const),
  ...(["resources", "security", "staticKeys", "strict", "types", "validateRequests"] as const),
  ...(["validateResponses", "wrap"] as const),
];

const edgeOptions = [
  ...(["origins", "trustProxy", "maxConnections", "identify", "compression", "gracePeriod"] as const),
] satisfies (keyof PluginEdgeOptions)[];

const optionsOfRegister = ["prefix", "logLevel", "logSerializers"]; // of Fastify

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
  requireKnown("The plugin openApi", options, [...pluginOptions, ...optionsOfRegister]);
  requireKnown("The option `edge`", Object(options.edge), edgeOptions);
  const document = await loadDocument(options, app.log);
  const { edge = false } = options;
  const failures = createFailures(document, options, app.prefix);
  hideQueries(app);
  const isSecure = "https" in app.initialConfig && Boolean(app.initialConfig.https);
  const report = options.report ?? ((message: string) => app.log.warn(message));
  const baseUrl = app.prefix + document.basePath;
  const maxBytes = app.initialConfig.bodyLimit as number;
  const name = nameOf(document, options.name);
  const server = { service: name, baseUrl, maxBytes, logger: app.log, report };
  const resources = await openResources(document, options, server);
  if (resources) app.addHook("onClose", resources.close);
  const access = await openAccess(options, { document, name, logger: app.log, report, resources });
  app.addHook("onClose", async () => access.counter?.close());
  const { identify } = access;
  if (edge) await addEdge(app, document, failures, isSecure, { identify, ...(edge === true ? {} : edge) });
  else await addErrorsToApp(app, failures);
  const secured = access.secure(app);
  await serveOperations(app, document, options, { baseUrl, root: app.prefix, resources, failures, secured });
  const own = Object.keys(options.handlers ?? {});
  if (servesDocs(document, options)) await serveDocsOfPlugin(app, document, { resources, own, isSecure });
}

// `owner` has the options.
function requireKnown(owner: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const similar = findSimilarName(unknown, known);
  throw new Error(
    `${owner} has no option \`${unknown}\`${similar === undefined ? "." : `: did you mean \`${similar}\`?`}`,
  );
}

async function addEdge(
  app: FastifyInstance,
  { operations }: Document,
  { format, ...failures }: Failures,
  isSecure: boolean,
  { origins, trustProxy, maxConnections, identify, compression, gracePeriod }: PluginEdgeOptions,
): Promise<void> {
  await addEdgeToApp(app, {
    headers: createDataHeaders(isSecure),
    ...failures,
    formatFailure: format,
    compression,
    gracePeriod,
    maxConnections,
    identify,
    ...(trustProxy && { trustProxy }),
    cors: origins && { ...listForCors(operations), origins, setting: describeSetting("origins", undefined) },
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
