// The options of `createServer` that a module exports, for the commands that need no handlers.
import { statSync } from "node:fs";
import { access } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { findSimilarName, toJson } from "../lib/index.ts";
import type { OpenApiOptions } from "../openapi/tools.ts";

/** The options of `createServer` that change what a document means, or how a mock server responds. */
export type Config = Pick<
  OpenApiOptions,
  "docs" | "formatError" | "formats" | "ignore" | "ignoreUnknownQuery" | "readOnly" | "strict"
>;

interface Form {
  readonly matches: (value: unknown) => boolean;
  /** Completes "The option must be …". */
  readonly words: string;
}

const flag: Form = { matches: (value) => typeof value === "boolean", words: "true or false" };
const isFunction = (value: unknown) => typeof value === "function";
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const forms: Readonly<Record<keyof Config, Form>> = {
  docs: flag,
  formatError: { matches: isFunction, words: "a function" },
  formats: {
    matches: (value) => isObject(value) && Object.values(value as object).every(isFunction),
    words: "an object whose members are functions",
  },
  ignore: {
    matches: (value) => Array.isArray(value) && value.every((rule) => typeof rule === "string"),
    words: 'a list of rules, such as ["format:unix-time"]',
  },
  ignoreUnknownQuery: flag,
  readOnly: { matches: (value) => value === "reject" || value === "drop", words: '"reject" or "drop"' },
  strict: flag,
};

/**
 * Imports the options that a module has as its default export, or as `options`. Other options of `createServer`, such as
 * `handlers`, are ignored. Rejects with an Error that names the module, and the option that is wrong.
 */
export async function readConfig(path: string | undefined): Promise<Config> {
  if (path === undefined) return {};
  const options = await importOptions(path);
  const config: Partial<Record<string, unknown>> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const form = Object.hasOwn(forms, name) ? forms[name as keyof Config] : undefined;
    const similar = findSimilarName(name, Object.keys(forms));
    if (form === undefined && similar !== undefined)
      throw new Error(`The module ${path} has the unknown option \`${name}\`: did you mean \`${similar}\`?`);
    if (form === undefined) continue;
    if (!form.matches(value))
      throw new Error(
        `The option \`${name}\` of the module ${path} must be ${form.words}, and not ${describe(value)}.`,
      );
    config[name] = value;
  }
  return config;
}

async function importOptions(path: string): Promise<object> {
  const url = pathToFileURL(path);
  await access(url).catch(() => {
    throw new Error(`The module ${path} of --config does not exist.`);
  });
  url.searchParams.set("time", `${statSync(url).mtimeMs}`); // a module is imported once, and can have changed
  const module = await import(url.href).catch((thrown: unknown) => {
    throw new Error(`The module ${path} can't be imported: ${thrown instanceof Error ? thrown.message : thrown}`);
  });
  const options = module.default ?? module.options;
  if (isObject(options)) return options;
  throw new Error(
    `The module ${path} must export the options of createServer, as its default export or as \`options\`.`,
  );
}

function describe(value: unknown): string {
  return isFunction(value) ? "a function" : toJson(value);
}
