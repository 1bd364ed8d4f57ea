// The members of a record that no request has: times, constants, defaults, and others from an example.
import type { SchemaNode } from "../../openapi/application.ts";
import { toSnakeCase } from "./page-parameters.ts";
import type { RecordSchema } from "./record-schema.ts";

const createdName = /^(created|creation|inserted|date_created|registered)(_(at|on|date|time|timestamp))?$/;
const updatedName =
  /^(updated|modified|last_(updated|modified)|date_(updated|modified))(_(at|on|date|time|timestamp))?$/;

type Make = (now: Date) => unknown;

/** Completes records with the members that the server makes. */
export class RecordMaker {
  readonly #record: RecordSchema;
  readonly #created: readonly (readonly [string, Make])[];
  readonly #updated: readonly (readonly [string, Make])[];
  readonly #changed: ReadonlySet<string>; // members whose values a request and a record have in different forms

  /** `body` is the schema of the request that makes a record, and `id` the property that the store makes. */
  constructor(record: RecordSchema, body: RecordSchema, id: string) {
    this.#record = record;
    const example = Object(body.example()) as Readonly<Record<string, unknown>>;
    this.#changed = new Set(Object.keys(example).filter((name) => !record.accepts(name, example[name])));
    const sent = (name: string) => {
      if (this.#changed.has(name)) return false;
      const schemas = body.property(name).flatMap((node) => node.parts());
      return schemas.length > 0 && !schemas.some(({ schema }) => schema.readOnly === true);
    };
    const unsent = record.propertyNames.filter((name) => name !== id && !sent(name));
    const times = (pattern: RegExp) =>
      unsent.flatMap((name) => {
        const make = pattern.test(toSnakeCase(name)) ? timeOf(record.property(name)) : undefined;
        return make ? [[name, make] as const] : [];
      });
    this.#updated = times(updatedName);
    const timed = [...times(createdName), ...this.#updated];
    const required = record.required.filter((name) => name !== id && !timed.some(([one]) => one === name));
    const given = required.filter((name) => body.required.includes(name) && sent(name));
    const made = required.filter((name) => !given.includes(name));
    const values = made.length > 0 ? chooseValues(record, made) : {};
    this.#created = [...timed, ...Object.entries(values).map(([name, value]) => [name, () => value] as const)];
  }

  /** The members that the server makes, besides the id. */
  get made(): readonly string[] {
    return this.#created.map(([name]) => name);
  }

  /** Returns a new record: the members of a body that a record has, and those that are made. */
  create(body: object, now = new Date()): object {
    const made = this.#created.map(([name, make]) => [name, make(now)]);
    return { ...Object.fromEntries(made), ...this.keep(body) };
  }

  /** Returns a record that replaces another one, whose members that no request has stay. */
  replace(body: object, previous: object, now = new Date()): object {
    const kept = Object.entries(previous).filter(([name]) => this.#created.some(([made]) => made === name));
    return this.update({ ...this.create({}, now), ...Object.fromEntries(kept), ...this.keep(body) }, now);
  }

  /** Returns a record that was changed. */
  update(record: object, now = new Date()): object {
    return { ...record, ...Object.fromEntries(this.#updated.map(([name, make]) => [name, make(now)])) };
  }

  /** Returns the members of a body that a record has, in the same form. */
  keep(body: object): object {
    const { propertyNames, isClosed } = this.#record;
    const isSecret = (name: string) => this.#record.property(name).some(({ schema }) => schema.writeOnly === true);
    const isKnown = (name: string) => (propertyNames.length === 0 && !isClosed) || propertyNames.includes(name);
    const isKept = (name: string) => isKnown(name) && !isSecret(name) && !this.#changed.has(name);
    return Object.fromEntries(Object.entries(body).filter(([name]) => isKept(name)));
  }
}

function timeOf(schemas: readonly SchemaNode[]): Make | undefined {
  const has = (keyword: string, value: string) =>
    schemas.some(({ schema }) => [schema[keyword]].flat().includes(value));
  if (has("format", "date-time")) return (now) => now.toISOString();
  if (has("format", "date")) return (now) => now.toISOString().slice(0, 10);
  if (has("type", "integer")) return (now) => Math.floor(now.getTime() / 1_000);
  return undefined;
}

// A constant, a default, null, 0 for a counter, or what an example has.
function chooseValues(record: RecordSchema, names: readonly string[]): Record<string, unknown> {
  const example = Object(record.example()) as Readonly<Record<string, unknown>>;
  const values = names.map((name) => {
    const schemas = record.property(name).map(({ schema }) => schema);
    const find = (keyword: string) => schemas.find((schema) => schema[keyword] !== undefined)?.[keyword];
    const single = (find("enum") as unknown[] | undefined)?.length === 1 ? (find("enum") as unknown[])[0] : undefined;
    const isCounter = /(^|_)count$/.test(toSnakeCase(name)) && record.accepts(name, 0);
    const isNullable = record.accepts(name, null);
    const value = find("const") ?? single ?? find("default") ?? (isCounter ? 0 : isNullable ? null : example[name]);
    return [name, value];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
