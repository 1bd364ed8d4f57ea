// The equality of JSON values (JSON Schema 2020-12, section 4.2.2): whatever the order of names, and with exact numbers.
import { isObject } from "../../lib/index.ts";
import type { SchemaObject } from "../source/document-types.ts";
import { hasMember, memberNames } from "./value-forms.ts";

/** Returns whether two values are equal. */
export function areEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => areEqual(item, other[index]))
    );
  if (!isObject(one)) return toComparable(one) === toComparable(other);
  if (!isObject(other)) return false;
  const names = memberNames(one);
  return (
    names.every((name) => hasMember(other, name) && areEqual(one[name], other[name])) &&
    memberNames(other).length === names.length
  );
}

/** Returns a number instead of a bigint that it represents. */
export function toComparable(value: unknown): unknown {
  return typeof value === "bigint" && BigInt(Number(value)) === value ? Number(value) : value;
}

/** Tells equal objects and arrays of a value. Each is read once, however many around it are compared. */
export class Identities {
  readonly #byText = new Map<string, object>(); // the first of equal ones
  readonly #known = new Map<object, object>();

  /** Returns the same for equal values: the first of equal objects or arrays, and otherwise the value itself. */
  of(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return toComparable(value);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const parts = Array.isArray(value)
      ? ["[", ...value.map((item) => this.#textOf(item))]
      : memberNames(value as SchemaObject)
          .map((name) => `${JSON.stringify(name)}:${this.#textOf((value as SchemaObject)[name])}`)
          .sort();
    const text = parts.join();
    const first = this.#byText.get(text) ?? value;
    this.#byText.set(text, first);
    this.#known.set(value, first);
    return first;
  }

  readonly #numbers = new Map<unknown, number>();

  // Of an object or array, its number: the texts of those around it stay short.
  #textOf(value: unknown): string {
    const identity = this.of(value);
    if (typeof identity !== "object" || identity === null) return `${typeof identity} ${JSON.stringify(`${identity}`)}`;
    const number = this.#numbers.get(identity) ?? this.#numbers.size;
    this.#numbers.set(identity, number);
    return `#${number}`;
  }
}
