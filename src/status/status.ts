// Serves the metrics to operators: /metrics for Prometheus, /status.json for the status page and `petstore status`.
import type { FastifyPluginAsync, onRequestAsyncHookHandler } from "fastify";
import { type Caller, createClientMatcher, type KeyUsage, requireOperator } from "../auth/index.ts";
import type { Config } from "../config.ts";
import { throttle, version } from "../lib/index.ts";
import type { Authenticate, Document } from "../openapi/application.ts";
import type { Store } from "../store/index.ts";
import {
  type AggregatorClient,
  aggregateLocally,
  type RequestLogger,
  SnapshotSender,
  takeSnapshot,
} from "../telemetry/index.ts";
import { listDeprecatedOperations } from "./deprecations.ts";
import { statusPage } from "./page.ts";
import type { Status } from "./schema.ts";

export interface StatusOptions {
  readonly document: Document;
  readonly store: Store;
  readonly config: Pick<Config, "METRICS_FROM" | "OPERATOR_KEY" | "TRUST_PROXY" | "WORKERS">;
  /** The metrics of all processes. By default, those of this process. */
  readonly metrics?: AggregatorClient | undefined;
  readonly usage: KeyUsage;
  /** Has the latest failures of this process that were not sent yet. */
  readonly requestLog: Pick<RequestLogger, "failures">;
  readonly authenticate: Authenticate<Caller>;
  /** Whether clients use TLS. */
  readonly isSecure: boolean;
}

/**
 * Serves /metrics, /status.json and the status page. Register it after the plugin `health`. Publishes the metrics of this
 * process every second, and when `app` closes.
 */
export const status: FastifyPluginAsync<StatusOptions> = async (app, options) => {
  const { document, config, usage, requestLog } = options;
  const logFailure = throttle((err: unknown) => app.log.warn({ err }, "failed to send metrics"));
  const logMissingPoint = throttle((err: unknown) => app.log.warn({ err }, "failed to aggregate metrics"));
  const metrics = options.metrics ?? aggregateLocally(logMissingPoint);
  app.metrics.info(
    "build_info",
    "Constant 1, with the versions of the service and of its OpenAPI document as labels.",
    { version, contract: document.content.info.version },
  );
  const sender = new SnapshotSender(() => takeSnapshot(app.metrics, usage, requestLog.failures), metrics, logFailure);
  app.addHook("onClose", () => sender.close());

  const authorizeOperator = requireOperator(options.authenticate, config.OPERATOR_KEY);
  const isFromMetricsNetwork = createClientMatcher(config.METRICS_FROM, config.TRUST_PROXY);
  const authorizeScrape: onRequestAsyncHookHandler = async function (request, reply) {
    if (!isFromMetricsNetwork(request)) await authorizeOperator.call(this, request, reply);
  };
  // Both routes send a snapshot first, so that the metrics include every request whose response was sent before.
  app.get("/metrics", { schema: { hide: true }, onRequest: authorizeScrape }, async (_, reply) => {
    await sender.send();
    reply.header("cache-control", "no-store").type("text/plain; version=0.0.4; charset=utf-8");
    return metrics.metrics();
  });
  app.get("/status.json", { schema: { hide: true }, onRequest: authorizeOperator }, async (_, reply) => {
    await sender.send();
    reply.header("cache-control", "no-store");
    return readStatus(options, metrics, app.checkStore);
  });
  await app.register(statusPage, options);
};

// Reads the status of the service, also if the store is unavailable.
async function readStatus(
  { document, store, config }: StatusOptions,
  metrics: AggregatorClient,
  checkStore: () => Promise<void>,
): Promise<Status> {
  const [overview, deprecated, reachable] = await Promise.all([
    metrics.overview(),
    listDeprecatedOperations(document.operations, store.deprecated).catch(() => null),
    checkStore().then(
      () => true,
      () => false,
    ),
  ]);
  const { started, step, times, rejected, failed, statuses, keys, failures } = overview;
  return {
    at: new Date(),
    service: {
      version,
      contract: document.content.info.version,
      started: new Date(started),
      workers: config.WORKERS,
      store: store.kind,
      reachable,
    },
    step,
    times,
    rejected,
    failed,
    statuses,
    process: overview.process,
    store: overview.store,
    keys: [...keys],
    operations: joinOperations(document, overview.operations),
    failures: failures.map(({ at, ...failure }) => ({ ...failure, at: new Date(at) })),
    deprecated,
  };
}

type Overview = Awaited<ReturnType<AggregatorClient["overview"]>>;

// Joins the operations of the document with their metrics, in the document's order, and the requests to no operation.
function joinOperations({ operations }: Document, metrics: Overview["operations"]): Status["operations"] {
  const metricsById = new Map(metrics.map((one) => [one.id, one]));
  const other = { id: "other", method: "", path: "", deprecation: undefined };
  return [...operations, other].map(({ id, method, path, deprecation }) => {
    // Exists, because this process has sent the metrics of all its operations.
    const { now, rate, p50, p99 } = metricsById.get(id) as Overview["operations"][number];
    return { id, method, path, deprecated: deprecation !== undefined, now, rate, p50, p99 };
  });
}
