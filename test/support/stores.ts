// Fills, reads and damages SQLite and PostgreSQL stores without the service.
import { existsSync, readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Test } from "tap";
import { exportRecords } from "../../src/data/export.ts";
import { formats } from "../../src/data/formats/file-formats.ts";
import { checkIntegrity } from "../../src/data/integrity-check.ts";
import type { Tables } from "../../src/store/bulk.ts";
import { type CommandOptions, petstore, withoutProgress } from "./command.ts";
import { openPetStore, openPetTables, petDocument, petResource, petsOf } from "./pets.ts";
import { query } from "./postgres.ts";
import { addKey } from "./service.ts";

/** Returns the file of a SQLite store, or undefined for a URL of PostgreSQL. */
export function toFile(url: string): string | undefined {
  return /^sqlite:(.*)$/s.exec(url)?.[1];
}

/** Runs a command on a store, in this process. Removes the lines that report progress from standard error. */
export async function petstoreOn(url: string, args: readonly string[], options?: CommandOptions) {
  const { stderr, ...rest } = await petstore({ DATABASE_URL: url }, args, options);
  return { ...rest, stderr: withoutProgress(stderr) };
}

/** Returns a pet as a line of NDJSON. */
export const petLine = (name: string) => `{"name":"${name}","categoryId":1}\n`;

/** Adds an API key and `count` pets through the store. The first `records` of the pets have an Idempotency-Key. */
export async function fill(url: string, count: number, records = count): Promise<void> {
  const store = await openPetStore(url);
  await addKey(store, "a", new Date("2131-01-02T03:04:05.678Z"));
  const statuses = ["available", "sold", undefined] as const;
  const create = (n: number) => {
    const status = statuses[n % 3];
    const idempotencyKey = { caller: 1n, key: `${n}`, digest: new Uint8Array(32).fill(n) };
    const pet = { name: `Rex ${n} 🐕`, categoryId: BigInt(n), ...(status && { status }) };
    return petsOf(store).create(pet, n < records ? idempotencyKey : undefined);
  };
  const remaining = Array.from({ length: count }, (_, n) => n);
  while (remaining.length > 0) await Promise.all(remaining.splice(0, 500).map(create));
  await store.close();
}

/** The parts of a pet, as expressions of SQL. */
export interface PetInSql {
  readonly id: string | number | bigint;
  readonly name?: string;
  readonly categoryId?: string | number | bigint;
  readonly status?: string;
}

/** Returns the JSON of a pet as an expression of SQL, for the column of the records. */
export function petInSql(url: string, { id, name = "'Rex'", categoryId = 1, status = "NULL" }: PetInSql): string {
  const text = [
    `'{"id":' || ${id} || ',"name":"' || ${name} || '","categoryId":' || ${categoryId}`,
    `coalesce(',"status":"' || ${status} || '"', '') || '}'`,
  ].join(" || ");
  return toFile(url) === undefined ? `(${text})::json` : text;
}

/** Returns a statement that replaces a text in the JSON of pets. */
export function replaceInPets(url: string, from: string, to: string, where = "true"): string {
  const quoted = [from, to].map((text) => `'${text.replaceAll("'", "''")}'`);
  const record = toFile(url) === undefined ? `replace(record::text, ${quoted})::json` : `replace(record, ${quoted})`;
  return `UPDATE pets SET record = ${record} WHERE ${where}`;
}

/** Adds `count` pets in one statement, which is faster than `fill`. Creates the store if it does not exist. */
export async function insertPets(url: string, count: number): Promise<void> {
  await (await openPetStore(url)).close();
  const pet = petInSql(url, { id: "(last + i)", name: "'Rex ' || i", categoryId: "i", status: "'sold'" });
  const isPostgres = toFile(url) === undefined;
  const last = isPostgres
    ? "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM pets_id_seq"
    : "SELECT ifnull(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'pets'";
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}), ids AS (${last})`;
  await tamper(
    url,
    `${numbers} INSERT INTO pets (id, record) SELECT last + i, ${pet} FROM n, ids WHERE i <= ${count}`,
    ...(isPostgres ? ["SELECT setval('pets_id_seq', (SELECT max(id) FROM pets))"] : []),
  );
}

/** Adds `count` pets to a store, and opens it as the service and as the tools do. Closes both when the test ends. */
export async function openWithPets(t: Test, url: string, count: number, addPets = insertPets) {
  await addPets(url, count);
  const [store, tables] = [await openPetStore(url), await openPetTables(url, "readonly")];
  t.teardown(() => Promise.all([store.close(), tables.close()]));
  return { store, tables };
}

/**
 * Runs a command that writes a file to an empty folder, and stops it as soon as the folder has a file. Returns the
 * result of the command and the name of that file.
 */
export async function stopOnFirstFile(url: string, args: readonly string[], folder: string) {
  let partialFile: string | undefined;
  const onStop = (stop: () => void) => {
    [partialFile] = readdirSync(folder);
    if (partialFile === undefined) setImmediate(onStop, stop);
    else stop();
  };
  return { ...(await petstoreOn(url, args, { onStop })), partialFile };
}

/** Runs a statement directly in the database of a store, over a separate connection, and returns its rows. */
export async function queryStore(url: string, text: string): Promise<Record<string, unknown>[]> {
  const file = toFile(url);
  if (file === undefined) return query(`${url}?options=-csearch_path%3Dpetstore`, text);
  const db = new DatabaseSync(file);
  try {
    return db.prepare(text).all();
  } finally {
    db.close();
  }
}

/** Runs statements directly in the database. */
export async function tamper(url: string, ...statements: string[]): Promise<void> {
  const file = toFile(url);
  if (file === undefined) return void (await queryStore(url, statements.join("; ")));
  const db = new DatabaseSync(file, { defensive: false });
  try {
    for (const text of statements) db.exec(text);
  } finally {
    db.close();
  }
}

/** Makes the insertion of the pet with this id fail with the error "injected". Without an id, removes the fault. */
export async function injectFault(url: string, id?: number): Promise<void> {
  if (toFile(url) === undefined) {
    await query(url, "ALTER TABLE petstore.pets DROP CONSTRAINT IF EXISTS injected");
    if (id) await query(url, `ALTER TABLE petstore.pets ADD CONSTRAINT injected CHECK (id <> ${id}) NOT VALID`);
    return;
  }
  const raise = "BEGIN SELECT RAISE(ABORT, 'injected'); END";
  await tamper(url, "DROP TRIGGER IF EXISTS fault");
  if (id) await tamper(url, `CREATE TRIGGER fault AFTER INSERT ON pets WHEN new.id = ${id} ${raise}`);
}

/** Counts the pets of a store. Returns 0 if the store does not exist, or if SQLite can't read it. */
export async function countPets(url: string): Promise<number> {
  const file = toFile(url);
  if (file === undefined) {
    const found = await query(url, "SELECT to_regclass('petstore.imports') AS it");
    return found[0]?.it ? Number((await query(url, "SELECT count(*) AS n FROM petstore.pets"))[0]?.n) : 0;
  }
  if (!existsSync(file)) return 0;
  const db = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    return Number(db.prepare("SELECT count(*) AS n FROM pets").get()?.n);
  } catch (error) {
    // Another process may be creating the store.
    if (/no such table/.test((error as Error).message)) return 0;
    throw error;
  } finally {
    db.close();
  }
}

/** Checks the integrity of a store, and returns the problems. */
export async function findProblems(tables: Tables, document = petDocument): Promise<string[]> {
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem);
  await checkIntegrity(tables, document, report, () => {});
  return problems;
}

/** Reads the ids and names of all pets, in order of id. */
export async function readAllPets(url: string): Promise<{ id: bigint; name: string }[]> {
  const store = await openPetTables(url, "readonly");
  const lines: string[] = [];
  const write = async (text: string) => lines.push(...text.split("\n").slice(0, -1));
  await exportRecords(store, { format: formats.ndjson, resource: petResource }, write, () => {});
  await store.close();
  return lines.map((line) => JSON.parse(line));
}

/** Reads the names of all pets, in order of id. */
export async function readAllNames(url: string): Promise<string[]> {
  return (await readAllPets(url)).map(({ name }) => name);
}
