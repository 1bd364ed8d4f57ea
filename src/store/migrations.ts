// The tables that each store has beside its collections, as numbered migrations for both kinds of databases. A released
// migration is never edited: append a new one.

/** What the SQL of a database has of its own. */
export interface Dialect {
  /** The definition of the id of a row, which is generated. An id is never generated twice, even if its row was deleted. */
  readonly id: string;
  readonly integer: string;
  /** The type of a text that is compared by its bytes. */
  readonly text: string;
  readonly bytes: string;
  /** Follows a table, and one whose rows are found by their primary key only. */
  readonly options: string;
  readonly keyedOptions: string;
  /** Precedes the name of a table. */
  readonly prefix: string;
}

type Migration = (dialect: Dialect) => string;

/** The migrations. Times are in milliseconds since 1970. */
export const migrations: readonly Migration[] = [
  ({ id, integer, text, bytes, options, keyedOptions, prefix }) => `
    CREATE TABLE ${prefix}keys (
      id ${id},
      name ${text} NOT NULL UNIQUE,
      hash ${bytes} NOT NULL UNIQUE,
      created_at ${integer} NOT NULL,
      expires_at ${integer},
      last_used_at ${integer},
      operator ${integer} NOT NULL DEFAULT 0,
      -- The hash that the last rotation replaced, and the end of its grace period.
      previous_hash ${bytes},
      previous_expires_at ${integer}
    ) ${options};
    CREATE INDEX keys_by_previous_hash ON ${prefix}keys (previous_hash, previous_expires_at);

    -- Without a foreign key: the row remains after its record is deleted.
    CREATE TABLE ${prefix}idempotency (
      collection ${text} NOT NULL,
      caller ${integer} NOT NULL,
      key ${text} NOT NULL,
      digest ${bytes} NOT NULL,
      record_id ${integer} NOT NULL,
      record_key ${text}, -- of a collection whose ids are texts
      created_at ${integer} NOT NULL,
      PRIMARY KEY (collection, caller, key)
    ) ${keyedOptions};
    CREATE INDEX idempotency_by_age ON ${prefix}idempotency (created_at);

    -- Not used, but for the services in a former schema, see postgres-schema.ts. Processes of an earlier commit write to it, during an
    -- update without downtime.
    CREATE TABLE ${prefix}deprecated_calls (
      operation ${text} NOT NULL,
      key ${text} NOT NULL,
      day ${integer} NOT NULL, -- since 1970
      count ${integer} NOT NULL,
      PRIMARY KEY (operation, key, day)
    ) ${keyedOptions};
    CREATE INDEX deprecated_calls_by_day ON ${prefix}deprecated_calls (day);

    -- The progress of the import of a file, by the SHA-256 of its bytes.
    CREATE TABLE ${prefix}imports (
      digest ${bytes} NOT NULL PRIMARY KEY,
      lines ${integer} NOT NULL,
      records ${integer} NOT NULL,
      complete ${integer} NOT NULL,
      written_at ${integer} NOT NULL
    ) ${keyedOptions};

    -- The schemas of the document that all records of a collection match, by their hashes. While a function changes the records:
    -- that of the new schema, and the last id that it was applied to.
    CREATE TABLE ${prefix}record_schemas (
      collection ${text} NOT NULL,
      schema ${text} NOT NULL,
      upgraded_to ${integer},
      PRIMARY KEY (collection, schema)
    ) ${keyedOptions};

    -- One random value, which identifies the store. In PostgreSQL, creates lock its row.
    CREATE TABLE ${prefix}secret (value ${bytes} NOT NULL) ${options};
  `,
  // The scopes of a key, separated by spaces. NULL for all.
  ({ text, prefix }) => `ALTER TABLE ${prefix}keys ADD COLUMN scopes ${text};`,
  ({ id, integer, text, bytes, options, keyedOptions, prefix }) => `
    -- The indexes of collections. Each has the records up to a number, and later all.
    CREATE TABLE ${prefix}record_indexes (
      id ${id},
      collection ${text} NOT NULL,
      specification ${text} NOT NULL,
      filled_to ${integer} NOT NULL,
      complete ${integer} NOT NULL,
      UNIQUE (collection, specification)
    ) ${options};
    CREATE TABLE ${prefix}index_entries (
      index_id ${integer} NOT NULL,
      value ${bytes} NOT NULL,
      id ${integer} NOT NULL, -- of the record
      PRIMARY KEY (index_id, value)
    ) ${keyedOptions};
    CREATE INDEX index_entries_by_id ON ${prefix}index_entries (index_id, id);

    -- The records whose entries may be stale. Triggers add them. Each transaction has rows of its own, so that none is deleted before
    -- the transaction commits.
    CREATE TABLE ${prefix}index_changes (
      collection ${text} NOT NULL,
      id ${integer} NOT NULL,
      writer ${integer} NOT NULL,
      PRIMARY KEY (collection, id, writer)
    ) ${keyedOptions};
  `,
];

/** Returns the statements that remove the indexes of a collection whose table is created again, and so has no triggers. */
export function forgetIndexes(prefix: string, collection: string): string {
  const isOwn = `WHERE collection = '${collection.replaceAll("'", "''")}'`;
  const entries = `DELETE FROM ${prefix}index_entries WHERE index_id IN (SELECT id FROM ${prefix}record_indexes ${isOwn})`;
  return `${entries}; DELETE FROM ${prefix}record_indexes ${isOwn}; DELETE FROM ${prefix}index_changes ${isOwn};`;
}

/** Returns the names of the tables and indexes of this release, without those of collections. */
export function listNames(dialect: Dialect): readonly string[] {
  const text = migrations.map((write) => write(dialect)).join("\n");
  return [...text.matchAll(/CREATE (?:TABLE|INDEX) (\w+)/g)].map(([, name]) => name as string);
}

/** The version of the tables of this release. */
export const latestVersion = migrations.length;
