// Serves the metrics to operators: /metrics for Prometheus, and a summary at /status.json.
import type { FastifyPluginAsync, onRequestAsyncHookHandler } from "fastify";
import { throttle, version } from "../lib/index.ts";
import type { AuthenticationOptions } from "./keys/authentication.ts";
import { createClientMatcher, requireOperator } from "./keys/operator-access.ts";
import { type AggregatorClient, aggregateLocally } from "./telemetry/aggregation.ts";
import { SnapshotSender, takeSnapshot } from "./telemetry/snapshot-sender.ts";

export interface StatusOptions {
  /** The name of the service, with which the names of its metrics begin. */
  readonly name: string;
  /** The version of the document. */
  readonly contract: string;
  /** The kind of the store; undefined for none. */
  readonly store: string | undefined;
  readonly workers: number;
  /** Networks that may read the metrics without a key. */
  readonly metricsFrom: readonly string[];
  readonly trustProxy: readonly string[];
  readonly operatorKey: string;
  /** The metrics of all processes. By default, those of this process. */
  readonly aggregator?: AggregatorClient | undefined;
  readonly authentication: AuthenticationOptions;
  /** Returns whether no operation has a path. */
  readonly isFree: (path: string) => boolean;
}

/**
 * Serves /metrics and /status.json. Publishes the metrics of this process every second, and when `app` closes.
 */
export const status: FastifyPluginAsync<StatusOptions> = async (app, options) => {
  const { name, contract, store, workers, aggregator = aggregateLocally(name), authentication } = options;
  const { metricsFrom, trustProxy, operatorKey } = options;
  const logFailure = throttle((err: unknown) => app.log.warn({ err }, "failed to send metrics"));
  const versions = { version, contract };
  app.edge.metrics.info(
    "build_info",
    "Constant 1, with the versions of the service and of its OpenAPI document as labels.",
    versions,
  );
  const sender = new SnapshotSender(() => takeSnapshot(app.edge.metrics, authentication.usage), aggregator, logFailure);
  app.addHook("onClose", () => sender.close());

  const authorizeOperator = requireOperator(authentication, operatorKey);
  const isFromMetricsNetwork = createClientMatcher(metricsFrom, trustProxy);
  const authorizeScrape: onRequestAsyncHookHandler = async function (request, reply) {
    if (!isFromMetricsNetwork(request)) await authorizeOperator.call(this, request, reply);
  };
  // Both routes send a snapshot first, so that the metrics include every request whose response was sent before.
  if (options.isFree("/metrics"))
    app.get("/metrics", { schema: { hide: true }, onRequest: authorizeScrape }, async (_, reply) => {
      await sender.send();
      reply.header("cache-control", "no-store").type("text/plain; version=0.0.4; charset=utf-8");
      return aggregator.metrics();
    });
  if (options.isFree("/status.json"))
    app.get("/status.json", { schema: { hide: true }, onRequest: authorizeOperator }, async (_, reply) => {
      await sender.send();
      const { started, requests, latency } = await aggregator.totals();
      const uptime = Math.floor((Date.now() - started) / 1_000);
      const service = { ...versions, store, workers, started: new Date(started), uptime };
      reply.header("cache-control", "no-store");
      return { ...service, requests, latency };
    });
};
