// The members of a record that no request has: times, constants, defaults, and others from an example.
import type { Checked } from "../../lib/index.ts";
import type { SchemaNode } from "../../openapi/application.ts";
import { toSnakeCase } from "./page-parameters.ts";
import { itemSchemas, RecordSchema } from "./record-schema.ts";

const createdName = /^(created|creation|inserted|date_created|registered)(_(at|on|date|time|timestamp))?$/;
const updatedName =
  /^(updated|modified|last_(updated|modified)|date_(updated|modified))(_(at|on|date|time|timestamp))?$/;

type Members = Readonly<Record<string, unknown>>;
type Make = (now: Date) => unknown;

/** Returns a record if it matches its schema, or what is wrong with it. It has no id yet. */
export type CheckRecord = (members: object) => Checked<object>;

export interface MakerOptions {
  readonly record: RecordSchema;
  /** Returns other schemas of the record in responses. */
  readonly shown: () => readonly RecordSchema[];
  /** The schema of the request that makes a record. */
  readonly body: RecordSchema;
  /** The property that the store makes. */
  readonly id: string;
}

/** What the server makes of a record, and what it keeps of a request. */
interface MemberPlan {
  readonly created: readonly (readonly [string, Make])[];
  readonly updated: readonly (readonly [string, Make])[];
  readonly secret: ReadonlySet<string>; // members that are write-only
  readonly changed: ReadonlySet<string>; // members whose values a request and a record have in different forms
}

/** Completes records with the members that the server makes. Examines the schemas when it is used first, which is expensive. */
export class RecordMaker {
  readonly #options: MakerOptions;
  readonly #record: RecordSchema;
  readonly #check: CheckRecord;
  readonly #alternatives: readonly RecordMaker[];
  #known: MemberPlan | undefined;

  constructor(options: MakerOptions, check: CheckRecord) {
    const { record } = options;
    this.#options = options;
    this.#record = record;
    this.#check = check;
    this.#alternatives = record.alternatives.map((one) => new RecordMaker({ ...options, record: one }, check));
  }

  get #plan(): MemberPlan {
    this.#known ??= planMembers(this.#options);
    return this.#known;
  }

  /** The members that the server makes, besides the id. */
  get made(): readonly string[] {
    return this.#plan.created.map(([name]) => name);
  }

  /** Returns a new record: the members of a body that a record has, and those that are made. Or what is wrong with it. */
  create(body: object, now = new Date()): Checked<object> {
    return this.#choose(body, (maker) => ({ ...maker.#make(now), ...maker.#keep(body) }));
  }

  /** Returns a record that replaces another one, whose members that no request has stay. Or what is wrong with it. */
  replace(body: object, previous: object, now = new Date()): Checked<object> {
    return this.#choose(body, (maker) => {
      const kept = Object.entries(previous).filter(([name]) => maker.#plan.created.some(([made]) => made === name));
      return maker.update({ ...maker.#make(now), ...Object.fromEntries(kept), ...maker.#keep(body) }, now);
    });
  }

  /** Returns a record that was changed: with the time, and with what its schema requires inside of objects that it did not have before. */
  update(record: object, now = new Date()): object {
    const times = this.#plan.updated.map(([name, make]) => [name, make(now)]);
    const members = Object.entries(record).map(([name, value]) => {
      return [name, completeMember(this.#record, name, value) ?? value];
    });
    return { ...Object.fromEntries(members), ...Object.fromEntries(times) };
  }

  /** Returns the members of a patch that a record has in the same form. A null removes a member, and an object can have a part of one. */
  patchOf(body: object): object {
    return Object.fromEntries(Object.entries(body).filter(([name]) => this.#isKept(name)));
  }

  // The members of a new record that it has in the same form.
  #keep(body: object): object {
    const members = Object.entries(this.patchOf(body)).map(([name, value]) => {
      return [name, completeMember(this.#record, name, value)] as const;
    });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }

  #isKept(name: string): boolean {
    const { propertyNames, isClosed } = this.#record;
    const isKnown = propertyNames.length === 0 ? !isClosed : propertyNames.includes(name);
    return isKnown && !this.#plan.secret.has(name) && !this.#plan.changed.has(name);
  }

  #make(now: Date): object {
    return Object.fromEntries(this.#plan.created.map(([name, make]) => [name, make(now)]));
  }

  // By the schema, or else by the alternative that has most members of the body.
  #choose(body: object, make: (maker: RecordMaker) => object): Checked<object> {
    const first = this.#check(make(this));
    if (first.problem === undefined) return first;
    const count = (maker: RecordMaker) =>
      Object.keys(body).filter((name) => maker.#record.propertyNames.includes(name)).length;
    for (const maker of this.#alternatives.toSorted((a, b) => count(b) - count(a))) {
      const checked = maker.#choose(body, make);
      if (checked.problem === undefined) return checked;
    }
    return first;
  }
}

function planMembers({ record, shown, body, id }: MakerOptions): MemberPlan {
  const secret = record.propertyNames.filter((name) =>
    record.property(name).some(({ schema }) => schema.writeOnly === true),
  );
  const example = Object(body.example) as Members;
  const changed = Object.keys(example).filter((name) => completeMember(record, name, example[name]) === undefined);
  const sent = (name: string) => {
    if (changed.includes(name)) return false;
    const schemas = body.property(name).flatMap((node) => node.parts());
    return schemas.length > 0 && !schemas.some(({ schema }) => schema.readOnly === true);
  };
  const unsent = record.propertyNames.filter((name) => name !== id && !sent(name));
  const times = (pattern: RegExp) =>
    unsent.flatMap((name) => {
      const make = pattern.test(toSnakeCase(name)) ? timeOf(record.property(name)) : undefined;
      return make ? [[name, make] as const] : [];
    });
  const updated = times(updatedName);
  const timed = [...times(createdName), ...updated];
  const others = shown();
  const required = new Set([record, ...others].flatMap((schema) => schema.required));
  const made = [...required].filter((name) => {
    if (name === id || !record.propertyNames.includes(name) || timed.some(([one]) => one === name)) return false;
    return !body.required.includes(name) || !sent(name);
  });
  const values = made.length > 0 ? chooseValues(record, made, others) : {};
  const created = [...timed, ...Object.entries(values).map(([name, value]) => [name, () => value] as const)];
  return { created, updated, secret: new Set(secret), changed: new Set(changed) };
}

/** Returns a record of which no request has said anything: its required members, and those with a default. */
export function makeInitial(record: RecordSchema): object {
  const hasDefault = (name: string) => record.property(name).some(({ schema }) => schema.default !== undefined);
  return chooseValues(
    record,
    record.propertyNames.filter((name) => record.required.includes(name) || hasDefault(name)),
  );
}

// What a response requires in an object, and a request does not, is that of an example. Undefined if it is no value of the member.
function completeMember(record: RecordSchema, name: string, value: unknown): unknown {
  if (record.accepts(name, value)) return value;
  const [node] = record.property(name);
  const completed = node && completeValue(RecordSchema.of(record.document, node), value);
  return record.accepts(name, completed) ? completed : undefined;
}

function completeValue(schema: RecordSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const [items] = itemSchemas(schema.parts) ?? [];
    const item = items && RecordSchema.of(schema.document, items);
    return item ? value.map((one) => completeValue(item, one)) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const missing = schema.required.filter((name) => !Object.hasOwn(value, name));
  const made = missing.length > 0 ? chooseValues(schema, missing) : {};
  const own = Object.entries(value).map(([name, one]) => [name, completeMember(schema, name, one) ?? one]);
  return { ...made, ...Object.fromEntries(own) };
}

function timeOf(schemas: readonly SchemaNode[]): Make | undefined {
  const has = (keyword: string, value: string) =>
    schemas.some(({ schema }) => [schema[keyword]].flat().includes(value));
  if (has("format", "date-time")) return (now) => now.toISOString();
  if (has("format", "date")) return (now) => now.toISOString().slice(0, 10);
  if (has("type", "integer")) return (now) => Math.floor(now.getTime() / 1_000);
  return undefined;
}

// A constant, a default, 0 for a counter, null, or what an example has: the first that each of the schemas allows.
function chooseValues(record: RecordSchema, names: readonly string[], shown: readonly RecordSchema[] = []): Members {
  const example = Object(record.example) as Members;
  const values = names.map((name) => {
    const schemas = record.property(name).map(({ schema }) => schema);
    const find = (keyword: string) => schemas.find((schema) => schema[keyword] !== undefined)?.[keyword];
    const values = find("enum") as unknown[] | undefined;
    const usual = [
      find("const"),
      values?.length === 1 ? values[0] : undefined,
      find("default"),
      /(^|_)count$/.test(toSnakeCase(name)) ? 0 : undefined,
      null,
    ];
    const isAllowed = (value: unknown) => [record, ...shown].every((schema) => schema.accepts(name, value));
    const [chosen = example[name]] = usual.filter((value) => value !== undefined && isAllowed(value));
    return [name, chosen] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
