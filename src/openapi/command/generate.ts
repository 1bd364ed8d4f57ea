// `openapi-server generate`: writes the types of handlers.
import { readFile, writeFile } from "node:fs/promises";
import { readDocument } from "../document/index.ts";
import { generateModule } from "../types/index.ts";
import type { CommandIo } from "./io.ts";

export interface GenerateFlags {
  readonly output?: string | undefined;
  readonly check: boolean;
}

/**
 * Writes the types of a document to a file, by default to standard output. With `check`, only compares the file. Throws an Error if it is
 * not current.
 */
export async function generate(path: string, { output, check }: GenerateFlags, io: CommandIo): Promise<void> {
  if (check && output === undefined) throw new Error("generate --check needs --output, the file to compare.");
  const types = await generateModule(await readDocument(path, { strict: false }));
  const text = `// Generated from ${path} by "openapi-server generate". Do not edit.\n${types}`;
  if (output === undefined) io.stdout.write(text);
  else if (!check) await writeFile(output, text);
  else if ((await readFile(output, "utf8").catch(() => undefined)) !== text)
    throw new Error(`${output} is not current. Run openapi-server generate ${path} --output ${output}.`);
}
