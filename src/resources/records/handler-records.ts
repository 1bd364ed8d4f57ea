// The records of a collection for the handlers of an application: ids are those within a scope, and only valid records are written.
import { idOf, type RecordId, removeWithBelow, type Store, scopeFilter, toScope } from "../../store/index.ts";
import type { RecordMaker } from "../record/record-maker.ts";
import type { Resource } from "../record/resource.ts";
import { type HandlerQuery, type HandlerRecords, toConditions, toFilter, toOrders } from "./handler-query.ts";
import { addRecord, placeRecord } from "./place-record.ts";

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
    const found = conditions.map((one) => toFilter(resource, one));
    const indexed = found.filter((one) => one !== undefined);
    const others = conditions.filter((_, index) => found[index] === undefined);
    return { filter: inScope({ ...filter, ...Object.fromEntries(indexed) }, wanted), where: others };
  };
  const validate = resource.record.createValidator("response");
  const requireValid = <N extends object | undefined>(record: N): N => {
    if (record === undefined) return record;
    const { problem } = validate(resource.withExampleId(record));
    if (problem === undefined) return record;
    const subject = problem.path === "" ? "it" : `its property ${problem.path}`;
    throw new Error(`A record of ${name} does not match its schema: ${subject} ${problem.requirement}.`);
  };
  return {
    list: async ({ where, orderBy, scope: wanted, ...query }) =>
      records.list({
        ...query,
        ...select(where, query.filter, wanted),
        orderBy: toOrders(resource, orderBy),
      }),
    count: async (where, wanted) => {
      const selected = select(where, {}, wanted);
      return records.count(selected.filter, selected.where);
    },
    find: async (id) => records.find(at(id)),
    position: async (id) => records.position(at(id)),
    async create(record, idempotencyKey) {
      if (isOfAll) throw needsValues();
      const made = maker?.create(record, resource.membersOfScope(values)).value;
      const completed = { ...made, ...(maker?.withoutRequestOnly(record) ?? record) };
      const placed = placeRecord(resource, completed, resource.idIn(record));
      requireValid(placed.record);
      const exists = (id: string) => new Error(`Another record of ${name} has the id ${id}.`);
      const result = await addRecord(records, resource, placed, { scope: values, exists, key: idempotencyKey });
      return "id" in result ? { ...result, id: idOf(collection, result.id) } : result;
    },
    put: async (id, edit) => records.put(at(id), (record) => requireValid(resource.withId(edit(record), `${id}`))),
    change: async (id, edit) => records.change(at(id), (record) => requireValid(edit(record))),
    remove: async (id, isAllowed) => {
      const inner = toScope(resource.isSingle ? values : [...values, `${id}`]);
      return removeWithBelow(store, { collection: name, address: at(id), scope: inner, below }, isAllowed);
    },
    removeBelow: async (inner, limit) => {
      if (isOfAll) throw needsValues();
      return records.removeBelow(scope + inner, limit);
    },
  };
}
