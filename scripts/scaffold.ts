// Writes, for each operation of the document that has no handler, and that the store can't answer by itself: a handler that responds with 501, a test that fails
// until the handler is implemented, and an entry in src/pets/handlers.ts. Also for the operations that are named as arguments,
// whose handlers replace those of the store. With --upgrade and the name of a collection: a function that changes old records.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Operation } from "../src/openapi/operation/operation.ts";
import { parseOwnDocument } from "../src/pets/document.ts";
import { planOf, readResources } from "../src/resources/index.ts";
import { find, type Json } from "./json-pointer.ts";

const resolve = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const document = await parseOwnDocument().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

interface Schema {
  readonly type?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

/** A parameter, or a body of one media type. */
interface Value {
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: unknown }>;
  readonly schema?: Schema;
}

interface Parameter extends Value {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
}

/** The input and the statuses of an operation, with references resolved. */
interface Definition {
  readonly parameters: readonly Parameter[];
  readonly body: Value | undefined;
  readonly statuses: readonly string[];
}

function readDefinition({ path, method }: Operation): Definition {
  const at = <T>(...tokens: string[]) =>
    find(document.content as unknown as Json, ["paths", path, method.toLowerCase(), ...tokens]) as T | undefined;
  const readValue = (...tokens: string[]): Value | undefined => {
    const part = at<Value>(...tokens);
    return part && { ...part, schema: at<Schema>(...tokens, "schema") ?? {} };
  };
  return {
    parameters: Object.keys(at("parameters") ?? {}).map((index) => readValue("parameters", index) as Parameter),
    body: readValue("requestBody", "content", "application/json"),
    statuses: Object.keys(at("responses") ?? {}),
  };
}

/** Returns an example from the document, or else a value of the type. */
function sample({ example, examples, schema = {} }: Value): unknown {
  const [first] = Object.values(examples ?? {});
  const candidates = [example, first?.value, schema.examples?.[0], schema.default, schema.enum?.[0]];
  const byType: Record<string, unknown> = { object: {}, array: [], string: "x", boolean: true };
  return candidates.find((value) => value !== undefined) ?? byType[schema.type ?? "object"] ?? 1;
}

// A handler is named after its operationId, which must not be a reserved word or a name that the file declares.
function checkName({ id }: Operation): void {
  try {
    new Function(`"use strict"; let handlers, notImplemented, ${id};`);
  } catch {
    throw new Error(`The operationId ${id} is not a valid function name. Choose another one.`);
  }
}

function handlerSource({ id, method, path }: Operation, { parameters, body, statuses }: Definition): string {
  const properties = { path: "params", query: "query", header: "headers" };
  const inputs = parameters.map(({ name, in: location }) => `${properties[location]}["${name}"]`);
  if (body !== undefined) inputs.push("body");
  return `// ${method} ${path}
import { notImplemented } from "../../http/index.ts";
import type { Handler } from "../handler.ts";

/** Not implemented. Input: ${inputs.join(", ") || "none"}. Responses: ${statuses.join(", ")}. */
export const ${id}: Handler<"${id}"> = async () => {
  throw notImplemented("${id}");
};
`;
}

function testSource({ id, method, path }: Operation, { parameters, body, statuses }: Definition): string {
  const samples = (location: Parameter["in"]) =>
    parameters
      .filter((one) => one.in === location && one.required)
      .map((one): [string, string] => [one.name, String(sample(one))]);
  const params = new Map(samples("path"));
  const target = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params.get(name) ?? ""));
  const query = new URLSearchParams(samples("query")).toString();
  const headers = Object.fromEntries(samples("header"));
  const options = {
    ...(body && { json: sample(body) }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
  const url = `${document.basePath}${target}${query && `?${query}`}`;
  const lastArgument = Object.keys(options).length > 0 ? `, ${JSON.stringify(options)}` : "";
  return `// ${id}, over HTTP. Each response is validated against the document.
import t from "tap";
import { start } from "../support/service.ts";

t.test("${id} succeeds", async (t) => {
  const { call } = await start(t);
  t.match(await call("${method}", ${JSON.stringify(url)}${lastArgument}), { status: ${statuses.find((status) => /^2/.test(status))} });
});
`;
}

/** Adds a handler to the source of src/pets/handlers.ts. */
function register(source: string, { id }: Operation): string {
  const after = source
    .replace(/^(import type .*\n)/m, `$1import { ${id} } from "./handlers/${id}.ts";\n`)
    .replace(/(?<=export const handlers = \{[^}]*?)(,?\s*)(?=\})/, `, ${id} `);
  if (!after.includes(`, ${id} }`)) throw new Error(`Can't find the list in src/pets/handlers.ts. Add ${id} manually.`);
  return after;
}

function scaffold(missing: readonly Operation[]): void {
  missing.forEach(checkName);
  const registry = missing.reduce(register, readFileSync(resolve("src/pets/handlers.ts"), "utf8"));
  const files = new Map([["src/pets/handlers.ts", registry]]);
  for (const operation of missing) {
    const definition = readDefinition(operation);
    files.set(`src/pets/handlers/${operation.id}.ts`, handlerSource(operation, definition));
    const test = `test/pets/${operation.id}.test.ts`;
    if (!existsSync(resolve(test))) files.set(test, testSource(operation, definition));
  }
  for (const [name, text] of files) writeFileSync(resolve(name), text);
  format(files.keys());
  for (const { id, method, path } of missing)
    console.log(`${method} ${path}: implement src/pets/handlers/${id}.ts and complete test/pets/${id}.test.ts.`);
}

function scaffoldUpgrade(name: string | undefined): void {
  const file = "src/pets/upgrades.ts";
  const resources = readResources(document);
  const resource = resources.find((one) => one.name === name);
  if (resource === undefined)
    throw new Error(`--upgrade needs the name of a collection: ${resources.map((one) => one.name).join(", ")}.`);
  const { hash } = resource.record;
  const source = readFileSync(resolve(file), "utf8");
  if ([`  ${name}: {`, `  "${name}": {`].some((entry) => source.includes(entry)))
    throw new Error(`${file} has a function of ${name}. Edit it, and set \`to\` to "${hash}".`);
  const entry = `
  "${name}": {
    to: "${hash}", // the schema of the document for which it was written
    upgrade: (record) => ({ ...record }),
  },`;
  writeFileSync(resolve(file), source.replace("Upgrades = {", `Upgrades = {${entry}`));
  format([file]);
  console.log(`${file}: edit the function of ${name}, which returns a record as the document describes it.`);
}

function scaffoldOperations(named: readonly string[]): void {
  const answered = new Set(planOf(document).operations.flatMap(({ id, does }) => (does ? [id] : [])));
  const unknown = named.find((id) => !document.operations.some((operation) => operation.id === id));
  if (unknown !== undefined) throw new Error(`The document has no operation ${unknown}.`);
  const missing = document.operations.filter(
    (operation) =>
      (!answered.has(operation.id) || named.includes(operation.id)) &&
      !existsSync(resolve(`src/pets/handlers/${operation.id}.ts`)),
  );
  if (missing.length > 0) scaffold(missing);
  else console.log("All operations have handlers.");
}

function format(files: Iterable<string>): void {
  execFileSync(resolve("node_modules/.bin/biome"), ["check", "--write", ...files], {
    cwd: resolve("."),
    stdio: "pipe",
  });
}

try {
  const [first, ...others] = process.argv.slice(2);
  if (first === "--upgrade") scaffoldUpgrade(others[0]);
  else scaffoldOperations(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
