// `openapi-server generate`: writes the types of handlers, or of clients.
import { readFile, writeFile } from "node:fs/promises";
import { UsageError } from "../../lib/index.ts";
import { type DocumentOptions, readDocument } from "../../openapi/index.ts";
import { generateClientModule, generateModule, listDocumentFiles } from "../../openapi/tools.ts";
import { listUnanswered } from "../../resources/index.ts";
import type { Io } from "../../terminal/index.ts";
import { type ConfigOptions, readService } from "../inputs/config.ts";
import { onStop, watchFiles } from "../inputs/watch.ts";

export interface GenerateFlags extends ConfigOptions {
  readonly output?: string | undefined;
  readonly check: boolean;
  readonly watch: boolean;
  /** Types for openapi-fetch, instead of those of handlers. */
  readonly client: boolean;
  /** `false` writes the types of a document in spite of its errors. */
  readonly strict: boolean;
}

/**
 * Writes the types of a document to a file, by default to standard output. Rejects with an Error that names its errors. With
 * `check`, only compares the file, and rejects if it is not current. With `watch`, writes the file again after each change of the
 * document, until `signal` is aborted.
 */
export async function generate(path: string, flags: GenerateFlags, io: Io, signal?: AbortSignal): Promise<void> {
  const { output, check, watch, client } = flags;
  if (check && watch) throw new UsageError("generate has --check and --watch, of which it can do one.");
  if ((check || watch) && output === undefined)
    throw new UsageError(`generate --${check ? "check" : "watch"} needs --output, the file of the types.`);
  const { formats, ignore, allowedFolders, ...config } = (await readService(flags, io.env)).config;
  const strict = flags.strict ? config.strict : false;
  const write = async () => {
    const text = await createText(path, client, { formats, ignore, strict, allowedFolders });
    if (output === undefined) io.stdout.write(text);
    else if (!check) await writeFile(output, text);
    else if ((await readFile(output, "utf8").catch(() => undefined)) !== text)
      throw new Error(
        `${output} is not current. Run openapi-server generate ${path}${client ? " --client" : ""} --output ${output}.`,
      );
  };
  if (!watch) return write();
  const report = async () => {
    try {
      await write();
      io.stdout.write(`Generated ${output}.\n`);
    } catch (error) {
      io.stderr.write(`openapi-server: ${(error as Error).message}\n`); // the next change can correct it
    }
  };
  const watchChanges = await watchFiles(() => listDocumentFiles(path, allowedFolders));
  await report();
  const stop = new AbortController();
  onStop(io, signal, () => stop.abort());
  await watchChanges(report, stop.signal);
}

async function createText(path: string, client: boolean, options: DocumentOptions): Promise<string> {
  const document = await readDocument(path, options);
  const types = client
    ? await generateClientModule(document)
    : await generateModule(document, listUnanswered(document));
  return `// Generated from ${path} by "openapi-server generate". Do not edit.\n${types}`;
}
