// What happens when there is more work than one process can do: `npm run overload`. First what it takes
// to saturate it, then five times that; then many clients that take their time. On Linux, with two cores.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ContenderId } from "./bench/contenders.ts";
import { prepare, type Running, start, startDriver } from "./bench/run.ts";
import { type Load, type Order, pets } from "./bench/work.ts";
import { attacks } from "./drive/slow.ts";

process.chdir(join(import.meta.dirname, ".."));
const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } });
const seconds = Number(values.seconds);

/** Kinds of work: requests that are cheap, creates among them, and requests that are dear. */
function kinds(key: string): Record<string, Order["requests"]> {
  const headers = { authorization: `Bearer ${key}` };
  const get = (path: string) => ({ method: "GET" as const, path, headers });
  const create = {
    method: "POST" as const,
    path: "/v1/pets",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "Rex", categoryId: 7, status: "available" }),
  };
  const some = (n: number) => get(`/v1/pets/${1 + ((n * 1_031) % pets)}`);
  return {
    "9 reads, 1 create": Array.from({ length: 100 }, (_, n) =>
      n % 10 === 9 ? create : n % 2 ? some(n) : get("/v1/pets?limit=20"),
    ),
    // More pages than are kept.
    "lists of 100, none kept": Array.from({ length: 480 }, (_, n) =>
      get(`/v1/pets?limit=${41 + ((n * 7) % 60)}&status=${["available", "pending", "sold"][n % 3]}`),
    ),
  };
}

const folder = mkdtempSync(join(tmpdir(), "petstore-overload-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const stores: ContenderId[] = ["sqlite", "postgres"];
const { key, url, end } = await prepare(folder, stores);
const driver = startDriver();
const rows: string[][] = [];
const slowRows: string[][] = [];
try {
  for (const id of stores) {
    const service = await start(id, url(id), key);
    for (const [name, requests] of Object.entries(kinds(key)))
      rows.push([id, name, ...(await overload(service, requests))]);
    if (id === "sqlite")
      for (const name of Object.keys(attacks)) slowRows.push([name, ...(await attack(service, name))]);
    service.child.kill("SIGKILL");
  }
} finally {
  driver.disconnect();
  await end();
}
...
