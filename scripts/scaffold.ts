// Writes what a new operation of the document needs: a handler that answers 501 until it is written,
// a test that is red until then, and its place in src/pets/handlers.ts.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readDocument } from "../src/pets/document.ts";
import type { Operation } from "../src/spec/operation.ts";
import { find, type Json } from "./pointer.ts";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const document = await readDocument().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

interface Schema {
  readonly type?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

/** What has examples: a parameter, or a body of one media type. */
interface Exemplified {
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: unknown }>;
  readonly schema?: Schema;
}

interface Parameter extends Exemplified {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
}

/** What the document says of an operation, through references. */
interface Content {
  readonly parameters: readonly Parameter[];
  readonly body: Exemplified | undefined;
  readonly statuses: readonly string[];
}

function read({ path, method }: Operation): Content {
  const at = <T>(...steps: string[]) =>
    find(document.content as unknown as Json, ["paths", path, method.toLowerCase(), ...steps]) as T | undefined;
  const exemplified = (...steps: string[]): Exemplified | undefined => {
    const part = at<Exemplified>(...steps);
    return part && { ...part, schema: at<Schema>(...steps, "schema") ?? {} };
  };
  return {
    parameters: Object.keys(at("parameters") ?? {}).map((index) => exemplified("parameters", index) as Parameter),
    body: exemplified("requestBody", "content", "application/json"),
    statuses: Object.keys(at("responses") ?? {}),
  };
}

/** A value to begin with: an example of the document's, or one of its type. */
function sample({ example, examples, schema = {} }: Exemplified): unknown {
  const [first] = Object.values(examples ?? {});
  const given = [example, first?.value, schema.examples?.[0], schema.default, schema.enum?.[0]];
  const simple: Record<string, unknown> = { object: {}, array: [], string: "x", boolean: true };
  return given.find((value) => value !== undefined) ?? simple[schema.type ?? "object"] ?? 1;
}

// A handler bears its operationId: a reserved word is no name for a function, nor is one that stands beside it.
function refuseReserved({ id }: Operation): void {
  try {
    new Function(`"use strict"; let handlers, notImplemented, ${id};`);
  } catch {
    throw new Error(`The operationId ${id} can't be the name of a function: choose another.`);
  }
}

function handler({ id }: Operation, { parameters, body, statuses }: Content): string {
  const parts = { path: "params", query: "query", header: "headers" };
  const given = parameters.map(({ name, in: where }) => `${parts[where]}["${name}"]`);
  if (body !== undefined) given.push("body");
  return `import { notImplemented } from "../../http/index.ts";
import type { Handler } from "../handler.ts";

// The call has: ${given.join(", ") || "nothing"}. It may be answered with: ${statuses.join(", ")}.
export const ${id}: Handler<"${id}"> = async () => {
  throw notImplemented("${id}");
};
`;
}

function test({ id, method, path }: Operation, { parameters, body, statuses }: Content): string {
  const values = (where: Parameter["in"]) =>
    parameters
      .filter((one) => one.in === where && one.required)
      .map((one): [string, string] => [one.name, String(sample(one))]);
  const params = new Map(values("path"));
  const target = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params.get(name) ?? ""));
  const query = new URLSearchParams(values("query")).toString();
  const headers = Object.fromEntries(values("header"));
  const call = {
    ...(body && { json: sample(body) }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
  const url = `${document.basePath}${target}${query && `?${query}`}`;
  const more = Object.keys(call).length > 0 ? `, ${JSON.stringify(call)}` : "";
  return `// The operation ${id} over HTTP. Each response is checked against the document.
import t from "tap";
import { start } from "../support/service.ts";

t.test("${id} succeeds", async (t) => {
  const { call } = await start(t);
  t.match(await call("${method}", ${JSON.stringify(url)}${more}), { status: ${statuses.find((status) => /^2/.test(status))} });
});
`;
}

/** The source of src/pets/handlers.ts with one more of them. */
function register(source: string, { id }: Operation): string {
  const after = source
    .replace(/^(import type .*\n)/m, `$1import { ${id} } from "./handlers/${id}.ts";\n`)
    .replace(/(?<=export const handlers = \{[^}]*?)(,?\s*)(?=\})/, `, ${id} `);
  if (!after.includes(`, ${id} }`)) throw new Error(`Add ${id} to src/pets/handlers.ts by hand: it is not as it was.`);
  return after;
}

function scaffold(missing: readonly Operation[]): void {
  missing.forEach(refuseReserved);
  const files = new Map([
    ["src/pets/handlers.ts", missing.reduce(register, readFileSync(path("src/pets/handlers.ts"), "utf8"))],
  ]);
  for (const operation of missing) {
    const { id } = operation;
    const content = read(operation);
    files.set(`src/pets/handlers/${id}.ts`, handler(operation, content));
    if (!existsSync(path(`test/pets/${id}.test.ts`))) files.set(`test/pets/${id}.test.ts`, test(operation, content));
  }
  for (const [name, text] of files) writeFileSync(path(name), text);
  execFileSync(path("node_modules/.bin/biome"), ["check", "--write", ...files.keys()], {
    cwd: path("."),
    stdio: "pipe",
  });
  for (const { id, method, path } of missing)
    console.log(`${method} ${path}: write src/pets/handlers/${id}.ts and test/pets/${id}.test.ts.`);
}

try {
  const missing = document.operations.filter(({ id }) => !existsSync(path(`src/pets/handlers/${id}.ts`)));
  if (missing.length > 0) scaffold(missing);
  else console.log("Every operation has its handler.");
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
