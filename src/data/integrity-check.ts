// Checks the integrity of a store: the structure of the database, the next id of each table, and each pet against the
// document.
import type { Document } from "../spec/index.ts";
import {
  type IdTable,
  idTables,
  type Table,
  type TableReader,
  type Tables,
  tables,
  type Values,
} from "../store/index.ts";
import { checksumRows, countRows, type StoreSummary, totalRows, valueToText } from "./checksum.ts";
import { compileValidator, petFields } from "./pet-schema.ts";

const digestSize = 32; // bytes of the secret and of each hash
const maxClockSkew = 86_400_000; // milliseconds

/**
 * Checks one snapshot of a store, and calls `report` for each problem. Returns a summary of the store, or undefined if
 * a problem prevents it from reading all rows. `progress` receives numbers of rows. Rejects with what `progress`
 * throws.
 */
export async function checkIntegrity(
  store: Tables,
  document: Document,
  report: (problem: string) => void,
  progress: (done: number, total: number) => void,
): Promise<StoreSummary | undefined> {
  const findProblems = createRowCheck(document);
  let cancellation: unknown;
  const showProgress = (done: number, total: number) => {
    try {
      progress(done, total);
    } catch (error) {
      cancellation = error;
      throw error;
    }
  };
  const checkSnapshot = async (source: TableReader): Promise<StoreSummary> => {
    for await (const problem of source.problems()) report(problem);
    await checkSecret(source, report);
    const highestIds: Partial<Record<Table, bigint>> = {};
    const counts = await countRows(source);
    const total = totalRows(counts);
    const checksum = await checksumRows(
      source,
      (done) => showProgress(done, total),
      async (table, rows) => {
        for (const row of rows) for (const problem of findProblems(table, row)) report(problem);
        highestIds[table] = rows.at(-1)?.[0] as bigint;
      },
    );
    for (const table of idTables) await checkLastId(source, table, highestIds[table] ?? 0n, report);
    return { counts, checksum };
  };
  try {
    return await store.read(checkSnapshot);
  } catch (error) {
    if (error === cancellation) throw error;
    report(`The database can't be read completely: ${(error as Error).message.replace(/\.$/, "")}.`);
    return undefined;
  }
}

async function checkSecret(source: TableReader, report: (problem: string) => void): Promise<void> {
  const sizes = (await source.secrets()).map(({ length }) => length);
  if (sizes.length === 1 && sizes[0] === digestSize) return;
  report(`There must be one secret of ${digestSize} bytes. Sizes found: ${sizes.join(", ") || "none"}.`);
}

async function checkLastId(
  source: TableReader,
  table: IdTable,
  highestId: bigint,
  report: (problem: string) => void,
): Promise<void> {
  const lastId = await source.lastId(table);
  if (lastId < highestId)
    report(`The next id of ${table} would be ${lastId + 1n}, but the highest id is ${highestId}.`);
}

/** Creates a generator function that yields the problems of a row, one sentence each. */
function createRowCheck(document: Document) {
  const validate = compileValidator(document, "body", { $ref: "#/components/schemas/Pet" });
  const latestTime = BigInt(Date.now() + maxClockSkew);

  return function* (table: Table, row: Values): Generator<string> {
    const name = `${table} ${valueToText(row[0] as bigint)}`;
    for (const [index, column] of Object.keys(tables[table]).entries()) {
      const value = row[index];
      if (value instanceof Uint8Array && value.length !== digestSize)
        yield `${name}: ${column} must have ${digestSize} bytes, but has ${value.length}.`;
      if (/^(created|last_used)_at$/.test(column) && typeof value === "bigint" && value > latestTime)
        yield `${name}: ${column} is in the future.`;
    }
    if (table !== "pets") return;
    const entries = petFields.map((field, index) => [field, row[index]]).filter(([, value]) => value !== null);
    const { error } = validate(Object.fromEntries(entries));
    if (error) yield `${name} does not match the schema: ${error.message}`;
  };
}
