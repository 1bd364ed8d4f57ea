// Converts a valid value to what a handler receives: fills in default values, an int64 becomes a bigint, and any other
// number a JavaScript number. The JSON parser returns an integer as bigint only if a number can't represent it.
//
// Not `useDefaults` of Ajv, which also fills in the defaults of alternatives that do not match.

import { defaultOf } from "./default-values.ts";
import { ValidationContext } from "./memoized-validation.ts";
import { isInt64, isRoundedNumber } from "./number-keywords.ts";
import { compilePattern } from "./regular-expressions.ts";
import type { SchemaNode } from "./schema-node.ts";
import { findEvaluated } from "./unevaluated.ts";
import type { SchemaValidation } from "./value-keywords.ts";

/** Returns the converted value. Changes arrays and objects in place. */
export type Convert = (value: unknown) => unknown;

type Matches = SchemaValidation["matches"];

/** The conversion of one value. */
class Run {
  readonly context = new ValidationContext("request");
  /** Made when all are found, because the conditions of other schemas compare the original value. */
  readonly changes: (() => void)[] = [];
  /** The schemas whose defaults are being filled in, and the number of further ones. */
  readonly filling: ReadonlySet<string>;
  readonly budget: { left: number };
  readonly #seen = new Map<string, Set<unknown>>(); // what references have led to, by the key of the schema

  constructor(filling: Run["filling"], budget: Run["budget"]) {
    this.filling = filling;
    this.budget = budget;
  }

  /**
   * Returns whether a reference leads to a schema with this value for the first time. Alternatives often refer to the same
   * schema: otherwise, the time could double with each level. `replace` tells the place of a value that is no object,
   * which another one can also have.
   */
  isFirst(key: string, value: unknown, replace: unknown): boolean {
    const places = this.#seen.get(key) ?? new Set();
    this.#seen.set(key, places);
    const place = typeof value === "object" && value !== null ? value : replace;
    if (places.has(place)) return false;
    places.add(place);
    return true;
  }
}

const maxDefaults = 10_000; // in a value; a default can have members with defaults

/** Finds the changes of a value and its members. */
type Find = (value: unknown, replace: (value: unknown) => void, run: Run) => void;

interface Alternative {
  applies(value: unknown, run: Run, replace: unknown): boolean;
  readonly find: Find;
}

/** The keywords whose schemas apply to the members of an object or array. */
interface MemberKeywords {
  readonly named: string;
  readonly patterns?: string;
  readonly others: string;
  readonly unevaluated: string;
}

const objectKeywords: MemberKeywords = {
  named: "properties",
  patterns: "patternProperties",
  others: "additionalProperties",
  unevaluated: "unevaluatedProperties",
};
const arrayKeywords: MemberKeywords = { named: "prefixItems", others: "items", unevaluated: "unevaluatedItems" };

/** Creates the conversions of the schemas of a document. */
export class ValueConversion {
  readonly #matches: Matches;
  readonly #finds = new Map<string, Find | undefined>(); // by the key of the schema

  constructor(matches: Matches) {
    this.#matches = matches;
  }

  /** Returns the conversion of the values of a schema; undefined if they need none. */
  of(node: SchemaNode): Convert | undefined {
    const find = this.#findOf(node);
    return find && ((value) => convert(value, find, new Set(), { left: maxDefaults }));
  }

  // Created at its first use: a recursive schema refers to its own conversion.
  #findOf(node: SchemaNode): Find | undefined {
    if (!this.#finds.has(node.key)) {
      let find: Find | undefined;
      const findLater: Find = (...args) => {
        find ??= this.#create(node);
        find(...args);
      };
      if (this.#hasChanges(node)) this.#finds.set(node.key, findLater);
    }
    return this.#finds.get(node.key);
  }

  // Without recursion, because references can lead through thousands of schemas. All that a schema without changes leads to
  // has none.
  #hasChanges(start: SchemaNode): boolean {
    const nodes = new Map([[start.key, start]]); // grows while it is read
    for (const node of nodes.values()) {
      const { schema } = node;
      if (schema.default !== undefined || isInt64(schema) || isRoundedNumber(schema)) return true;
      for (const part of [...node.references(), ...node.subschemas().map(({ place }) => node.at(place))])
        if (!this.#finds.has(part.key)) nodes.set(part.key, part);
        else if (this.#finds.get(part.key)) return true;
    }
    for (const key of nodes.keys()) this.#finds.set(key, undefined);
    return false;
  }

  #create(node: SchemaNode): Find {
    const { schema } = node;
    const isBigint = isInt64(schema);
    const isNumber = isRoundedNumber(schema);
    const findDefaults = this.#createForDefaults(node);
    const findInObject = this.#createForMembers(node, objectKeywords);
    const findInArray = this.#createForMembers(node, arrayKeywords);
    const alternatives = this.#createForAlternatives(node);
    return (value, replace, run) => {
      if (isBigint && Number.isInteger(value)) run.changes.push(() => replace(BigInt(value as number)));
      else if (isNumber && typeof value === "bigint") run.changes.push(() => replace(Number(value)));
      findDefaults?.(value, replace, run);
      if (Array.isArray(value)) findInArray?.(value, replace, run);
      else if (typeof value === "object" && value !== null) findInObject?.(value, replace, run);
      for (const { applies, find } of alternatives) if (applies(value, run, replace)) find(value, replace, run);
    };
  }

  // The properties that are missing and have a default value. A read-only one is not filled in.
  #createForDefaults(node: SchemaNode): Find | undefined {
    const defaults = node.subschemas().flatMap(({ keyword, place, key }): [string, (run: Run) => unknown][] => {
      const property = node.at(place);
      if (keyword !== "properties" || property.parts().some(({ schema }) => schema.readOnly === true)) return [];
      const value = defaultOf(property);
      const find = this.#findOf(property) as Find;
      if (value === undefined) return [];
      const create = ({ filling, budget }: Run) =>
        convert(structuredClone(value), find, new Set([...filling, property.key]), budget);
      return [[key, (run) => (run.filling.has(property.key) ? undefined : create(run))]];
    });
    if (defaults.length === 0) return undefined;
    return (value, _, run) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return;
      for (const [key, create] of defaults)
        run.changes.push(() => {
          if (Object.hasOwn(value, key) || run.budget.left-- <= 0) return;
          const created = create(run); // undefined in itself
          if (created !== undefined) setOwn(value, key, created);
        });
    };
  }

  #createForMembers(node: SchemaNode, keywords: MemberKeywords): Find | undefined {
    const finds = node.subschemas().map(({ keyword, place, key }) => {
      return { keyword, key, find: isMembers(keyword) ? this.#findOf(node.at(place)) : undefined };
    });
    const select = (name: string | undefined) => finds.filter(({ keyword }) => keyword === name);
    const named = new Map(select(keywords.named).map(({ key, find }) => [key, find]));
    const patterns = select(keywords.patterns).map(({ key, find }) => [compilePattern(key), find] as const);
    const [others] = select(keywords.others);
    const [unevaluated] = select(keywords.unevaluated);
    const all = [...named.values(), ...patterns.map(([, find]) => find), others?.find, unevaluated?.find];
    if (!all.some(Boolean)) return undefined;
    return (value, _, run) => {
      const matches = (part: SchemaNode, member: unknown, whole?: SchemaNode) =>
        this.#matches(part, member, run.context, whole);
      const evaluated = unevaluated?.find && findEvaluated({ node, whole: node }, value as object, matches);
      for (const [key, member] of Object.entries(value as object)) {
        const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, find]) => find);
        if (named.has(key)) matching.push(named.get(key));
        if (matching.length === 0) matching.push(others?.find);
        if (evaluated?.has(key) === false) matching.push(unevaluated?.find);
        for (const find of matching) find?.(member, (converted) => setOwn(value as object, key, converted), run);
      }
    };
  }

  // The keywords whose schemas apply to the value itself, some of them only under a condition.
  #createForAlternatives(node: SchemaNode): Alternative[] {
    const alternatives: Alternative[] = [];
    const add = (applies: Alternative["applies"], target: SchemaNode) => {
      const find = this.#findOf(target);
      if (find) alternatives.push({ applies, find });
    };
    for (const target of node.references())
      add(isLeaf(target) ? () => true : (value, run, replace) => run.isFirst(target.key, value, replace), target);
    for (const { keyword, place, key } of node.subschemas()) {
      const applies = this.#createCondition(node, keyword, place, key);
      if (applies) add(applies, node.at(place));
    }
    return alternatives;
  }

  // Returns whether the schema of a keyword applies to a value; undefined for keywords that are not about the value itself.
  #createCondition(node: SchemaNode, keyword: string, place: string, key: string): Alternative["applies"] | undefined {
    switch (keyword) {
      case "allOf":
        return () => true;
      case "anyOf":
      case "oneOf":
        return (value, { context }) => this.#matches(node.at(place), value, context, node);
      case "then":
      case "else":
        return (value, { context }) => this.#matches(node.at("if"), value, context, node) === (keyword === "then");
      case "dependentSchemas":
        return (value) => typeof value === "object" && value !== null && Object.hasOwn(value, key);
      default:
        return undefined;
    }
  }
}

function isMembers(keyword: string): boolean {
  return [objectKeywords, arrayKeywords].some((keywords) => Object.values(keywords).includes(keyword));
}

function convert(value: unknown, find: Find, filling: ReadonlySet<string>, budget: Run["budget"]): unknown {
  let converted = value;
  const run = new Run(filling, budget);
  const replace = (replacement: unknown) => {
    converted = replacement;
  };
  find(value, replace, run);
  for (const change of run.changes) change();
  return converted;
}

function isLeaf(node: SchemaNode): boolean {
  return node.references().length === 0 && node.subschemas().length === 0;
}

// An assignment to the property `__proto__` would replace the prototype.
function setOwn(members: object, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
  else (members as Record<string, unknown>)[key] = value;
}
