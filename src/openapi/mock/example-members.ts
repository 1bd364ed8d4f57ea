// Which members the example of an object has.

import { Identities } from "../schema/equality.ts";
import type { SchemaNode } from "../schema/node.ts";
import { compilePattern } from "../schema/texts/regular-expressions.ts";
import { exampleOfPattern } from "./example-text.ts";
import { createText, mergeKeywords } from "./example-values.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns a function that creates the names of further properties: by `propertyNames`, or by the first pattern if others are not
 * allowed.
 */
export function chooseNames(parts: readonly SchemaNode[]): (number: number) => string {
  const rules = parts.flatMap((part) =>
    part.schema.propertyNames === undefined ? [] : part.at("propertyNames").parts(),
  );
  const merged = mergeKeywords(rules);
  const { enum: names, pattern: rule } = merged;
  if (Array.isArray(names)) return (number) => `${names[(number - 1) % names.length]}`;
  const isClosed = parts.some(({ schema }) => schema.additionalProperties === false);
  const [first] = parts.flatMap(({ schema }) => Object.keys((schema.patternProperties ?? {}) as Json));
  const pattern = (rule as string | undefined) ?? (isClosed ? first : undefined);
  if (pattern === undefined)
    return (number) => (rules.length > 0 ? createText({ ...merged, type: "string" }, number - 1) : `property${number}`);
  const [min, max] = [Number(merged.minLength ?? 0), Number(merged.maxLength ?? Number.POSITIVE_INFINITY)];
  return (number) => {
    const text = exampleOfPattern(pattern, min, max, number - 1) as string;
    const longer = `${text}${number}`;
    return number > 1 && text === exampleOfPattern(pattern, min, max) && compilePattern(pattern).test(longer)
      ? longer
      : text;
  };
}

/** Creates items that differ, if it can. `attempt` grows while those that are created repeat. */
export function createDistinct(length: number, create: (index: number, attempt: number) => unknown): unknown[] {
  const identities = new Identities();
  const found = new Set<unknown>();
  const maxAttempts = 300 + 3 * length;
  let attempt = 0;
  return Array.from({ length }, (_, index) => {
    let value = create(index, attempt);
    while (found.has(identities.of(value)) && attempt < maxAttempts) value = create(index, ++attempt);
    found.add(identities.of(value));
    return value;
  });
}

/** Returns the schemas of a property that is not declared. */
export function findAdditional(parts: readonly SchemaNode[], name: string): SchemaNode[] {
  return parts.flatMap((part) => {
    const [property] = part.property(name);
    if (property) return [property];
    const { unevaluatedProperties } = part.schema;
    return typeof unevaluatedProperties === "object" ? [part.at("unevaluatedProperties")] : [];
  });
}

/** Returns the names of required properties, and of those that others require. `isFull` tells that all declared ones are there. */
export function listRequired(parts: readonly SchemaNode[], isFull: boolean): Set<string> {
  const required = new Set(parts.flatMap(({ schema }) => (schema.required as string[] | undefined) ?? []));
  const declared = new Set(parts.flatMap(({ schema }) => Object.keys((schema.properties ?? {}) as Json)));
  const dependencies = parts.flatMap(({ schema }) => Object.entries((schema.dependentRequired ?? {}) as Json));
  // The set grows while it is read.
  for (const name of isFull ? new Set([...required, ...declared]) : required)
    for (const [owner, names] of dependencies)
      if (owner === name) for (const other of names as string[]) required.add(other);
  return required;
}

/** Returns whether no response has a member. */
export function isNeverSent({ schema }: SchemaNode): boolean {
  return schema.writeOnly === true || isFalse(schema);
}

/** Returns whether a schema allows no value. */
export function isFalse(schema: Json): boolean {
  return Array.isArray(schema.enum) && schema.enum.length === 0;
}
