// Where the server has the values of members from that no request has: times, ids, the caller, URLs.
import { randomInt, randomUUID } from "node:crypto";
import type { ChosenValue, Members } from "./member-values.ts";
import type { RecordSchema } from "./record-schema.ts";
import { fillUrls, hasUrls, recordUrl } from "./url-placeholders.ts";

/**
 * Where the server has the value of a member from: the time, another id than that of the path, which it makes, the number of items of an
 * array of the record, the caller, a value, or for members of an object, each from its own.
 */
export type Source =
  | { readonly time: keyof typeof times }
  | { readonly otherId: keyof typeof otherIds }
  | { readonly countOf: string }
  | { readonly caller: true }
  | { readonly members: Sources }
  | ChosenValue;

const times = {
  "date-time": (now: Date) => now.toISOString(),
  date: (now: Date) => now.toISOString().slice(0, 10),
  seconds: (now: Date) => Math.floor(now.getTime() / 1_000),
  milliseconds: (now: Date) => now.getTime(),
} as const;

/** The ids that are unique without a store. */
export const otherIds = {
  int48: () => randomInt(1, 2 ** 48 - 1),
  int31: () => randomInt(1, 2 ** 31 - 1),
  uuid: () => randomUUID() as string,
} as const;

/** By the names of members. */
export interface Sources {
  readonly [name: string]: Source;
}

/** What a request says of a record beside its body. */
export interface MakeContext {
  /** The URL of the record. Without it, it has no members with URLs. */
  readonly url?: string | undefined;
  /** The forms of the id of the caller. Without it, it has no members with the caller. */
  readonly caller?: readonly unknown[] | undefined;
  /** The records whose ids a request has in place of them, by the names of its members. */
  readonly embedded?: object | undefined;
}

export interface MakeOptions extends MakeContext {
  readonly now: Date;
  /** Whether values are converted into the form that a record has. */
  readonly converts: boolean;
}

/** Returns the members that have these sources, beside those that a record has of its own. Those whose value is not known are missing. */
export function makeMembers(record: RecordSchema, sources: Sources, own: Members, options: MakeOptions): Members {
  const { now, url, caller = [] } = options;
  const members: [string, unknown][] = [];
  for (const [name, source] of Object.entries(sources)) {
    if ("time" in source) members.push([name, times[source.time](now)]);
    else if ("otherId" in source) members.push([name, otherIds[source.otherId]()]);
    else if ("countOf" in source) members.push([name, [own[source.countOf] ?? []].flat().length]);
    else if ("caller" in source) members.push([name, caller.find((form) => record.accepts(name, form))]);
    else if ("members" in source) {
      const inner = record.member(name);
      members.push([name, inner && makeMembers(inner, source.members, Object(own[name]), options)]);
    } else if (!hasUrls(source.value)) members.push([name, source.value]);
    else if (url !== undefined) members.push([name, url === recordUrl ? source.value : fillUrls(source.value, url)]);
  }
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The highest id of a caller. */
export const maxCallerId = 2n ** 62n - 1n;

/** Returns the forms that the id of a caller can have in a record. */
export function callerForms(id: bigint): readonly unknown[] {
  const digits = BigInt.asUintN(60, id).toString(16).padStart(15, "0");
  // RFC 9562, section 5.8
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(12)}-8000-000000000000`;
  return [`${id}`, Number(BigInt.asUintN(48, id)), Number(BigInt.asUintN(31, id)), uuid];
}
