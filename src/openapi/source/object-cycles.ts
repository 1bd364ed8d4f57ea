// Documents in which another tool has replaced each reference by what it leads to: a recursive schema is an object that contains
// itself.
import { isMapName } from "./fields.ts";
import { escapeToken } from "./part.ts";
import { isData, toReference } from "./references.ts";

/**
 * Returns a copy of a document in which each schema is written once, in its outermost place, and referred to in others. Other parts that
 * contain themselves still do.
 */
export function restoreReferences(document: object): object {
  const places = new Map([[document, ""]]);
  for (const [part, pointer] of places) // grows while it is read
    for (const [name, member] of Object.entries(part))
      if (typeof member === "object" && member !== null && !places.has(member))
        places.set(member, `${pointer}/${escapeToken(name)}`);
  const copies = new Map<object, unknown>(); // of parts in other places than their outermost
  const copy = (part: unknown, pointer: string, isSchema = false, isMap = false): unknown => {
    if (typeof part !== "object" || part === null) return part;
    const place = places.get(part) as string;
    if (isSchema && !isMap && !Array.isArray(part) && place !== pointer) return { $ref: toReference(place) };
    if (place !== pointer && copies.has(part)) return copies.get(part);
    copies.set(part, part);
    const members = Object.entries(part).map(([name, member]): [string, unknown] => {
      if (!isMap && (isData(name, member) || /^(discriminator|externalDocs|xml)$/.test(name))) return [name, member];
      const isBelow = isSchema || (!isMap && /^(schemas?|itemSchema)$/.test(name));
      const isNamed = !isMap && !Array.isArray(part) && isMapName(name);
      return [name, copy(member, `${pointer}/${escapeToken(name)}`, isBelow, isNamed)];
    });
    const copied = Array.isArray(part) ? members.map(([, member]) => member) : Object.fromEntries(members);
    if (place !== pointer) copies.set(part, copied);
    return copied;
  };
  return copy(document, "") as object;
}
