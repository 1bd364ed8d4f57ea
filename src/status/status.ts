// What those who run the service look at: /metrics for Prometheus, /status.json for the page and the command.
import { promisify } from "node:util";
import type { FastifyPluginAsync, onRequestAsyncHookHandler } from "fastify";
import { type Caller, createNetworkMatcher, requireOperator } from "../auth/index.ts";
import type { Config } from "../config.ts";
import { throttle, toJson, version } from "../lib/index.ts";
import type { Authenticate, Document } from "../spec/index.ts";
import type { Store } from "../store/index.ts";
import { createSnapshotReader, type MetricsHub, type MetricsSources, waitForMetrics } from "../telemetry/index.ts";
import { listDeprecatedOperations } from "./deprecations.ts";
import { statusPage } from "./page.ts";

const putEvery = 1_000; // milliseconds: what a process that is killed takes along is no more

/** The options of the plugin `status`. */
export interface StatusOptions extends Pick<MetricsSources, "requestMetrics" | "usage"> {
  readonly document: Document;
  readonly store: Store;
  readonly config: Pick<Config, "METRICS_FROM" | "WORKERS" | "DATABASE_URL">;
  /** The metrics of all processes. */
  readonly metrics: MetricsHub;
  readonly authenticate: Authenticate<Caller>;
  /** The headers of the status page. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serves /metrics, /status.json and the status page. Publishes the metrics of this process every second, and when `app`
 * closes.
 */
export const status: FastifyPluginAsync<StatusOptions> = async (app, options) => {
  const { document, store, config, metrics } = options;
  const snapshot = createSnapshotReader({
    ...options,
    store: store.metrics,
    versions: { version, contract: document.content.info.version },
    inFlight: () => app.countInFlight(),
    connections: promisify(app.server.getConnections.bind(app.server)),
  });
  // One at a time, and one that waits for it: where nobody takes them they don't pile up.
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const put = (): Promise<void> => {
    next ??= last
      .catch(() => {}) // whom it was for is told
      .then(() => {
        next = undefined;
        last = snapshot().then(metrics.publish);
        return last;
      });
    return next;
  };
  const tell = throttle((err: unknown) => app.log.warn({ err }, "the figures were not put"));
  const timer = setInterval(() => put().catch(tell), putEvery).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await waitForMetrics(put()).catch(tell);
    metrics.close();
  });

  const operators = requireOperator(options.authenticate);
  const isFrom = createNetworkMatcher(config.METRICS_FROM);
  const admit: onRequestAsyncHookHandler = async function (request, reply) {
    if (!isFrom(request)) await operators.call(this, request, reply);
  };
  app.get("/metrics", { schema: { hide: true }, onRequest: admit }, async (_, reply) => {
    await waitForMetrics(put()); // a call that was answered is in them
    reply.header("cache-control", "no-store").type("text/plain; version=0.0.4; charset=utf-8");
    return metrics.metrics();
  });
  app.get("/status.json", { schema: { hide: true }, onRequest: operators }, async (_, reply) => {
    await waitForMetrics(put());
    reply.header("cache-control", "no-store").type("application/json; charset=utf-8");
    return toJson(await describe(options));
  });
  await app.register(statusPage, options);
};

async function describe({ document, store, config, metrics }: StatusOptions): Promise<object> {
  const [overview, deprecated, reachable] = await Promise.all([
    metrics.overview(),
    listDeprecatedOperations(document.operations, store.deprecated).catch(() => null), // which says that nobody knows
    store.check().then(
      () => true,
      () => false,
    ),
  ]);
  const { started, operations, ...rest } = overview;
  const known = new Map(operations.map(({ id, ...lists }) => [id, lists]));
  const service = {
    version,
    contract: document.content.info.version,
    started: new Date(started),
    workers: config.WORKERS,
    store: config.DATABASE_URL.startsWith("sqlite:") ? "sqlite" : "postgresql",
    reachable,
  };
  const other = { id: "other", method: "", path: "", deprecation: undefined };
  return {
    at: new Date(),
    service,
    ...rest,
    operations: [...document.operations, other].map(({ id, method, path, deprecation }) => ({
      id,
      method,
      path,
      deprecated: deprecation !== undefined,
      ...known.get(id),
    })),
    deprecated,
  };
}
