// What a request makes of the members of a record, by its schema or by an alternative of it.
import { isObject } from "../../lib/index.ts";
import type { SchemaNode } from "../../openapi/index.ts";
import { spokenUnset } from "../names/member-names.ts";
import { type MakeOptions, makeMembers, type Sources } from "./member-sources.ts";
import { completeMember, type Members } from "./member-values.ts";
import { RecordSchema } from "./record-schema.ts";
import type { RequestOnlyMembers } from "./request-only-members.ts";
import type { Resource } from "./resource.ts";
import { withAlternatives } from "./schema-nodes.ts";
import { hasUrls } from "./url-placeholders.ts";

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

/** What is made of one alternative of the schema of a record. */
export interface AlternativePlan extends MemberPlan {
  readonly schema: string;
  readonly alternatives: readonly AlternativePlan[];
}

/** One form of a record: its schema, or an alternative of it. */
export class RecordForm {
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
    const made = { ...makeMembers(this.record, sources, own, options), ...known };
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
    // Required members that a patch has removed with null are null, or else an empty object, if their schema allows it.
    const removed = this.record.required.filter((name) => !Object.hasOwn(record, name) && name !== this.#id);
    const empty = removed.flatMap((name) => {
      const value = [null, {}].find((one) => this.record.accepts(name, one));
      return value === undefined ? [] : [[name, value]];
    });
    const changed: Members = Object.fromEntries([...members, ...empty]);
    const updated = Object.entries(makeMembers(this.record, this.#plan.updated, changed, options));
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
