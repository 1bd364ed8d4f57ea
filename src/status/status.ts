// Serves the metrics to operators: /metrics for Prometheus, and a summary at /status.json.
import type { FastifyPluginAsync, onRequestAsyncHookHandler } from "fastify";
import { type Caller, createClientMatcher, type KeyUsage, requireOperator } from "../auth/index.ts";
import type { Config } from "../config.ts";
import { throttle, version } from "../lib/index.ts";
import type { Authenticate, Document } from "../openapi/application.ts";
import type { Store } from "../store/index.ts";
import { type AggregatorClient, aggregateLocally, SnapshotSender, takeSnapshot } from "../telemetry/index.ts";

export interface StatusOptions {
  readonly document: Document;
  readonly store: Pick<Store, "kind">;
  readonly config: Pick<Config, "METRICS_FROM" | "OPERATOR_KEY" | "TRUST_PROXY" | "WORKERS">;
  /** The metrics of all processes. By default, those of this process. */
  readonly metrics?: AggregatorClient | undefined;
  readonly usage: KeyUsage;
  readonly authenticate: Authenticate<Caller>;
}

/**
 * Serves /metrics and /status.json. Publishes the metrics of this process every second, and when `app` closes.
 */
export const status: FastifyPluginAsync<StatusOptions> = async (app, options) => {
  const { document, store, config, usage, metrics = aggregateLocally() } = options;
  const logFailure = throttle((err: unknown) => app.log.warn({ err }, "failed to send metrics"));
  const versions = { version, contract: document.content.info.version };
  app.metrics.info(
    "build_info",
    "Constant 1, with the versions of the service and of its OpenAPI document as labels.",
    versions,
  );
  const sender = new SnapshotSender(() => takeSnapshot(app.metrics, usage), metrics, logFailure);
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
    const { started, requests, latency } = await metrics.totals();
    const uptime = Math.floor((Date.now() - started) / 1_000);
    const service = { ...versions, store: store.kind, workers: config.WORKERS, started: new Date(started), uptime };
    reply.header("cache-control", "no-store");
    return { ...service, requests, latency };
  });
};
