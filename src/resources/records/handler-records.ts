// The records of a collection for the handlers of an application: ids are those within a scope, and only valid records are written.
import { isObject, parseJson, type RawJson } from "../../lib/index.ts";
import {
  type ChangeResult,
  type CreateResult,
  type PutResult,
  type RecordId,
  removeWithBelow,
  type Store,
  scopeFilter,
  toScope,
} from "../../store/index.ts";
import type { RecordMaker } from "../record/record-maker.ts";
import type { Resource } from "../record/resource.ts";
import { type HandlerQuery, type HandlerRecords, toConditions, toFilter, toOrders } from "./handler-query.ts";
import { addRecord, placeRecord } from "./place-record.ts";
import { storeFull } from "./requests/request.ts";

const defaultLimit = 100; // records of a page

export interface CheckedRecordsOptions {
  readonly resource: Resource;
  readonly store: Pick<Store, "records" | "transaction">;
  /** The collections whose records are below those of this one, from the highest to the lowest. */
  readonly below: readonly string[];
  /** Makes the members that no request has. */
  readonly maker: RecordMaker | undefined;
  /** The values of the parameters of the resource's path. */
  readonly scope: readonly (string | bigint | number)[];
}

/**
 * Returns the records of a collection, or of one of its scopes. Their methods reject with an Error if what is written does not match the
 * schema of the record. A record is removed with those below it. Without the values of its path, they list and count those of all scopes,
 * and no more. Throws an Error for another number of values.
 */
export function checkRecords(options: CheckedRecordsOptions): HandlerRecords {
  const { resource, store, below, maker, scope: values } = options;
  const { name, path, scopeParameters, collection } = resource;
  const isOfAll = values.length === 0 && scopeParameters.length > 0;
  const needsValues = () =>
    new Error(
      `The records of ${name} are those of ${path}: records("${name}", ${scopeParameters.join(", ")}). Only list and count can have scope: "all".`,
    );
  if (values.length !== scopeParameters.length && !isOfAll)
    throw scopeParameters.length === 0
      ? new Error(`The records of ${name} are below no others: records("${name}").`)
      : needsValues();
  const records = store.records(name);
  const scope = toScope(values);
  const at = (id: RecordId): RecordId => {
    if (isOfAll) throw needsValues();
    return resource.addressAt(values, id);
  };
  const inScope = (filter: Readonly<Record<string, unknown>> = {}, wanted?: "all") => {
    if (isOfAll && wanted !== "all") throw needsValues();
    return collection.isScoped && !isOfAll ? { ...filter, [scopeFilter.name]: scope } : filter;
  };
  const select = (where: object | undefined, filter: HandlerQuery<unknown>["filter"], wanted?: "all") => {
    const conditions = toConditions(resource, where);
    const found = conditions.map((one) => {
      const equal = toFilter(resource, one);
      return equal && filter?.[equal[0]] === undefined ? equal : undefined; // both must match
    });
    const indexed = found.filter((one) => one !== undefined);
    const others = conditions.filter((_, index) => found[index] === undefined);
    return { filter: inScope({ ...filter, ...Object.fromEntries(indexed) }, wanted), where: others };
  };
  const validate = resource.validate;
  const requireValid = <N extends object | undefined>(record: N): N => {
    if (record === undefined) return record;
    const { problem } = validate(resource.withExampleId(record));
    if (problem === undefined) return record;
    const subject = problem.path === "" ? "it" : `its property ${problem.path}`;
    throw new Error(`A record of ${name} does not match its schema: ${subject} ${problem.requirement}.`);
  };
  // As the schema reads it. One that does not match is as it is.
  const read = (record: unknown): unknown => {
    const value = validate(record).value ?? record;
    for (const name of resource.plan.private ?? [])
      if (isObject(value) && Object.hasOwn(value, name)) Object.defineProperty(value, name, { enumerable: false });
    return value;
  };
  const parse = ({ text }: RawJson<unknown>) => parseJson(text, Number.POSITIVE_INFINITY);
  // The record of a result.
  const recordOf = (result: ChangeResult<unknown> | PutResult<unknown> | CreateResult<unknown>) => {
    if (result.outcome === "full") throw storeFull(resource.recordName);
    return "record" in result ? read(parse(result.record)) : undefined;
  };
  // What is not enumerable, and what is not set, stays.
  const keepPrivate = <N extends object | undefined>(before: unknown, edited: N): N =>
    edited && resource.plan.private
      ? { ...edited, ...resource.privateOf(before), ...resource.privateOf(edited) }
      : edited;
  return {
    list: async ({ where, orderBy, scope: wanted, limit = defaultLimit, ...query } = {}) => {
      const page = await records.list({
        ...query,
        limit,
        ...select(where, query.filter, wanted),
        orderBy: toOrders(resource, orderBy),
      });
      return { ...page, records: (parse(page.records) as unknown[]).map(read) };
    },
    count: async (where, wanted) => {
      const selected = select(where, {}, wanted);
      return records.count(selected.filter, selected.where);
    },
    find: async (id) => {
      const found = await records.find(at(id));
      return found && read(parse(found));
    },
    position: async (id) => records.position(at(id)),
    async create(record) {
      if (isOfAll) throw needsValues();
      const made = maker?.create(record, resource.membersOfScope(values)).value;
      const completed = { ...made, ...(maker?.withoutRequestOnly(record) ?? record), ...resource.privateOf(record) };
      const placed = placeRecord(resource, completed, resource.idIn(record));
      requireValid(placed.record);
      const exists = (id: string) => new Error(`Another record of ${name} has the id ${id}.`);
      return recordOf(await addRecord(records, resource, placed, { scope: values, exists }));
    },
    put: async (id, edit) => {
      const result = await records.put(at(id), (raw) => {
        const record = raw && read(parse(raw));
        return requireValid(keepPrivate(record, resource.withId(edit(record), `${id}`)));
      });
      return recordOf(result);
    },
    change: async (id, edit) => {
      const result = await records.change(at(id), (raw) => {
        const record = read(parse(raw));
        return requireValid(keepPrivate(record, edit(record)));
      });
      return recordOf(result);
    },
    remove: async (id, isAllowed = () => true) => {
      const inner = toScope(resource.isSingle ? values : [...values, `${id}`]);
      const deletion = { collection: name, address: at(id), scope: inner, below };
      const result = await removeWithBelow(store, deletion, (raw) => isAllowed(read(parse(raw))));
      return result.outcome === "changed" ? recordOf(result) : undefined;
    },
    removeBelow: async (inner, limit) => {
      if (isOfAll) throw needsValues();
      return records.removeBelow(scope + inner, limit);
    },
  };
}
