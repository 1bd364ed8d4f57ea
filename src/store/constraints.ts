// What records must have in common with others: unique values, and references to records that exist. The databases enforce it themselves,
// by unique indexes and triggers, whichever program writes.
import { hash } from "node:crypto";
import { ConstraintViolation } from "../lib/index.ts";
import { type Collection, type Filter, idColumn, type KeyMember, type Reference, scopeFilter } from "./records.ts";

/** A constraint of a collection. */
export interface Constraint {
  /** The name of its unique index, or of its triggers on the collection. */
  readonly name: string;
  readonly collection: Collection;
  /** The members that no two records have in common, in a scope. A record that lacks one of them is not compared. */
  readonly unique?: readonly KeyMember[];
  readonly reference?: Reference;
}

/** Matches the name of what enforces a constraint, such as `pets.unique.0123abcd`. Its first group is the collection. */
export const constraintPattern = /^([\w-]{1,40})\.(?:unique|refers|referred)\.[0-9a-f]{8}(?:\.\w+)?$/;

/** Returns the constraints of collections. Another definition has another name. */
export function constraintsOf(collections: readonly Collection[]): Constraint[] {
  const nameOf = (collection: Collection, kind: string, ...definition: unknown[]) =>
    `${collection.name}.${kind}.${hash("sha256", JSON.stringify(definition)).slice(0, 8)}`;
  return collections.flatMap((collection) => {
    const { uniques = [], references = [] } = collection;
    return [
      ...uniques.map((unique) => ({ name: nameOf(collection, "unique", unique), collection, unique })),
      ...references.map((reference) => ({ name: nameOf(collection, "refers", reference), collection, reference })),
    ];
  });
}

/** Returns the name of the trigger of a reference on the other collection. */
export function referredName({ name }: Constraint): string {
  return name.replace(".refers.", ".referred.");
}

/** Returns the error of a write that a database has refused by what has this name; undefined if that is no constraint. */
export function toViolation(collections: readonly Collection[], name: string): ConstraintViolation | undefined {
  const found = constraintsOf(collections).find((one) => [one.name, referredName(one)].includes(name));
  if (found === undefined) return undefined;
  const { collection, unique, reference } = found;
  const members = (unique ?? [reference as Reference]).map(pathOf);
  if (unique) return new ConstraintViolation("unique", collection.name, members);
  return new ConstraintViolation(name === found.name ? "unknown" : "referred", collection.name, members, reference?.to);
}

/** Returns the error of a deletion that cascades through more levels than a database allows. */
export function toDepthViolation(collections: readonly Collection[]): ConstraintViolation | undefined {
  const cascade = constraintsOf(collections).find(({ reference }) => reference?.onDelete === "cascade");
  return cascade && toViolation(collections, referredName(cascade));
}

/** What the SQL of a database has of its own. */
export interface ConstraintDialect {
  /** Returns the name of a table. */
  table(name: string): string;
  /** Returns the expression of the value of a member. */
  value(member: KeyMember): string;
  /** Returns the expression of what of it must be unique. */
  compared(member: KeyMember): string;
  /** The expression of the scope of a record. */
  readonly scope: string;
}

/** Returns the expressions whose values no two records have in common. */
export function uniqueValues(dialect: ConstraintDialect, { collection, unique = [] }: Constraint): readonly string[] {
  return [...(collection.isScoped ? [dialect.scope] : []), ...unique.map((one) => dialect.compared(one))];
}

/** Returns the statement that finds records which violate a constraint: of each, the id, and that of another one with the same values. */
export function violationsStatement(dialect: ConstraintDialect, constraint: Constraint, target?: Collection): string {
  const { collection, reference } = constraint;
  const [table, id] = [dialect.table(collection.name), idColumn(collection)];
  if (reference && target) {
    const referring = `SELECT ${id} AS id, ${dialect.value(reference)} AS sent FROM ${table}`;
    const other = `SELECT 1 FROM ${dialect.table(target.name)} AS other WHERE other.${idColumn(target)} = sent`;
    return `SELECT id, NULL AS other FROM (${referring}) AS one WHERE sent IS NOT NULL AND NOT EXISTS (${other}) ORDER BY id LIMIT ${maxShown}`;
  }
  const values = uniqueValues(dialect, constraint);
  const hasAll = values.map((value) => `${value} IS NOT NULL`).join(" AND ");
  return `SELECT min(${id}) AS id, max(${id}) AS other FROM ${table} WHERE ${hasAll} GROUP BY ${values.join(", ")} HAVING count(*) > 1 ORDER BY 1 LIMIT ${maxShown}`;
}

const maxShown = 10; // records of an error

/** Throws an Error with the ids of records that violate a constraint, if there are some. */
export function requireNone(
  constraint: Constraint,
  rows: readonly { readonly id?: unknown; readonly other?: unknown }[],
) {
  if (rows.length === 0) return;
  const { collection, unique, reference } = constraint;
  const more = rows.length === maxShown ? ", and perhaps more" : "";
  if (reference)
    throw new Error(
      `records of ${collection.name} have in ${pathOf(reference)} the id of no record of ${reference.to}: ${rows.map(({ id }) => id).join(", ")}${more}`,
    );
  const pairs = rows.map(({ id, other }) => `${id} and ${other}`).join(", ");
  throw new Error(
    `records of ${collection.name} have the same ${(unique ?? []).map(pathOf).join(" and ")}, which must be unique: ${pairs}${more}`,
  );
}

/** Returns collections without their constraints: those of a store whose rows are replaced. */
export function withoutConstraints(collections: readonly Collection[]): Collection[] {
  return collections.map((one) => (hasConstraints(one) ? { ...one, uniques: [], references: [] } : one));
}

/** Returns whether the constraints of a collection are known, so that a store has no others. */
export function hasConstraints({ uniques, references }: Collection): boolean {
  return uniques !== undefined || references !== undefined;
}

/** Returns the filter whose index finds the records with a value of a reference; undefined if there is none. */
export function indexedFilter({ filters }: Collection, { property, member, type }: Reference): Filter | undefined {
  return filters.find(
    (one) =>
      one.property === property && one.member === member && one.type === type && !one.contains && one !== scopeFilter,
  );
}

function pathOf({ property, member }: KeyMember): string {
  return member === undefined ? property : `${property}.${member}`;
}
