// The extension `x-resource`, which corrects what is understood of a document: of the path of a record, of an operation, of a parameter.
import { findSimilarName, isObject, toJson } from "../../lib/index.ts";
import type { Document, Operation } from "../../openapi/index.ts";

const extension = "x-resource";

/** What the document says of the path of a record. */
export interface PathHint {
  /** The name of the collection. */
  readonly name?: string;
  /** The names that lead to the property with the id. */
  readonly id?: readonly string[];
  /** The members of each index of the collection, such as `status` and `-created_at`. */
  readonly indexes?: readonly (readonly string[])[];
  /** The members that no two records have in common, each alone or some together. */
  readonly uniques?: readonly (readonly string[])[];
  /** By the name of a member, the path of the record whose id it has. */
  readonly references?: Readonly<Record<string, ReferenceHint>>;
  /** The member with the caller who has created a record, and the scope of a credential that shows all records. */
  readonly owner?: { readonly member: string; readonly unless?: string | undefined };
  /** The members that are kept, and in no response. */
  readonly private?: readonly string[];
}

/** A reference to the record at a path, and what happens when that one is deleted. */
export interface ReferenceHint {
  readonly to: string;
  readonly onDelete: (typeof removals)[number];
}

const removals = ["restrict", "cascade", "setNull"] as const;

const effects = ["create", "list", "update", "delete"] as const;
const memberNames = ["set", "if", "initial"] as const;

/**
 * What the document says of an operation: the path of the records that it creates, lists, changes or deletes, the members that it sets, if
 * they have some values before, and those of new records that no request has.
 */
export type OperationHint = { readonly [Effect in (typeof effects)[number]]?: string } & {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly if?: Readonly<Record<string, unknown>>;
  readonly initial?: Readonly<Record<string, unknown>>;
};

/** Returns what the document says of the path of a record; false if nothing of it is answered from records. Throws an Error. */
export function readPathHint({ root }: Document, path: string): PathHint | false {
  const hint = hintIn(root.at("paths")?.at(path)?.value);
  const where = `the path ${path}`;
  if (hint === undefined || hint === false) return hint ?? {};
  const { index, unique, references, owner, private: names, ...texts } = isObject(hint) ? (hint as PathMembers) : {};
  const others = ["index", "unique", "references", "owner", "private"];
  const { name, id } = membersOf(isObject(hint) ? texts : hint, ["name", "id"], where, others);
  if (name !== undefined && !/^[A-Za-z][\w-]{0,39}$/.test(name))
    throw refusal(where, `the name ${toJson(name)} must be up to 40 letters, digits, - and _, and begin with a letter`);
  if (id !== undefined && id.split(".").length > 2)
    throw refusal(where, `the id ${id} must be a property, or a property of an object, such as metadata.name`);
  return {
    ...(name !== undefined && { name }),
    ...(id !== undefined && { id: id.split(".") }),
    indexes: readGroups("index", index, where, "[[status, -created_at]]") ?? [],
    ...(unique !== undefined && { uniques: readGroups("unique", unique, where, "[email, [room, date]]") }),
    ...(references !== undefined && { references: readReferences(references, where) }),
    ...(owner !== undefined && { owner: readOwner(owner, where) }),
    ...(names !== undefined && { private: readPrivate(names, where) }),
  };
}

type PathMembers = Readonly<Record<string, unknown>>;

const isName = (one: unknown): one is string => typeof one === "string" && one !== "";

function readGroups(name: string, value: unknown, where: string, example: string) {
  const isGroup = (one: unknown) => isName(one) || (Array.isArray(one) && one.length > 0 && one.every(isName));
  if (value === undefined || (Array.isArray(value) && value.every(isGroup)))
    return value?.map((one) => [one].flat() as string[]);
  throw refusal(where, `its member ${name} must be an array of names, or of arrays of names, such as ${example}`);
}

function readReferences(value: unknown, where: string): PathHint["references"] {
  const isReference = (one: unknown) => {
    const { to, onDelete = "restrict", ...unknown } = (isObject(one) ? one : { to: one }) as Partial<ReferenceHint>;
    return isName(to) && removals.includes(onDelete) && Object.keys(unknown).length === 0;
  };
  if (!isObject(value) || !Object.values(value).every(isReference))
    throw refusal(
      where,
      `its member references must be an object, such as { vetId: "/vets/{id}" } or { vetId: { to: "/vets/{id}", onDelete: ${removals.join(" | ")} } }`,
    );
  const read = (one: unknown) => ({ onDelete: "restrict", ...(isObject(one) ? one : { to: one }) });
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, read(one) as ReferenceHint]));
}

function readOwner(value: unknown, where: string): PathHint["owner"] {
  const { member, unless, ...others } = (isObject(value) ? value : { member: value }) as PathMembers;
  if (isName(member) && (unless === undefined || isName(unless)) && Object.keys(others).length === 0)
    return { member, unless };
  throw refusal(
    where,
    "its member owner must be the name of a property, or such as { member: createdBy, unless: admin }",
  );
}

function readPrivate(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value) && value.every(isName)) return value;
  throw refusal(where, "its member private must be an array of names");
}

/** Returns what the document says of an operation; false if it is not answered from records. Throws an Error. */
export function readOperationHint({ id, part }: Operation): OperationHint | false {
  const hint = hintIn(part.value);
  if (hint === undefined || hint === false) return hint ?? {};
  const where = `the operation ${id}`;
  const entries = Object.entries(isObject(hint) ? hint : {});
  const own = entries.filter(([name]) => (memberNames as readonly string[]).includes(name));
  for (const [name, value] of own)
    if (!isObject(value)) throw refusal(where, `its member ${name} must be an object with members of the record`);
  const others = isObject(hint) ? Object.fromEntries(entries.filter((entry) => !own.includes(entry))) : hint;
  return { ...membersOf(others, effects, where), ...Object.fromEntries(own) };
}

/** Returns the names that lead to the property that a parameter is compared with; undefined if the document names none. Throws an Error. */
export function readParameterHint({ value }: Operation["parameterParts"][number]): readonly string[] | undefined {
  const hint = hintIn(value);
  if (hint === undefined || isObject(hint)) return undefined;
  if (typeof hint === "string" && hint !== "") return hint.split(".");
  throw refusal(`the parameter ${value.name}`, "it must be the name of a property, such as author or owner.id");
}

/** Returns whether a parameter selects a tenant; undefined if the document does not say. Throws an Error. */
export function readTenantHint({ value }: Operation["parameterParts"][number]): boolean | undefined {
  const hint = hintIn(value);
  if (!isObject(hint)) return undefined;
  const { scope, ...others } = hint as { readonly scope?: unknown };
  if (typeof scope !== "boolean" || Object.keys(others).length > 0 || value.in !== "header" || value.required !== true)
    throw refusal(
      `the parameter ${value.name}`,
      "an object must be { scope: true } or { scope: false } of a required header",
    );
  return scope;
}

function hintIn(holder: unknown): unknown {
  return (Object(holder) as Readonly<Record<string, unknown>>)[extension];
}

function membersOf<Name extends string>(
  hint: unknown,
  names: readonly Name[],
  where: string,
  others: readonly string[] = [],
): Partial<Readonly<Record<Name, string>>> {
  if (!isObject(hint))
    throw refusal(where, `it must be false, or an object with some of ${[...names, ...others].join(", ")}`);
  for (const [name, value] of Object.entries(hint)) {
    const similar = findSimilarName(name, [...names, ...others]);
    const hint = similar === undefined ? `it can have ${[...names, ...others].join(", ")}` : `did you mean ${similar}?`;
    if (!(names as readonly string[]).includes(name))
      throw refusal(where, `it has the unknown member ${name}: ${hint}`);
    if (typeof value !== "string" || value === "") throw refusal(where, `its member ${name} must be a text`);
  }
  return hint as Partial<Readonly<Record<Name, string>>>;
}

/** A document has an `x-resource` that is wrong: `subject` and `reason` are a sentence. */
export class HintError extends Error {
  readonly subject: string;
  readonly reason: string;

  constructor(subject: string, reason: string) {
    super(`${subject} ${reason}.`);
    this.subject = subject;
    this.reason = reason;
  }
}

/** Returns an Error about the extension. `reason` completes "The x-resource of … is wrong: …". */
export function refusal(where: string, reason: string): HintError {
  return new HintError(`The ${extension} of ${where}`, `is wrong: ${reason}`);
}
