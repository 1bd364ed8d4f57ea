// Is a store sound: what must be there is there, and agrees with itself and with the document.

import { createValidatorCompiler, type Document } from "../spec/index.ts";
import {
  type IdTable,
  idTables,
  newPetColumns,
  type Table,
  type TableReader,
  type Tables,
  tables,
  type Values,
} from "../store/index.ts";
import { countRows, type Inventory, readAllRows, toText, totalRows } from "./inventory.ts";

const size = 32; // bytes, of the secret and of each hash
const day = 86_400_000; // milliseconds by which clocks may disagree

/**
 * Reads all that a store has, as it is at one moment, and tells of each problem. What keeps it from reading
 * on is one of them; where it came to the end it gives the inventory. Rejects with what `progress` throws.
 */
export async function check(
  store: Tables,
  document: Document,
  tell: (problem: string) => void,
  progress: (done: number, total: number) => void,
): Promise<Inventory | undefined> {
  const problems = buildProblems(document);
  let stopped: unknown;
  const tellFar = (done: number, total: number) => {
    try {
      progress(done, total);
    } catch (error) {
      stopped = error;
      throw error;
    }
  };
  const look = async (source: TableReader): Promise<Inventory> => {
    for await (const problem of source.problems()) tell(problem);
    const secrets = (await source.secrets()).map(({ length }) => length);
    if (String(secrets) !== String(size))
      tell(
        `There must be one secret of ${size} bytes, and there are ${secrets.length}${secrets.map((bytes) => `, of ${bytes}`).join("")}.`,
      );
    const highest: Partial<Record<Table, bigint>> = {};
    const counts = await countRows(source);
    const checksum = await readAllRows(
      source,
      (done) => tellFar(done, totalRows(counts)),
      async (table, rows) => {
        for (const row of rows) for (const problem of problems(table, row)) tell(problem);
        highest[table] = rows.at(-1)?.[0] as bigint;
      },
    );
    for (const table of idTables) await compareIds(source, table, highest[table] ?? 0n, tell);
    return { counts, checksum };
  };
  try {
    return await store.read(look);
  } catch (error) {
    if (error === stopped) throw error;
    tell(`The store can't be read to its end: ${(error as Error).message.replace(/\.$/, "")}.`);
    return undefined;
  }
}

async function compareIds(source: TableReader, table: IdTable, highest: bigint, tell: (problem: string) => void) {
  const last = await source.lastId(table);
  if (last < highest) tell(`The next id of ${table} would be ${last + 1n}, and there is ${highest} already.`);
}

/** What is wrong with a row, each in a sentence. */
function buildProblems({ content, extensions }: Document) {
  const compile = createValidatorCompiler([...extensions, "components"]);
  const schema = { $ref: "#/components/schemas/Pet", components: content.components };
  const validate = compile({ schema, httpPart: "body", method: "", url: "" });
  const fields = ["id", ...newPetColumns.map(({ field }) => field)];
  const soon = BigInt(Date.now() + day);

  return function* (table: Table, row: Values): Generator<string> {
    const name = `${table} ${toText(row[0] as bigint)}`;
    for (const [index, column] of Object.keys(tables[table]).entries()) {
      const value = row[index];
      if (value instanceof Uint8Array && value.length !== size)
        yield `${name}: its ${column} must have ${size} bytes, and has ${value.length}.`;
      if (/^(created|last_used)_at$/.test(column) && typeof value === "bigint" && value > soon)
        yield `${name}: its ${column} is in the future.`;
    }
    if (table !== "pets") return;
    const given = fields.map((field, index) => [field, row[index]]).filter(([, value]) => value !== null);
    const { error } = validate(Object.fromEntries(given)) as { error?: Error };
    if (error) yield `${name} is not as the document says: ${error.message}`;
  };
}
