// Converts the numbers of a valid value to the types of its schema: an int64 to bigint, and any other number to a
// JavaScript number. The JSON parser returns an integer as bigint only if a number can't represent it.

import { isInt64 } from "./number-keywords.ts";
import { compilePattern, type Pattern } from "./regular-expressions.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Returns the converted value. Changes arrays and objects in place. */
export type Convert = (value: unknown) => unknown;

// Finds the conversions of a value and its members. None is made before all are found, because the conditions of other
// schemas compare the original numbers.
type Find = (value: unknown, replace: (value: unknown) => void, conversions: (() => void)[]) => void;

interface Alternative {
  applies(value: unknown): boolean;
  readonly find: Find;
}

const memberKeywords = /^(properties|patternProperties|additionalProperties|prefixItems|items|unevaluated.*)$/;

/** Creates the conversions of the schemas of a document. */
export class NumberConversion {
  readonly #matches: (node: SchemaNode, value: unknown) => boolean;
  readonly #finds = new Map<string, Find | undefined>(); // by the key of the schema

  /** `matches` returns whether a value matches a schema. */
  constructor(matches: (node: SchemaNode, value: unknown) => boolean) {
    this.#matches = matches;
  }

  /** Returns the conversion of the values of a schema; undefined if they need none. */
  of(node: SchemaNode): Convert | undefined {
    const find = this.#findOf(node);
    if (find === undefined) return undefined;
    return (value) => {
      let converted = value;
      const conversions: (() => void)[] = [];
      const replace = (replacement: unknown) => {
        converted = replacement;
      };
      find(value, replace, conversions);
      for (const convert of conversions) convert();
      return converted;
    };
  }

  // Created at its first use: a recursive schema refers to its own conversion.
  #findOf(node: SchemaNode): Find | undefined {
    if (!this.#finds.has(node.key)) {
      let find: Find | undefined;
      const findLater: Find = (...args) => {
        find ??= this.#create(node);
        find(...args);
      };
      this.#finds.set(node.key, hasNumber(node) ? findLater : undefined);
    }
    return this.#finds.get(node.key);
  }

  #create(node: SchemaNode): Find {
    const { schema } = node;
    const isBigint = isInt64(schema);
    const isNumber = [schema.type].flat().includes("number");
    const findMembers = this.#createForMembers(node);
    const alternatives = this.#createForAlternatives(node);
    return (value, replace, conversions) => {
      if (isBigint && Number.isInteger(value)) conversions.push(() => replace(BigInt(value as number)));
      else if (isNumber && typeof value === "bigint") conversions.push(() => replace(Number(value)));
      findMembers?.(value, replace, conversions);
      for (const { applies, find } of alternatives) if (applies(value)) find(value, replace, conversions);
    };
  }

  // The keywords whose schemas apply to the members of an object or array.
  #createForMembers(node: SchemaNode): Find | undefined {
    const named = new Map<string, Find | undefined>();
    const patterns: [Pattern, Find | undefined][] = [];
    let others: Find | undefined;
    for (const { keyword, place, key } of node.subschemas()) {
      if (!memberKeywords.test(keyword)) continue;
      const find = this.#findOf(node.at(place));
      if (keyword === "properties" || keyword === "prefixItems") named.set(key, find);
      else if (keyword === "patternProperties") patterns.push([compilePattern(key), find]);
      else others = find;
    }
    const isNeeded = [...named.values(), ...patterns.map(([, find]) => find), others].some(Boolean);
    if (!isNeeded) return undefined;
    return (value, _, conversions) => {
      if (typeof value !== "object" || value === null) return;
      const members = value as Record<string, unknown>; // or an array
      for (const [key, member] of Object.entries(members)) {
        const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, find]) => find);
        if (named.has(key)) matching.push(named.get(key));
        for (const find of matching.length > 0 ? matching : [others])
          find?.(member, (converted) => setOwn(members, key, converted), conversions);
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
    for (const target of node.references()) add(() => true, target);
    for (const { keyword, place, key } of node.subschemas()) {
      const applies = this.#createCondition(node, keyword, place, key);
      if (applies) add(applies, node.at(place));
    }
    return alternatives;
  }

  // Returns whether the schema of a keyword applies to a value; undefined for keywords that are not about the value itself.
  #createCondition(
    node: SchemaNode,
    keyword: string,
    place: string,
    key: string,
  ): ((value: unknown) => boolean) | undefined {
    switch (keyword) {
      case "allOf":
        return () => true;
      case "anyOf":
      case "oneOf":
        return (value) => this.#matches(node.at(place), value);
      case "then":
      case "else":
        return (value) => this.#matches(node.at("if"), value) === (keyword === "then");
      case "dependentSchemas":
        return (value) => typeof value === "object" && value !== null && Object.hasOwn(value, key);
      default:
        return undefined;
    }
  }
}

// Without recursion, because references can lead through thousands of schemas.
function hasNumber(start: SchemaNode): boolean {
  const nodes = new Map([[start.key, start]]); // grows while it is read
  for (const node of nodes.values()) {
    if (isInt64(node.schema) || [node.schema.type].flat().includes("number")) return true;
    for (const part of [...node.references(), ...node.subschemas().map(({ place }) => node.at(place))])
      nodes.set(part.key, part);
  }
  return false;
}

// An assignment to the property `__proto__` would replace the prototype.
function setOwn(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
  else members[key] = value;
}
