// Logs, metrics and traces.
export { Aggregator, aggregateLocally, type MetricsHub } from "./aggregation.ts";
export { LogLimiter } from "./log-limiter.ts";
export { createLogger, RequestLogger, withLazyChildren } from "./logger.ts";
export { createSnapshotReader, type MetricsSources } from "./metrics.ts";
export { MetricsPublisher } from "./metrics-publisher.ts";
export { openTracing, type Tracing } from "./otlp-exporter.ts";
export { RequestMetrics } from "./request-metrics.ts";
export { connectToPrimary, serveWorker } from "./worker-ipc.ts";
