// petstore keys: creates, lists and revokes API keys.
import type { Command } from "commander";
import { readConfig } from "../../config.ts";
import { formatTime } from "../../lib/index.ts";
import { type Key, storeExists } from "../../store/index.ts";
import { type ConfirmOptions, confirm } from "../confirm.ts";
import { type Io, type Output, print, warn } from "../io.ts";
import { formatTable, type OutputOptions, toIndentedJson } from "../output.ts";
import { withStore } from "../stores.ts";

/** The options of `petstore keys create`. */
export interface CreateKeyOptions extends OutputOptions, ConfirmOptions {
  /** Milliseconds until the key expires. */
  expires?: number;
  operator?: boolean;
}

/**
 * Creates a key and prints it. Creates the store if it does not exist. Asks before, if DATABASE_URL is not set, because the
 * service may use another one.
 */
export async function createKey(
  io: Io,
  name: string,
  { expires, operator = false, json, yes = false }: CreateKeyOptions,
  command: Command,
): Promise<void> {
  // Imports Fastify, which `list` and `revoke` do not need.
  const { generateKey, isKeyName, keyNameRule } = await import("../../auth/index.ts");
  if (!isKeyName(name)) command.error(`error: the name '${name}' is not valid. ${keyNameRule}`);
  const { DATABASE_URL } = readConfig(io.env);
  if (!io.env.DATABASE_URL && !(await storeExists(DATABASE_URL))) {
    warn(io, `petstore: DATABASE_URL is not set, and ${DATABASE_URL} does not exist.`);
    warn(io, "petstore: A service that uses another database will not accept the key.");
    await confirm(io, "Create the database?", { yes });
  }
  await withStore(
    io,
    async ({ keys }) => {
      const { key, hash } = generateKey();
      const expiresAt = expires === undefined ? undefined : new Date(Date.now() + expires);
      if (!(await keys.create(name, hash, { expiresAt, operator })))
        throw new Error(`A key named ${name} already exists. Revoke it, or choose another name.`);
      await print(io, json ? toIndentedJson({ name, key, operator, expires: expiresAt ?? null }) : key);
    },
    "create",
  );
}

/** Prints all keys. */
export async function listKeys(io: Io, { json }: OutputOptions): Promise<void> {
  await withStore(io, async (store) => {
    const keys = await store.keys.list();
    await print(io, json ? toIndentedJson(keys.map(toJsonKey)) : formatKeys(keys, io.stdout));
  });
}

/** Revokes a key, and prints what it was. Rejects if there is no key of this name. */
export async function revokeKey(io: Io, name: string, { json }: OutputOptions): Promise<void> {
  await withStore(io, async ({ keys }) => {
    const key = (await keys.list()).find((one) => one.name === name);
    if (key === undefined || !(await keys.revoke(name))) throw new Error(`There is no key named ${name}.`);
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

function toJsonKey({ name, operator, createdAt, expiresAt, lastUsedAt }: Key): object {
  return { name, operator, created: createdAt, expires: expiresAt ?? null, lastUsed: lastUsedAt ?? null };
}

function formatKeys(keys: readonly Key[], stream: Output): string {
  const toTime = (date: Date | undefined) => (date ? formatTime(date) : "never");
  const rows = keys.map((key) => [
    key.name,
    roleOf(key),
    toTime(key.createdAt),
    toTime(key.expiresAt),
    toTime(key.lastUsedAt),
  ]);
  return formatTable(["NAME", "ROLE", "CREATED", "EXPIRES", "LAST USED"], rows, stream);
}
