// The credentials of `serve` that are not in its database: those of --key and of a file.
import { pathToFileURL } from "node:url";
import { UsageError } from "../../lib/index.ts";
import { readSourceFile } from "../../openapi/tools.ts";
import type { StaticKey } from "../../operate/index.ts";

export interface KeyOptions {
  /** Credentials without a name, for all scopes; or `any`. */
  readonly key?: readonly string[] | undefined;
  /** A YAML or JSON file with a list of keys. */
  readonly keys?: string | undefined;
}

/** Returns the credentials of a command line; `any` if each one is valid. Rejects with an Error that names the file or the option. */
export async function readKeys({ key = [], keys }: KeyOptions): Promise<readonly StaticKey[] | "any"> {
  if (key.includes("any")) {
    if (key.length > 1 || keys !== undefined)
      throw new UsageError("--key any accepts each credential: omit the others.");
    return "any";
  }
  if (key.includes("")) throw new UsageError("--key must not be empty.");
  return [...key.map((one) => ({ key: one })), ...(keys === undefined ? [] : await readKeyFile(keys))];
}

async function readKeyFile(path: string): Promise<readonly StaticKey[]> {
  const { content } = await readSourceFile(pathToFileURL(path)).catch((error: Error) => {
    throw new Error(`The file of --keys can't be read. ${error.message}`);
  });
  const refuse = (reason: string): never => {
    throw new Error(`The file ${path} of --keys ${reason}.`);
  };
  if (!Array.isArray(content) || content.length === 0)
    return refuse("must be a list of keys, with name, key and scopes");
  for (const [index, one] of content.entries()) {
    const { name, key, scopes, ...others } = Object(one) as Readonly<Record<string, unknown>>;
    const [unknown] = Object.keys(others);
    const number = `has a key (number ${index + 1})`;
    if (unknown !== undefined) refuse(`${number} with the unknown member ${unknown}: it can have name, key and scopes`);
    if (typeof key !== "string" || key === "") refuse(`${number} whose key is no text: quote it`);
    if (typeof name !== "string" || name === "") refuse(`${number} without a name`);
    const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
    if (scopes !== undefined && !isList) refuse(`${number} whose scopes are no list of texts`);
  }
  for (const member of ["key", "name"] as const) {
    const values = (content as readonly StaticKey[]).map((one) => one[member]);
    if (new Set(values).size < values.length) refuse(`has two keys with the same ${member}`);
  }
  return content as readonly StaticKey[];
}
