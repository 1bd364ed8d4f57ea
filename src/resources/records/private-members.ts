// Hides the members that are in no response from the handlers of the store, and keeps them when they change a record.
import { parseJson, RawJson, toJson } from "../../lib/index.ts";
import type { RecordStore, Records, Store } from "../../store/index.ts";
import type { Resource } from "../record/resource.ts";

type Stores = Pick<Store, "records" | "transaction">;

/** Returns a store whose records have no private members: a change keeps those that it does not set. */
export function hidePrivate({ records, transaction }: Stores, resources: ReadonlyMap<string, Resource>): Stores {
  if (![...resources.values()].some(({ plan }) => plan.private)) return { records, transaction };
  const wrap = (all: Records): Records => {
    const hidden = (name: string): RecordStore => {
      const resource = resources.get(name);
      return resource?.plan.private ? hideIn(all(name), resource) : all(name);
    };
    return hidden as Records;
  };
  return { records: wrap(records), transaction: (work, options) => transaction((all) => work(wrap(all)), options) };
}

function hideIn(records: RecordStore, resource: Resource): RecordStore {
  const parse = ({ text }: RawJson<unknown>) => parseJson(text, Number.POSITIVE_INFINITY) as object;
  const hide = (record: RawJson<unknown>) => new RawJson<unknown>(toJson(resource.withoutPrivate(parse(record))));
  const hideResult = <T extends object>(result: T): T =>
    "record" in result ? { ...result, record: hide(result.record as RawJson<unknown>) } : result;
  const keep = (record: RawJson<unknown> | undefined, edited: object) => ({
    ...(record && resource.privateOf(parse(record))),
    ...edited,
  });
  return {
    ...records,
    list: async (query) => {
      const page = await records.list(query);
      const all = parse(page.records) as object[];
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
