// Writes what a new operation of the document needs: a handler that answers 501 until it is written,
// a test that is red until then, and its place in src/handlers.ts.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readDocument } from "../src/document.ts";
import type { Operation } from "../src/operation.ts";
import { find, type Json } from "./contract/place.ts";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const document = await readDocument();

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

/** What the document says of an operation, through references. */
interface Content {
  readonly parameters: readonly Parameter[];
  /** An example of its body; undefined where it takes none. */
  readonly body: unknown;
  readonly statuses: readonly string[];
}

function read({ path, method }: Operation): Content {
  const steps = ["paths", path, method.toLowerCase()];
  const at = (...more: string[]) => find(document.content as unknown as Json, [...steps, ...more]);
  const names = Object.keys(at("parameters") ?? {});
  const examples = at("requestBody", "content", "application/json", "examples");
  const [example] = Object.values((examples ?? {}) as Record<string, { value: unknown }>);
  return {
    parameters: names.map((index) => at("parameters", index) as unknown as Parameter),
    body: at("requestBody") && (example?.value ?? {}),
    statuses: Object.keys(at("responses") ?? {}),
  };
}

const written: string[] = [];
for (const operation of document.operations) {
  const { id, method, path: template } = operation;
  if (existsSync(path(`src/handlers/${id}.ts`))) continue;
  const content = read(operation);
  write(`src/handlers/${id}.ts`, handler(operation, content));
  if (!existsSync(path(`test/${id}.test.ts`))) write(`test/${id}.test.ts`, test(operation, document.basePath, content));
  register(id);
  console.log(`${method} ${template}: write src/handlers/${id}.ts and test/${id}.test.ts.`);
}
if (written.length === 0) console.log("Every operation has its handler.");
else execFileSync(path("node_modules/.bin/biome"), ["check", "--write", ...written], { cwd: path("."), stdio: "pipe" });

function write(name: string, text: string): void {
  writeFileSync(path(name), text);
  written.push(path(name));
}

function handler({ id }: Operation, { parameters, body, statuses }: Content): string {
  const parts = { path: "params", query: "query", header: "headers" };
  const given = parameters.map(({ name, in: where }) => `${parts[where as keyof typeof parts]}["${name}"]`);
  if (body !== undefined) given.push("body");
  return `import type { Handler } from "../contract.ts";
import { notImplemented } from "../errors.ts";

// The call has: ${given.join(", ") || "nothing"}. It may be answered with: ${statuses.join(", ")}.
export const ${id}: Handler<"${id}"> = async () => {
  throw notImplemented("${id}");
};
`;
}

function test({ id, method, path }: Operation, base: string, { parameters, body, statuses }: Content): string {
  const target = path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((one) => one.name === name)?.example ?? 1),
  );
  const call = `"${method}", "${base}${target}"`;
  const json = body === undefined ? "" : `, { json: ${JSON.stringify(body)} }`;
  return `// ${id}: what it does, seen from outside. Each answer is checked against the document on its way.
import t from "tap";
import { start } from "./fixture.ts";

t.test("${id} does what it is for", async (t) => {
  const { call } = await start(t);
  t.match(await call(${call}${json}), { status: ${statuses.find((status) => /^2/.test(status))} });
});
`;
}

function register(id: string): void {
  const before = readFileSync(path("src/handlers.ts"), "utf8");
  const after = before
    .replace(/^(import type .*\n)/m, `$1import { ${id} } from "./handlers/${id}.ts";\n`)
    .replace(/(?<=export const handlers = \{[^}]*?)(,?\s*)(?=\})/, `, ${id} `);
  if (!after.includes(`, ${id} }`)) throw new Error(`Add ${id} to src/handlers.ts by hand: it is not as it was.`);
  write("src/handlers.ts", after);
}
