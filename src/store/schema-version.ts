// The versions of the schemas of both stores.

/** Throws an Error if a store is of a later version than `latest`. */
export function requireKnownVersion(version: number, latest: number): void {
  if (version > latest)
    throw new Error(
      `its schema version is ${version}, but this release supports at most ${latest}. Use a newer release`,
    );
}

/** Returns the error of a store that does not exist. Its code is that of a missing file. */
export function createMissingError(): Error {
  return createMigrationError("it has not been migrated", "ENOENT");
}

/** Returns the error of a store that needs a migration. Programs add their command for it. */
export function createMigrationError(message: string, code?: string): Error {
  return Object.assign(new Error(message), { code, needsMigration: true });
}

/** Returns the reason why a store can't be opened whose table has other columns than the collection with its name. */
export function createFormError(table: string): Error {
  return new Error(`its table ${table} is that of another collection: the type of the ids, or the path, has changed`);
}
