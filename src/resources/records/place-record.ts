// Where a new record goes, and with which id: for requests, handlers, imports and seeds.
import { HttpError } from "../../http/index.ts";
import { type CreateResult, type IdempotencyKey, makeId, type RecordStore, toScope } from "../../store/index.ts";
import { type Resource, singleId } from "../record/resource.ts";

/** A new record, and its id; undefined if the store makes it. */
export interface PlacedRecord {
  readonly id: string | undefined;
  readonly record: object;
}

/**
 * Places a new record: at the id `own`, if it has one, and otherwise at a new one, if the store can't write it into the
 * record, because it is inside of an object, or only in the path.
 */
export function placeRecord(resource: Resource, record: object, own: unknown = resource.idIn(record)): PlacedRecord {
  const { idType, id: name, idForm, idPrefix } = resource.collection;
  if (resource.isSingle) return { id: singleId, record };
  // Clients of generated ids send 0, the default of an integer.
  const isOwn = own !== undefined && own !== null && !(idType === "int64" && `${own}` === "0");
  if (!isOwn && name !== undefined) return { id: undefined, record };
  const id = `${isOwn ? own : makeId(idForm, idPrefix)}`;
  return { id, record: resource.withId(record, id) };
}

/** Adds a placed record in a scope. Throws an HttpError, or what `exists` returns, if another record has the id. */
export async function addRecord<R>(
  records: RecordStore<R, object>,
  resource: Resource,
  { id, record }: PlacedRecord,
  {
    scope,
    exists = (taken) => recordExists(resource, taken),
    key,
  }: {
    readonly scope: readonly (string | bigint | number)[];
    readonly exists?: (id: string) => Error;
    readonly key?: IdempotencyKey | undefined;
  },
): Promise<CreateResult<R>> {
  if (id === undefined) return records.create(record, key, toScope(scope));
  const address = resource.addressAt(scope, id);
  const result = await records.put(address, (existing) => {
    if (existing) throw exists(id);
    return record;
  });
  return result.outcome === "full" ? result : { outcome: "created", id: address, record: result.record };
}

function recordExists({ recordName }: Resource, id: string): HttpError {
  return new HttpError({ code: `${recordName}_exists`, status: 409 }, `Another ${recordName} has the id ${id}.`);
}
