// Makes records of what requests have of them: adds the members that no request has, by the plan of an operation.
import type { Checked } from "../../lib/index.ts";
import { callerForms, type MakeContext } from "./member-sources.ts";
import { completeMember, type Members, sampleMember } from "./member-values.ts";
import { type AlternativePlan, type MemberPlan, RecordForm } from "./record-form.ts";
import { RecordSchema } from "./record-schema.ts";
import type { Resource } from "./resource.ts";
import { fillUrls, recordUrl } from "./url-placeholders.ts";

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

  /** Returns whether a record keeps nothing of a body that has something, such as a password. */
  keepsNothing(body: object): boolean {
    return Object.keys(body).length > 0 && Object.keys(this.patchOf(body)).length === 0;
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
