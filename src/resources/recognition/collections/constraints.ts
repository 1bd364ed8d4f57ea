// What `x-resource` declares of the records of a collection beside their path: unique members, references, the owner, private members.
import { findSimilarName } from "../../../lib/index.ts";
import { type Document, listScopes } from "../../../openapi/index.ts";
import type { KeyMember, Reference, TextKind } from "../../../store/index.ts";
import type { CollectionPlan } from "../../record/collection-plan.ts";
import { callerForms, maxCallerId } from "../../record/member-sources.ts";
import type { RecordSchema } from "../../record/record-schema.ts";
import { valueType } from "../../record/schema-nodes.ts";
import { findNamed } from "../lists/list-parameters.ts";
import { normalizePath, parametersOf } from "../paths.ts";
import { type PathHint, refusal } from "../x-resource.ts";
import type { FoundCollection } from "./plan-collection.ts";

type ConstraintPlan = Pick<CollectionPlan, "uniques" | "references" | "owner" | "private">;

/** Returns what a hint declares of a collection. `nameOf` returns the names of others. Throws a HintError. */
export function planConstraints(
  { uniques, references, owner, private: names }: Partial<PathHint>,
  { item, record, newRecord }: FoundCollection,
  others: readonly FoundCollection[],
  nameOf: (collection: FoundCollection) => string,
): ConstraintPlan {
  const where = `the path ${item.path}`;
  const required = names?.find((name) => record.required.includes(name));
  const known = [...record.propertyNames, ...newRecord.propertyNames];
  for (const name of names ?? []) {
    const similar = known.includes(name) ? undefined : findSimilarName(name, known);
    if (similar !== undefined)
      throw refusal(where, `no record or request has a property ${name}: did you mean ${similar}?`);
  }
  if (required !== undefined)
    throw refusal(where, `the property ${required} is required in a response, and can't be private`);
  return {
    ...(uniques && { uniques: uniques.map((one) => one.map((name) => keyMember(name, record, where))) }),
    ...(references && {
      references: Object.entries(references).map(([name, { to, onDelete }]): Reference => {
        const target = findTarget(to, others, where);
        const member = keyMember(name, record, where);
        const type = target.id.type;
        const isInteger = member.type === "number" && !record.acceptsAt(name.split("."), 0.5);
        if (member.type !== type && !(type === "int64" && isInteger))
          throw refusal(where, `the property ${name} must have the type of the ids of ${to}`);
        if (onDelete === "cascade" && others.some(({ path }) => path.startsWith(`${normalizePath(item.path)}/`)))
          throw refusal(where, `onDelete: cascade would leave the records below ${item.path}`);
        return { ...member, type, to: nameOf(target), onDelete: removalOf(onDelete, name, record, where) };
      }),
    }),
    ...(owner && {
      owner: { ...ownerMember(owner.member, record, where), unless: scopeOf(owner.unless, record.document, where) },
    }),
    ...(names && { private: names }),
  };
}

function keyMember(name: string, record: RecordSchema, where: string): KeyMember {
  const found = findNamed(name.split("."), record);
  const [property = "", member, ...deeper] = found?.path ?? [];
  const type = found && valueType(record.at(found.path));
  if (found === undefined) {
    const similar = findSimilarName(name, record.propertyNames);
    const hint = similar === undefined ? `has ${record.propertyNames.join(", ")}` : `did you mean ${similar}?`;
    throw refusal(where, `a record has no property ${name}: ${hint}`);
  }
  if (type === undefined || deeper.length > 0)
    throw refusal(
      where,
      `the property ${name} must be a text, a number or a boolean, of the record or of one of its objects`,
    );
  const { kind } = found as { readonly kind?: TextKind };
  return { property, ...(member !== undefined && { member }), type, ...(kind && { kind }) };
}

function ownerMember(name: string, record: RecordSchema, where: string): KeyMember {
  const found = keyMember(name, record, where);
  // Not 31 bits of a hash, for which another caller could be found.
  const isKept = (id: bigint) =>
    callerForms(id).some((form) => record.accepts(found.property, form) && !(Number(form) < 2 ** 31 && id > 0n));
  if (found.member !== undefined || ![0n, maxCallerId].every(isKept))
    throw refusal(
      where,
      `the property ${name} of a record must be a text, an integer or a UUID that can have any caller`,
    );
  return found;
}

function scopeOf(scope: string | undefined, document: Document, where: string): string | undefined {
  const known = listScopes(document);
  // A check of the application can have scopes that the document does not name, if it names none.
  if (scope === undefined || known.length === 0 || known.includes(scope)) return scope;
  const similar = findSimilarName(scope, known);
  const hint = similar === undefined ? `it has ${known.join(", ")}` : `did you mean ${similar}?`;
  throw refusal(where, `the document has no scope ${scope}: ${hint}`);
}

function findTarget(path: string, others: readonly FoundCollection[], where: string): FoundCollection {
  const found = others.find(({ item }) => normalizePath(item.path) === normalizePath(path));
  if (found === undefined || found.isSingle)
    throw refusal(where, `${path} is not the path of a record that the server keeps`);
  if (parametersOf(found.path).length > 0)
    throw refusal(where, `a record can only refer to one whose path has no other parameters, and ${path} has some`);
  return found;
}

function removalOf(
  onDelete: "restrict" | "cascade" | "setNull",
  name: string,
  record: RecordSchema,
  where: string,
): Reference["onDelete"] {
  if (onDelete !== "setNull") return onDelete;
  const path = name.split(".");
  if (record.acceptsAt(path, null)) return "setNull";
  if (path.length === 1 && !record.required.includes(name)) return "removeMember";
  throw refusal(where, `the property ${name} must be nullable or optional for onDelete: setNull`);
}
