// Modules without dependencies on the service, which any layer may use.
export { writeAtomically } from "./atomic-file.ts";
export { ByteBuffer } from "./byte-buffer.ts";
export { type PostgresDatabase, parseDatabaseUrl, redactUrl, type SqliteDatabase } from "./database-url.ts";
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
  rawJSON,
  setOwn,
  toJson,
} from "./json.ts";
export { isLoopbackHost, isLoopbackName, toHostName } from "./loopback.ts";
export { getOrAdd } from "./maps.ts";
export { andThen, ignoreFailure, isPromise, type MaybePromise } from "./maybe-promise.ts";
export {
  counter,
  findSamples,
  gauge,
  Histogram,
  latencyBuckets,
  type Metric,
  MetricsRegistry,
  quantile,
  sumSamples,
} from "./metrics.ts";
export { findSimilarName, toSnakeCase } from "./names.ts";
export {
  type Checked,
  ConstraintViolation,
  ExpectedError,
  InvalidValue,
  type Problem,
  QueryTooSlow,
  RecordTooLarge,
  requireValid,
  UnavailableError,
  UnstorableValue,
  UsageError,
} from "./problem.ts";
export { type InputRecord, lineDelimiter, type RecordDelimiter, readRecords } from "./record-reader.ts";
export { escapeControlCharacters, escapeExceptLineBreaks, redact, shorten } from "./redaction.ts";
export { formatTime, shareResult, throttle, throttleStart, withTimeout } from "./time.ts";
export { version } from "./version.ts";
