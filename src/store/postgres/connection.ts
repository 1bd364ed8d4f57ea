// How PostgreSQL is reached, and what its errors mean.
import pg from "pg";
import { Unavailable } from "../../lib/index.ts";
import type { OpenMode } from "../port.ts";
import { latestVersion, migrate, readVersion } from "./migrations.ts";

/** A connection of its own, without limits of time but for the connecting. Rejects with an Error that says what is wrong. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionConfig(url), connectionTimeoutMillis: 10_000 });
  client.on("error", () => {}); // whoever waits for an answer is told
  try {
    await client.connect();
  } catch (error) {
    await client.end(); // if no password was given, the connection would stay open until PostgreSQL closes it, after 60 s
    throw error;
  }
  return client;
}

/** Sees to it that the database is of this version, and gives its secret. */
export async function prepareDatabase(url: string, access: OpenMode): Promise<Uint8Array> {
  try {
    const client = await connect(url);
    return await ready(client, access).finally(() => client.end());
  } catch (error) {
    throw new Error(`The database ${place(url)} can't be opened: ${reason(error)}.`, { cause: error });
  }
}

const missing = { code: "ENOENT" }; // as of a file that is not there

async function ready(client: pg.Client, access: OpenMode): Promise<Uint8Array> {
  const version = await readVersion(client);
  if (access === "update" && version === 0) throw new Error("it has no pet store");
  if (access === "look" && version > 0 && version < latestVersion)
    throw new Error(
      `it is of version ${version}, and this release has ${latestVersion}: let petstore migrate bring it there`,
    );
  if (access === "look" && version === 0)
    throw Object.assign(new Error("it has no pet store of this version: petstore migrate makes it one"), missing);
  await migrate(client);
  return (await client.query("SELECT value FROM petstore.secret")).rows[0]?.value;
}

// Whole numbers of 64 bits come as bigint, exactly.
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (id === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(id, format)),
};

/** What every connection to the database that `url` names has in common; what else pg reads from a URL holds. */
export function connectionConfig(url: string): pg.ClientConfig {
  return { connectionString: url, types, keepAlive: true, fallback_application_name: "petstore" };
}

// Which database, for people: a URL without user, password and options, whatever stands in them.
function place(url: string): string {
  return url.replace(/\/\/.*@/s, "//").replace(/\?.*$/s, "");
}

// Where a name has several addresses, Node gives an error for each and none for all.
function reason(error: unknown): string {
  const [first = error] = (error as AggregateError).errors ?? [];
  const { message } = first as Error;
  const asked = message.startsWith("SASL") && message.endsWith("client password must be a string");
  return asked ? "it asks for a password: give it in the URL, in PGPASSWORD or in ~/.pgpass" : message;
}

// PostgreSQL's errors, by code or by class, that speak of the surroundings, not of a bug of ours.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const surroundings: Readonly<Record<string, string>> = {
  "08": "not reachable", // connection exception
  "25": "read-only", // a standby, in place of the primary
  "28": "not accessible", // invalid authorization
  "3D": "not there", // invalid catalog name
  "40": "busy", // transaction rollback
  "53": "out of room", // insufficient resources
  "55": "locked", // object not in prerequisite state
  "57": "not running", // operator intervention
  "57014": "too slow", // query canceled
  "58": "not readable or writable", // system error
  XX: "damaged", // internal error
};

/** What a store throws for an error of pg: `Unavailable` for what is not a bug of ours. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    const code = error.code as string;
    const state = surroundings[code] ?? surroundings[code.slice(0, 2)];
    return state === undefined ? error : new Unavailable(`The store is ${state}.`, { cause: error });
  }
  // Of its connections pg tells by plain errors; those of other classes are bugs.
  const plain = error instanceof AggregateError || (error as Error).constructor === Error;
  return plain ? new Unavailable("The store is not reachable.", { cause: error }) : error;
}
