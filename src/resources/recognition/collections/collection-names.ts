// The names of collections, which are those of their tables.
import { hash } from "node:crypto";
import { reservedNames } from "../../../store/index.ts";
import { refusal } from "../x-resource.ts";
import { type FoundCollection, isImported } from "./plan-collection.ts";

/**
 * Returns the names of the tables of all collections, which do not depend on their order: another one would have the records. They differ in
 * lower case, because SQLite has no other names.
 */
export function nameAll(all: readonly FoundCollection[]): ReadonlyMap<FoundCollection, string> {
  const nameOf = ({ name, path }: FoundCollection) => name ?? simpleNameOf(path);
  const similar = (one: FoundCollection) => nameOf(one).toLowerCase();
  const bySimilarity = Map.groupBy(all, similar);
  // A document that gets a collection to import keeps the names of the others.
  const made = Map.groupBy(
    all.filter((one) => !isImported(one)),
    similar,
  );
  const taken = new Set<string>();
  return new Map(
    all.map((one) => {
      const among = isImported(one) ? bySimilarity : made;
      const isUnique = among.get(similar(one))?.length === 1 || one.name !== undefined;
      const name = isUnique ? nameOf(one) : withDigest(nameOf(one), one.path);
      if (isReserved(name) || taken.has(name.toLowerCase()))
        throw refusal(`the path ${one.item.path}`, `another table has the name ${name}`);
      taken.add(name.toLowerCase());
      return [one, name];
    }),
  );
}

const maxNameLength = 40; // PostgreSQL ignores all but the first 63 characters of the name of an index

function simpleNameOf(path: string): string {
  const name = path.slice(1).replaceAll("/", "_").replaceAll(/[{}]/g, "");
  if (name.length > maxNameLength || !/^[\w-]+$/.test(name)) return withDigest(name.replaceAll(/[^\w-]/g, ""), path);
  return isReserved(name) ? `${name}_records` : name;
}

function isReserved(name: string): boolean {
  return reservedNames.includes(name.toLowerCase()) || /^sqlite_/i.test(name);
}

function withDigest(name: string, path: string): string {
  return `${name.slice(0, maxNameLength - 9)}_${hash("sha256", path).slice(0, 8)}`;
}
