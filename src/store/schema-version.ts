// The versions of the schemas of both stores.

const missing = { code: "ENOENT" }; // the error code of a missing store, as for a missing file

/** Throws an Error if a store is of a later version than `latest`. */
export function requireKnownVersion(version: number, latest: number): void {
  if (version > latest)
    throw new Error(
      `its schema version is ${version}, but this release supports at most ${latest}. Use a newer release`,
    );
}

/** Throws an Error if a store can't be read without a migration. `advice` says how to migrate it. */
export function requireMigrated(version: number, latest: number, advice: string): void {
  if (version === 0) throw createMissingError();
  if (version < latest)
    throw new Error(`its schema version is ${version}, but this release requires ${latest}. ${advice}`);
}

/** Returns the error of a store that does not exist. */
export function createMissingError(): Error {
  return Object.assign(new Error("it has not been migrated. Run petstore migrate"), missing);
}
