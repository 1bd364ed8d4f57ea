// The tables that `npm run docs` generates from the code.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { edit, folder, root } from "../support/files.ts";

/** Copies the pages, and returns functions that read, edit and generate them. */
function copyPages(t: Test) {
  const place = folder(t);
  cpSync(join(root, "docs"), join(place, "docs"), { recursive: true });
  return {
    read: (name: string) => readFileSync(join(place, name), "utf8"),
    change(name: string, ...edits: Parameters<typeof edit>[1][]) {
      writeFileSync(join(place, name), edit(readFileSync(join(place, name), "utf8"), ...edits));
    },
    generate(...args: string[]) {
      const script = join(root, "scripts/docs.ts");
      const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: place, encoding: "utf8" });
      return { status, stderr };
    },
  };
}

t.test("Reports a page that is out of date, and updates it", async (t) => {
  const { read, change, generate } = copyPages(t);
  t.same(generate("--check"), { status: 0, stderr: "" });
  for (const [name, from, to] of [
    ["docs/api.md", /`store_full` \| 507/, "`store_full` | 500"],
    ["docs/cli.md", /^\| `data import` \| `--resume` .*\n/m, ""],
    ["docs/configuration.md", "`3000`", "`8080`"],
    ["docs/operations.md", /^\| `petstore_requests_total` \| counter/m, "| `petstore_requests_total` | gauge"],
  ] as const) {
    const before = read(name);
    change(name, [from, to]);
    t.same(generate("--check"), { status: 1, stderr: `${name} is out of date: run npm run docs\n` });
    t.match(generate(), { status: 0 });
    t.equal(read(name), before);
  }
});

t.test("Reports a missing table, and an error code without a description", async (t) => {
  const { change, generate } = copyPages(t);
  change("docs/cli.md", ["<!-- options -->", ""]);
  t.match(generate(), {
    status: 1,
    stderr: /^docs\/cli\.md: The markers <!-- options --> .* are missing/,
  });
  change("docs/api.md", [/^\| `store_full` .*\n/m, ""]);
  t.match(generate(), { status: 1, stderr: /^docs\/api\.md: The error code store_full has no description/ });
});

t.test("Describes settings, commands and metrics", async (t) => {
  const { read } = copyPages(t);
  t.match(
    read("docs/configuration.md"),
    /^\| `PORT` \| `--port` \| `port` \| `3000` \| .* an integer from 0 to 65535/im,
  );
  t.match(
    read("docs/cli.md"),
    /^\| `openapi-server data export <document>` \| `petstore export` \| Export all records/m,
  );
  t.match(read("docs/cli.md"), /^\| `data export` \| `--format <format>` \| .*ndjson.*csv/m);
  t.match(read("docs/cli.md"), /^\| `openapi-server check <documents...>` \| {2}\| List the parts of documents/m);
  t.match(read("docs/cli.md"), /^\| 2 \| Invalid command line/m);
  t.match(
    read("docs/operations.md"),
    /^\| `petstore_requests_total` \| counter \| `operation`, `method`, `status` \|/m,
  );
  t.match(read("docs/operations.md"), /^\| `petstore_deprecated_calls_total` \| counter \| `operation`, `key` \|/m);
  t.match(read("docs/operations.md"), /^\| `petstore_store_pool_connections_max` \| gauge \| {2}\|/m);
});
