// Writes what follows from the document: the types of the service's side, those of the consumers'
// with what their client must know, and the package's version. With --check it only compares.
import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import openapiTS, { astToString, type SchemaObject } from "openapi-typescript";
import ts from "typescript";
import { parse } from "yaml";
import { readDocument } from "../src/pets/document.ts";
import { readBasePath } from "../src/spec/document.ts";
import { find, toSteps } from "./pointer.ts";

const root = new URL("../", import.meta.url);
const { text } = await readDocument().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const document = parse(text);

type Referable<T> = T | { $ref: string };

interface Schema {
  type?: string;
  format?: string;
  default?: unknown;
  properties?: Record<string, Referable<Schema>>;
  items?: Referable<Schema>;
}

interface Operation {
  parameters?: Referable<{ name: string; in: string; required?: boolean; schema?: Referable<Schema> }>[];
}

function resolve<T extends object>(part: Referable<T>, from: typeof document = document): T {
  return "$ref" in part ? (find(from, toSteps(part.$ref)) as unknown as T) : part;
}

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const union = (texts: string[]) =>
  ts.factory.createUnionTypeNode(
    texts.map((text) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(text))),
  );

async function types(from: typeof document, openLists: "closed" | "open"): Promise<string> {
  const nodes = await openapiTS(from, {
    transform: (schema: SchemaObject) => {
      if (isInt64(schema as Schema)) return bigint;
      const closed = openLists === "closed" && "x-extensible-enum" in schema;
      return closed ? union(schema["x-extensible-enum"] as string[]) : undefined;
    },
  });
  return `// Generated from openapi/petstore.yaml by "npm run generate". Do not edit.\n${astToString(nodes)}`;
}

function isInt64({ type, format }: Schema): boolean {
  return type === "integer" && format === "int64";
}

// On the server's side a parameter with a default always has a value, and no other codes are sent.
async function serverTypes(): Promise<string> {
  const filled = structuredClone(document);
  for (const path of Object.values<Record<string, Operation>>(filled.paths))
    for (const operation of Object.values(path))
      for (const parameter of (operation.parameters ?? []).map((one) => resolve(one, filled)))
        if (parameter.schema && resolve(parameter.schema, filled).default !== undefined) parameter.required = true;
  return `${await types(filled, "closed")}
/** The SHA-256 of the document that this was made from, which was valid. */
export const checked = "${hash("sha256", text)}";
`;
}

// A consumer may meet values of an open list that came later: to it they are any text.
async function consumerTypes(): Promise<string> {
  return `${await types(document, "open")}
/** The fields that are an int64, wherever they are. */
export const int64Fields: ReadonlySet<string> = new Set(${JSON.stringify(int64Fields())});

/** The operations that an Idempotency-Key makes safe to send again. */
export const keyedOperations: ReadonlySet<string> = new Set(${JSON.stringify(keyedOperations())});

/** With what every address of the service ends. */
export const basePath = ${JSON.stringify(readBasePath(document))};
`;
}

function int64Fields(): string[] {
  const fields = [...schemasWithin(document)].flatMap(({ properties = {}, items }) => {
    if (items && isInt64(resolve(items))) throw new Error("An int64 must be a field for the client to read it.");
    return Object.entries(properties).map(([name, schema]) => ({ name, int64: isInt64(resolve(schema)) }));
  });
  const names = new Set(fields.filter(({ int64 }) => int64).map(({ name }) => name));
  const both = fields.find(({ name, int64 }) => names.has(name) && !int64);
  if (both) throw new Error(`The field ${both.name} is an int64 in one schema and not in another: name one otherwise.`);
  return [...names].sort();
}

// All that has fields or items, wherever it stands.
function* schemasWithin(part: unknown): Generator<Schema> {
  if (part === null || typeof part !== "object") return;
  if ("properties" in part || "items" in part) yield part as Schema;
  for (const child of Object.values(part)) yield* schemasWithin(child);
}

function keyedOperations(): string[] {
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters = [] }]) => {
      const names = parameters.map((parameter) => resolve(parameter)).filter((parameter) => parameter.in === "header");
      return names.some(({ name }) => name === "Idempotency-Key") ? `${method.toUpperCase()} ${path}` : [];
    }),
  );
}

async function packageJson(): Promise<string> {
  const before = await readFile(new URL("openapi/package.json", root), "utf8");
  return before.replace(/(?<="version": ")[^"]*/, document.info.version);
}

async function generate(check: boolean): Promise<void> {
  for (const [name, content] of [
    ["src/generated/openapi.ts", await serverTypes()],
    ["openapi/generated.ts", await consumerTypes()],
    ["openapi/package.json", await packageJson()],
  ] as const) {
    const file = new URL(name, root);
    if (!check) await writeFile(file, content);
    else if ((await readFile(file, "utf8").catch(() => "")) !== content)
      throw new Error(`${name} is out of date: run npm run generate`);
  }
}

try {
  await generate(parseArgs({ options: { check: { type: "boolean" } } }).values.check ?? false);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
