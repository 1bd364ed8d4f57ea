// What calls cost as a store grows: lists and get over 10,000 to 10,000,000 pets, in each store, and
// the index that each query takes. The real service answers 16 clients; all sizes are measured in
// turns, so that what else the machine does meets them alike. The first argument is the largest size.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { buildApp } from "../src/app.ts";
import { generateKey } from "../src/auth/authentication.ts";
import { readConfig } from "../src/config.ts";
import type { Pagination } from "../src/pets/cursor.ts";
import { createPagination } from "../src/pets/cursor.ts";
import { readDocument } from "../src/pets/document.ts";
import { handlers } from "../src/pets/handlers.ts";
import { openStore } from "../src/store/open.ts";
import type { Store } from "../src/store/port.ts";
import { statements as postgresStatements } from "../src/store/postgres/statements.ts";
import { statements as sqliteStatements } from "../src/store/sqlite/statements.ts";
import { query, startPostgres } from "../test/support/postgres.ts";

const sizes = [10_000, 100_000, 1_000_000, 10_000_000].filter((size) => size <= Number(process.argv[2] ?? 1e7));
const rounds = 60;
const calls = 64; // of each kind, in each round
const clients = 16;

const status = "CASE i % 4 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' WHEN 2 THEN 'pending' END";

const sold = { limit: 20, status: "sold" };

// The path of each call, in a store of that size.
const kinds: Record<string, (size: bigint, pages: Pagination) => string> = {
  "list, first page": () => "/v1/pets?limit=20",
  "list, page in the middle": (size, { next }) => toPath(next({ limit: 20 }, middle(size))),
  "list by status": () => "/v1/pets?limit=20&status=sold",
  "list by status, in the middle": (size, { next }) => toPath(next(sold, middle(size))),
  get: (size) => `/v1/pets/${Math.ceil(Math.random() * Number(size))}`,
};

// A page that ends in the middle of the store.
const middle = (size: bigint) => ({ pets: [{ id: size / 2n, name: "", categoryId: 0n }], more: true });
const toPath = (link = "") => link.slice(1, link.indexOf(">"));
const explained = ["list", "listByStatus", "find"] as const;

interface Kind {
  open(size: number): Promise<Store>;
  plans(size: number): Promise<string[]>;
}

const folder = mkdtempSync(join(tmpdir(), "petstore-growth-"));
const server = await startPostgres();

const stores: Record<string, Kind> = {
  SQLite: {
    async open(size) {
      const file = join(folder, `${size}.db`);
      const store = await openStore(`sqlite:${file}`);
      new DatabaseSync(file).exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size})
         INSERT INTO pets (name, category_id, status) SELECT 'Rex ' || i, i, ${status} FROM n`,
      );
      return store;
    },
    async plans(size) {
      const db = new DatabaseSync(join(folder, `${size}.db`));
      const plan = (text: string) => db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
      return explained.map((name) =>
        plan(sqliteStatements[name])
          .map(({ detail }) => detail)
          .join("; "),
      );
    },
  },
  PostgreSQL: {
    async open(size) {
      await query(server.url("postgres"), `CREATE DATABASE growth_${size}`);
      const url = server.url(`growth_${size}`);
      const store = await openStore(url);
      await query(
        url,
        `INSERT INTO petstore.pets (name, category_id, status)
         SELECT 'Rex ' || i, i, ${status} FROM generate_series(1, ${size}) AS i`,
      );
      await query(url, "VACUUM ANALYZE petstore.pets");
      return store;
    },
    async plans(size) {
      const explain = async (text: string) => {
        const rows = await query(server.url(`growth_${size}`), `EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`);
        return rows.map((row) => String(row["QUERY PLAN"]).trim().replace("->  ", "")).join("; ");
      };
      const plans: string[] = [];
      for (const name of explained) plans.push(await explain(postgresStatements[name]));
      return plans;
    },
  },
};

/** The service over a store, and how long so many of its calls take: in microseconds, for one. */
async function serve(store: Store) {
  const document = await readDocument();
  const config = readConfig({});
  const app = await buildApp({ document, handlers, store, config, logger: pino({ level: "silent" }) });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const { key, hash } = generateKey();
  await store.keys.create("growth", hash);
  const call = async (path: string) => {
    const outgoing = get({ agent, port, path, headers: { authorization: `Bearer ${key}` } });
    const [incoming] = await once(outgoing, "response");
    await text(incoming);
    if (incoming.statusCode !== 200) throw new Error(`${path}: ${incoming.statusCode}`);
  };
  const pages = createPagination(store.secret, "/v1/pets");
  return {
    async time(path: (typeof kinds)[string], size: number): Promise<number> {
      const began = performance.now();
      let left = calls;
      const work = async () => {
        for (; left > 0; await call(path(BigInt(size), pages))) left -= 1;
      };
      await Promise.all(Array.from({ length: clients }, work));
      return ((performance.now() - began) * 1000) / calls;
    },
    async end() {
      agent.destroy();
      await app.close();
      await store.close();
    },
  };
}

async function measure(open: Kind["open"]): Promise<string[]> {
  const grown: { size: number; service: Awaited<ReturnType<typeof serve>> }[] = [];
  for (const size of sizes) grown.push({ size, service: await serve(await open(size)) });
  const times = new Map<string, number[]>();
  for (let round = -5; round < rounds; round++)
    for (const [kind, path] of Object.entries(kinds))
      for (const { size, service } of grown) {
        const time = await service.time(path, size);
        const key = `${kind} ${size}`;
        if (round >= 0) times.set(key, [...(times.get(key) ?? []), time]);
      }
  for (const { service } of grown) await service.end();
  const median = (key: string) => times.get(key)?.sort((a, b) => a - b)[rounds / 2] as number;
  return Object.keys(kinds).map((kind) => {
    const least = median(`${kind} ${sizes[0]}`);
    const cells = sizes.slice(1).map((size) => (median(`${kind} ${size}`) / least).toFixed(2));
    return `${kind} | ${least.toFixed(0)} µs | ${cells.join(" | ")} |`;
  });
}

const format = (size: number) => size.toLocaleString("en-US");

try {
  console.log(
    `| store | call | ${format(10_000)} pets | ${sizes
      .slice(1)
      .map((size) => `× at ${format(size)}`)
      .join(" | ")} |`,
  );
  console.log(`|---|---|${sizes.map(() => "---").join("|")}|`);
  const plans: string[] = [];
  for (const [name, { open, plans: explain }] of Object.entries(stores)) {
    for (const line of await measure(open)) console.log(`| ${name} | ${line}`);
    const lines = await explain(sizes.at(-1) as number);
    plans.push(...lines.map((plan, index) => `${name}, ${explained[index]}: ${plan}`));
  }
  console.log(`\n${plans.join("\n")}`);
} finally {
  await server.end();
  rmSync(folder, { recursive: true });
}
