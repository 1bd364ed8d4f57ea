// The options of `createServer`, and the handlers, that modules export.
import { statSync } from "node:fs";
import { access } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { findSimilarName, toJson } from "../lib/index.ts";
import type { ServerOptions, UntypedHandler, UntypedOperations } from "../openapi/index.ts";

/** The options of `createServer` that change what a document means, or how a mock server responds. */
export type Config = Pick<
  AllOptions,
  | "allowedFolders"
  | "docs"
  | "formatError"
  | "formats"
  | "ignore"
  | "ignoreUnknownQuery"
  | "origins"
  | "readOnly"
  | "strict"
>;

type AllOptions = ServerOptions<UntypedOperations, unknown, unknown>;

interface Form {
  readonly matches: (value: unknown) => boolean;
  /** Completes "The option must be …". */
  readonly words: string;
}

const flag: Form = { matches: (value) => typeof value === "boolean", words: "true or false" };
const isFunction = (value: unknown) => typeof value === "function";
const isTexts = (value: unknown, form = /^/) =>
  Array.isArray(value) && value.every((text) => typeof text === "string" && form.test(text));
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const forms: Readonly<Record<keyof Config, Form>> = {
  allowedFolders: { matches: isTexts, words: 'a list of folders, such as ["../schemas"]' },
  docs: flag,
  formatError: { matches: isFunction, words: "a function" },
  formats: {
    matches: (value) => isObject(value) && Object.values(value as object).every(isFunction),
    words: "an object whose members are functions",
  },
  ignore: { matches: isTexts, words: 'a list of rules, such as ["format:unix-time"]' },
  ignoreUnknownQuery: flag,
  origins: {
    matches: (value) => isTexts(value, /^(\*|null|[a-z][a-z\d+.-]*:\/\/[^/\s]+)$/),
    words: 'a list of origins without a path, such as ["https://app.example"]',
  },
  readOnly: { matches: (value) => value === "reject" || value === "drop", words: '"reject" or "drop"' },
  strict: flag,
};

/** The options of commands that read a document. */
export interface ConfigOptions {
  readonly config?: string | undefined;
  /** Replaces `allowedFolders` of the module. */
  readonly allowFolder?: readonly string[] | undefined;
}

// The other options of `createServer`, with which an application can share the module.
const others: ReadonlySet<string> = new Set<keyof AllOptions>([
  ...([
    "allowedHosts",
    "compression",
    "context",
    "document",
    "edge",
    "errors",
    "extend",
    "gracePeriod",
    "handlers",
  ] as const),
  ...(["identify", "logger", "maxConnections", "mock", "onError", "resources", "security", "tls"] as const),
  ...(["report", "trustProxy", "types", "validateRequests", "validateResponses", "wrap"] as const),
]);

/**
 * Imports the options that the module `config` has as its default export, or as `options`. Other options of `createServer`, such as
 * `handlers`, are ignored. Rejects with an Error that names the module, and the option that is wrong.
 */
export async function readConfig({ config: path, allowFolder }: ConfigOptions): Promise<Config> {
  const own = path === undefined ? {} : await importConfig(path);
  return allowFolder === undefined ? own : { ...own, allowedFolders: allowFolder };
}

async function importConfig(path: string): Promise<Config> {
  const options = await importOptions(path);
  const config: Partial<Record<string, unknown>> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const form = Object.hasOwn(forms, name) ? forms[name as keyof Config] : undefined;
    if (form === undefined && others.has(name)) continue;
    if (form === undefined) {
      const known = Object.keys(forms);
      const similar = findSimilarName(name, known);
      const end = similar === undefined ? `it can have ${known.join(", ")}.` : `did you mean \`${similar}\`?`;
      throw new Error(`The module ${path} has the unknown option \`${name}\`: ${end}`);
    }
    if (!form.matches(value))
      throw new Error(
        `The option \`${name}\` of the module ${path} must be ${form.words}, and not ${describe(value)}.`,
      );
    config[name] = value;
  }
  return config;
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

function describe(value: unknown): string {
  return isFunction(value) ? "a function" : toJson(value);
}
