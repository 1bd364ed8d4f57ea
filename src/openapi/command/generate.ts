// `openapi-server generate`: writes the types of handlers, or of clients.
import { readFile, writeFile } from "node:fs/promises";
import { readDocument } from "../document/index.ts";
import { generateClientModule, generateModule } from "../types/index.ts";
import type { CommandIo } from "./io.ts";

export interface GenerateFlags {
  readonly output?: string | undefined;
  readonly check: boolean;
  /** Types for openapi-fetch, instead of those of handlers. */
  readonly client: boolean;
}

/**
 * Writes the types of a document to a file, by default to standard output. With `check`, only compares the file. Throws an Error if it is
 * not current.
 */
export async function generate(path: string, { output, check, client }: GenerateFlags, io: CommandIo): Promise<void> {
  if (check && output === undefined) throw new Error("generate --check needs --output, the file to compare.");
  const document = await readDocument(path, { strict: false });
  const types = client ? await generateClientModule(document) : await generateModule(document);
  const text = `// Generated from ${path} by "openapi-server generate". Do not edit.\n${types}`;
  if (output === undefined) io.stdout.write(text);
  else if (!check) await writeFile(output, text);
  else if ((await readFile(output, "utf8").catch(() => undefined)) !== text)
    throw new Error(
      `${output} is not current. Run openapi-server generate ${path}${client ? " --client" : ""} --output ${output}.`,
    );
}
