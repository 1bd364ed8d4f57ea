// The extension `x-resource`, which corrects what is understood of a document: of the path of a record, of an operation, of a parameter.
import { isObject, toJson } from "../../lib/index.ts";
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
}

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
  const { index = [], ...texts } = isObject(hint) ? (hint as Readonly<Record<string, unknown>>) : {};
  const { name, id } = membersOf(isObject(hint) ? texts : hint, ["name", "id"], where, ["index"]);
  const isName = (one: unknown) => typeof one === "string" && one !== "";
  const isIndex = (one: unknown) => isName(one) || (Array.isArray(one) && one.length > 0 && one.every(isName));
  if (!Array.isArray(index) || !index.every(isIndex))
    throw refusal(
      where,
      "its member index must be an array of names, or of arrays of names, such as [[status, -created_at]]",
    );
  if (name !== undefined && !/^[A-Za-z][\w-]{0,39}$/.test(name))
    throw refusal(where, `the name ${toJson(name)} must be up to 40 letters, digits, - and _, and begin with a letter`);
  if (id !== undefined && id.split(".").length > 2)
    throw refusal(where, `the id ${id} must be a property, or a property of an object, such as metadata.name`);
  return {
    ...(name !== undefined && { name }),
    ...(id !== undefined && { id: id.split(".") }),
    indexes: index.map((one) => [one].flat()),
  };
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
    throw refusal(where, `it must be false, or an object with ${[...names, ...others].join(" or ")}`);
  for (const [name, value] of Object.entries(hint)) {
    if (!(names as readonly string[]).includes(name))
      throw refusal(where, `it has the unknown member ${name}, and can have ${[...names, ...others].join(" and ")}`);
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
