// The shape of /status.json. The service, the page and `petstore status` derive their types from this schema.
import { Ajv, type JTDDataType, type SomeJTDSchemaType } from "ajv/dist/jtd.js";

const string = { type: "string" } as const;
const nullableString = { type: "string", nullable: true } as const;
const boolean = { type: "boolean" } as const;
const number = { type: "float64" } as const;
const nullableNumber = { type: "float64", nullable: true } as const;
const timestamp = { type: "timestamp" } as const;

// Lists have one value per element of `times`. A latency is null if there was no call.
const series = { elements: number } as const;
const latencySeries = { elements: nullableNumber } as const;

const service = {
  properties: {
    version: string,
    contract: string, // version of the OpenAPI document
    started: timestamp,
    workers: number,
    store: string, // "sqlite" or "postgresql"
    reachable: boolean, // whether the store responds
  },
} as const;

const operation = {
  properties: {
    id: string, // operationId, or "other" for requests to no operation, with an empty method and path
    method: string,
    path: string,
    deprecated: boolean,
    now: { properties: { rate: number, failed: number, p50: nullableNumber, p99: nullableNumber } }, // last minute
    rate: series,
    p50: latencySeries,
    p99: latencySeries,
  },
} as const;

const failure = {
  properties: {
    at: timestamp,
    operation: string, // operationId, or "other"
    status: number,
    code: string, // error code
    id: string, // request id
  },
} as const;

const deprecatedOperation = {
  properties: {
    operation: string, // operationId
    since: string, // dates in UTC, as 2030-12-05
    sunset: nullableString, // null if the document has none
    daysLeft: nullableNumber, // until the sunset, negative after it
    successor: nullableString, // path
    calls: number, // in the last 30 days
    // Most calls first. The name is empty for calls without a key.
    keys: { elements: { properties: { name: string, calls: number, last: string } } },
  },
} as const;

/** JSON Type Definition (RFC 8927). Rates are per second, durations in milliseconds, sizes in bytes. */
const schema = {
  properties: {
    at: timestamp,
    service,
    step: number, // seconds between two times
    times: series, // seconds since 1970, over the last hour
    rejected: series, // rate of 4xx
    failed: series, // rate of 5xx
    // The rate of each status of 4xx and 5xx in the last minute, the highest first.
    statuses: { elements: { properties: { status: string, rate: number } } },
    process: { properties: { cpu: series, memory: series, delay: series, inFlight: series } }, // cpu: cores in use
    store: {
      properties: {
        p50: latencySeries,
        p99: latencySeries,
        pool: { properties: { used: number, waiting: number, size: number }, nullable: true }, // PostgreSQL only
      },
    },
    // The most active keys: calls in the last hour, rate in the last minute.
    keys: { elements: { properties: { name: string, calls: number, rate: number } } },
    operations: { elements: operation },
    failures: { elements: failure }, // the last 20 responses with 4xx or 5xx, the latest first
    deprecated: { elements: deprecatedOperation, nullable: true }, // next sunset first; null if the store failed
  },
} as const satisfies SomeJTDSchemaType;

/** The response of /status.json. A timestamp is a Date before serialization, and a string after it. */
export type Status = JTDDataType<typeof schema>;

/** A deprecated operation, and its calls in the last 30 days. */
export type DeprecatedOperation = NonNullable<Status["deprecated"]>[number];

/**
 * Validates parsed JSON against the schema. Removes members that the schema lacks, because a newer service may send
 * more. Returns undefined if the value is not a status.
 */
export function parseStatus(value: unknown): Status | undefined {
  // The compiler checks the schema. Ajv would take 0.3 s to check it again.
  const ajv = new Ajv({ timestamp: "string", removeAdditional: true, meta: false, validateSchema: false });
  return ajv.validate(schema, value) ? value : undefined;
}
