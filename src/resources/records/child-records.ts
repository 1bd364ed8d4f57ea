// Records below a new one that its request has as a member, such as the items of an order: they are created with it.
import { HttpError } from "../../http/index.ts";
import { idOf, type RecordId, type Records } from "../../store/index.ts";
import { findCreation } from "../recognition/find-plan.ts";
import type { MakeContext } from "../record/member-sources.ts";
import { RecordMaker } from "../record/record-maker.ts";
import type { Resource } from "../record/resource.ts";
import { addRecord, placeRecord } from "./place-record.ts";
import { storeFull } from "./requests/request.ts";

/** The names of collections, by the names of the members that have their records. */
type Children = Readonly<Record<string, string>>;

/** A record, and what its request has of the records below it. */
interface NewParent {
  readonly resource: Resource;
  readonly id: RecordId;
  /** The values of the path above it. */
  readonly scope: readonly string[];
  readonly children: Children;
  readonly sent: object;
}

/** Returns the arrays of a body with records that are kept below it, by their names. */
export function childrenIn(body: object, children: Children = {}): Readonly<Record<string, readonly object[]>> {
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => children[name] && Array.isArray(value)));
}

/** Returns a body with an empty array in place of the records that are kept below it. */
export function withoutChildren(body: object, children?: Children): object {
  const names = Object.keys(childrenIn(body, children));
  return names.length === 0 ? body : { ...body, ...Object.fromEntries(names.map((name) => [name, []])) };
}

/** Creates the records below a new one, and those below them. Throws an HttpError if one does not match its schema. */
export async function addChildren(
  records: Records,
  { resource, id, scope, children, sent }: NewParent,
  all: ReadonlyMap<string, Resource>,
  context: MakeContext,
): Promise<void> {
  const values = [...scope, `${idOf(resource.collection, id)}`];
  for (const [member, items] of Object.entries(childrenIn(sent, children))) {
    const child = all.get(children[member] as string) as Resource;
    const { body, children: inner = {} } = findCreation(child) ?? {};
    const maker = body && new RecordMaker(child, body);
    const fail = (requirement: string) =>
      new HttpError(
        "not_implemented",
        `The ${member} can't be created with the ${resource.recordName}: ${requirement}.`,
      );
    if (maker?.makesUrls) throw fail(`a ${child.recordName} has URLs`);
    for (const item of items) {
      const own = withoutChildren(item, inner);
      const place = child.membersOfScope(values);
      const { value, problem } = maker?.create(own, place, context) ?? { value: { ...place, ...own } };
      if (problem) throw fail(`a ${child.recordName} ${problem.path} ${problem.requirement}`.replaceAll(/ {2,}/g, " "));
      const exists = (taken: string) =>
        new HttpError(
          { code: `${child.recordName}_exists`, status: 409 },
          `Another ${child.recordName} has the id ${taken}.`,
        );
      const placed = placeRecord(child, value, child.sentIdIn(own));
      const created = await addRecord(records(child.name), child, placed, { scope: values, exists });
      if (created.outcome !== "created") throw storeFull(child.recordName);
      const next = { resource: child, id: created.id, scope: values, children: inner, sent: item };
      await addChildren(records, next, all, context);
    }
  }
}
