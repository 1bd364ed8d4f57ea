// Measures how the latency of reads grows with the size of the store: `npm run bench -- growth`. Compares 10,000 to
// 10,000,000 pets in each store, and prints the query plans. `--max-pets` limits the size. `--write` writes the table
// into docs/benchmark-results.md.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { generateKey } from "../../src/operate/keys/api-keys.ts";
import type { ListSelection } from "../../src/store/pages.ts";
import type { Store } from "../../src/store/port.ts";
import * as postgresLists from "../../src/store/postgres/postgres-lists.ts";
import * as postgresStatements from "../../src/store/postgres/postgres-statements.ts";
import { listStatement, recordStatements } from "../../src/store/sqlite/sqlite-statements.ts";
import { createCleanup } from "../../test/support/cleanup.ts";
import { createPetServer } from "../../test/support/pet-server.ts";
import { openPetStore, petCollection } from "../../test/support/pets.ts";
import { type Postgres, query, startPostgres } from "../../test/support/postgres.ts";
import { readConfig } from "../../test/support/settings.ts";
import { petInSql } from "../../test/support/stores.ts";
import { writeMeasurements } from "../measurements.ts";
import { formatTable } from "./report.ts";
import { pathOfPage } from "./workloads.ts";

const warmUpRounds = 5;
const rounds = 60;
const requestsPerRound = 64; // of each kind
const connections = 16;
const status = "CASE i % 4 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' WHEN 2 THEN 'pending' END";

const pet = { id: "i", name: "'Rex ' || i", categoryId: "i", status };

const sold = { limit: 20, status: "sold" };

/** Returns the path of a request, for a store of this size. */
type Request = (size: number) => string;

const requests: Record<string, Request> = {
  "list, first page": () => "/v1/pets?limit=20",
  "list, page in the middle": (size) => pathOfPage({ limit: 20 }, size / 2),
  "list by status": () => "/v1/pets?limit=20&status=sold",
  "list by status, in the middle": (size) => pathOfPage(sold, size / 2),
  get: (size) => `/v1/pets/${Math.ceil(Math.random() * size)}`,
};

/** Returns the texts of the statements whose query plans are printed. */
const explained = (find: string, list: (selection: ListSelection) => string) => ({
  list: list({ filters: [], direction: "forwards", limit: 21 }),
  "list by status": list({ filters: petCollection.filters, direction: "forwards", limit: 21 }),
  find,
});

/** One kind of store. */
interface StoreKind {
  open(size: number): Promise<Store>;
  /** Returns the query plans of the statements in `explained`, each with its name. */
  explain(size: number): Promise<string[]>;
}

function sqlite(folder: string): StoreKind {
  const fileOf = (size: number) => join(folder, `${size}.db`);
  return {
    async open(size) {
      const store = await openPetStore(`sqlite:${fileOf(size)}`);
      new DatabaseSync(fileOf(size)).exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size})
         INSERT INTO pets SELECT i, ${petInSql(`sqlite:${fileOf(size)}`, pet)} FROM n`,
      );
      return store;
    },
    async explain(size) {
      const db = new DatabaseSync(fileOf(size));
      const { find } = recordStatements(petCollection);
      return Object.entries(explained(find, (selection) => listStatement(petCollection, selection))).map(
        ([name, text]) => {
          const rows = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
          return `${name}: ${rows.map(({ detail }) => detail).join("; ")}`;
        },
      );
    },
  };
}

function postgresql(server: Postgres): StoreKind {
  return {
    async open(size) {
      await query(server.url("postgres"), `CREATE DATABASE growth_${size}`);
      const url = server.url(`growth_${size}`);
      const store = await openPetStore(url);
      await query(
        url,
        `INSERT INTO petstore.pets SELECT i, ${petInSql(url, pet)} FROM generate_series(1, ${size}) AS i`,
      );
      await query(url, "VACUUM ANALYZE petstore.pets");
      return store;
    },
    async explain(size) {
      const plans: string[] = [];
      const { find } = postgresStatements.recordStatements("petstore", petCollection);
      const list = (selection: ListSelection) => postgresLists.listStatement("petstore", petCollection, selection);
      for (const [name, text] of Object.entries(explained(find.text, list))) {
        const statement = `EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`;
        const rows = await query(server.url(`growth_${size}`), statement);
        plans.push(`${name}: ${rows.map((row) => String(row["QUERY PLAN"]).trim().replace("->  ", "")).join("; ")}`);
      }
      return plans;
    },
  };
}

/** A service over a store of one size, and its client. */
class Service {
  readonly #store: Store;
  readonly #app: FastifyInstance;
  readonly #key: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly size: number;

  private constructor(size: number, store: Store, app: FastifyInstance, key: string) {
    this.size = size;
    this.#store = store;
    this.#app = app;
    this.#key = key;
  }

  static async start(size: number, store: Store): Promise<Service> {
    const settings = readConfig({ RATE_LIMIT: "none" });
    const app = await createPetServer(store, settings, { logger: pino({ level: "silent" }) });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { key, hash } = generateKey();
    await store.keys.create("growth", hash);
    return new Service(size, store, app, key);
  }

  /** Returns the mean time of a request, in microseconds. */
  async time(request: Request): Promise<number> {
    const start = performance.now();
    let left = requestsPerRound;
    const sendRequests = async () => {
      for (; left > 0; await this.#send(request(this.size))) left -= 1;
    };
    await Promise.all(Array.from({ length: connections }, sendRequests));
    return ((performance.now() - start) * 1000) / requestsPerRound;
  }

  async #send(path: string): Promise<void> {
    const { port } = this.#app.server.address() as AddressInfo;
    const outgoing = get({ agent: this.#agent, port, path, headers: { authorization: `Bearer ${this.#key}` } });
    const [incoming] = await once(outgoing, "response");
    await text(incoming);
    if (incoming.statusCode !== 200) throw new Error(`${path}: ${incoming.statusCode}`);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#app.close();
    await this.#store.close();
  }
}

// Measures all sizes in turn, so that other load on the machine affects all sizes. Returns rows of a table.
async function measure({ open }: StoreKind, sizes: readonly number[]): Promise<string[][]> {
  const services: Service[] = [];
  for (const size of sizes) services.push(await Service.start(size, await open(size)));
  const times = new Map<string, number[]>();
  for (let round = -warmUpRounds; round < rounds; round++)
    for (const [name, request] of Object.entries(requests))
      for (const service of services) {
        const time = await service.time(request);
        const key = `${name} ${service.size}`;
        if (round >= 0) times.set(key, [...(times.get(key) ?? []), time]);
      }
  for (const service of services) await service.close();
  const median = (key: string) => times.get(key)?.sort((a, b) => a - b)[rounds / 2] as number;
  return Object.keys(requests).map((name) => {
    const smallest = median(`${name} ${sizes[0]}`);
    const ratios = sizes.slice(1).map((size) => (median(`${name} ${size}`) / smallest).toFixed(2));
    return [name, `${smallest.toFixed(0)} µs`, ...ratios];
  });
}

/** Runs the benchmark, and prints a table and the query plans. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { "max-pets": { type: "string", default: "10000000" }, write: { type: "boolean", default: false } },
  });
  const sizes = [10_000, 100_000, 1_000_000, 10_000_000].filter((size) => size <= Number(values["max-pets"]));
  const { teardown, cleanUp } = createCleanup();
  const folder = mkdtempSync(join(tmpdir(), "petstore-growth-"));
  teardown(() => rmSync(folder, { recursive: true }));
  try {
    const server = await startPostgres();
    teardown(() => server.end());
    const [rows, plans]: [string[][], string[]] = [[], []];
    for (const [name, kind] of Object.entries({ SQLite: sqlite(folder), PostgreSQL: postgresql(server) })) {
      rows.push(...(await measure(kind, sizes)).map((row) => [name, ...row]));
      const lines = await kind.explain(sizes.at(-1) as number);
      plans.push(...lines.map((line) => `${name}, ${line}`));
    }
    const [first = "", ...others] = sizes.map((size) => size.toLocaleString("en-US"));
    const table = formatTable(["store", "call", `${first} pets`, ...others.map((size) => `× at ${size}`)], rows);
    console.log(`${table}\n\n${plans.join("\n")}`);
    if (values.write)
      writeMeasurements("docs/benchmark-results.md", "growth", table, "server and client in one process");
  } finally {
    await cleanUp();
  }
}
