// Parses the text of a document: JSON, or YAML 1.2 with the merge keys of YAML 1.1.
import { createRequire } from "node:module";
import { CORE_SCHEMA, defineScalarTag, intCoreTag, load as loadYaml, mergeTag, NOT_RESOLVED } from "js-yaml";
import { parseInteger, parseJson } from "../../lib/index.ts";

/** A parsed text. */
export interface ParsedText {
  readonly content: unknown;
  readonly isJson: boolean;
}

// As deep as documents get that are written by people or tools. A stack overflow needs some thousand levels.
const maxDepth = 200;
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

/**
 * Parses JSON or YAML. Integers beyond 2^53 are bigint. Throws an Error that completes "The document is invalid: …", also if the
 * value is too deep, or too large with its aliases.
 */
export function parseText(text: string): ParsedText {
  // JSON is parsed as such, because that takes a fifth of the time. A flow mapping of YAML looks like it, and is rare. JSON with
  // the same name twice is also left to YAML, which rejects it.
  const json = /^\s*\{/.test(text) ? tryJson(text) : undefined;
  const content = json ?? parseYaml(text);
  checkSize(content);
  return { content, isJson: json !== undefined };
}

function tryJson(text: string): unknown {
  try {
    return parseJson(text);
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
    if (/\bmax[A-Z]|duplicated/.test((error as Error).message)) throw error; // hostile, or refused by both
    return parseTolerantly(text);
  }
}

function parseTolerantly(text: string): unknown {
  const { isScalar, parseDocument, visit } = require("yaml") as typeof import("yaml");
  // Its own check of keys compares each with each.
  const document = parseDocument(text, { merge: true, intAsBigInt: true, logLevel: "error", uniqueKeys: false });
  const [error] = document.errors;
  if (error) throw error;
  let merged = 0; // at most
  let largest = 0;
  try {
    visit(document, {
      Map(_, { items }) {
        const keys = new Set<unknown>();
        for (const { key } of items) {
          const name = isScalar(key) ? (key.source ?? String(key.value)) : key;
          if (name === "<<") merged += 1;
          else if (keys.has(name)) throw new Error(`duplicated mapping key ${name}`);
          keys.add(name);
        }
        largest = Math.max(largest, items.length);
      },
    });
    if (merged * largest > maxMerged) throw new Error("its merge keys repeat too many values");
    return toExactNumbers(document.toJS({ maxAliasCount: maxAliases }), new Set());
  } catch (error) {
    if (error instanceof RangeError) throw new Error(tooDeep);
    throw error;
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

interface Size {
  /** The number of values in it. */
  readonly count: number;
  readonly depth: number;
}

/**
 * Checks the size of a value with its aliases repeated. Throws an Error if it is too deep, contains itself, or is too large. It
 * completes "The document is invalid: …".
 */
export function checkSize(value: unknown): void {
  const sizes = new Map<object, Size>();
  let written = 0;
  const measure = (part: unknown, level: number): Size => {
    if (typeof part !== "object" || part === null) return { count: 1, depth: 0 };
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (level > maxDepth) throw new Error(tooDeep);
    let [count, depth] = [1, 0];
    const members = Object.values(part);
    for (const member of members) {
      const size = measure(member, level + 1);
      count += size.count;
      depth = Math.max(depth, size.depth);
    }
    written += 1 + members.length;
    const size = { count, depth: depth + 1 };
    sizes.set(part, size);
    return size;
  };
  const { count, depth } = measure(value, 0);
  if (depth > maxDepth) throw new Error(tooDeep);
  if (count > minCount + maxRepetition * written) throw new Error("its aliases repeat too many values");
}
