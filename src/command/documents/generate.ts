// `openapi-server generate`: writes the types of handlers, or of clients.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { UsageError } from "../../lib/index.ts";
import { type Document, readDocument } from "../../openapi/index.ts";
import { generateClientModule, generateModule, listDocumentFiles } from "../../openapi/tools.ts";
import { listUnanswered, readResources } from "../../resources/index.ts";
import type { Io } from "../../terminal/index.ts";
import { type ConfigOptions, readHandlers, readService } from "../inputs/config.ts";
import { onStop, watchFiles } from "../inputs/watch.ts";
import { generateStubs } from "./handler-stubs.ts";

export interface GenerateFlags extends ConfigOptions {
  readonly output?: string | undefined;
  readonly check: boolean;
  readonly watch: boolean;
  /** Types for openapi-fetch, instead of those of handlers. */
  readonly client: boolean;
  /** The module of handlers, whose stubs are written if it does not exist. */
  readonly handlers?: string | undefined;
  /** Stubs only for operations that a store does not answer. */
  readonly unanswered: boolean;
  /** `false` writes the types of a document in spite of its errors. */
  readonly strict: boolean;
}

/**
 * Writes the types of a document to a file, by default to standard output. Rejects with an Error that names its errors. With
 * `check`, only compares the file, and rejects if it is not current. With `watch`, writes the file again after each change of the
 * document, until `signal` is aborted. With `handlers`, writes stubs of handlers, too.
 */
export async function generate(path: string, flags: GenerateFlags, io: Io, signal?: AbortSignal): Promise<void> {
  const { output, check, watch, client, handlers } = flags;
  if (check && watch) throw new UsageError("generate has --check and --watch, of which it can do one.");
  if ((check || watch) && output === undefined)
    throw new UsageError(`generate --${check ? "check" : "watch"} needs --output, the file of the types.`);
  if (handlers !== undefined && !(output === undefined ? /\.m?js$/ : /\.m?[jt]s$/).test(handlers))
    throw new UsageError("generate --handlers needs a file .js, or a file .ts and --output, the file of its types.");
  const { formats, ignore, allowedFolders, ...config } = (await readService(flags, io.env)).config;
  const strict = flags.strict ? config.strict : false;
  const write = async () => {
    const document = await readDocument(path, { formats, ignore, strict, allowedFolders });
    if (handlers === undefined || output !== undefined) await writeTypes(document);
    if (handlers !== undefined) await writeStubs(handlers, document, flags, io);
  };
  const writeTypes = async (document: Document) => {
    const text = await createText(path, client, document);
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

// Never changes an existing file.
async function writeStubs(file: string, document: Document, flags: GenerateFlags, io: Io): Promise<void> {
  const { output, unanswered } = flags;
  const ids = unanswered ? new Set(listUnanswered(document)) : undefined;
  const operations = document.operations.filter(({ id }) => ids?.has(id) ?? true);
  if (!existsSync(file)) {
    const types = `./${relative(dirname(file), output ?? "").replaceAll("\\", "/")}`;
    const typesFrom = file.endsWith("ts") ? types : undefined;
    await writeFile(file, generateStubs(operations, typesFrom), { flag: "wx" });
    io.stdout.write(`Generated ${file}.\n`);
    return;
  }
  const own = await readHandlers(file);
  const names = operations.flatMap(({ id }) => (Object.hasOwn(own, id) ? [] : [id])).join(", ");
  if (names !== "") throw new Error(`${file} exists, and is not changed. It lacks handlers: ${names}.`);
  io.stdout.write(`${file} has all handlers.\n`);
}

/** Returns the source text of a module with the types of handlers of a document, and of its records. */
export async function generateTypes(document: Document): Promise<string> {
  return (await generateModule(document, listUnanswered(document))) + describeCollections(document);
}

async function createText(path: string, client: boolean, document: Document): Promise<string> {
  const types = await (client ? generateClientModule(document) : generateTypes(document));
  return `// Generated from ${path} by "openapi-server generate". Do not edit.\n${types}`;
}

// The types of records, for openStore. Of a schema that is no component, they are not known.
function describeCollections(document: Document): string {
  const resources = readResources(document);
  if (resources.length === 0) return "";
  const members = resources.map(({ name, record }) => {
    const type =
      record.name === undefined ? "Record<string, unknown>" : `components["schemas"][${JSON.stringify(record.name)}]`;
    return `  ${JSON.stringify(name)}: ${type};\n`;
  });
  return `/** The records of a store, by the names of their collections: \`openStore<collections>(url)\`. */
export interface collections {
${members.join("")}}
`;
}
