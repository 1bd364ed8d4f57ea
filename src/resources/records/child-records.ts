// Records below a new one that its request has as a member, such as the items of an order: they are created with it.
import { HttpError } from "../../http/index.ts";
import { canonicalJson, getOrAdd, isObject } from "../../lib/index.ts";
import { idOf, type RecordId, type Records } from "../../store/index.ts";
import { findCreation } from "../recognition/find-plan.ts";
import type { MakeContext } from "../record/member-sources.ts";
import { type BodyPlan, RecordMaker } from "../record/record-maker.ts";
import type { Resource } from "../record/resource.ts";
import { addRecord, placeRecord } from "./place-record.ts";
import { storeFull } from "./requests/request.ts";

const makers = new WeakMap<BodyPlan, RecordMaker>(); // they compile schemas

/** The names of collections, by the names of the members that have their records. */
type Children = Readonly<Record<string, string>>;

/** A new record, and what its request has of the records below it. */
interface NewParent {
  readonly resource: Resource;
  readonly id: RecordId;
  /** The values of the path above it. */
  readonly scope: readonly string[];
  readonly children: Children;
  readonly sent: Readonly<Record<string, readonly unknown[]>>;
}

/** Returns the arrays of a body with records that are kept below it, by their names. */
export function childrenIn(body: object, children: Children = {}): Readonly<Record<string, readonly unknown[]>> {
  const isKept = ([name, value]: [string, unknown]) => Object.hasOwn(children, name) && Array.isArray(value);
  return Object.fromEntries(Object.entries(body).filter(isKept));
}

/**
 * Throws an HttpError if a change has other records below a record than those that it has, which are changed at their own paths. What is
 * read-only can be missing. `patched` are the members that a JSON Patch reads or changes.
 */
export function requireSameChildren(
  children: Children = {},
  { sent, patched }: { readonly sent: NewParent["sent"]; readonly patched: readonly string[] },
  before: Readonly<Record<string, unknown>> = {},
  all: ReadonlyMap<string, Resource>,
): void {
  const isSame = ([member, items]: [string, readonly unknown[]]) => {
    const known = (before[member] ?? []) as readonly Readonly<Record<string, unknown>>[];
    const isEqual = (item: unknown, index: number) =>
      isObject(item) &&
      Object.entries(item).every(([name, one]) => canonicalJson(one) === canonicalJson(known[index]?.[name] ?? null));
    return items.length === known.length && items.every(isEqual);
  };
  const others = Object.entries(sent).flatMap((one) => (isSame(one) ? [] : [one[0]]));
  const [member] = [...others, ...patched.filter((name) => Object.hasOwn(children, name))];
  if (member === undefined) return;
  const { path } = all.get(children[member] as string) as Resource;
  throw new HttpError("not_implemented", `Change the ${member} at ${path}, and send the request without them.`);
}

/** Creates the records below a new one. Throws an HttpError if one of them can't be created with it. */
export async function addChildren(
  records: Records,
  { resource, id, scope, children, sent }: NewParent,
  all: ReadonlyMap<string, Resource>,
  context: MakeContext,
): Promise<void> {
  const values = [...scope, `${idOf(resource.collection, id)}`];
  for (const [member, items] of Object.entries(sent)) {
    const child = all.get(children[member] as string) as Resource;
    const { recordName, plan, path } = child;
    const fail = (reason: string) =>
      new HttpError("not_implemented", `${reason}, so that the ${member} must be created at ${path}, one by one.`);
    const { body, controls = [], embedded } = findCreation(child) ?? {};
    const maker = body && getOrAdd(makers, body, () => new RecordMaker(child, body));
    if (maker === undefined || maker.makesUrls || body?.renamed || embedded || plan.private || plan.owner)
      throw fail(`Creating a ${recordName} sets URLs, an owner, private members or other records`);
    for (const item of items) {
      if (!isObject(item)) throw fail(`An item of ${member} is not an object`);
      const control = controls.find((name) => Object.hasOwn(item, name));
      if (control !== undefined) throw fail(`The effect of the member ${control} is not known`);
      const sentId = child.sentIdIn(item);
      const own = `${sentId}` === "0" ? undefined : sentId; // the default of an integer
      const isMade = child.collection.idType === "int64"; // within a scope
      const idProblem = own === undefined || isMade ? undefined : child.findIdProblem(own, values);
      if (own !== undefined && (isMade || idProblem !== undefined))
        throw fail(`The id ${own} of a ${recordName} ${idProblem ?? "is made by the server"}`);
      const { value, problem } = maker.create(item, child.membersOfScope(values), context);
      if (problem)
        throw fail(`A ${recordName} does not match its schema: ${problem.path || "it"} ${problem.requirement}`);
      const placed = placeRecord(child, value, own);
      const created = await addRecord(records(child.name), child, placed, { scope: values });
      if (created.outcome !== "created") throw storeFull(recordName);
    }
  }
}
