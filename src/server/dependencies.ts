// What a server uses beside its routes: records, keys, metrics and traces. Opened before the server, and closed with it.
import type { FastifyBaseLogger } from "fastify";
import { type Logger, pino } from "pino";
import { MetricsRegistry } from "../lib/index.ts";
import { type Document, type PublicUrls, toPublicUrls } from "../openapi/index.ts";
import {
  createIdentification,
  type Identification,
  openTracing,
  RequestLogger,
  type Tracing,
  withStaticKeys,
} from "../operate/index.ts";
import { settings, toServiceName } from "../settings/index.ts";
import { type Access, type CalledService, openAccess } from "./access.ts";
import type { ServerOptions } from "./options.ts";
import { loadDocument, openResources } from "./serve-document.ts";

const bodyLimit = 1_048_576; // bytes, that of Fastify

/** What a server uses. */
export interface Dependencies extends CalledService {
  readonly urls: PublicUrls;
  readonly tracing: Tracing | undefined;
  readonly metrics: MetricsRegistry;
  readonly requestLog: RequestLogger | undefined;
  readonly access: Access;
  /** Of operators, whose keys are in the store. */
  readonly operators: Identification;
}

/** Opens what a server uses. `closers` receives the functions that close it, in their order, also if it rejects. */
export async function openDependencies<Operations, Context, Caller>(
  options: ServerOptions<Operations, Context, Caller>,
  closers: (() => Promise<unknown>)[],
): Promise<Dependencies> {
  const { logger = pino() as FastifyBaseLogger } = options;
  const report = options.report ?? ((message: string) => logger.warn(message));
  const document = await loadDocument(options, logger);
  const { operations } = document;
  const name = nameOf(document, options.name);
  const urls = toPublicUrls(document, options.publicUrl ?? "");
  const isOwnTracing = typeof options.tracing === "string" && options.tracing !== "";
  const tracing = isOwnTracing
    ? await openTracing(options.tracing as string, name, logger)
    : (options.tracing as Tracing | undefined) || undefined;
  if (tracing && isOwnTracing) closers.unshift(tracing.end);
  const resources = await openResources(document, options, {
    service: name,
    baseUrl: urls.base,
    maxBytes: bodyLimit,
    logger,
    report,
    traceStore: tracing?.traceStore,
  });
  if (resources) closers.unshift(resources.close);
  const store = resources?.store;
  const metrics = new MetricsRegistry(`${name}_`);
  const requestLog = options.metrics ? new RequestLogger(logger as Logger, metrics, operations) : undefined;
  store?.metrics.register(metrics);
  const access = await openAccess(options, { document, name, logger, report, resources });
  closers.unshift(async () => access.counter?.close());
  access.counter?.register(metrics);
  const operators = createIdentification(withStaticKeys([], store?.keys), []);
  return { document, name, logger, report, urls, tracing, resources, metrics, requestLog, access, operators };
}

/** Returns the name of a service, of its metrics and its schema in PostgreSQL: its own, or that of its title. */
export function nameOf({ content }: Document, own?: string): string {
  if (settings.name.parse(own ?? "") === undefined)
    throw new Error(`The option \`name\` must be ${settings.name.allowed}.`);
  return own ?? toServiceName(`${content.info?.title ?? ""}`);
}
