// The unique indexes and triggers that enforce the constraints of collections in PostgreSQL.
import pg from "pg";
import type { ConstraintViolation } from "../../lib/index.ts";
import {
  type Constraint,
  type ConstraintDialect,
  constraintPattern,
  constraintsOf,
  hasConstraints,
  indexedFilter,
  referredName,
  requireNone,
  toDepthViolation,
  toViolation,
  uniqueValues,
  violationsStatement,
} from "../constraints.ts";
import { type Collection, idColumn, type KeyMember, quoteName, type Reference, scopeFilter } from "../records.ts";
import { expressionOf, indexedOf, quoteText, tableOf } from "./postgres-statements.ts";

// Reads a text with a time zone, which depends on no setting, although PostgreSQL can't know it. NULL for one that it can't read, such as
// of the year 0: it is not compared.
const instantFunction = (schema: string) => `
  CREATE OR REPLACE FUNCTION ${tableOf(schema, "instant")}(text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE STRICT AS $body$
  BEGIN
    RETURN extract(epoch FROM $1::timestamptz);
  EXCEPTION WHEN data_exception THEN RETURN NULL;
  END $body$`;

function dialectOf(schema: string): ConstraintDialect {
  const compared = (member: KeyMember) => {
    const value = valueIn(member);
    if (member.kind === "time") return `${tableOf(schema, "instant")}(${value})`;
    if (member.type !== "string") return value;
    return `md5(${member.kind === "uuid" ? `lower(${value})` : value})`; // a value of an index is limited to 2,704 bytes
  };
  return { table: (name) => tableOf(schema, name), value: valueIn, compared, scope: expressionOf(scopeFilter) };
}

function valueIn(member: KeyMember): string {
  return expressionOf({ ...member, contains: false });
}

/**
 * Creates what enforces the constraints of collections, and removes what enforces others. Locks their tables against writes meanwhile, if
 * there is something to do. Rejects with an Error if a constraint is new, and records violate it.
 */
export async function migrateConstraints(
  db: pg.ClientBase,
  schema: string,
  collections: readonly Collection[],
): Promise<void> {
  const declared = constraintsOf(collections);
  const listChanges = async () => {
    const found = await listConstraints(db, schema);
    const isObsolete = (name: string) =>
      !declared.some((one) => one.name === name) &&
      collections.some((one) => one.name === constraintPattern.exec(name)?.[1] && hasConstraints(one));
    return { missing: declared.filter(({ name }) => !found.includes(name)), obsolete: found.filter(isObsolete) };
  };
  const { missing, obsolete } = await listChanges();
  if (missing.length + obsolete.length === 0) return;
  await db.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    const others = missing.flatMap(({ reference }) => (reference ? [reference.to] : []));
    const owners = obsolete.map((name) => constraintPattern.exec(name)?.[1] as string);
    const tables = new Set([...missing.map(({ collection }) => collection.name), ...others, ...owners]);
    const names = [...tables].sort().map((name) => tableOf(schema, name));
    await db.query(`LOCK TABLE ${tableOf(schema, "idempotency")} IN ROW EXCLUSIVE MODE`); // as each transaction does first
    await db.query(`LOCK TABLE ${names} IN SHARE ROW EXCLUSIVE MODE`);
    const changes = await listChanges(); // another process can have made them meanwhile
    for (const name of changes.obsolete) await remove(db, schema, name);
    if (changes.missing.length > 0) await db.query(instantFunction(schema));
    for (const constraint of changes.missing) {
      const target = collections.find(({ name }) => name === constraint.reference?.to);
      const { rows } = await db.query(violationsStatement(dialectOf(schema), constraint, target));
      requireNone(constraint, rows);
      for (const statement of statementsOf(schema, constraint, target)) await db.query(statement);
    }
    await db.query("COMMIT");
  } catch (error) {
    await db.query("ROLLBACK").catch(() => {}); // a broken connection has rolled back already
    throw error;
  }
}

// The names of unique indexes, and of the functions of references.
async function listConstraints(db: pg.ClientBase, schema: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT relname AS name FROM pg_catalog.pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'i'
     UNION ALL
     SELECT proname FROM pg_catalog.pg_proc WHERE pronamespace = $1::regnamespace`,
    [quoteName(schema)],
  );
  return rows.map(({ name }) => name).filter((name) => constraintPattern.test(name) && !name.endsWith(".index"));
}

async function remove(db: pg.ClientBase, schema: string, name: string): Promise<void> {
  if (name.includes(".unique.")) await db.query(`DROP INDEX ${tableOf(schema, name)}`);
  else
    await db.query(
      `DROP FUNCTION ${tableOf(schema, name)} CASCADE; DROP INDEX IF EXISTS ${tableOf(schema, `${name}.index`)}`,
    );
}

function statementsOf(schema: string, constraint: Constraint, target: Collection | undefined): readonly string[] {
  const { name, collection, reference } = constraint;
  const table = tableOf(schema, collection.name);
  if (reference && target) return referenceStatements(schema, constraint, reference, target);
  const values = uniqueValues(dialectOf(schema), constraint).map((value) => `(${value})`);
  return [`CREATE UNIQUE INDEX ${quoteName(name)} ON ${table} (${values.join(", ")})`];
}

// The row that is referred to is locked, so that it is not deleted meanwhile. A deletion has locked it, too, before its trigger looks for
// the rows that refer to it, in a snapshot of its own: it finds those that were committed before it got the lock.
function referenceStatements(
  schema: string,
  constraint: Constraint,
  reference: Reference,
  target: Collection,
): readonly string[] {
  const { name, collection } = constraint;
  const [table, other] = [tableOf(schema, collection.name), tableOf(schema, target.name)];
  const [run, id] = [tableOf(schema, name), idColumn(target)];
  const value = valueIn(reference);
  const filter = indexedFilter(collection, reference);
  const isIndexed = filter !== undefined && indexedOf(filter) === value;
  const isHashed = reference.type === "string" && !isIndexed; // as a value that must be unique
  const entry = isHashed ? `md5(${value})` : value;
  const refers = `${isHashed ? `${entry} = md5(OLD.${id}) AND ` : ""}${value} = OLD.${id}`;
  const refuse = (own: string) =>
    `RAISE EXCEPTION USING ERRCODE = 'foreign_key_violation', CONSTRAINT = ${quoteText(own)}, MESSAGE = 'a reference'`;
  const change = (replace: string) => `UPDATE ${table} SET record = ${replace} WHERE ${refers}`;
  const work = {
    restrict: `IF EXISTS (SELECT FROM ${table} WHERE ${refers}) THEN ${refuse(referredName(constraint))}; END IF`,
    cascade: `DELETE FROM ${table} WHERE ${refers}`,
    setNull: change(withMember(reference, "'null'")),
    removeMember: change(withMember(reference, "NULL")),
  }[reference.onDelete];
  const body = `
  DECLARE sent ${target.idType === "int64" ? "bigint" : "text"};
  BEGIN
    IF TG_OP = 'DELETE' THEN
      ${work};
      RETURN NULL;
    END IF;
    SELECT ${value} INTO sent FROM (SELECT NEW.record AS record) AS written;
    IF sent IS NULL THEN RETURN NULL; END IF;
    PERFORM 1 FROM ${other} WHERE ${id} = sent FOR KEY SHARE;
    IF NOT FOUND THEN ${refuse(name)}; END IF;
    RETURN NULL;
  END `;
  return [
    `CREATE FUNCTION ${run}() RETURNS trigger LANGUAGE plpgsql AS ${quoteText(body)}`,
    `CREATE TRIGGER ${quoteName(name)} AFTER INSERT OR UPDATE OF record ON ${table} FOR EACH ROW EXECUTE FUNCTION ${run}()`,
    `CREATE TRIGGER ${quoteName(referredName(constraint))} AFTER DELETE ON ${other} FOR EACH ROW EXECUTE FUNCTION ${run}()`,
    ...(isIndexed ? [] : [`CREATE INDEX ${quoteName(`${name}.index`)} ON ${table} (${entry}, id)`]),
  ];
}

// The record with another text of a member, or without it. The texts and the order of the others stay as they are.
function withMember({ property, member }: Reference, text: string): string {
  const rewrite = (json: string, name: string, replaced: string) => `(
    SELECT '{' || coalesce(string_agg(to_json(key)::text || ':' || text, ',' ORDER BY place), '') || '}' FROM (
      SELECT key, place, CASE WHEN key = ${quoteText(name)} THEN ${replaced} ELSE value::text END AS text
      FROM json_each(${json}) WITH ORDINALITY AS members (key, value, place)
    ) AS texts WHERE text IS NOT NULL)`;
  if (member === undefined) return `${rewrite("record", property, text)}::json`;
  return `${rewrite("record", property, rewrite("value", member, text))}::json`;
}

/** Returns the violation that an error of PostgreSQL reports; undefined if it is another one. */
export function violationOf(collections: readonly Collection[], error: unknown): ConstraintViolation | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  if (error.code === "54001") return toDepthViolation(collections); // statement_too_complex: the depth of the stack
  if (error.constraint === undefined) return undefined;
  return toViolation(collections, error.constraint);
}
