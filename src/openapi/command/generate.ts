// `openapi-server generate`: writes the types of handlers.
import { writeFile } from "node:fs/promises";
import { readDocument } from "../document/index.ts";
import { generateTypes } from "../types/index.ts";
import type { CommandIo } from "./io.ts";

/** Writes the types of a document to a file, by default to standard output. */
export async function generate(path: string, output: string | undefined, io: CommandIo): Promise<void> {
  const document = await readDocument(path, { strict: false });
  const types = await generateTypes(document);
  const text = `// Generated from ${path} by "openapi-server generate". Do not edit.\n${types}`;
  if (output === undefined) io.stdout.write(text);
  else await writeFile(output, text);
}
