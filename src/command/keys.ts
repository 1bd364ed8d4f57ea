// The credentials of `openapi-server serve`: tokens, passwords and API keys, with names and scopes.
import { hash, timingSafeEqual } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { Document } from "../openapi/application.ts";
import { type OpenApiOptions, readSourceFile } from "../openapi/tools.ts";

/** A credential. Without scopes, it has all of them. */
export interface Key {
  readonly key: string;
  readonly name?: string;
  readonly scopes?: readonly string[];
}

export interface KeyOptions {
  /** Credentials without a name, for all scopes. */
  readonly key?: readonly string[] | undefined;
  /** A YAML or JSON file with a list of keys. */
  readonly keys?: string | undefined;
}

/** Returns the credentials that are valid; undefined if each one is. Rejects with an Error that names the file. */
export async function readKeys({ key, keys }: KeyOptions): Promise<readonly Key[] | undefined> {
  if (key === undefined && keys === undefined) return undefined;
  const plain = (key ?? []).map((one) => ({ key: one }));
  if (plain.some((one) => one.key === "")) throw new Error("--key must not be empty.");
  return [...plain, ...(keys === undefined ? [] : await readKeyFile(keys))];
}

async function readKeyFile(path: string): Promise<readonly Key[]> {
  const { content } = await readSourceFile(pathToFileURL(path));
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
  return content as readonly Key[];
}

/** Returns checks for the security schemes of a document: the key is the token, the API key, the password, or the user name without one. */
export function acceptKeys({ content }: Document, keys: readonly Key[]): NonNullable<OpenApiOptions["security"]> {
  const check = (credential: string | { readonly username: string; readonly password: string } | undefined) => {
    const { username, password } = Object(credential) as { readonly username?: string; readonly password?: string };
    const sent = typeof credential === "string" ? credential : password || username;
    const found = sent === undefined ? undefined : keys.filter(({ key }) => isSame(key, sent))[0];
    if (found === undefined) return undefined;
    const { name, scopes } = found;
    // The id tells callers apart, such as those of Idempotency-Keys.
    return { id: hash("sha256", found.key), ...(name !== undefined && { name }), ...(scopes && { scopes }) };
  };
  return Object.fromEntries(Object.keys(content.components?.securitySchemes ?? {}).map((name) => [name, check]));
}

function isSame(expected: string, sent: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
