// The settings of a command, in a module or a file of variables, and the handlers that a module exports.
import { readFileSync, statSync } from "node:fs";
import { access } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { parseEnv } from "node:util";
import { findSimilarName, isLoopbackHost } from "../../lib/index.ts";
import type { UntypedHandler } from "../../openapi/index.ts";
import type { ServerOptions, UntypedOperations } from "../../server/index.ts";
import {
  readSettings,
  type SettingName,
  type Settings,
  type SettingsSources,
  settings,
  toDocumentOptions,
} from "../../settings/index.ts";
import { settingsAmong } from "./options.ts";

type AllOptions = ServerOptions<UntypedOperations, unknown, unknown>;

/** The options of `createServer` that only a module has. */
type Functions = Pick<AllOptions, "formatError" | "formats">;

/** The options of `createServer` that change what a document means, or how a mock server responds. */
export type Config = Functions &
  Pick<AllOptions, "allowedFolders" | "docs" | "ignore" | "ignoreUnknownQuery" | "origins" | "readOnly" | "strict">;

const isFunction = (value: unknown) => typeof value === "function";
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const isObjectOfFunctions = (value: unknown) => isObject(value) && Object.values(value as object).every(isFunction);

/** The options of commands that read a document. */
export interface ConfigOptions {
  readonly config?: string | undefined;
  /** Whether /docs and /records are served. By default, the settings say it. */
  readonly pages?: boolean | undefined;
}

// The other options of `createServer`: an application can share the module with commands that have no use for them, and `serve` is not
// one of these.
const others: ReadonlySet<string> = new Set<keyof AllOptions>([
  ...(["aggregator", "apiKeys", "context", "document", "edge", "errors", "extend", "gracePeriod"] as const),
  ...(["handlers", "headersTimeout", "health", "identify", "logger", "metrics", "mcp", "mock", "monitor"] as const),
  ...(["onError", "prefer", "report", "resources", "security", "staticKeys", "tls", "types"] as const),
  ...(["validateRequests", "validateResponses", "wrap"] as const),
]);

/** The program whose settings are in the environment, and in modules. */
export const openApiServer = {
  name: "openapi-server",
  variablePrefix: "OPENAPI_SERVER_",
  defaults: { logLevel: "error" },
} as const;

type Module = NonNullable<SettingsSources["module"]> & { readonly functions: Functions };

/**
 * Reads the settings of a command from its options, the environment, and the module `config`, which has them as its default export, or
 * as `options`. Other options of `createServer`, such as `handlers`, are ignored, unless the command is `serve`. Rejects with an Error
 * that names what is wrong.
 */
export async function readService(
  options: ConfigOptions & { readonly log?: boolean },
  env: NodeJS.ProcessEnv,
  defaults: { readonly [Name in SettingName]?: string } = {},
  command?: "serve",
): Promise<{ readonly settings: Settings; readonly config: Config }> {
  const module = options.config === undefined ? undefined : await importConfig(options.config, command);
  const own = { ...openApiServer, defaults: { ...openApiServer.defaults, ...defaults } };
  const flags = { ...(options.log && { logLevel: "info" }), ...settingsAmong(options) };
  const read = readSettings(own, { env, flags, module });
  // An empty name is none. Pages in development have any port of this machine.
  const origins = [...(isLoopbackHost(read.host) ? ["localhost"] : []), ...read.origins];
  const docs = options.pages === false ? false : read.docs;
  const values = { ...read, docs, name: read.name || (defaults.name ?? ""), origins };
  return { settings: values, config: { ...module?.functions, ...toDocumentOptions(values) } };
}

async function importConfig(path: string, command: "serve" | undefined): Promise<Module> {
  const options = await importOptions(path);
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || (others.has(name) && (command === undefined || value === null))) continue;
    if (name === "formatError" && !isFunction(value))
      throw new Error(`The option \`formatError\` of the module ${path} must be a function.`);
    if (name === "formats" && !isObjectOfFunctions(value))
      throw new Error(`The option \`formats\` of the module ${path} must be an object whose members are functions.`);
    if (name === "formatError" || name === "formats") continue;
    if (!Object.hasOwn(settings, name)) throw new Error(describeUnknown(path, name));
    values[name] = value;
  }
  const { formatError, formats } = options as Functions;
  return { path, values, functions: { ...(formatError && { formatError }), ...(formats && { formats }) } };
}

function describeUnknown(path: string, name: string): string {
  if (others.has(name))
    return `The option \`${name}\` of the module ${path} has no effect in serve. openapi-server serve --help lists those that it has.`;
  const similar = findSimilarName(name, [...Object.keys(settings), ...others, "formatError", "formats"]);
  const end = similar === undefined ? "." : `: did you mean \`${similar}\`?`;
  return `The module ${path} has the unknown option \`${name}\`${end}`;
}

/**
 * Imports handlers, by operationId: the functions that a module exports, or those of the object `handlers` or of its default export.
 * Rejects with an Error that names the module if it has none.
 */
export async function readHandlers(path: string | undefined): Promise<Readonly<Record<string, UntypedHandler>>> {
  if (path === undefined) return {};
  const module = await importModule(path, "--handlers");
  const exported = module.handlers ?? module.default ?? module;
  const handlers = Object.entries(Object(exported)).filter(([, value]) => isFunction(value));
  if (handlers.length === 0)
    throw new Error(`The module ${path} must export handlers: functions with the names of operations (operationId).`);
  return Object.fromEntries(handlers) as Record<string, UntypedHandler>;
}

async function importModule(path: string, option: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(path);
  await access(url).catch(() => {
    throw new Error(`The module ${path} of ${option} does not exist.`);
  });
  url.searchParams.set("time", `${statSync(url).mtimeMs}`); // a module is imported once, and can have changed
  return import(url.href).catch((thrown: unknown) => {
    throw new Error(
      `The module ${path} can't be imported: ${thrown instanceof Error ? describeFailure(thrown) : thrown}`,
    );
  });
}

// The stack of a SyntaxError begins with its place.
function describeFailure({ name, message, stack = "" }: Error): string {
  const [first = ""] = stack.split("\n", 1);
  const place = first.slice(first.lastIndexOf("/") + 1).replace(/\?time=[\d.]+/, "");
  const [, missing] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  if (missing !== undefined) return `${message}. Run npm install ${missing} in the folder of the module.`;
  return name === "SyntaxError" && /:\d+$/.test(place) ? `${message} (${place})` : message;
}

async function importOptions(path: string): Promise<object> {
  const module = await importModule(path, "--config");
  const options = module.default ?? module.options;
  if (isObject(options)) return options as object;
  throw new Error(
    `The module ${path} must export the options of createServer, as its default export or as \`options\`.`,
  );
}

/**
 * The option --environment-file, which is not named --env-file because Node reads this one itself, also behind the script.
 * Adds the settings of a file to `env`, whose own settings take precedence unless they are empty. Does nothing without a
 * file. Throws an Error if the file can't be read.
 */
export function addEnvironmentFile(env: NodeJS.ProcessEnv, file: string | undefined): void {
  if (file === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`The file of --environment-file can't be read: ${(error as Error).message}.`);
  }
  const lines = text.split("\n").map(quoteValue);
  for (const [name, value] of Object.entries(parseEnv(lines.join("\n")))) env[name] ||= value;
}

// systemd keeps a # in a value without quotes, but parseEnv ends the value there.
function quoteValue(line: string): string {
  const [, name, value = ""] = /^(\w+)=([^"'`#]*#[^"'`]*)$/.exec(line) ?? [];
  return name === undefined ? line : `${name}=\`${value.trim()}\``;
}
