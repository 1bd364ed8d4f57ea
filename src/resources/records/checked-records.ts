// The records of a collection for the handlers of an application: ids are those within a scope, and only valid records are written.
import { idOf, type RecordId, type RecordStore, scopeFilter, toAddress, toScope } from "../../store/index.ts";
import type { RecordMaker, Resource } from "../model/index.ts";

export interface CheckedRecordsOptions {
  readonly resource: Resource;
  readonly records: RecordStore;
  /** The collections whose records are below those of this one. */
  readonly below: readonly RecordStore[];
  /** Makes the members that no request has. */
  readonly maker: RecordMaker | undefined;
  /** The values of the parameters of the resource's path. */
  readonly scope: readonly (string | bigint | number)[];
}

/**
 * Returns the records of a collection, or of one of its scopes. Their methods reject with an Error if what is written does not match the
 * schema of the record. A record is removed with those below it. Throws an Error if the scope has other values than the path.
 */
export function checkRecords({ resource, records, below, maker, scope: values }: CheckedRecordsOptions): RecordStore {
  const { name, path, scopeParameters, collection } = resource;
  if (values.length !== scopeParameters.length)
    throw new Error(
      scopeParameters.length === 0
        ? `The records of ${name} are below no others: records("${name}").`
        : `The records of ${name} are those of ${path}: records("${name}", ${scopeParameters.join(", ")}).`,
    );
  const scope = toScope(values);
  const { isScoped } = collection;
  const at = (id: RecordId): RecordId => (isScoped ? toAddress(scope, id) : id);
  const inScope = (filter: Readonly<Record<string, unknown>> | undefined) =>
    isScoped ? { ...filter, [scopeFilter.name]: scope } : { ...filter };
  const validate = resource.record.createValidator("response");
  const requireValid = <N extends object | undefined>(record: N): N => {
    if (record === undefined) return record;
    const { problem } = validate(resource.withSampleId(record));
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
      const added = requireValid({ ...maker?.create(record).value, ...record });
      const result = await records.create(added, idempotencyKey, scope);
      return "id" in result ? { ...result, id: idOf(collection, result.id) } : result;
    },
    put: async (id, edit) => records.put(at(id), (record) => resource.withId(requireValid(edit(record)), `${id}`)),
    change: async (id, edit) => records.change(at(id), (record) => requireValid(edit(record))),
    async remove(id, isAllowed) {
      const result = await records.remove(at(id), isAllowed);
      if (result.outcome === "changed") for (const one of below) await one.removeBelow(toScope([...values, `${id}`]));
      return result;
    },
    removeBelow: (inner) => records.removeBelow(scope + inner),
  };
}
