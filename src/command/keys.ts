// keys: creates, lists, rotates and revokes API keys.
import type { Command } from "commander";
import { findSimilarName, formatTime } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import { isKeyName, type Key, type KeyStore, keyNameRule, readKeys, storeExists } from "../store/index.ts";
import {
  type ConfirmOptions,
  confirm,
  formatTable,
  type Io,
  type Output,
  type OutputOptions,
  print,
  toIndentedJson,
  warn,
} from "../terminal/index.ts";
import { findStore, requireDatabaseUrl, type StoreTarget, withStore } from "./inputs/stores.ts";

export interface CreateKeyOptions extends OutputOptions, ConfirmOptions {
  /** Milliseconds until the key expires. */
  expires?: number;
  operator?: boolean;
  scope?: readonly string[];
}

/**
 * Creates a key and prints it. Creates the store if it does not exist. Asks before, if its URL is not set, because the service may
 * use another one.
 */
export async function createKey(
  io: Io,
  target: StoreTarget,
  name: string,
  { expires, operator = false, scope: scopes, json, yes = false }: CreateKeyOptions,
  command: Command,
): Promise<void> {
  const { generateKey } = await import("../operate/index.ts"); // imports Fastify, which `list` and `revoke` do not need
  if (!isKeyName(name)) command.error(`error: the name '${name}' is not valid. ${keyNameRule}`);
  if (scopes) await requireScopes(await target.readDocument(), scopes);
  // A database that can't be opened is reported below.
  if (!target.isUrlSet && !(await storeExists(target.url, target).catch(() => true))) {
    warn(io, `${target.program}: ${target.urlSetting} is not set, and ${target.url} does not exist.`);
    warn(io, `${target.program}: A service that uses another database will not accept the key.`);
    await confirm(io, "Create the database?", { yes });
  }
  await withStore(
    target,
    async ({ keys }) => {
      const { key, hash } = generateKey();
      const expiresAt = expires === undefined ? undefined : new Date(Date.now() + expires);
      if (!(await keys.create(name, hash, { expiresAt, operator, scopes })))
        throw new Error(`A key named ${name} already exists. Revoke it, or choose another name.`);
      const fields = { name, key, operator, ...(scopes && { scopes }), expires: expiresAt ?? null };
      await print(io, json ? toIndentedJson(fields) : key);
    },
    "create",
  );
}

async function requireScopes(document: Document, scopes: readonly string[]): Promise<void> {
  const { listScopes } = await import("../openapi/index.ts"); // which a list of keys does not need
  const known = listScopes(document);
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown === undefined) return;
  const similar = findSimilarName(unknown, known);
  const others = known.length === 0 ? "It has no scopes." : `Its scopes are: ${known.join(", ")}.`;
  throw new Error(
    `The document has no scope ${unknown}${similar === undefined ? `. ${others}` : `: did you mean ${similar}?`}`,
  );
}

export interface RotateKeyOptions extends OutputOptions {
  /** Milliseconds until the present key becomes invalid. */
  grace: number;
}

/**
 * Replaces a key, and prints the new one. The present one is valid until the end of the grace period. Rejects if there is no
 * key of this name, or if it has expired.
 */
export async function rotateKey(
  io: Io,
  target: StoreTarget,
  name: string,
  { grace, json }: RotateKeyOptions,
): Promise<void> {
  const { generateKey } = await import("../operate/index.ts");
  await withStore(target, async ({ keys }) => {
    const now = Date.now();
    const present = await findKey(keys, name);
    if (present === undefined) throw missingKey(name);
    const expiry = present.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    if (expiry <= now) throw new Error(`The key ${name} has expired. Revoke it, and create a new one.`);
    const previousExpires = new Date(Math.min(now + grace, expiry));
    const { key, hash } = generateKey();
    if (!(await keys.rotate(present, hash, previousExpires)))
      throw new Error(
        `The key ${name} was rotated or revoked by another command at the same time. It was not rotated again.`,
      );
    const { operator, scopes, expiresAt: expires = null } = present;
    const text = json
      ? toIndentedJson({ name, key, operator, ...(scopes && { scopes }), expires, previousExpires })
      : key;
    await print(io, text).catch((error) => {
      throw new Error(`The key was replaced, but the new one can't be printed. Rotate it again. ${error.message}`);
    });
    warn(
      io,
      grace === 0
        ? `${target.program}: The previous key is no longer valid.`
        : `${target.program}: The previous key is valid until ${formatTime(previousExpires)}.`,
    );
    if (Number(present.previousExpiresAt) > now)
      warn(
        io,
        `${target.program}: The key that the last rotation replaced is no longer valid, although its grace period has not ended.`,
      );
  });
}

async function findKey(keys: Pick<KeyStore, "list">, name: string): Promise<Key | undefined> {
  return (await keys.list()).find((key) => key.name === name);
}

function missingKey(name: string): Error {
  return new Error(`There is no key named ${name}.`);
}

/** Prints all keys. Does not migrate the database, which a service of an earlier release may use. */
export async function listKeys(io: Io, target: StoreTarget, { json }: OutputOptions): Promise<void> {
  requireDatabaseUrl(target.urlSetting, target.url);
  const keys = await findStore(target, (options) => readKeys(target.url, options));
  await print(io, json ? toIndentedJson(keys.map(toJsonKey)) : formatKeys(keys, io.stdout));
}

/** Revokes a key, and prints what it was. Rejects if there is no key of this name. */
export async function revokeKey(io: Io, target: StoreTarget, name: string, { json }: OutputOptions): Promise<void> {
  await withStore(target, async ({ keys }) => {
    const key = await findKey(keys, name);
    if (key === undefined || !(await keys.revoke(name))) throw missingKey(name);
    const lastUse = key.lastUsedAt ? `was last used at ${formatTime(key.lastUsedAt)}` : "was never used";
    await print(
      io,
      json ? toIndentedJson(toJsonKey(key)) : `Revoked the ${roleOf(key)} key ${name}, which ${lastUse}.`,
    );
  });
}

function roleOf({ operator }: Key): string {
  return operator ? "operator" : "client";
}

function toJsonKey({ name, operator, scopes, createdAt, expiresAt, lastUsedAt, previousExpiresAt }: Key): object {
  return {
    name,
    operator,
    ...(scopes && { scopes }),
    created: createdAt,
    expires: expiresAt ?? null,
    lastUsed: lastUsedAt ?? null,
    previousExpires: previousExpiresAt ?? null,
  };
}

function formatKeys(keys: readonly Key[], stream: Output): string {
  const toTime = (date: Date | undefined) => (date ? formatTime(date) : "never");
  const hasScopes = keys.some(({ scopes }) => scopes !== undefined);
  const rows = keys.map((key) => [
    key.name,
    roleOf(key),
    ...(hasScopes ? [key.scopes?.join(" ") ?? "all"] : []),
    toTime(key.createdAt),
    toTime(key.expiresAt),
    toTime(key.lastUsedAt),
    Number(key.previousExpiresAt) > Date.now() ? toTime(key.previousExpiresAt) : "–",
  ]);
  return formatTable(
    ["NAME", "ROLE", ...(hasScopes ? ["SCOPES"] : []), "CREATED", "EXPIRES", "LAST USED", "PREVIOUS KEY UNTIL"],
    rows,
    stream,
  );
}
