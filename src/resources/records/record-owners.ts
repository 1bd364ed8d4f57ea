// Shows each caller only their own records, in collections with `owner` in x-resource.
import { AsyncLocalStorage } from "node:async_hooks";
import { HttpError } from "../../http/index.ts";
import type { RawJson } from "../../lib/index.ts";
import { identitiesOf, scopesOf, type UntypedCall, type UntypedHandler } from "../../openapi/index.ts";
import type { RecordStore } from "../../store/index.ts";
import { callerForms } from "../record/member-sources.ts";
import { membersOf } from "../record/member-values.ts";
import { ownerFilter, type Resource } from "../record/resource.ts";
import { callerId } from "./requests/caller.ts";

const calls = new AsyncLocalStorage<UntypedCall>();

/** Returns a handler whose calls have only the records of their caller, in the collections that `showOwn` has changed. */
export function forCaller(handler: UntypedHandler): UntypedHandler {
  return (call, context) => calls.run(call, () => handler(call, context));
}

/**
 * Returns the records of a collection as the caller of the current call has them: as if there were no others, but for their ids, which are
 * taken. A new record is that of the caller.
 */
export function showOwn(records: RecordStore, resource: Resource): RecordStore {
  const { owner } = resource.plan;
  if (owner === undefined) return records;
  const { property, unless } = owner;
  const ownerOf = (record: RawJson<unknown>) => membersOf(record)[property];
  // Undefined for a caller who has the records of all. Not in what a store calls back: it can run the writes of several callers together.
  const current = (): unknown => {
    const caller = calls.getStore()?.caller;
    if (unless !== undefined && [caller, ...identitiesOf(caller)].some((one) => scopesOf(one)?.has(unless)))
      return undefined;
    const form = callerForms(callerId(caller)).find((one) => resource.record.accepts(property, one));
    if (form === undefined) throw new Error(`The property ${property} can't have the caller.`);
    return form;
  };
  const isOwn = (record: RawJson<unknown>, own: unknown) => own === undefined || `${ownerOf(record)}` === `${own}`;
  const onlyOwn = (filter: Readonly<Record<string, unknown>> = {}) => ({ ...filter, [ownerFilter.name]: current() });
  const find: RecordStore["find"] = async (id) => {
    const own = current();
    const found = await records.find(id);
    return found && isOwn(found, own) ? found : undefined;
  };
  const refuse = () =>
    new HttpError(
      { code: `${resource.recordName}_exists`, status: 409 },
      "The id is that of a record of another caller.",
    );
  return {
    ...records,
    list: (query) => records.list({ ...query, filter: onlyOwn(query.filter) }),
    count: (filter, where) => records.count(onlyOwn(filter), where),
    find,
    position: async (id) => ((await find(id)) ? records.position(id) : undefined),
    create: (record, ...others) => records.create({ ...record, ...ownedBy(property, current()) }, ...others),
    put: (id, edit) => {
      const own = current();
      return records.put(id, (record) => {
        if (record && !isOwn(record, own)) throw refuse();
        return { ...edit(record), ...ownedBy(property, record ? ownerOf(record) : own) };
      });
    },
    change: async (id, edit) => {
      const own = current();
      let isMissing = false;
      const result = await records.change(id, (record) => {
        isMissing = !isOwn(record, own);
        const edited = isMissing ? undefined : edit(record);
        return edited && { ...edited, ...ownedBy(property, ownerOf(record)) };
      });
      return isMissing ? { outcome: "missing" } : result;
    },
    remove: async (id, isAllowed = () => true) => {
      const own = current();
      let isMissing = false;
      const result = await records.remove(id, (record) => {
        isMissing = !isOwn(record, own);
        return !isMissing && isAllowed(record);
      });
      return isMissing ? { outcome: "missing" } : result;
    },
  };
}

function ownedBy(property: string, owner: unknown): object {
  return owner === undefined ? {} : { [property]: owner };
}
