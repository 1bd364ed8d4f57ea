// The members of a record that no request has: times, constants, defaults, and empty values.

import type { Checked } from "../../lib/index.ts";
import { toSnakeCase } from "../../lib/index.ts";
import type { SchemaNode } from "../../openapi/index.ts";
import { type ChosenValue, chooseValues, completeMember, valuesOf } from "./member-values.ts";
import type { RecordSchema } from "./record-schema.ts";

const createdName = /^(created|creation|inserted|date_created|registered)(_(at|on|date|time|timestamp))?$/;
const updatedName =
  /^(updated|modified|last_(updated|modified)|date_(updated|modified))(_(at|on|date|time|timestamp))?$/;

const kindName = /^(type|kind|object|resource_type|object_type)$/;

type Members = Readonly<Record<string, unknown>>;

/** Where the server has the value of a member from. */
export type Source = { readonly time: keyof typeof times } | ChosenValue;

const times = {
  "date-time": (now: Date) => now.toISOString(),
  date: (now: Date) => now.toISOString().slice(0, 10),
  seconds: (now: Date) => Math.floor(now.getTime() / 1_000),
  milliseconds: (now: Date) => now.getTime(),
} as const;

type Sources = Readonly<Record<string, Source>>;

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
  readonly created: Sources;
  readonly updated: Sources;
  readonly kept: ReadonlySet<string>; // members that a replacement without them has, too
  readonly unkept: ReadonlySet<string>; // members that are write-only, or read-only and not in a request
  readonly opaque: string | undefined; // a required member of a request that has another form in a record
}

/** Completes records with the members that the server makes. Examines the schemas when it is used first, which is expensive. */
export class RecordMaker {
  readonly #options: MakerOptions;
  readonly #record: RecordSchema;
  /** The schema of what a request has of a record. */
  readonly body: RecordSchema;
  /** Returns a record with its id if it matches its schemas, or what is wrong with it. */
  readonly check: CheckRecord;
  readonly #alternatives: readonly RecordMaker[];
  #known: MemberPlan | undefined;

  constructor(options: MakerOptions, check: CheckRecord) {
    const { record } = options;
    this.#options = options;
    this.#record = record;
    this.body = options.body;
    this.check = check;
    this.#alternatives = record.alternatives.map((one) => new RecordMaker({ ...options, record: one }, check));
  }

  get #plan(): MemberPlan {
    this.#known ??= planMembers(this.#options);
    return this.#known;
  }

  /** The members that the server makes, besides the id. */
  get made(): Sources {
    return this.#plan.created;
  }

  /** The required member of a body that has another form in a record; undefined if there is none. */
  get opaque(): string | undefined {
    return this.#plan.opaque;
  }

  /** Returns the member of a body that has another form in a record, so that its effect is not known; undefined if it has none. */
  findOpaque(body: object): string | undefined {
    const isOpaque = ([name, value]: [string, unknown]) =>
      value !== null && completeMember(this.#record, name, value) === undefined;
    return Object.entries(this.patchOf(body)).find(isOpaque)?.[0];
  }

  /** Makes a record of the example of a body, without the members that have another form in a record. */
  createSample(): Checked<object> {
    const example = Object(this.body.example) as Members;
    return this.create(
      Object.fromEntries(Object.entries(example).filter((member) => !this.findOpaque(Object.fromEntries([member])))),
    );
  }

  /**
   * Returns a new record: the members of a body that a record has, those of its place, and those that are made. Or what is wrong with it.
   */
  create(body: object, place: object = {}, now = new Date()): Checked<object> {
    return this.#choose(body, (maker, converts) => ({
      ...makeMembers(maker.#plan.created, now),
      ...place,
      ...maker.#keep(body, undefined, converts),
    }));
  }

  /** Returns a record that replaces another one, whose members that no request has stay. Or what is wrong with it. */
  replace(body: object, previous: object, now = new Date()): Checked<object> {
    return this.#choose(body, (maker, converts) => {
      const kept = Object.entries(previous).filter(([name]) => maker.#plan.kept.has(name));
      const members = {
        ...makeMembers(maker.#plan.created, now),
        ...Object.fromEntries(kept),
        ...maker.#keep(body, previous, converts),
      };
      return maker.#update(members, now, converts);
    });
  }

  /**
   * Returns a record that was changed: with the time, and with what its schema requires inside of objects that it did not have before. Or
   * what is wrong with it.
   */
  update(record: object, now = new Date()): Checked<object> {
    const changed = this.check(this.#update(record, now, false));
    return changed.problem ? this.check(this.#update(record, now, true)) : changed;
  }

  #update(record: object, now: Date, converts: boolean): object {
    const completed = (name: string, value: unknown) =>
      converts ? (completeMember(this.#record, name, value) ?? value) : value;
    const members = Object.entries(record).map(([name, value]) => [name, completed(name, value)]);
    // Required members that a patch has removed with null keep the value null, if their schema allows it.
    const removed = this.#record.required.filter((name) => !Object.hasOwn(record, name) && name !== this.#options.id);
    const nulls = removed.filter((name) => this.#record.accepts(name, null)).map((name) => [name, null]);
    return { ...Object.fromEntries([...members, ...nulls]), ...makeMembers(this.#plan.updated, now) };
  }

  /** Returns members without those that only a request declares, such as a password. */
  withoutRequestOnly(members: object): object {
    const { propertyNames } = this.#record;
    const isKept = (name: string) => propertyNames.includes(name) || !this.body.propertyNames.includes(name);
    if (propertyNames.length === 0 || Object.keys(members).every(isKept)) return members;
    return Object.fromEntries(Object.entries(members).filter(([name]) => isKept(name)));
  }

  /** Returns the members of a patch that a record has in the same form. A null removes a member, and an object can have a part of one. */
  patchOf(body: object): object {
    return Object.fromEntries(Object.entries(body).filter(([name]) => this.#isKept(name)));
  }

  // The members of a new record that it has in the same form, and the read-only ones of the previous record.
  #keep(body: object, previous: object | undefined, converts: boolean): object {
    const sent = this.#record.keepReadOnly(previous, this.patchOf(body), this.body);
    if (!converts) return sent;
    const members = Object.entries(sent).flatMap(([name, value]) => {
      const completed = completeMember(this.#record, name, value);
      // null removes a member that is not nullable. Other values that can't be converted are kept, so that the validation fails.
      return completed === undefined && value === null ? [] : [[name, completed ?? value] as const];
    });
    return Object.fromEntries(members);
  }

  #isKept(name: string): boolean {
    const { propertyNames, isClosed, isOpen } = this.#record;
    if (propertyNames.includes(name)) return !this.#plan.unkept.has(name);
    // What only a request declares, such as a password, is not kept. What neither declares is data of the client.
    const isUnknown = propertyNames.length === 0 || !this.body.propertyNames.includes(name);
    return isOpen || (!isClosed && isUnknown);
  }

  // By the schema, or else by the alternative that has most members of the body. Values are converted only if they have to be, because
  // that evaluates the schema of each.
  #choose(body: object, make: (maker: RecordMaker, converts: boolean) => object): Checked<object> {
    const asSent = this.check(make(this, false));
    if (asSent.problem === undefined) return asSent;
    const first = this.check(make(this, true));
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
  const canSend = (name: string) => body.propertyNames.includes(name);
  const isUnkept = (name: string) =>
    record
      .property(name)
      .some((node) => node.schema.writeOnly === true || (node.schema.readOnly === true && !canSend(name)));
  const unkept = new Set(record.propertyNames.filter(isUnkept));
  const example = Object(body.example) as Members;
  const isOpaque = (name: string) => completeMember(record, name, example[name]) === undefined;
  const opaque = Object.keys(example).find((name) => body.required.includes(name) && isOpaque(name));
  const sent = (name: string) => {
    const schemas = body.property(name).flatMap((node) => node.parts());
    return schemas.length > 0 && !schemas.some(({ schema }) => schema.readOnly === true);
  };
  const unsent = record.propertyNames.filter((name) => name !== id && !sent(name));
  const others = shown();
  const required = new Set([record, ...others].flatMap((schema) => schema.required));
  // A request can have the time of the creation, so that an import can set it.
  const optional = [...required].filter((name) => name !== id && sent(name) && !body.required.includes(name));
  const findTimes = (pattern: RegExp, names: readonly string[] = unsent): [string, Source][] =>
    names.flatMap((name) => {
      const time = pattern.test(toSnakeCase(name)) ? timeOf(record.property(name)) : undefined;
      return time ? [[name, { time }]] : [];
    });
  const updated = findTimes(updatedName);
  const sendable = [createdName, updatedName].flatMap((pattern) => findTimes(pattern, optional));
  const timed = [...findTimes(createdName), ...updated, ...sendable];
  // The type of the object, if it is a constant.
  const own = `${toSnakeCase(record.name ?? "")}_type`;
  const isKind = (name: string) => kindName.test(name) || name === own;
  const kinds =
    record.alternatives.length > 0
      ? [] // of which each has its own
      : record.propertyNames.filter((name) => isKind(toSnakeCase(name)) && record.isConstant(name));
  const made = [...new Set([...required, ...kinds])].filter((name) => {
    const isMember = record.propertyNames.includes(name) || record.required.includes(name);
    if (name === id || !isMember || timed.some(([one]) => one === name)) return false;
    return !body.required.includes(name) || !sent(name);
  });
  const values = made.length > 0 ? chooseValues(record, made, { shown: others }) : {};
  const created: (readonly [string, Source])[] = [...timed, ...Object.entries(values)];
  const kept = created.filter(([name]) => !canSend(name) || createdName.test(toSnakeCase(name))).map(([name]) => name);
  // What a replacement can't contain, such as that of a command with fewer members, is not removed by it.
  const unsendable = body.propertyNames.length > 0 ? record.propertyNames.filter((name) => !canSend(name)) : [];
  return {
    created: Object.fromEntries(created),
    updated: Object.fromEntries(updated),
    kept: new Set([...kept, ...unsendable]),
    unkept,
    opaque,
  };
}

/**
 * Returns a record of which no request has said anything: its required members, and those with a default. Undefined if a required one has
 * no value.
 */
export function makeInitial(record: RecordSchema): object | undefined {
  const hasDefault = (name: string) => record.property(name).some(({ schema }) => schema.default !== undefined);
  const names = record.propertyNames.filter((name) => record.required.includes(name) || hasDefault(name));
  const values = valuesOf(chooseValues(record, names));
  return record.required.every((name) => Object.hasOwn(values, name)) ? values : undefined;
}

function makeMembers(sources: Sources, now: Date): Members {
  return Object.fromEntries(
    Object.entries(sources).map(([name, one]) => [name, "time" in one ? times[one.time](now) : one.value]),
  );
}

function timeOf(schemas: readonly SchemaNode[]): keyof typeof times | undefined {
  const has = (keyword: string, value: string) =>
    schemas.some(({ schema }) => [schema[keyword]].flat().includes(value));
  const isNumber = has("type", "integer") || has("type", "number");
  const isInMilliseconds = schemas.some(({ schema }) => Number(schema.example) > 1e11); // in seconds, the year 5138
  if (isNumber) return isInMilliseconds ? "milliseconds" : "seconds";
  return (["date-time", "date"] as const).find((format) => has("format", format));
}
