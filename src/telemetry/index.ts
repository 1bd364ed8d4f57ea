// Logs, metrics and traces.
export { Aggregator, type AggregatorClient, aggregateLocally } from "./aggregation.ts";
export { createLogger, RequestLogger, withLazyChildren } from "./logger.ts";
export { openTracing, type Tracing } from "./otlp-exporter.ts";
export { SnapshotSender, takeSnapshot } from "./snapshot-sender.ts";
export { connectToPrimary, serveWorker } from "./worker-ipc.ts";
