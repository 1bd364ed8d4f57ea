// Writes src/generated/openapi.ts from the document; with --check it only compares.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import openapiTS, { astToString, type SchemaObject } from "openapi-typescript";
import ts from "typescript";
import { parse } from "yaml";

const source = new URL("../openapi/petstore.yaml", import.meta.url);
const target = new URL("../src/generated/openapi.ts", import.meta.url);
const { check } = parseArgs({ options: { check: { type: "boolean" } } }).values;

const document = parse(await readFile(source, "utf8"));
// These are the types of the server's side: a parameter with a default always has a value there.
for (const path of Object.values<Record<string, { parameters?: Referable<Parameter>[] }>>(document.paths))
  for (const operation of Object.values(path))
    for (const parameter of (operation.parameters ?? []).map(resolve))
      if (parameter.schema && resolve(parameter.schema).default !== undefined) parameter.required = true;

type Referable<T> = T | { $ref: string };

interface Parameter {
  required?: boolean;
  schema?: Referable<{ default?: unknown }>;
}

function resolve<T extends object>(part: Referable<T>): T {
  if (!("$ref" in part)) return part;
  const steps = part.$ref.slice("#/".length).split("/");
  return resolve(steps.reduce((place, step) => place[step], document));
}

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const union = (texts: string[]) =>
  ts.factory.createUnionTypeNode(
    texts.map((text) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(text))),
  );
const types = await openapiTS(document, {
  transform: (schema: SchemaObject) => {
    if (schema.type === "integer" && schema.format === "int64") return bigint;
    return "x-extensible-enum" in schema ? union(schema["x-extensible-enum"] as string[]) : undefined;
  },
});
const text = `// Generated from openapi/petstore.yaml by "npm run generate". Do not edit.\n${astToString(types)}`;

if (!check) await writeFile(target, text);
else if ((await readFile(target, "utf8").catch(() => "")) !== text) {
  console.error("src/generated/openapi.ts is out of date: run npm run generate");
  process.exitCode = 1;
}
