// petstore keys: creates, lists and revokes API keys.
import type { Command } from "commander";
import { formatTime } from "../../lib/index.ts";
import type { Key } from "../../store/index.ts";
import { type Io, type Output, print } from "../io.ts";
import { formatTable, type OutputOptions, toIndentedJson } from "../output.ts";
import { withStore } from "../stores.ts";

/** The options of `petstore keys create`. */
export interface CreateKeyOptions extends OutputOptions {
  /** Milliseconds until the key expires. */
  expires?: number;
  operator?: boolean;
}

/** Creates a key and prints it. Creates the store if it does not exist. */
export async function createKey(
  io: Io,
  name: string,
  { expires, operator = false, json }: CreateKeyOptions,
  command: Command,
): Promise<void> {
  // Imports Fastify, which `list` and `revoke` do not need.
  const { generateKey, isKeyName, keyNameRule } = await import("../../auth/index.ts");
  if (!isKeyName(name)) command.error(`error: the name '${name}' is not valid. ${keyNameRule}`);
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

/** Revokes a key. Rejects if there is no key of this name. */
export async function revokeKey(io: Io, name: string): Promise<void> {
  await withStore(io, async ({ keys }) => {
    if (!(await keys.revoke(name))) throw new Error(`There is no key named ${name}.`);
  });
}

function toJsonKey({ name, operator, createdAt, expiresAt, lastUsedAt }: Key): object {
  return { name, operator, created: createdAt, expires: expiresAt ?? null, lastUsed: lastUsedAt ?? null };
}

function formatKeys(keys: readonly Key[], stream: Output): string {
  const toTime = (date: Date | undefined) => (date ? formatTime(date) : "never");
  const rows = keys.map(({ name, operator, createdAt, expiresAt, lastUsedAt }) => [
    name,
    operator ? "operator" : "client",
    toTime(createdAt),
    toTime(expiresAt),
    toTime(lastUsedAt),
  ]);
  return formatTable(["NAME", "ROLE", "CREATED", "EXPIRES", "LAST USED"], rows, stream);
}
