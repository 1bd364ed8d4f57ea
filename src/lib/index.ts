// Modules without dependencies on the service, which any layer may use.
export { writeAtomically } from "./atomic-file.ts";
export { ByteBuffer } from "./byte-buffer.ts";
export { type PostgresDatabase, parseDatabaseUrl, redactUrl, type SqliteDatabase } from "./database-url.ts";
export { Histogram, latencyBuckets, quantile } from "./histogram.ts";
export { METHODS, STATUS_CODES } from "./http-names.ts";
export {
  canonicalJson,
  decodeUtf8,
  isObject,
  isTooDeep,
  parseInteger,
  parseJson,
  parseJsonBytes,
  RawJson,
  setOwn,
  toJson,
} from "./json.ts";
export { isLoopbackHost, isLoopbackName, toHostName } from "./loopback.ts";
export { getOrAdd } from "./maps.ts";
export { andThen, ignoreFailure, isPromise, type MaybePromise } from "./maybe-promise.ts";
export { counter, findSamples, gauge, type Metric, MetricsRegistry, sumSamples } from "./metrics.ts";
export { toSnakeCase } from "./names.ts";
export {
  type Checked,
  ExpectedError,
  InvalidValue,
  type Problem,
  RecordTooLarge,
  requireValid,
  UsageError,
} from "./problem.ts";
export { escapeControlCharacters, escapeExceptLineBreaks, redact, shorten } from "./redaction.ts";
export { findSimilarName } from "./similar-names.ts";
export { shareResult, throttle, throttleStart } from "./throttle.ts";
export { formatTime } from "./time.ts";
export { withTimeout } from "./timeout.ts";
export { UnavailableError, UnstorableValue } from "./unavailable-error.ts";
export { version } from "./version.ts";
