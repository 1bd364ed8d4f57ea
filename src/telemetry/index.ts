// Logs, metrics and traces.
export { Aggregator, aggregateLocally, type MetricsHub } from "./aggregation.ts";
export { createLogger, RequestLogger, withLazyChildren } from "./logger.ts";
export { MetricsPublisher } from "./metrics-publisher.ts";
export { openTracing, type Tracing } from "./otlp-exporter.ts";
export { takeSnapshot } from "./snapshot.ts";
export { connectToPrimary, serveWorker } from "./worker-ipc.ts";
