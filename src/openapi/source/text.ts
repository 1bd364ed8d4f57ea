// Parses the text of a document: JSON, or YAML 1.2 with the merge keys of YAML 1.1.
import { createRequire } from "node:module";
import {
  CORE_SCHEMA,
  defineScalarTag,
  intCoreTag,
  load as loadYaml,
  mergeTag,
  NOT_RESOLVED,
  YAMLException,
} from "js-yaml";
import { parseInteger, parseJson } from "../../lib/index.ts";
import { escapeToken } from "./part.ts";

/** What is wrong with a document. The message completes "The document is invalid: …". */
export class InvalidDocument extends Error {
  /** The offset of the first character that is wrong, or the JSON pointer of the part that is too large or too deep. */
  readonly place: number | string;

  constructor(reason: string, place: number | string) {
    super(reason);
    this.place = place;
  }
}

/** A parsed text. */
export interface ParsedText {
  readonly content: unknown;
  readonly isJson: boolean;
}

// As deep as documents get that are written by people or tools. A stack overflow needs some thousand levels.
const maxDepth = 200;
const tooManyMerged = "its merge keys repeat too many values";
const tooDeep = `it is nested more than ${maxDepth} levels deep`;
// The number of values in a document with its aliases repeated: this many for each value that is written, and these.
const maxRepetition = 10;
const minCount = 100_000;
const maxAliases = 10_000;
const maxMerged = 1_000_000; // members of maps by merge keys

// Integers that a double can't represent are bigint, as in request bodies.
const exactInt = defineScalarTag("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: [..."-+0123456789"],
  identify: intCoreTag.identify,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return value === NOT_RESOLVED || Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source)
      ? value
      : parseInteger(source.replace("+", ""));
  },
});
// As in YAML 1.2, so that a date stays a text. Merge keys are of YAML 1.1, but common in documents.
const schema = CORE_SCHEMA.withTags(exactInt, mergeTag);

// Loaded at the first use, because most documents do not need it.
const require = createRequire(import.meta.url);

/** Parses JSON or YAML. Integers beyond 2^53 are bigint. Throws an InvalidDocument. */
export function parseText(text: string): ParsedText {
  // JSON is parsed as such, because that takes a fifth of the time. A flow mapping of YAML looks like it, and is rare. JSON with
  // the same name twice is also left to YAML, which rejects it.
  const json = /^\s*\{/.test(text) ? tryJson(text) : undefined;
  const content = json ?? parseYaml(text);
  return { content, isJson: json !== undefined };
}

function tryJson(text: string): unknown {
  try {
    return parseJson(text, maxDepth);
  } catch {
    return undefined;
  }
}

// js-yaml takes a sixth of the time of `yaml`, and reads all of the YAML test suite but unknown tags. It refuses what the
// specification forbids and all other parsers read, such as a closing bracket at the indentation of its key.
function parseYaml(text: string): unknown {
  try {
    return loadYaml(text, { schema, maxDepth, maxAliases });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const own = new InvalidDocument(describe(reason), mark?.position ?? 0);
    if (/\bmax[A-Z]|duplicated/.test(reason)) throw own; // hostile, or refused by both
    return parseTolerantly(text, own);
  }
}

// What the parsers mean by their own names.
function describe(reason: string): string {
  if (/\bmaxDepth\b/.test(reason)) return tooDeep;
  if (/\bmaxTotalMergeKeys\b/.test(reason)) return tooManyMerged;
  if (/multiple documents|single document/.test(reason)) return "it has several YAML documents: remove the line ---";
  return reason;
}

// `other` is the error of js-yaml, which is thrown if `yaml` does not know the place of its own.
function parseTolerantly(text: string, other: InvalidDocument): unknown {
  const { isScalar, parseDocument, visit } = require("yaml") as typeof import("yaml");
  // Its own check of keys compares each with each.
  const options = {
    merge: true,
    intAsBigInt: true,
    logLevel: "error",
    uniqueKeys: false,
    prettyErrors: false,
  } as const;
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error) throw findJsonError(text) ?? new InvalidDocument(describe(error.message), error.pos[0]);
  let merged = 0; // at most
  let largest = 0;
  try {
    visit(document, {
      Map(_, { items }) {
        const keys = new Set<unknown>();
        for (const { key } of items) {
          const name = isScalar(key) ? (key.source ?? String(key.value)) : key;
          if (name === "<<") merged += 1;
          else if (keys.has(name))
            throw new InvalidDocument(
              `duplicated mapping key ${name}`,
              (key as { range?: number[] | null }).range?.[0] ?? 0,
            );
          keys.add(name);
        }
        largest = Math.max(largest, items.length);
      },
    });
    if (merged * largest > maxMerged) throw new InvalidDocument(tooManyMerged, 0);
    return toExactNumbers(document.toJS({ maxAliasCount: maxAliases }), new Set());
  } catch (error) {
    if (error instanceof InvalidDocument) throw error;
    if (error instanceof RangeError) throw new InvalidDocument(tooDeep, 0);
    throw other;
  }
}

// A text that looks like JSON is meant to be JSON, and an error about YAML would not help.
function findJsonError(text: string): InvalidDocument | undefined {
  if (!/^\s*\{\s*"/.test(text)) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const [, reason, position] = /^(.*) in JSON at position (\d+)/.exec(message) ?? [];
    if (reason !== undefined) return new InvalidDocument(`it is not valid JSON: ${reason}`, Number(position));
    return /end of JSON/.test(message)
      ? new InvalidDocument("it is not valid JSON: it ends too early", text.length)
      : undefined;
  }
}

// All integers are bigint. Those that a double represents become numbers.
function toExactNumbers(part: unknown, done: Set<unknown>): unknown {
  if (typeof part === "bigint") return Number.isSafeInteger(Number(part)) ? Number(part) : part;
  if (typeof part !== "object" || part === null || done.has(part)) return part;
  done.add(part);
  for (const [name, value] of Object.entries(part))
    (part as Record<string, unknown>)[name] = toExactNumbers(value, done);
  return part;
}

/** Returns a copy of a value in which each bigint is a number, for tools that know no bigint. */
export function toNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toNumbers(member)]));
}

interface Size {
  /** The number of values in it. */
  readonly count: number;
  readonly depth: number;
}

/** Checks the size of a value with its aliases repeated. Throws an InvalidDocument if it is too deep, contains itself, or is too large. */
export function checkSize(value: unknown): void {
  const sizes = new Map<object, Size | undefined>(); // undefined while it is measured
  const path: string[] = [];
  let written = 0;
  const refuse = (reason: string): never => {
    throw new InvalidDocument(reason, path.map((name) => `/${escapeToken(name)}`).join(""));
  };
  const measure = (part: unknown): Size => {
    if (typeof part !== "object" || part === null) return { count: 1, depth: 0 };
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (sizes.has(part)) refuse("a part of it contains itself");
    if (path.length > maxDepth) refuse(tooDeep);
    sizes.set(part, undefined);
    let [count, depth] = [1, 0];
    const members = Object.entries(part);
    for (const [name, member] of members) {
      path.push(name);
      const size = measure(member);
      path.pop();
      count += size.count;
      depth = Math.max(depth, size.depth);
    }
    written += 1 + members.length;
    const size = { count, depth: depth + 1 };
    sizes.set(part, size);
    return size;
  };
  const { count, depth } = measure(value);
  if (depth > maxDepth) refuse(tooDeep);
  if (count > minCount + maxRepetition * written) refuse("its aliases repeat too many values");
}
