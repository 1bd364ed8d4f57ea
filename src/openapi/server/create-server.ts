// A server of a document.
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { pino } from "pino";
import { createDataHeaders, createEdge, crossSite } from "../../http/index.ts";
import { listForCors, type Operation } from "../operation/operation.ts";
import type { ServerOptions, UntypedOperations } from "./options.ts";
import {
  createFailureFormat,
  linksOf,
  loadDocument,
  serveDocument,
  servesDocs,
  toErrorListener,
} from "./serve-document.ts";

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
  const { operations } = document;
  const { trustProxy, tls, maxConnections, identify, origins, compression, gracePeriod, edge, allowedHosts } = options;
  const isSecure = tls !== undefined;
  const app = await createEdge({
    logger,
    headers: createDataHeaders(isSecure),
    links: linksOf("", servesDocs(document, options)),
    formatFailure: createFailureFormat(document, options),
    onError: options.onError && toErrorListener(options.onError),
    compression,
    gracePeriod,
    edge,
    tls,
    maxConnections,
    identify,
    ...(trustProxy && { trustProxy }),
    cors: origins && { origins, ...listForCors(operations) },
  });
  try {
    if (allowedHosts)
      await app.register(crossSite, {
        hosts: allowedHosts,
        origins: origins ?? [],
        settings: ["--allow-host, or the option `allowedHosts`", "the option `origins`"],
        ...(options.security && { isChecked: ({ routeOptions: { config } }) => !needsKey(config.operation) }),
      });
    if (options.extend) await extendApp(app, options.extend, options.report ?? ((message) => logger.warn(message)));
    // Encapsulated, so that the routes of the application read their own bodies.
    await app.register(async (scope) => serveDocument(scope, document, options, isSecure));
    await app.ready();
  } catch (error) {
    await app.close(); // also what was opened for it
    throw error;
  }
  return app;
}

// Reports plugins of the application that don't become ready, which Fastify does not end without a `pluginTimeout`.
async function extendApp(
  app: FastifyInstance,
  extend: (app: FastifyInstance) => unknown,
  report: (message: string) => void,
): Promise<void> {
  const problem = "A plugin of `extend` is not ready yet: it must call `done`, or return a promise that settles.";
  const timer = setInterval(report, 10_000, problem);
  try {
    await extend(app);
    await app.after();
  } finally {
    clearInterval(timer);
  }
}

// Whether each security requirement has a credential that browsers do not send by themselves, as they send cookies, passwords of Basic
// and certificates: a page of another site does not know it.
function needsKey({ security = [] }: Partial<Operation> = {}): boolean {
  const isKey = ({ scheme }: Operation["security"][0][0]) =>
    scheme.type === "apiKey"
      ? scheme.in !== "cookie"
      : scheme.type !== "mutualTLS" && !/^basic$/i.test(`${scheme.scheme}`);
  return security.length > 0 && security.every((schemes) => schemes.some(isKey));
}
