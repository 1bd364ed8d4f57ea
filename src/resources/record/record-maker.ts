// Makes records of what requests have of them: adds the members that no request has, by the plan of an operation.
import { randomInt, randomUUID } from "node:crypto";
import { type Checked, isObject } from "../../lib/index.ts";
import type { SchemaNode } from "../../openapi/index.ts";
import { spokenUnset } from "../names/member-names.ts";
import { type ChosenValue, completeMember, sampleMember } from "./member-values.ts";
import { RecordSchema, withAlternatives } from "./record-schema.ts";
import type { RequestOnlyMembers } from "./request-only-members.ts";
import type { Resource } from "./resource.ts";
import { fillUrls, hasUrls, recordUrl } from "./url-placeholders.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Where the server has the value of a member from: the time, another id than that of the path, which it makes, the caller, a value, or for
 * members of an object, each from its own.
 */
export type Source =
  | { readonly time: keyof typeof times }
  | { readonly otherId: keyof typeof otherIds }
  | { readonly caller: true }
  | { readonly members: Sources }
  | ChosenValue;

const times = {
  "date-time": (now: Date) => now.toISOString(),
  date: (now: Date) => now.toISOString().slice(0, 10),
  seconds: (now: Date) => Math.floor(now.getTime() / 1_000),
  milliseconds: (now: Date) => now.getTime(),
} as const;

/** The ids that are unique without a store. */
export const otherIds = {
  int48: () => randomInt(1, 2 ** 48 - 1),
  int31: () => randomInt(1, 2 ** 31 - 1),
  uuid: () => randomUUID() as string,
} as const;

/** By the names of members. */
export interface Sources {
  readonly [name: string]: Source;
}

/** What a request says of a record beside its body. */
export interface MakeContext {
  /** The URL of the record. Without it, it has no members with URLs. */
  readonly url?: string | undefined;
  /** The forms of the id of the caller. Without it, it has no members with the caller. */
  readonly caller?: readonly unknown[] | undefined;
  /** The records whose ids a request has in place of them, by the names of its members. */
  readonly embedded?: object | undefined;
}

/** What the server makes of a record, and what it keeps of a request. */
export interface MemberPlan {
  /** Those of a new record. */
  readonly created: Sources;
  /** Those of each change. */
  readonly updated: Sources;
  /** Members that a replacement without them has, too. */
  readonly kept: readonly string[];
  /** Members that are write-only, or read-only and not in a request. */
  readonly unkept: readonly string[];
}

/** What the body of a request has of a record. Schemas are JSON pointers. */
export interface BodyPlan extends MemberPlan {
  /** The schema of what it has. */
  readonly schema: string;
  /** The member of the body that has it; undefined if it is the body itself. */
  readonly member?: string | undefined;
  /** The members that a record has as objects with the ids that the body has, such as `author: { id }` of `authorId`: the names in the body, by those in the record. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Whether a record keeps the members that the body does not have. */
  readonly isPartial?: boolean;
  /** Other schemas of the record in responses, which it must match, too. */
  readonly shown: readonly string[];
  /** The alternatives of the schema of the record. */
  readonly alternatives: readonly AlternativePlan[];
}

/** What is made of one alternative of the schema of a record. */
export interface AlternativePlan extends MemberPlan {
  readonly schema: string;
  readonly alternatives: readonly AlternativePlan[];
}

/** Completes records with the members that the server makes. */
export class RecordMaker {
  /** The schema of what a request has of a record, by the names of the record. */
  readonly body: RecordSchema;
  readonly #resource: Resource;
  readonly #shown: readonly RecordSchema[];
  readonly #validate: ReturnType<RecordSchema["createValidator"]>;
  readonly #form: RecordForm;

  /** Compiles the schema of the record at its first use, which is expensive. */
  constructor(resource: Resource, plan: BodyPlan) {
    const { document } = resource.record;
    const schemaAt = (pointer: string) => RecordSchema.of(document, { pointer });
    this.body = schemaAt(plan.schema).withNames(plan.renamed ?? {});
    this.#resource = resource;
    this.#shown = plan.shown.map(schemaAt);
    this.#validate = resource.record.createValidator("response");
    this.#form = new RecordForm(resource, this.body, this.#shown, { ...plan, schema: resource.plan.record });
  }

  /** Returns the member of a body that has another form in a record, so that its effect is not known; undefined if it has none. */
  findOpaque(body: object): string | undefined {
    const isOpaque = ([name, value]: [string, unknown]) =>
      value !== null && completeMember(this.#form.record, name, value) === undefined;
    return Object.entries(this.patchOf(body)).find(isOpaque)?.[0];
  }

  /**
   * Makes a record of the example of a body, with the optional members that a record requires, without those that have another form in a
   * record, and with those of its path, and those that are other records.
   */
  createSample(inPath: readonly string[], others: readonly string[] = []): Checked<object> {
    const { record } = this.#form;
    const needed = record.required.filter((name) => this.body.canHave(name));
    const names = new Set([...Object.keys(Object(this.body.example)), ...needed]);
    const members = [...names].flatMap((name) => {
      const value = sampleMember(record, this.body, name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const known = Object(record.example) as Members;
    const pick = (wanted: readonly string[]) =>
      Object.fromEntries(wanted.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]] as const])));
    const context = { url: recordUrl, caller: callerForms(1n), embedded: pick(others) };
    return this.create(Object.fromEntries(members), pick(inPath), context);
  }

  /**
   * Returns a new record: the members of a body that a record has, those of its place, and those that are made. Or what is wrong with it.
   */
  create(body: object, place: object, context: MakeContext = {}): Checked<object> {
    const options = { ...context, now: new Date() };
    return this.#choose(this.#form, body, (form, converts) => form.create(body, place, { ...options, converts }));
  }

  /** Returns a record that replaces another one, whose members that no request has stay. Or what is wrong with it. */
  replace(body: object, previous: object, context: MakeContext): Checked<object> {
    const options = { ...context, now: new Date() };
    return this.#choose(this.#form, body, (form, converts) => form.replace(body, previous, { ...options, converts }));
  }

  /** Whether new records have their URL, which is known as soon as they have an id. */
  get makesUrls(): boolean {
    return this.#form.urlNames.length > 0;
  }

  /** Returns the members of a new record with URLs, and not those of the plan, in the members that are made. */
  fillUrls(members: object, url: string): object {
    const filled = this.#form.urlNames.flatMap((name) =>
      Object.hasOwn(members, name) ? [[name, fillUrls((members as Members)[name], url)] as const] : [],
    );
    return { ...members, ...Object.fromEntries(filled) };
  }

  /**
   * Returns a record that was changed: with the time, and with what its schema requires inside of objects that it did not have before. Or
   * what is wrong with it.
   */
  update(record: object): Checked<object> {
    const now = new Date();
    const changed = this.#check(this.#form.update(record, { now, converts: false }));
    return changed.problem ? this.#check(this.#form.update(record, { now, converts: true })) : changed;
  }

  /** Returns members without those that only a request declares, at any depth, such as a password. */
  withoutRequestOnly(members: object): object {
    return this.#form.withoutRequestOnly(members);
  }

  /** Returns the members of a patch that a record has in the same form. A null removes a member, and an object can have a part of one. */
  patchOf(body: object): object {
    return this.#form.patchOf(body);
  }

  // Returns a record if it matches its schemas, or what is wrong with it. It has no id yet.
  #check(members: object): Checked<object> {
    const whole = this.#resource.withExampleId(members);
    const problem = this.#validate(whole).problem ?? findMisfit(this.#shown, whole);
    return problem ? { problem } : { value: members };
  }

  // By the schema, or else by the alternative that has most members of the body. Values are converted only if they have to be, because
  // that evaluates the schema of each.
  #choose(form: RecordForm, body: object, make: (form: RecordForm, converts: boolean) => object): Checked<object> {
    const asSent = this.#check(make(form, false));
    if (asSent.problem === undefined) return asSent;
    const first = this.#check(make(form, true));
    if (first.problem === undefined) return first;
    const count = ({ record }: RecordForm) =>
      Object.keys(body).filter((name) => record.propertyNames.includes(name)).length;
    for (const one of form.alternatives.toSorted((a, b) => count(b) - count(a))) {
      const checked = this.#choose(one, body, make);
      if (checked.problem === undefined) return checked;
    }
    return first;
  }
}

interface MakeOptions extends MakeContext {
  readonly now: Date;
  /** Whether values are converted into the form that a record has. */
  readonly converts: boolean;
}

// One form of a record: its schema, or an alternative of it.
class RecordForm {
  readonly record: RecordSchema;
  readonly alternatives: readonly RecordForm[];
  readonly #body: RecordSchema;
  readonly #id: string;
  readonly #plan: AlternativePlan;
  readonly #kept: ReadonlySet<string>;
  readonly #requestOnly: RequestOnlyMembers | undefined;
  /** The names of the members with URLs, also of alternatives. */
  readonly urlNames: readonly string[];

  constructor(resource: Resource, body: RecordSchema, shown: readonly RecordSchema[], plan: AlternativePlan) {
    this.record = RecordSchema.of(body.document, { pointer: plan.schema });
    this.alternatives = plan.alternatives.map((one) => new RecordForm(resource, body, shown, one));
    this.#body = body;
    this.#id = resource.idName;
    this.#plan = plan;
    this.#kept = new Set(plan.kept);
    this.#requestOnly = this.record.requestOnly(body, shown);
    const own = Object.entries(plan.created).flatMap(([name, source]) => (hasUrls(source) ? [name] : []));
    this.urlNames = [...own, ...this.alternatives.flatMap(({ urlNames }) => urlNames)];
  }

  create(body: object, place: object, options: MakeOptions): object {
    const own = { ...this.#keep(body, undefined, options.converts), ...place, ...options.embedded };
    return this.#addMade(this.#plan.created, own, options);
  }

  // Returns members with those that are made, unless it has them.
  #addMade(sources: Sources, own: Members, options: MakeOptions, known: Members = {}): object {
    const made = { ...makeMembers(this.record, sources, options), ...known };
    // Those of an object are made beside those that a request has, if it lacks some.
    const inner = Object.entries(sources).flatMap(([name, source]) => {
      const [value, sent] = [made[name], own[name]];
      if (!isObject(value) || !isObject(sent)) return [];
      const lacksSome = "members" in source || (options.converts && !this.record.accepts(name, sent));
      return lacksSome ? [[name, { ...value, ...sent }] as const] : [];
    });
    return { ...made, ...own, ...Object.fromEntries(inner) };
  }

  replace(body: object, previous: object, options: MakeOptions): object {
    const { created } = this.#plan;
    const known = Object.entries(previous).flatMap(([name, value]) => {
      const source = created[name];
      if (source === undefined || !("members" in source)) return this.#kept.has(name) ? [[name, value] as const] : [];
      const inner = Object.entries(Object(value)).filter(([one]) => Object.hasOwn(source.members, one));
      return [[name, Object.fromEntries(inner)] as const];
    });
    const own: Members = { ...this.#keep(body, previous, options.converts), ...options.embedded };
    return this.update(this.#addMade(created, own, options, Object.fromEntries(known)), options);
  }

  update(record: object, options: MakeOptions): object {
    const { converts } = options;
    const completed = (name: string, value: unknown) =>
      converts ? (completeMember(this.record, name, value) ?? value) : value;
    const members = Object.entries(record).map(([name, value]) => [name, completed(name, value)]);
    // Required members that a patch has removed with null keep the value null, if their schema allows it.
    const removed = this.record.required.filter((name) => !Object.hasOwn(record, name) && name !== this.#id);
    const nulls = removed.filter((name) => this.record.accepts(name, null)).map((name) => [name, null]);
    const changed: Members = Object.fromEntries([...members, ...nulls]);
    const updated = Object.entries(makeMembers(this.record, this.#plan.updated, options));
    const merged = updated.map(([name, value]) => [
      name,
      isObject(value) ? { ...Object(changed[name]), ...value } : value,
    ]);
    return { ...changed, ...Object.fromEntries(merged) };
  }

  patchOf(body: object): object {
    const isMap = (name: string) =>
      this.#body.property(name).some(({ schema }) => spokenUnset.test(`${schema.description}`));
    const members = Object.entries(this.#membersOf(body)).map(([name, value]) => {
      if (!isObject(value) || !isMap(name)) return [name, value];
      return [name, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, one === "" ? null : one]))];
    });
    return Object.fromEntries(members);
  }

  // The members of a body that a record has in the same form.
  #membersOf(body: object): object {
    const { propertyNames, isClosed } = this.record;
    // What the document declares nowhere is data of the client.
    const isKept = (name: string) => (propertyNames.includes(name) ? !this.#plan.unkept.includes(name) : !isClosed);
    const own = Object.entries(this.record.withoutWriteOnly(this.withoutRequestOnly(body)));
    const members = own.filter(([name]) => isKept(name));
    return Object.fromEntries(members.map(([name, value]) => [name, this.#isCleared(name, value) ? null : value]));
  }

  // A form has no null. Documents such as Stripe's declare the empty text for it, as an alternative.
  #isCleared(name: string, value: unknown): boolean {
    const isEmptyText = ({ schema }: SchemaNode) => (schema.enum as unknown[] | undefined)?.includes("");
    return (
      value === "" && withAlternatives(this.#body.property(name)).some(isEmptyText) && !this.record.accepts(name, "")
    );
  }

  withoutRequestOnly(members: object): object {
    return (this.#requestOnly?.removeFrom(members) ?? members) as object;
  }

  // The members of a new record that it has in the same form, and the read-only ones of the previous record.
  #keep(body: object, previous: object | undefined, converts: boolean): object {
    const sent = this.record.keepReadOnly(previous, this.#membersOf(body), this.#body);
    if (!converts) return sent;
    const members = Object.entries(sent).flatMap(([name, value]) => {
      const completed = completeMember(this.record, name, value);
      // null removes a member that is not nullable. Other values that can't be converted are kept, so that the validation fails.
      return completed === undefined && value === null ? [] : [[name, completed ?? value] as const];
    });
    return Object.fromEntries(members);
  }
}

// Returns why a record can't be part of the other responses that show it, whose schemas differ; undefined if it can.
function findMisfit(schemas: readonly RecordSchema[], record: object) {
  for (const schema of schemas) {
    const missing = schema.required.find((name) => !Object.hasOwn(record, name));
    if (missing !== undefined)
      return { path: "", requirement: `must have the field '${missing}', as in other responses` };
    const wrong = Object.entries(record).find(
      ([name, value]) => schema.propertyNames.includes(name) && !schema.accepts(name, value),
    );
    if (wrong) return { path: wrong[0], requirement: `must match the schema ${schema.name ?? schema.pointer}, too` };
  }
  return undefined;
}

function makeMembers(record: RecordSchema, sources: Sources, options: MakeOptions): Members {
  const { now, url, caller = [] } = options;
  const members: [string, unknown][] = [];
  for (const [name, source] of Object.entries(sources)) {
    if ("time" in source) members.push([name, times[source.time](now)]);
    else if ("otherId" in source) members.push([name, otherIds[source.otherId]()]);
    else if ("caller" in source) members.push([name, caller.find((form) => record.accepts(name, form))]);
    else if ("members" in source) {
      const inner = record.member(name);
      members.push([name, inner && makeMembers(inner, source.members, options)]);
    } else if (!hasUrls(source.value)) members.push([name, source.value]);
    else if (url !== undefined) members.push([name, url === recordUrl ? source.value : fillUrls(source.value, url)]);
  }
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The highest id of a caller. */
export const maxCallerId = 2n ** 62n - 1n;

/** Returns the forms that the id of a caller can have in a record. */
export function callerForms(id: bigint): readonly unknown[] {
  const digits = BigInt.asUintN(60, id).toString(16).padStart(15, "0");
  // RFC 9562, section 5.8
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(12)}-8000-000000000000`;
  return [`${id}`, Number(BigInt.asUintN(48, id)), Number(BigInt.asUintN(31, id)), uuid];
}
