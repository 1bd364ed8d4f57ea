// The document and the store of a command: those of its arguments and options, or those of a program with a service of its own.
import { basename, dirname, extname, join } from "node:path";
import { type Command, Option } from "commander";
import type { Preset } from "../../server/index.ts";
import { describeSetting, readSettings, type Settings, toServiceName, variableOf } from "../../settings/index.ts";
import type { Io } from "../../terminal/index.ts";
import type { ConfigOptions } from "./config.ts";
import { addSettings, addTo } from "./options.ts";
import type { StoreTarget } from "./stores.ts";

export interface TargetOptions extends ConfigOptions {
  /** A path of a SQLite file, or a URL. By default, a file beside the document. */
  readonly data?: string | undefined;
  /** The name of the service. By default, that of the file of the document. */
  readonly name?: string | undefined;
  /** Files with overlays, which change the document. */
  readonly overlay?: readonly string[] | undefined;
}

/** How commands find their document and store. */
export interface TargetReader {
  /** Whether a command names its document. */
  readonly hasDocument: boolean;
  /** Adds the arguments and options that select them. */
  readonly select: (command: Command) => Command;
  /** Reads them. Returns the other arguments, too. */
  readonly read: (args: readonly string[], options: TargetOptions) => Promise<[StoreTarget, ...(readonly string[])]>;
}

/** Runs a command with its store, its other argument, and its options. */
export function onTarget<Options extends object>(
  command: Command,
  { read }: TargetReader,
  run: (target: StoreTarget, options: Options, argument?: string) => Promise<void>,
): void {
  // The last argument of an action is its command, the one before has the options.
  command.action(async (...values: unknown[]) => {
    const options = values.at(-2) as Options & TargetOptions;
    const [target, argument] = await read(values.slice(0, -2) as string[], options);
    await run(target, options, argument);
  });
}

/** The commands of a program for any document. */
export function targetsOfArguments(io: Io): TargetReader {
  return {
    hasDocument: true,
    select: (command) =>
      addSettings(
        command.argument("<document>", "path of the document").addOption(overlayOption()).addOption(configOption()),
        ["data", "name", "allowedFolders"],
        { data: "a file beside the document" },
      ),
    async read([path = "", ...args], options) {
      const { openApiServer, readService } = await import("./config.ts");
      const { settings } = await readService(options, io.env, defaultsOf(path));
      const target: StoreTarget = {
        program: openApiServer.name,
        url: settings.data,
        service: settings.name,
        urlSetting: describeSetting("data", openApiServer.variablePrefix),
        isUrlSet: true,
        prepare: settings.databasePrepare,
        readDocument: () => readDocumentOf(path, options, settings),
      };
      return [target, ...args];
    },
  };
}

/** The commands of a program with a service of its own. */
export function targetsOfPreset(preset: Preset, io: Io): TargetReader {
  return {
    hasDocument: false,
    select: (command) => command,
    async read(args) {
      const variable = variableOf("data", preset.variablePrefix);
      const { data, name, databasePrepare } = readSettings(preset, { env: io.env });
      const target: StoreTarget = {
        program: preset.name,
        url: data,
        service: name,
        urlSetting: variable,
        isUrlSet: Boolean(io.env[variable]),
        prepare: databasePrepare,
        readDocument: preset.readDocument,
      };
      return [target, ...args];
    },
  };
}

/** Returns the name of the service of a document, and its database, a SQLite file beside it. */
export function defaultsOf(document: string): { readonly name: string; readonly data: string } {
  const name = basename(document, extname(document));
  return { name: toServiceName(name), data: `sqlite:${join(dirname(document), `${name}.db`)}` };
}

async function readDocumentOf(path: string, { overlay }: TargetOptions, { allowedFolders }: Settings) {
  const [{ readDocument }, { readWithOverlays }] = [
    await import("../../openapi/index.ts"),
    await import("./overlay.ts"),
  ];
  const source = await readWithOverlays(path, overlay, allowedFolders);
  return readDocument(source, { strict: false, allowedFolders });
}

export function configOption(): Option {
  return new Option("--config <module>", "module (.js or .ts) with settings, as its default export or as `options`");
}

export function mcpOption(): Option {
  return new Option("--mcp", "serve agents at /mcp (Model Context Protocol)").default(false);
}

export function overlayOption(): Option {
  const help = "OpenAPI overlay that changes the document, such as its x-resource; can be repeated";
  return new Option("--overlay <file>", help).argParser(addTo);
}

export function pagesOption(): Option {
  return new Option("--no-pages", "do not serve /docs, the document and /records");
}

export function logOption(): Option {
  return new Option("--log", "log each request to standard output").default(false);
}
