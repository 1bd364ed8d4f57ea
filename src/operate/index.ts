// What operators need: API keys, rate limits, the log, metrics, traces, health checks and several processes.

// API keys

export { type Caller, generateKey, type StaticKey, withStaticKeys } from "./keys/api-keys.ts";
export { type AuthenticationOptions, createKeySchemes, isJwt, listKeySchemes } from "./keys/authentication.ts";
export { createIdentification, type Identification } from "./keys/key-lookup.ts";
export { type KeyUsage, trackKeyUsage } from "./keys/key-usage.ts";

// Rate limits

export {
  createFailureLimiter,
  type KeyCounter,
  limitKeyRate,
  openKeyCounter,
} from "./limits/key-rate-limits.ts";
export type { RateLimit } from "./limits/token-bucket.ts";

// Log, metrics and traces

export type { AggregatorClient } from "./telemetry/aggregation.ts";
export { createLogger, RequestLogger, withLazyChildren } from "./telemetry/logger.ts";
export { openTracing, type Tracing } from "./telemetry/otlp-exporter.ts";
export { connectToPrimary } from "./telemetry/worker-ipc.ts";

// Health checks, and several processes

export { health, operatorPaths } from "./health.ts";
export { status } from "./status.ts";
export { type Listening, startWorkers } from "./workers.ts";
