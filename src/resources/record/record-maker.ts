// Makes records of what requests have of them: adds the members that no request has, by the plan of an operation.
import type { Checked } from "../../lib/index.ts";
import { type ChosenValue, completeMember } from "./member-values.ts";
import { RecordSchema } from "./record-schema.ts";
import { fillUrls, hasUrls, recordUrl } from "./record-urls.ts";
import type { Resource } from "./resource.ts";

type Members = Readonly<Record<string, unknown>>;

/** Where the server has the value of a member from. */
export type Source = { readonly time: keyof typeof times } | ChosenValue;

const times = {
  "date-time": (now: Date) => now.toISOString(),
  date: (now: Date) => now.toISOString().slice(0, 10),
  seconds: (now: Date) => Math.floor(now.getTime() / 1_000),
  milliseconds: (now: Date) => now.getTime(),
} as const;

export type Sources = Readonly<Record<string, Source>>;

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
  /** The schema of what a request has of a record. */
  readonly body: RecordSchema;
  readonly #resource: Resource;
  readonly #shown: readonly RecordSchema[];
  readonly #validate: ReturnType<RecordSchema["createValidator"]>;
  readonly #form: RecordForm;

  /** Compiles the schema of the record at its first use, which is expensive. */
  constructor(resource: Resource, plan: BodyPlan) {
    const { document } = resource.record;
    const schemaAt = (pointer: string) => RecordSchema.of(document, { pointer });
    this.body = schemaAt(plan.schema);
    this.#resource = resource;
    this.#shown = plan.shown.map(schemaAt);
    this.#validate = resource.record.createValidator("response");
    this.#form = new RecordForm(resource, this.body, { ...plan, schema: resource.plan.record });
  }

  /** Returns the member of a body that has another form in a record, so that its effect is not known; undefined if it has none. */
  findOpaque(body: object): string | undefined {
    const isOpaque = ([name, value]: [string, unknown]) =>
      value !== null && completeMember(this.#form.record, name, value) === undefined;
    return Object.entries(this.patchOf(body)).find(isOpaque)?.[0];
  }

  /** Makes a record of the example of a body, without the members that have another form in a record, and with those of its path. */
  createSample(inPath: readonly string[]): Checked<object> {
    const example = Object(this.body.example) as Members;
    const members = Object.entries(example).filter((member) => !this.findOpaque(Object.fromEntries([member])));
    const known = Object(this.#form.record.example) as Members;
    const place = Object.fromEntries(inPath.map((name) => [name, known[name]]));
    return this.create(Object.fromEntries(members), place, recordUrl);
  }

  /**
   * Returns a new record: the members of a body that a record has, those of its place, and those that are made. Or what is wrong with it.
   * `url` is that of the record; without it, it has no members with URLs.
   */
  create(body: object, place: object, url?: string): Checked<object> {
    const now = new Date();
    return this.#choose(this.#form, body, (form, converts) => form.create(body, place, { now, url, converts }));
  }

  /** Returns a record that replaces another one, whose members that no request has stay. Or what is wrong with it. */
  replace(body: object, previous: object, url: string): Checked<object> {
    const now = new Date();
    return this.#choose(this.#form, body, (form, converts) => form.replace(body, previous, { now, url, converts }));
  }

  /** Whether new records have their URL, which is known as soon as they have an id. */
  get makesUrls(): boolean {
    return this.#form.makesUrls;
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

  /** Returns members without those that only a request declares, such as a password. */
  withoutRequestOnly(members: object): object {
    const { propertyNames } = this.#form.record;
    const isKept = (name: string) => propertyNames.includes(name) || !this.body.propertyNames.includes(name);
    if (propertyNames.length === 0 || Object.keys(members).every(isKept)) return members;
    return Object.fromEntries(Object.entries(members).filter(([name]) => isKept(name)));
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

interface MakeOptions {
  readonly now: Date;
  /** The URL of the record. */
  readonly url?: string | undefined;
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
  readonly #withoutUrls: Sources;
  readonly makesUrls: boolean;

  constructor(resource: Resource, body: RecordSchema, plan: AlternativePlan) {
    this.record = RecordSchema.of(body.document, { pointer: plan.schema });
    this.alternatives = plan.alternatives.map((one) => new RecordForm(resource, body, one));
    this.#body = body;
    this.#id = resource.idName;
    this.#plan = plan;
    this.#kept = new Set(plan.kept);
    const others = Object.entries(plan.created).filter(([, source]) => !hasUrls(source));
    this.#withoutUrls = Object.fromEntries(others);
    this.makesUrls =
      others.length < Object.keys(plan.created).length || this.alternatives.some(({ makesUrls }) => makesUrls);
  }

  create(body: object, place: object, options: MakeOptions): object {
    return { ...this.#make(options), ...place, ...this.#keep(body, undefined, options.converts) };
  }

  #make({ now, url }: MakeOptions): Members {
    if (!this.makesUrls) return makeMembers(this.#plan.created, now);
    if (url === undefined) return makeMembers(this.#withoutUrls, now);
    const made = makeMembers(this.#plan.created, now);
    return url === recordUrl ? made : fillUrls(made, url);
  }

  replace(body: object, previous: object, options: MakeOptions): object {
    const kept = Object.entries(previous).filter(([name]) => this.#kept.has(name));
    const own = this.#keep(body, previous, options.converts);
    return this.update({ ...this.#make(options), ...Object.fromEntries(kept), ...own }, options);
  }

  update(record: object, { now, converts }: MakeOptions): object {
    const completed = (name: string, value: unknown) =>
      converts ? (completeMember(this.record, name, value) ?? value) : value;
    const members = Object.entries(record).map(([name, value]) => [name, completed(name, value)]);
    // Required members that a patch has removed with null keep the value null, if their schema allows it.
    const removed = this.record.required.filter((name) => !Object.hasOwn(record, name) && name !== this.#id);
    const nulls = removed.filter((name) => this.record.accepts(name, null)).map((name) => [name, null]);
    return { ...Object.fromEntries([...members, ...nulls]), ...makeMembers(this.#plan.updated, now) };
  }

  patchOf(body: object): object {
    return Object.fromEntries(Object.entries(body).filter(([name]) => this.#isKept(name)));
  }

  // The members of a new record that it has in the same form, and the read-only ones of the previous record.
  #keep(body: object, previous: object | undefined, converts: boolean): object {
    const sent = this.record.keepReadOnly(previous, this.patchOf(body), this.#body);
    if (!converts) return sent;
    const members = Object.entries(sent).flatMap(([name, value]) => {
      const completed = completeMember(this.record, name, value);
      // null removes a member that is not nullable. Other values that can't be converted are kept, so that the validation fails.
      return completed === undefined && value === null ? [] : [[name, completed ?? value] as const];
    });
    return Object.fromEntries(members);
  }

  #isKept(name: string): boolean {
    const { propertyNames, isClosed, isOpen } = this.record;
    if (propertyNames.includes(name)) return !this.#plan.unkept.includes(name);
    // What only a request declares, such as a password, is not kept. What neither declares is data of the client.
    const isUnknown = propertyNames.length === 0 || !this.#body.propertyNames.includes(name);
    return isOpen || (!isClosed && isUnknown);
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

function makeMembers(sources: Sources, now: Date): Members {
  return Object.fromEntries(
    Object.entries(sources).map(([name, one]) => [name, "time" in one ? times[one.time](now) : one.value]),
  );
}
