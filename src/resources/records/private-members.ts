// Hides the members that are in no response from the handlers of the store, and keeps them when they change a record.
import { parseJson, RawJson, toJson } from "../../lib/index.ts";
import type { RecordStore } from "../../store/index.ts";
import { membersOf } from "../record/member-values.ts";
import type { Resource } from "../record/resource.ts";

/** Returns records without private members: a change keeps those that it does not set. */
export function hidePrivate(records: RecordStore, resource: Resource): RecordStore {
  if (resource.plan.private === undefined) return records;
  const hide = (record: RawJson<unknown>) => new RawJson<unknown>(toJson(resource.withoutPrivate(membersOf(record))));
  const hideResult = <T extends object>(result: T): T =>
    "record" in result ? { ...result, record: hide(result.record as RawJson<unknown>) } : result;
  const keep = (record: RawJson<unknown> | undefined, edited: object) => ({
    ...(record && resource.privateOf(membersOf(record))),
    ...edited,
  });
  return {
    ...records,
    list: async (query) => {
      const page = await records.list(query);
      const all = parseJson(page.records.text, Number.POSITIVE_INFINITY) as object[];
      return { ...page, records: new RawJson(toJson(all.map((one) => resource.withoutPrivate(one)))) };
    },
    find: async (id) => {
      const found = await records.find(id);
      return found && hide(found);
    },
    create: async (...values) => hideResult(await records.create(...values)),
    put: async (id, edit) => hideResult(await records.put(id, (record) => keep(record, edit(record && hide(record))))),
    change: async (id, edit) =>
      hideResult(
        await records.change(id, (record) => {
          const edited = edit(hide(record));
          return edited && keep(record, edited);
        }),
      ),
    remove: async (id, isAllowed = () => true) =>
      hideResult(await records.remove(id, (record) => isAllowed(hide(record)))),
  };
}
