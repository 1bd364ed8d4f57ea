// The unique indexes and triggers that enforce the constraints of collections in SQLite.
import type { DatabaseSync } from "node:sqlite";
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
import { type Collection, idColumn, quoteName, type Reference, scopeFilter } from "../records.ts";
import { expressionOf, pathOf, quoteText } from "./sqlite-statements.ts";

const dialect: ConstraintDialect = {
  table: quoteName,
  value: expressionOf,
  compared: (member) => {
    const value = expressionOf(member);
    if (member.kind === "uuid") return `lower(${value})`;
    return member.kind === "time" ? `ifnull(unixepoch(upper(${value}), 'subsec'), upper(${value}))` : value;
  },
  scope: expressionOf(scopeFilter),
};

/** Returns the statements that create what enforces the constraints of collections, by name. */
export function constraintSchema(collections: readonly Collection[]): [name: string, statement: string][] {
  return constraintsOf(collections).flatMap((constraint) => {
    const { name, collection, reference } = constraint;
    if (reference) return referenceSchema(constraint, reference, targetOf(collections, reference));
    const values = uniqueValues(dialect, constraint).join(", ");
    return [[name, `CREATE UNIQUE INDEX ${quoteName(name)} ON ${quoteName(collection.name)} (${values})`]];
  });
}

function targetOf(collections: readonly Collection[], { to }: Reference): Collection {
  const found = collections.find(({ name }) => name === to);
  if (found === undefined) throw new Error(`The collection ${to} is not one of those with which the store is opened.`);
  return found;
}

function referenceSchema(constraint: Constraint, reference: Reference, target: Collection): [string, string][] {
  const { name, collection } = constraint;
  const { property, member, onDelete } = reference;
  const [table, id] = [quoteName(collection.name), idColumn(target)];
  const [value, sent] = [expressionOf(reference), expressionOf(reference, "NEW.record")];
  const trigger = (own: string, event: string, on: string, when: string, work: string): [string, string] => [
    own,
    `CREATE TRIGGER ${quoteName(own)} AFTER ${event} ON ${on}${when} BEGIN ${work}; END`,
  ];
  const isUnknown = ` WHEN ${sent} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${quoteName(target.name)} WHERE ${id} = ${sent})`;
  const refuse = (own: string) => `SELECT RAISE(ABORT, ${quoteText(own)})`;
  const refers = `${value} = +OLD.${id}`; // a column would convert the value, and so not use the index
  const isReferred = ` WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${refers})`;
  const path = quoteText(pathOf(property, ...(member === undefined ? [] : [member])));
  const work = {
    restrict: refuse(referredName(constraint)),
    cascade: `DELETE FROM ${table} WHERE ${refers}`,
    setNull: `UPDATE ${table} SET record = json_set(record, ${path}, NULL) WHERE ${refers}`,
    removeMember: `UPDATE ${table} SET record = json_remove(record, ${path}) WHERE ${refers}`,
  }[onDelete];
  const index = `${name}.index`;
  return [
    trigger(`${name}.insert`, "INSERT", table, isUnknown, refuse(name)),
    trigger(`${name}.update`, "UPDATE", table, isUnknown, refuse(name)),
    trigger(referredName(constraint), "DELETE", quoteName(target.name), isReferred, work),
    ...(indexedFilter(collection, reference)
      ? []
      : [[index, `CREATE INDEX ${quoteName(index)} ON ${table} (${value}, id)`] satisfies [string, string]]),
  ];
}

/**
 * Returns the statements that remove what enforces other constraints of collections. Throws an Error if a constraint is new, and records
 * violate it.
 */
export function prepareConstraints(db: DatabaseSync, collections: readonly Collection[]): string[] {
  const rows = db.prepare("SELECT type, name FROM sqlite_schema WHERE name LIKE '%.%'").all();
  const found = rows as unknown as readonly { readonly type: string; readonly name: string }[];
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  for (const constraint of constraintsOf(collections)) {
    const { name, collection, reference } = constraint;
    const isKnown = found.some((one) => one.name === name || one.name === `${name}.insert`);
    if (isKnown || hasTable.get(collection.name) === undefined) continue;
    const target = reference && targetOf(collections, reference);
    if (target && hasTable.get(target.name) === undefined) continue;
    requireNone(constraint, db.prepare(violationsStatement(dialect, constraint, target)).all());
  }
  const declared = new Set(constraintSchema(collections).map(([name]) => name));
  return found
    .filter(({ name }) => !declared.has(name) && isOf(collections, name))
    .map(({ type, name }) => `DROP ${type} ${quoteName(name)}`);
}

function isOf(collections: readonly Collection[], name: string): boolean {
  const [, owner] = constraintPattern.exec(name) ?? [];
  return collections.some((one) => one.name === owner && hasConstraints(one));
}

const constraintCodes: unknown[] = [2067, 1811]; // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_TRIGGER

/** Returns the violation that an error of SQLite reports; undefined if it is another one. */
export function violationOf(collections: readonly Collection[], error: unknown): ConstraintViolation | undefined {
  const { errcode, message = "" } = Object(error) as { errcode?: number; message?: string };
  if (message === "too many levels of trigger recursion") return toDepthViolation(collections); // 1,000
  if (!constraintCodes.includes(errcode)) return undefined;
  return toViolation(collections, /^UNIQUE constraint failed: index '(.*)'$/.exec(message)?.[1] ?? message);
}
