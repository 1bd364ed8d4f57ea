// Converts the numbers of a valid value to the types of its schema: an int64 to bigint, and any other number to a
// JavaScript number. The JSON parser returns an integer as bigint only if a number can't represent it.

import { isInt64 } from "./number-keywords.ts";
import { type Part, referenceOf } from "./part.ts";
import { forEachSubschema, type Schema, type SchemaObject } from "./schema-keywords.ts";

/** Returns the converted value. Changes arrays and objects in place. */
export type Convert = (value: unknown) => unknown;

interface Alternative {
  applies(value: unknown): boolean;
  readonly convert: Convert;
}

const memberKeywords = /^(properties|patternProperties|additionalProperties|prefixItems|items|unevaluated.*)$/;

/** Creates the conversions of the schemas of a document. */
export class NumberConversion {
  readonly #root: Part;
  readonly #isValid: (pointer: string) => (value: unknown) => boolean;
  readonly #conversions = new Map<string, Convert | undefined>(); // by the pointer of the schema

  /** `isValid` returns a function that returns whether a value matches the schema at a pointer. */
  constructor(root: Part, isValid: (pointer: string) => (value: unknown) => boolean) {
    this.#root = root;
    this.#isValid = isValid;
  }

  /** Returns the conversion of the values of a schema; undefined if they need none. */
  at(pointer: string): Convert | undefined {
    if (!this.#conversions.has(pointer)) {
      const schema = this.#root.find(pointer).value as SchemaObject;
      let convert: Convert | undefined;
      // Before `convert` exists, because a recursive schema refers to its own conversion.
      const isNeeded = this.#hasNumber(schema, new Set());
      this.#conversions.set(pointer, isNeeded ? (value) => (convert as Convert)(value) : undefined);
      if (isNeeded) convert = this.#create(schema, pointer);
    }
    return this.#conversions.get(pointer);
  }

  #hasNumber(schema: Schema, seen: Set<Schema>): boolean {
    if (typeof schema !== "object" || seen.has(schema)) return false;
    seen.add(schema);
    const reference = referenceOf(schema);
    let found = isInt64(schema) || [schema.type].flat().includes("number");
    if (reference !== undefined) found ||= this.#hasNumber(this.#root.find(reference).value as Schema, seen);
    forEachSubschema(schema, (subschema) => {
      found ||= this.#hasNumber(subschema, seen);
    });
    return found;
  }

  #create(schema: SchemaObject, pointer: string): Convert {
    const steps: Convert[] = [];
    const reference = referenceOf(schema);
    const target = reference === undefined ? undefined : this.at(reference);
    if (target) steps.push(target);
    if (isInt64(schema)) steps.push((value) => (Number.isInteger(value) ? BigInt(value as number) : value));
    else if ([schema.type].flat().includes("number"))
      steps.push((value) => (typeof value === "bigint" ? Number(value) : value));
    steps.push(...this.#createForMembers(schema, pointer));
    const alternatives = this.#createForAlternatives(schema, pointer);
    return (value) => {
      // Before a conversion, because `const` and `enum` compare numbers.
      const active = alternatives.filter(({ applies }) => applies(value));
      const converted = steps.reduce((before, step) => step(before), value);
      return active.reduce((before, { convert }) => convert(before), converted);
    };
  }

  // The keywords whose schemas apply to the members of an object or array.
  #createForMembers(schema: SchemaObject, pointer: string): Convert[] {
    const named = new Map<string, Convert | undefined>();
    const patterns: [RegExp, Convert | undefined][] = [];
    let others: Convert | undefined;
    forEachSubschema(schema, (_, keyword, place, key = "") => {
      if (!memberKeywords.test(keyword)) return;
      const convert = this.at(`${pointer}/${place}`);
      if (keyword === "properties" || keyword === "prefixItems") named.set(key, convert);
      else if (keyword === "patternProperties") patterns.push([new RegExp(key, "u"), convert]);
      else others = convert;
    });
    const isNeeded = [...named.values(), ...patterns.map(([, convert]) => convert), others].some(Boolean);
    if (!isNeeded) return [];
    return [
      (value) => {
        if (typeof value !== "object" || value === null) return value;
        const members = value as Record<string, unknown>; // or an array
        for (const key of Object.keys(members)) {
          const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, convert]) => convert);
          if (named.has(key)) matching.push(named.get(key));
          for (const convert of matching.length > 0 ? matching : [others])
            if (convert) members[key] = convert(members[key]);
        }
        return value;
      },
    ];
  }

  // The keywords whose schemas apply to the value itself, some of them only under a condition.
  #createForAlternatives(schema: SchemaObject, pointer: string): Alternative[] {
    const alternatives: Alternative[] = [];
    forEachSubschema(schema, (_, keyword, place, key = "") => {
      const applies = this.#createCondition(pointer, keyword, place, key);
      const convert = applies && this.at(`${pointer}/${place}`);
      if (convert) alternatives.push({ applies, convert });
    });
    return alternatives;
  }

  // Returns whether the schema of a keyword applies to a value; undefined for keywords that are not about the value itself.
  #createCondition(
    pointer: string,
    keyword: string,
    place: string,
    key: string,
  ): ((value: unknown) => boolean) | undefined {
    switch (keyword) {
      case "allOf":
        return () => true;
      case "anyOf":
      case "oneOf":
        return this.#isValid(`${pointer}/${place}`);
      case "then":
        return this.#isValid(`${pointer}/if`);
      case "else":
        return (value) => !this.#isValid(`${pointer}/if`)(value);
      case "dependentSchemas":
        return (value) => typeof value === "object" && value !== null && Object.hasOwn(value, key);
      default:
        return undefined;
    }
  }
}
