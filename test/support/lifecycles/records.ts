// Records in the bodies of requests and responses.
import { isDeepStrictEqual } from "node:util";
import type { Json } from "./document.ts";

/** Returns the values of a response that could be the id of a record, the likeliest first. */
export function findIds(body: unknown, parameter: string): string[] {
  const found: { name: string; value: string; depth: number }[] = [];
  const visit = (value: unknown, depth: number) => {
    for (const [name, member] of Object.entries(Object(value) as Json)) {
      if (typeof member === "string" || typeof member === "number") found.push({ name, value: `${member}`, depth });
      else if (typeof member === "object" && depth < 3) visit(member, depth + 1);
    }
  };
  visit(body, 0);
  const usualNames = [parameter, "id", "uid", "uuid", "key", "slug", "number", "name"];
  const rank = ({ name, depth }: { name: string; depth: number }) =>
    (usualNames.includes(name) ? usualNames.indexOf(name) : usualNames.length) + (depth > 1 ? 100 : 0);
  const usual = found.filter((one) => one.name === parameter || /id$|^(key|slug|number|name|code)$/i.test(one.name));
  return [...new Set(usual.toSorted((a, b) => rank(a) - rank(b)).map(({ value }) => value))].slice(0, 12);
}

/** Returns a body in which the members that are ids of the path are those of the record, or have the names of parameters. */
export function withIds(sent: unknown, record: Json, params: Readonly<Record<string, string>>): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const members = Object.entries(sent).map(([name, value]) => {
    if (Object.values(params).includes(`${record[name]}`)) return [name, record[name]];
    return [name, typeof value === "string" && Object.hasOwn(record, "id") ? (params[name] ?? value) : value];
  });
  return Object.fromEntries(members);
}

/** Returns whether a value has a text or number at any depth. */
export function contains(value: unknown, id: string): boolean {
  if (typeof value !== "object" || value === null) return `${value}` === id;
  return Object.values(value).some((member) => contains(member, id));
}

/** Returns the record of a body: itself, or the only object in it. */
export function unwrap(body: unknown): unknown {
  const members = Object.values(Object(body) as Json);
  const objects = members.filter((one) => typeof one === "object" && one !== null && !Array.isArray(one));
  return members.length <= 2 && objects.length === 1 ? objects[0] : body;
}

/** Returns whether a list has a record: as an item of an array, with its id, if it has one, and not with other values. */
export function lists(body: unknown, id: string, record: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  const hasId = (item: unknown) => contains(item, id) || !contains(record, id);
  if (Array.isArray(body)) return body.some((item) => hasId(item) && agrees(record, item));
  return Object.values(body).some((member) => lists(member, id, record));
}

function agrees(record: unknown, item: unknown): boolean {
  try {
    expectKept(record, item, new Set());
    return true;
  } catch {
    return false;
  }
}

/**
 * Throws an Error unless the record of a body has what was sent, under the same names and in the same types. It must have each member that
 * is `declared`, if it was sent with a value.
 */
export function expectKept(sent: unknown, body: unknown, declared: ReadonlySet<string>): void {
  // Both can be bare, or in an object: as they have most members in common.
  const pairs = [sent, unwrap(sent)].flatMap((one) =>
    [body, unwrap(body)].map((other) => [one, Object(other) as Json] as const),
  );
  const common = ([one, other]: (typeof pairs)[number]) =>
    Object.keys(Object(one) as Json).filter((name) => Object.hasOwn(other, name)).length;
  const best = Math.max(...pairs.map(common));
  const [one, other] = pairs.find((pair) => common(pair) === best) as (typeof pairs)[number];
  compare(one, best === 0 ? (Object(unwrap(body)) as Json) : other, declared);
}

function compare(sent: unknown, record: Json, declared: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(Object(sent) as Json)) {
    if (value === null) continue;
    if (!Object.hasOwn(record, name)) {
      if (declared.has(name)) throw new Error(`${name} is missing, and not ${JSON.stringify(value)}`);
      continue;
    }
    const kept = record[name];
    if (typeof kept !== typeof value || Array.isArray(kept) !== Array.isArray(value) || kept === null) continue;
    const isScalar = typeof value !== "object" || (Array.isArray(value) && value.every((one) => Object(one) !== one));
    if (!isScalar && !Array.isArray(value)) compare(value, kept as Json, new Set());
    else if (isScalar && Object((kept as unknown[])[0]) !== (kept as unknown[])[0] && !isDeepStrictEqual(kept, value))
      throw new Error(`${name} is ${JSON.stringify(kept)}, and not ${JSON.stringify(value)}`);
  }
}
