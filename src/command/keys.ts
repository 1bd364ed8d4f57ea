// The credentials of `openapi-server serve`: tokens, passwords and API keys, with names and scopes, and the tokens of an issuer.
import { hash, timingSafeEqual } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { Document } from "../openapi/application.ts";
import {
  type CheckCredential,
  type Credential,
  createTokenCheck,
  IssuerKeys,
  isBearer,
  isSupported,
  type OpenApiOptions,
  type RequiredScheme,
  readSourceFile,
  typeOf,
} from "../openapi/tools.ts";

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
  /** The URL of an issuer of tokens. */
  readonly issuer?: string | undefined;
  /** What `aud` of its tokens must have. */
  readonly audience?: string | undefined;
}

/** The credentials that are valid. */
export interface Credentials {
  readonly keys: readonly Key[];
  readonly issuer?: IssuerKeys | undefined;
  readonly checkToken?: CheckCredential | undefined;
}

/**
 * Returns the credentials that are valid; undefined if each one is. `report` receives that the keys of the issuer can't be read. Rejects
 * with an Error that names the file or the option.
 */
export async function readCredentials(
  { issuer: url, audience, ...options }: KeyOptions,
  report: (message: string) => void,
): Promise<Credentials | undefined> {
  const keys = await readKeys(options);
  if (url === undefined && audience !== undefined)
    throw new Error("--audience needs --issuer, whose tokens it is for.");
  if (url === undefined) return keys && { keys };
  const issuer = new IssuerKeys(url, report);
  return { keys: keys ?? [], issuer, checkToken: createTokenCheck({ issuer: url, audience }, issuer) };
}

async function readKeys({ key, keys }: KeyOptions): Promise<readonly Key[] | undefined> {
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

/**
 * Returns the implementations of a document's security schemes. A key is the token, the API key, the password, or the user name without
 * one. A Bearer token can also be one of the issuer. Throws an Error that names a scheme that an operation needs and nothing satisfies.
 */
export function createSecurity(
  { operations }: Document,
  { keys, checkToken }: Credentials,
): NonNullable<OpenApiOptions["security"]> {
  const canSatisfy = ({ scheme }: RequiredScheme) => isBearer(scheme) || (isSupported(scheme) && keys.length > 0);
  for (const { id, security } of operations) {
    const [wrong] = security.map((schemes) => schemes.find((one) => !canSatisfy(one)));
    if (wrong === undefined || security.some((schemes) => schemes.every(canSatisfy))) continue;
    const { name, scheme } = wrong;
    const remedy = isSupported(scheme) ? "a token of --issuer can't satisfy: also pass --key" : "serve can't check";
    throw new Error(
      `The operation ${id} requires the security scheme ${name} of type ${typeOf(scheme)}, which ${remedy}.`,
    );
  }
  const check = (credential: Credential) => findKey(keys, credential);
  const checkBearer: CheckCredential = (credential, context) => check(credential) ?? checkToken?.(credential, context);
  const entries = operations
    .flatMap(({ security }) => security.flat())
    .map(({ name, scheme }) => {
      if (isBearer(scheme)) return [name, checkBearer];
      // An alternative to others.
      return [name, isSupported(scheme) ? check : { type: typeOf(scheme), authenticate: () => undefined }];
    });
  return Object.fromEntries(entries);
}

function findKey(keys: readonly Key[], credential: Credential): object | undefined {
  const sent = typeof credential === "string" ? credential : credential.password || credential.username;
  const found = keys.filter(({ key }) => isSame(key, sent))[0];
  if (found === undefined) return undefined;
  const { name, scopes } = found;
  // The id tells callers apart, such as those of Idempotency-Keys.
  return { id: hash("sha256", found.key), ...(name !== undefined && { name }), ...(scopes && { scopes }) };
}

function isSame(expected: string, sent: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
