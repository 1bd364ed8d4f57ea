// The layers of src: a folder imports only from layers below it, and only from their index.ts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { root } from "./support/files.ts";

// From the lowest layer to the highest. Top-level files are layers of their own.
const layers = [
  "lib",
  "terminal",
  "patches",
  "generated",
  "settings",
  "http",
  "store",
  "openapi",
  "diff",
  "resources",
  "records-page",
  "data",
  "operate",
  "mcp",
  "server",
  "index.ts",
  "pets",
  "command",
  "server.ts",
  "bin.js",
];

// The folders in a layer, from the lowest to the highest. The files beside them are above all of them.
const rooms: Readonly<Record<string, readonly string[]>> = {
  http: ["headers", "failure", "connection", "load", "message"],
  openapi: ["client", "source", "schema", "wire", "operation", "document", "types", "mock", "routing", "pages"],
  resources: ["names", "record", "recognition", "records", "seeds"],
  operate: ["limits", "keys", "telemetry"],
  command: ["inputs", "data", "documents"],
};

const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.[jt]s$/.test(name))
  .sort();
const layerOf = (name: string) => name.split("/", 1)[0] as string;
const roomOf = (name: string) => name.split("/").slice(1, -1)[0];
const read = (name: string) => readFileSync(join(root, "src", name), "utf8");
const importsOf = (name: string) =>
  [...read(name).matchAll(/(?:from|import)[\s(]+"(\.[^"]*)"/g)].map(([, path]) => join(dirname(name), path as string));

t.test("Each file belongs to a layer", async (t) => {
  t.same([...new Set(sources.map(layerOf))].sort(), layers.toSorted());
});

t.test("A layer imports only layers below it, by their index.ts", async (t) => {
  const wrong = sources.flatMap((name) =>
    importsOf(name)
      .filter((target) => layerOf(target) !== layerOf(name))
      .filter((target) => {
        const isLower = layers.indexOf(layerOf(target)) < layers.indexOf(layerOf(name));
        const isEntry = /^[^/]+$|^(generated|patches)\/|^[^/]+\/index\.ts$|^openapi\/tools\.ts$/.test(target);
        return !(isLower && isEntry);
      })
      .map((target) => `${name} imports ${target}`),
  );
  t.same(wrong, []);
});

for (const [layer, folders] of Object.entries(rooms)) {
  const files = sources.filter((name) => layerOf(name) === layer);

  t.test(`Each folder of ${layer} is in the order`, async (t) => {
    t.same(new Set(files.map(roomOf).filter((room) => room !== undefined)), new Set(folders));
  });

  t.test(`A folder of ${layer} imports only folders above it in the order`, async (t) => {
    const rankOf = (room: string | undefined) => (room === undefined ? folders.length : folders.indexOf(room));
    const wrong = files.flatMap((name) =>
      importsOf(name)
        .filter((target) => layerOf(target) === layer && roomOf(target) !== roomOf(name))
        .filter((target) => rankOf(roomOf(target)) >= rankOf(roomOf(name)))
        .map((target) => `${name} imports ${target}`),
    );
    t.same(wrong, []);
  });
}

t.test("Only the top-level folders have an index.ts", async (t) => {
  t.same(
    sources.filter((name) => /\/.*\/index\.ts$/.test(name)),
    [],
    "a second name for each file, which loads its neighbors",
  );
});

t.test("No files import each other in a circle", async (t) => {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    const start = path.indexOf(name);
    if (start >= 0) t.fail([...path.slice(start), name].join(" imports "));
    if (done.has(name) || start >= 0) return;
    for (const target of importsOf(name)) visit(target, [...path, name]);
    done.add(name);
  };
  for (const name of sources) visit(name, []);
  t.equal(done.size, new Set([...sources, ...sources.flatMap(importsOf)]).size);
});

t.test("docs/patches.md names each patch, and its test", async (t) => {
  const rows = [...readFileSync(join(root, "docs/patches.md"), "utf8").matchAll(/^\| `(\S+)` .* `(\S+)` \|$/gm)];
  t.same(
    rows.map(([, file]) => `patches/${file}`).sort(),
    sources.filter((name) => layerOf(name) === "patches"),
  );
  for (const [, file, test] of rows) t.ok(existsSync(join(root, "test", test as string)), `the test of ${file}`);
});

t.test("The spec-first server does not depend on the Pet Store", async (t) => {
  const server = sources.filter((name) => /^(lib|patches|http|openapi)\//.test(name));
  t.ok(server.length > 30);
  t.same(
    server.filter((name) => /\bpets?\b|petstore/i.test(read(name))),
    [],
  );
  const imported = new Set(server.flatMap(importsOf).map(layerOf));
  t.same([...imported].sort(), ["http", "lib", "openapi", "patches"], "and imports nothing of the application");
});

t.test("Only the programs read the environment", async (t) => {
  t.same(
    sources.filter((name) => /(?<!\$\{)process\.env\b/.test(read(name))),
    // The environment of a command, NODE_ENV, a variable of Node's watch mode, and one of libpq.
    [
      "openapi/source/files.ts",
      "server.ts",
      "server/serve-document.ts",
      "store/postgres/connection-pool.ts",
      "terminal/io.ts",
    ],
  );
});
