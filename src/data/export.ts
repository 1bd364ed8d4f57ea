// Exports the records of one snapshot as text, in order of id.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Resource } from "../resources/index.ts";
import { type Filter, idOf, type RecordId, scopeFilter, scopeOf, type Tables } from "../store/index.ts";
import type { ExportedRecord, Format, Layout } from "./format.ts";

/** The records to export, and their format. */
export interface Selection {
  readonly format: Format;
  readonly resource: Resource;
  /** Exports only the records that match a filter. */
  readonly match?: { readonly filter: Filter; readonly value: unknown } | undefined;
  /** Omits the ids, so that an import makes others. */
  readonly withoutIds?: boolean | undefined;
}

/** The result of an export. */
export interface ExportSummary {
  /** The number of records. */
  readonly records: number;
  /** The SHA-256 of all bytes, in hexadecimal. */
  readonly sha256: string;
}

/**
 * Exports records in batches. Awaits `write` for each batch before it reads the next one. `progress` receives numbers of
 * records, without a total if some are selected.
 */
export function exportRecords(
  store: Tables,
  { format, resource, match, withoutIds = false }: Selection,
  write: (text: string) => Promise<unknown>,
  progress: (done: number, total?: number) => void,
): Promise<ExportSummary> {
  const { name, collection } = resource;
  const scopeName = match?.filter === scopeFilter ? undefined : resource.placeNames.scope;
  const idName = withoutIds ? undefined : resource.placeNames.id;
  const places = [scopeName, idName].filter((one) => one !== undefined);
  const layout: Layout = { collection, withoutIds, places, toCell: resource.record.createCellWriter() };
  const exported = (text: string, address: RecordId): ExportedRecord => {
    const scope = scopeName === undefined ? {} : { [scopeName]: scopeOf(address) };
    const id = idName === undefined ? {} : { [idName]: `${idOf(collection, address)}` };
    return { text, places: { ...scope, ...id } };
  };
  const hash = createHash("sha256");
  const writeAndHash = async (text: string) => {
    hash.update(text);
    await write(text);
  };
  return store.read(async (source) => {
    const total = match === undefined ? await source.count(name) : undefined;
    let records = 0;
    await writeAndHash(format.header(layout));
    for await (const rows of match ? source.matching(collection, match.filter, match.value) : source.rows(name)) {
      const texts = rows.map(([number, text, key]) =>
        format.serialize(layout, exported(text as string, (key ?? number) as RecordId)),
      );
      await writeAndHash(texts.join(""));
      records += rows.length;
      progress(records, total);
      await setImmediate(); // SQLite reads synchronously: without a pause, no signal would be handled
    }
    return { records, sha256: hash.digest("hex") };
  });
}
