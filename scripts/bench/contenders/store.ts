// The store of the other frameworks: node:sqlite with prepared statements and durable creates. Ids are numbers, which
// is faster than bigint.
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

/** The status of a pet. */
export type Status = "available" | "pending" | "sold";

/** A pet to create. */
export interface NewPet {
  name: string;
  categoryId: number;
  status?: Status | undefined;
}

/** A stored pet. */
export interface Pet extends NewPet {
  id: number;
}

type Row = Omit<Pet, "status"> & { status: Status | null };

const db = new DatabaseSync(process.env.DATABASE_FILE as string, { timeout: 5_000 });
db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");

const columns = "id, name, category_id AS categoryId, status";
const listAll = db.prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
const listByStatus = db.prepare(`SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`);
const findById = db.prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
const insert = db.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
const findKey = db.prepare("SELECT expires_at AS expiresAt FROM keys WHERE hash = ?");

function toPet({ id, name, categoryId, status }: Row): Pet {
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
}

/** The query of a list. */
export interface ListQuery {
  limit?: string | number | undefined;
  status?: Status | undefined;
  /** A cursor of the Pet Store, which begins with the id after which the page begins. Its signature is not checked. */
  cursor?: string | undefined;
}

/** Returns a page of pets in the order of their ids. */
export function list({ limit = 20, status, cursor }: ListQuery): Pet[] {
  const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64url").readBigInt64BE());
  const rows = status === undefined ? listAll.all(after, limit) : listByStatus.all(status, after, limit);
  return (rows as unknown as Row[]).map(toPet);
}

/** Returns the pet with the id. */
export function find(id: number): Pet | undefined {
  const row = findById.get(id) as unknown as Row | undefined;
  return row && toPet(row);
}

/** Creates a pet. */
export function create({ name, categoryId, status }: NewPet): Pet {
  const id = Number(insert.run(name, categoryId, status ?? null).lastInsertRowid);
  return status === undefined ? { id, name, categoryId } : { id, name, categoryId, status };
}

/** Returns whether an API key is valid. */
export function isKey(key: string): boolean {
  const row = findKey.get(hash("sha256", key, "buffer"));
  return row !== undefined && (row.expiresAt === null || Number(row.expiresAt) > Date.now());
}

/** Returns whether the Authorization header has a valid API key. */
export function isAuthorized(authorization = ""): boolean {
  const scheme = "Bearer ";
  return (
    authorization.slice(0, scheme.length).toLowerCase() === scheme.toLowerCase() &&
    isKey(authorization.slice(scheme.length))
  );
}
