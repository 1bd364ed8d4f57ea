// Exports the records of one snapshot as text, in order of id.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { parseJson, toJson, writeAtomically } from "../lib/index.ts";
import type { Resource } from "../resources/index.ts";
import {
  type Filter,
  idOf,
  type RecordId,
  scopeFilter,
  scopeOf,
  type TableReader,
  type Tables,
} from "../store/index.ts";
import type { ExportedRecord, Format, Layout } from "./formats/format.ts";

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
  selection: Selection,
  write: (text: string) => Promise<unknown>,
  progress: (done: number, total?: number) => void,
): Promise<ExportSummary> {
  return store.read((source) => exportSnapshot(source, selection, write, progress));
}

/** Exports records of a snapshot, like `exportRecords`. */
export async function exportSnapshot(
  source: TableReader,
  { format, resource, match, withoutIds = false }: Selection,
  write: (text: string) => Promise<unknown>,
  progress: (done: number, total?: number) => void,
): Promise<ExportSummary> {
  const { name, collection } = resource;
  const { placeNames } = resource;
  const scopeName = match?.filter === scopeFilter ? undefined : placeNames.scope;
  const idName = placeNames.id; // which an import can't make
  const places = [scopeName, idName].filter((one) => one !== undefined);
  const layout: Layout = { collection, withoutIds, places, toCell: resource.record.createCellWriter() };
  const hasOtherForm = placeNames.all.length > 0 || (withoutIds && resource.idPath.length > 1);
  const exported = (text: string, address: RecordId): ExportedRecord => {
    const scope = scopeName === undefined ? {} : { [scopeName]: scopeOf(address) };
    const id = idName === undefined ? {} : { [idName]: `${idOf(collection, address)}` };
    return { text: hasOtherForm ? toExported(resource, text, withoutIds) : text, places: { ...scope, ...id } };
  };
  const hash = createHash("sha256");
  const writeAndHash = async (text: string) => {
    hash.update(text);
    await write(text);
  };
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
}

/** Runs an export whose text is written to a file. The file is replaced when the export is complete. */
export function writeExport(
  file: string,
  run: (write: (text: string) => Promise<unknown>) => Promise<ExportSummary>,
): Promise<ExportSummary> {
  return writeAtomically(file, async (partial) => {
    const handle = await open(partial, "wx", 0o600); // as the store's own file
    return run((text) => handle.appendFile(text)).finally(() => handle.close());
  });
}

// Omits an id that is inside of an object, and escapes the names of members that would be those of the places.
function toExported(resource: Resource, text: string, withoutIds: boolean): string {
  const [outer, inner] = withoutIds ? resource.idPath : [];
  if (inner === undefined && !text.includes('"@')) return text;
  const members = Object.entries(parseJson(text) as object).map(([name, value]) => {
    const { [`${inner}`]: _, ...others } =
      name === outer && inner !== undefined ? (value as Record<string, unknown>) : {};
    return [resource.placeNames.escape(name), name === outer && inner !== undefined ? others : value];
  });
  return toJson(Object.fromEntries(members));
}
