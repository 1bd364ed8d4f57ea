// The rules for the values of rows: what the service and its commands write. A row that breaks a rule was written by
// another program, and can do harm: no id can follow the highest one, and a terminal interprets control characters.
import type { Document } from "../openapi/index.ts";
import { createIdempotencyKeyCheck, createRecordCheck, readResources } from "../resources/index.ts";
import {
  findKeyProblem,
  isKeyName,
  keyNameRule,
  maxNumber,
  type sharedTables,
  type Table,
  type Values,
} from "../store/index.ts";
import { valueToText } from "./checksum.ts";

const digestSize = 32; // bytes of a hash

const maxClockSkew = 86_400_000; // milliseconds
const maxTime = 8_640_000_000_000_000n; // milliseconds since 1970: the range of Date
const maxCount = BigInt(Number.MAX_SAFE_INTEGER);
const maxNameLength = 80; // characters of the name of a row

// Completes a sentence about a value that breaks the rule, such as "must have 32 bytes". Undefined for a valid value.
type Rule = (value: Values[number]) => string | undefined;

// A new column does not compile without a rule. The document has those of records.
type Rules = {
  readonly [T in keyof typeof sharedTables]: { readonly [Column in keyof (typeof sharedTables)[T]]: Rule };
};

/** A problem of a row: a sentence, and whether another document allows the row, so that it does no harm. */
export type RowProblem = readonly [problem: string, ofDocument: boolean];

/** Creates a generator function that yields the problems of a row. */
export function createRowCheck(document: Document): (table: Table, row: Values) => Generator<RowProblem> {
  const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = createRules(document);
  const checks = new Map(readResources(document).map((resource) => [resource.name, createRecordCheck(resource)]));

  return function* ({ name: tableName, columns, collection }, row) {
    const name = `${tableName} ${valueToText((collection ? (row[2] ?? row[0]) : row[0]) as Values[0]).slice(0, maxNameLength)}`;
    if (collection) {
      const problem = checks.get(tableName)?.(row);
      if (problem !== undefined) yield [`${name}${problem}.`, rowId(row[0] as Values[0]) === undefined];
      return;
    }
    for (const [index, column] of Object.keys(columns).entries()) {
      const problem = rules[tableName]?.[column]?.(row[index] as Values[number]);
      const ofDocument = tableName === "idempotency" && column === "key";
      if (problem !== undefined) yield [`${name}: ${column} ${problem}.`, ofDocument];
    }
  };
}

function createRules(document: Document): Rules {
  const latestTime = Date.now() + maxClockSkew;
  const flag = integer(0n, 1n);
  const count = integer(0n, maxCount);
  const time = integer(0n, maxTime);
  const pastTime: Rule = (value) => time(value) ?? ((value as bigint) > latestTime ? "is in the future" : undefined);
  const collectionName = text((value) => /^[\w-]+$/.test(value), "is not the name of a collection");
  const keyName = text(isKeyName, `is not the name of a key. ${keyNameRule.replace(/\.$/, "")}`);
  return {
    keys: {
      id: rowId,
      name: keyName,
      hash: digest,
      created_at: pastTime,
      expires_at: optional(time),
      last_used_at: optional(pastTime),
      operator: flag,
      previous_hash: optional(digest),
      previous_expires_at: optional(time),
      scopes: optional(text((value) => /^[\x21-\x7e ]*$/.test(value), "is no list of scopes")),
    },
    idempotency: {
      record_id: rowId,
      record_key: optional(text((value) => findKeyProblem(value) === undefined, "is not the id of a record")),
      collection: collectionName,
      caller: integer(0n, maxNumber), // 0 without a credential
      key: text(createIdempotencyKeyCheck(document), "is not a valid Idempotency-Key"),
      digest,
      created_at: pastTime,
    },
    record_schemas: {
      collection: collectionName,
      schema: text((value) => /^[0-9a-f]{32}$/.test(value), "is not the hash of a schema"),
      upgraded_to: optional(integer(-1n, maxNumber)), // -1 while records are validated
    },
    imports: { digest, lines: count, records: count, complete: flag, written_at: pastTime },
  };
}

const rowId = integer(1n, maxNumber);

function integer(min: bigint, max: bigint): Rule {
  return (value) =>
    typeof value === "bigint" && value >= min && value <= max ? undefined : `must be an integer from ${min} to ${max}`;
}

function text(isValid: (value: string) => boolean, problem: string): Rule {
  return (value) => (typeof value === "string" && isValid(value) ? undefined : problem);
}

function optional(rule: Rule): Rule {
  return (value) => (value === null ? undefined : rule(value));
}

function digest(value: Values[number]): string | undefined {
  const size = value instanceof Uint8Array ? value.length : 0;
  return size === digestSize ? undefined : `must have ${digestSize} bytes, but has ${size}`;
}
