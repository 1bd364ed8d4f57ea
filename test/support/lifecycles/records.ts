// Records in the bodies of requests and responses.
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

/** Returns a body in which the members that are ids of the path are those of the record. */
export function withIds(sent: unknown, record: Json, ids: readonly string[]): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const members = Object.entries(sent).map(([name, value]) => {
    return [name, ids.includes(`${record[name]}`) ? record[name] : value];
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

/** Throws an Error unless the record of a body has what was sent, under the same names and in the same types. */
export function expectKept(sent: unknown, body: unknown): void {
  const record = Object(unwrap(body)) as Json;
  const isBare = Object.keys(Object(sent) as Json).some((name) => Object.hasOwn(record, name));
  const wanted = Object(isBare ? sent : unwrap(sent)) as Json;
  for (const [name, value] of Object.entries(wanted))
    if (Object.hasOwn(record, name) && ["string", "number", "boolean"].includes(typeof value))
      if (typeof record[name] === typeof value && record[name] !== value)
        throw new Error(`${name} is ${JSON.stringify(record[name])}, and not ${JSON.stringify(value)}`);
}
