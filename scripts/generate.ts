// Generates from the document: the types of the service, the types and constants of the client, and the version of the
// client's package. Also the types of the examples. With --check, it only compares.
import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { generateTypes as generateOperationTypes } from "../src/command/documents/generate.ts";
import { readDocument } from "../src/openapi/document/document.ts";
import { readBasePath } from "../src/openapi/source/servers.ts";
import { generateTypes } from "../src/openapi/types/generate-types.ts";
import { listIntegers } from "../src/openapi/types/integer-map.ts";
import { hashTypes } from "../src/openapi/types/modules.ts";
import { parseOwnDocument } from "../src/pets/document.ts";
import { find, parsePointer } from "./json-pointer.ts";

const root = new URL("../", import.meta.url);
const exactIntegers = "src/openapi/client/exact-integers.ts"; // the package of the client contains a copy
const applications = ["library", "booking"]; // other applications of the server
const ownDocument = await parseOwnDocument().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const text = ownDocument.text as string;
const document = parse(text);

type Referable<T> = T | { $ref: string };

interface Schema {
  type?: string;
  format?: string;
  default?: unknown;
  maximum?: number;
}

interface Operation {
  parameters?: Referable<{ name: string; in: string; required?: boolean; schema?: Referable<Schema> }>[];
}

function resolve<T extends object>(part: Referable<T>, from: typeof document = document): T {
  return "$ref" in part ? (find(from, parsePointer(part.$ref)) as unknown as T) : part;
}

const header = (source: string) => `// Generated from ${source} by "npm run generate". Do not edit.\n`;

function generateHashes(): string {
  return `// Generated from openapi/petstore.yaml by "npm run generate". Do not edit.
/** The SHA-256 of the document from which the types were generated. The generator has validated that document. */
export const documentHash = "${hash("sha256", text)}";

/** The hash of the types of that document without the values of enums, with which those of an edited one are compared. */
export const typesHash = "${hashTypes(ownDocument, false)}";
`;
}

// In the client, an extensible enum is a string, because later versions of the service can send new values.
async function generateClientTypes(): Promise<string> {
  const errorCodes = document.components.schemas.Error.properties.code["x-extensible-enum"];
  const types = await generateTypes(ownDocument, { extensibleEnums: "string", fillsDefaults: false });
  return `${header("openapi/petstore.yaml")}import type { IntegerMap } from "./exact-integers.ts";

${types}
/** Where responses have an int64. */
export const integers: IntegerMap = ${JSON.stringify(listIntegers(ownDocument), null, 2)};

/** The operations that accept an Idempotency-Key. */
export const idempotentOperations: ReadonlySet<string> = new Set(${JSON.stringify(findIdempotentOperations())});

/** The error codes of this version of the document. Later versions can add codes. */
export type ErrorCode = ${errorCodes.map((code: string) => JSON.stringify(code)).join(" | ")};

/** The maximum size of a page. */
export const maxLimit = ${findMaxLimit()};

/** The path at the end of every base URL of the service. */
export const basePath = ${JSON.stringify(readBasePath(document))};
`;
}

function findMaxLimit(): number {
  const { parameters = [] } = document.paths["/pets"].get as Operation;
  const limit = parameters.map((parameter) => resolve(parameter)).find(({ name }) => name === "limit");
  return (limit?.schema as Schema).maximum as number;
}

function findIdempotentOperations(): string[] {
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters = [] }]) => {
      const headers = parameters
        .map((parameter) => resolve(parameter))
        .filter((parameter) => parameter.in === "header");
      return headers.some(({ name }) => name === "Idempotency-Key") ? `${method.toUpperCase()} ${path}` : [];
    }),
  );
}

const read = (name: string) => readFile(new URL(name, root), "utf8");

async function generateOperations(application: string) {
  const source = `examples/${application}/${application}.yaml`;
  const other = await readDocument(new URL(source, root));
  const content = header(source) + (await generateOperationTypes(other));
  return [`examples/${application}/operations.ts`, content] as const;
}

async function generatePackageJson(): Promise<string> {
  const before = await read("openapi/client/package.json");
  return before.replace(/(?<="version": ")[^"]*/, document.info.version);
}

async function generate(check: boolean): Promise<void> {
  for (const [name, content] of [
    ["src/generated/openapi.ts", header("openapi/petstore.yaml") + (await generateTypes(ownDocument))],
    ["src/generated/document.ts", generateHashes()],
    ["openapi/client/generated.ts", await generateClientTypes()],
    ["openapi/client/exact-integers.ts", header(exactIntegers) + (await read(exactIntegers))],
    ...(await Promise.all(applications.map(generateOperations))),
    ["openapi/client/package.json", await generatePackageJson()],
  ] as const) {
    const file = new URL(name, root);
    if (!check) await writeFile(file, content);
    else if ((await readFile(file, "utf8").catch(() => "")) !== content)
      throw new Error(`${name} is out of date. Run npm run generate.`);
  }
}

try {
  await generate(parseArgs({ options: { check: { type: "boolean" } } }).values.check ?? false);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
