// The database and the process of the service under attack.
import { copyFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Test } from "tap";
import { copy } from "../../src/data/copy.ts";
import { generateKey } from "../../src/operate/keys/api-keys.ts";
import { createCertificate } from "../../test/support/certificate.ts";
import { folder, root } from "../../test/support/files.ts";
import { openPetStore, openPetTables } from "../../test/support/pets.ts";
import { query, startPostgres } from "../../test/support/postgres.ts";
import { startServer } from "../../test/support/processes.ts";
import { petInSql } from "../../test/support/stores.ts";
import type { Attack } from "./attacks.ts";

const serviceCore = "0";
/** The core of the attackers and the client. */
export const clientCore = "1";
const memoryLimit = 512; // MiB
const ticksPerSecond = 100; // USER_HZ
const attackerKeys = 100;

// What a container with a memory of 512 MiB would get: V8 sets its heap limit to half of it, and Node returns it.
const containerFlags = [
  `--max-old-space-size=${memoryLimit / 2}`,
  `--import=data:text/javascript,process.constrainedMemory=()=>${memoryLimit * 2 ** 20}`,
];

/** Functions that release resources at the end. */
export type Resources = Pick<Test, "teardown">;

/** A SQLite file that is copied for each attack, and its API keys. */
export interface Template {
  readonly file: string;
  readonly clientKey: string;
  readonly attackerKeys: readonly string[];
}

/** Creates a database of 20,000 pets. Of these, 100 have names of 1,000 control characters, which are 6 KB as JSON. */
export async function createTemplate(t: Resources): Promise<Template> {
  const file = join(folder(t), "template.db");
  const store = await openPetStore(`sqlite:${file}`);
  const createKey = async (name: string) => {
    const { key, hash } = generateKey();
    await store.keys.create(name, hash);
    return key;
  };
  const clientKey = await createKey("client");
  const keys: string[] = [];
  while (keys.length < attackerKeys) keys.push(await createKey(`attacker-${keys.length}`));
  await store.close();
  // The JSON of the first ones is six times as long as their names.
  const name = "CASE WHEN i <= 100 THEN replace(printf('%1000s', ''), ' ', '\\u0001') ELSE 'Rex ' || i END";
  const status = "CASE WHEN i <= 100 THEN 'sold' ELSE 'available' END";
  const db = new DatabaseSync(file);
  db.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO pets SELECT i, ${petInSql(`sqlite:${file}`, { id: "i", name, categoryId: "i", status })} FROM n`,
  );
  db.close();
  return { file, clientKey, attackerKeys: keys };
}

/** A running service. */
export interface Service {
  readonly url: string;
  readonly databaseUrl: string;
  isAlive(): boolean;
  /** Returns the signal or the exit code of a process that has ended, and V8's reason. */
  describeExit(): string;
  /** Returns the current or the peak resident memory in MiB. */
  readMemory(field: "VmRSS" | "VmHWM"): number;
  /**
   * Returns the seconds for which the main thread has waited for its core, because other processes or other virtual
   * machines used it.
   */
  readWaitTime(): number;
  /** Returns the size of the log in bytes. */
  readLogSize(): number;
}

/** Starts the service on its own core with a copy of the database. Its log is a file. */
export async function startService(t: Resources, attack: Attack, template: Template): Promise<Service> {
  const place = folder(t);
  const log = join(place, "log");
  const file = join(place, "petstore.db");
  copyFileSync(template.file, file);
  const databaseUrl = attack.usesPostgres ? await copyToPostgres(t, file) : `sqlite:${file}`;
  const certificate = attack.isTls ? (await createCertificate(t, 1)).files : {};
  const environment = {
    DATABASE_URL: databaseUrl,
    LOG_FILE: log,
    RATE_LIMIT: "none",
    ...certificate,
    ...attack.settings,
  };
  const program = attack.isLibrary ? [`${root}scripts/hostile/library-server.ts`] : [`${root}src/bin.js`, "serve"];
  const command = ["taskset", "-c", serviceCore, process.execPath, ...containerFlags, ...program];
  // Each program replaces the previous one, so that the process is that of the service.
  const { child, url, out } = await startServer(t, environment, [
    "sh",
    "-c",
    'exec "$@" >"$LOG_FILE"',
    "sh",
    ...command,
  ]);
  const proc = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, "utf8");
  return {
    url,
    databaseUrl,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    describeExit: () => `${child.signalCode ?? child.exitCode} ${/FATAL ERROR: .*/.exec(out.stderr) ?? ""}`.trim(),
    readMemory: (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(proc("status"))?.[1]) / 1_024,
    readWaitTime: () => Number(proc(`task/${child.pid}/schedstat`).split(" ")[1]) / 1e9 + readStolenTime(),
    readLogSize: () => statSync(log).size,
  };
}

// Returns the seconds for which other virtual machines have used the core of the service: see proc_stat(5).
function readStolenTime(): number {
  const line = readFileSync("/proc/stat", "utf8").match(new RegExp(`^cpu${serviceCore} .*`, "m"))?.[0];
  return Number(line?.split(" ")[8]) / ticksPerSecond;
}

async function copyToPostgres({ teardown }: Resources, file: string): Promise<string> {
  const postgres = await startPostgres(true);
  teardown(postgres.end);
  const url = postgres.url("postgres");
  const from = await openPetTables(`sqlite:${file}`, "migrate");
  const to = await openPetTables(url, "create");
  await copy(from, to, () => {});
  await from.close();
  await to.close();
  await query(url, "VACUUM ANALYZE petstore.pets");
  return url;
}
