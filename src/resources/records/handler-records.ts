// The records of a collection for the handlers of an application: ids are those within a scope, and only valid records are written.
import {
  idOf,
  type RecordId,
  type RecordStore,
  removeWithBelow,
  type Store,
  scopeFilter,
  toScope,
} from "../../store/index.ts";
import type { RecordMaker } from "../record/record-maker.ts";
import type { Resource } from "../record/resource.ts";
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
 * schema of the record. A record is removed with those below it. Throws an Error if the scope has other values than the path.
 */
export function checkRecords({ resource, store, below, maker, scope: values }: CheckedRecordsOptions): RecordStore {
  const { name, path, scopeParameters, collection } = resource;
  if (values.length !== scopeParameters.length)
    throw new Error(
      scopeParameters.length === 0
        ? `The records of ${name} are below no others: records("${name}").`
        : `The records of ${name} are those of ${path}: records("${name}", ${scopeParameters.join(", ")}).`,
    );
  const records = store.records(name);
  const scope = toScope(values);
  const at = (id: RecordId): RecordId => resource.addressAt(values, id);
  const inScope = (filter: Readonly<Record<string, unknown>> | undefined) =>
    collection.isScoped ? { ...filter, [scopeFilter.name]: scope } : { ...filter };
  const validate = resource.record.createValidator("response");
  const requireValid = <N extends object | undefined>(record: N): N => {
    if (record === undefined) return record;
    const { problem } = validate(resource.withExampleId(record));
    if (problem === undefined) return record;
    const subject = problem.path === "" ? "it" : `its property ${problem.path}`;
    throw new Error(`A record of ${name} does not match its schema: ${subject} ${problem.requirement}.`);
  };
  return {
    list: (query) => records.list({ ...query, filter: inScope(query.filter) }),
    count: (filter) => records.count(inScope(filter)),
    find: (id) => records.find(at(id)),
    position: (id) => records.position(at(id)),
    async create(record, idempotencyKey) {
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
    remove: (id, isAllowed) => {
      const inner = toScope(resource.isSingle ? values : [...values, `${id}`]);
      return removeWithBelow(store, { collection: name, address: at(id), scope: inner, below }, isAllowed);
    },
    removeBelow: (inner, limit) => records.removeBelow(scope + inner, limit),
  };
}
