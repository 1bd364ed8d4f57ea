// Whether the records exist above those of a request.
import { HttpError } from "../../http/index.ts";
import type { Records } from "../../store/index.ts";
import type { Resource } from "../record/resource.ts";

/** A collection above another one. If its records are imported, they must exist as soon as there is one. */
export interface Parent {
  readonly resource: Resource;
  readonly isImported: boolean;
}

/** Throws an HttpError if a record does not exist whose path has the first of these values. `above` are collections, the lowest first. */
export async function requireAbove(
  above: readonly Parent[],
  values: readonly string[],
  records: Records,
): Promise<void> {
  const [parent, ...others] = above;
  if (parent === undefined) return;
  const { resource, isImported } = parent;
  const { name, scopeParameters, recordName } = resource;
  const id = values[scopeParameters.length] as string;
  const address = resource.addressAt(values.slice(0, scopeParameters.length), id);
  if ((await records(name).position(address)) !== undefined) return;
  await requireAbove(others, values, records); // the highest one that is missing
  if (isImported && (await records(name).list({ limit: 1 })).last === undefined) return;
  throw notFound(recordName, `has the id ${id}`);
}

/** Returns the error of a record that does not exist. `words` complete a sentence. */
export function notFound(recordName: string, words: string): HttpError {
  return new HttpError({ code: `${recordName}_not_found`, status: 404 }, `No ${recordName} ${words}.`);
}
