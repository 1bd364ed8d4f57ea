// The URL of a database: a file of SQLite, or a PostgreSQL server.

/** A database of SQLite. */
export interface SqliteDatabase {
  readonly kind: "sqlite";
  /** The path of its file, as it is written; undefined for a database in memory. */
  readonly file: string | undefined;
}

/** A database of PostgreSQL. */
export interface PostgresDatabase {
  readonly kind: "postgresql";
  /** Its URL on each host: `postgres://a:5432,b:5432/shop` has two. */
  readonly urls: readonly string[];
}

/** Parses `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Returns undefined for another text. */
export function parseDatabaseUrl(text: string): SqliteDatabase | PostgresDatabase | undefined {
  const [, file] = /^sqlite:(:memory:|[^:].*)$/s.exec(text) ?? [];
  if (file !== undefined) return { kind: "sqlite", file: file === ":memory:" ? undefined : file };
  const [, start, hosts = "", end] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? [];
  const urls = hosts.split(",").map((host) => `${start}${host}${end}`);
  // pg also accepts URLs without a host, if an option has it (…@/database?host=/run).
  const isValid = start !== undefined && urls.every((url) => URL.canParse(url.replace("@/", "@host/")));
  return isValid ? { kind: "postgresql", urls } : undefined;
}

/** Returns the URL of a database without the user, the password and the options. It may be malformed. */
export function redactUrl(url: string): string {
  const [start, end] = [url.indexOf("//") + 2, url.lastIndexOf("@") + 1];
  const withoutUser = start < end ? url.slice(0, start) + url.slice(end) : url;
  return withoutUser.split("?", 1)[0] as string;
}
