// The pages of a list: keyset pagination, and the links between pages. A cursor holds the position after which the page begins, and a hash
// of the filter, so that it is rejected with another filter. In the order of creation, the position is a number, which is negative if the
// page ends before it. In another order, it is bytes, of which the first is 0 if the page ends before them.
import { hash } from "node:crypto";
import { canonicalJson } from "../../../lib/index.ts";
import type { Page, PagePosition } from "../../../store/index.ts";

const numberBytes = 8;
const hashBytes = 8; // of the 32 of SHA-256

/** The query of a list. `cursor` and `limit` select the page, and all other parameters are the filter. */
export type ListQuery = { readonly limit: number; readonly cursor?: string };

/**
 * Returns where the page of a query begins or ends: undefined for the first page, null if the cursor is invalid. `isOrdered` tells that the
 * order is another than that of creation.
 */
export function readCursor(
  { limit, cursor, ...filter }: ListQuery,
  isOrdered = false,
): PagePosition | undefined | null {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, "base64url");
  const position = readPosition(bytes.subarray(0, -hashBytes));
  if (position === undefined || isOfCreation(position) === isOrdered) return null;
  return createCursor(position, digestOf(filter)) === cursor ? position : null;
}

function readPosition(bytes: Buffer): PagePosition | undefined {
  if (bytes.length < numberBytes) return undefined;
  if (bytes.length > numberBytes) {
    const place = bytes.subarray(1);
    return bytes[0] === 0 ? { before: place } : { after: place };
  }
  const number = bytes.readBigInt64BE();
  if (number === 0n || number === -(2n ** 63n)) return undefined;
  return number > 0n ? { after: number } : { before: -number };
}

function isOfCreation(position: PagePosition): boolean {
  return typeof ("after" in position ? position.after : position.before) === "bigint";
}

/**
 * Returns the `Link` header of a page of the list at `url` (RFC 8288), to other pages: `first`, `prev` and `next`; undefined if
 * there is no other page.
 */
export function linkPages(
  url: string,
  query: ListQuery,
  position: PagePosition | undefined,
  page: Page<unknown>,
): string | undefined {
  const { cursor, ...selection } = query;
  const { limit, ...filter } = selection;
  return toLinkHeader(findPageLinks(urlWith(url, selection), { filter, position, page }));
}

/** Returns a URL with the parameters that have a value, or several ones. */
export function urlWith(url: string, parameters: object): string {
  const values = Object.entries(parameters).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((one): [string, string] => [name, `${one}`]),
  );
  if (values.length === 0) return url;
  // URLSearchParams takes much longer, and is needed only to encode.
  const isPlain = values.every((pair) => pair.every((text) => /^[\w.-]*$/.test(`${text}`)));
  const search = isPlain ? values.map(([name, value]) => `${name}=${value}`).join("&") : new URLSearchParams(values);
  return `${url}?${search}`;
}

/** The URLs of other pages of a list. */
export interface PageLinks {
  readonly first?: string | undefined;
  readonly prev?: string | undefined;
  readonly next?: string | undefined;
}

/** A page of a list, and what selects it. */
export interface SelectedPage {
  readonly filter: object;
  readonly position: PagePosition | undefined;
  readonly page: Page<unknown>;
  /** The name of the parameter with the cursor. */
  readonly name?: string;
}

/** Returns the URLs of other pages. `start` is the URL of the first one. */
export function findPageLinks(start: string, selected: SelectedPage): PageLinks {
  const { filter, position, page, name = "cursor" } = selected;
  const { prev, next } = findNeighbours(selected);
  const separator = start.includes("?") ? "&" : "?";
  const digest = digestOf(filter);
  const at = (place: PagePosition) => `${start}${separator}${name}=${createCursor(place, digest)}`;
  return {
    first: position && start,
    prev: page.start !== undefined && prev ? at({ before: page.start }) : undefined,
    next: page.end !== undefined && next ? at({ after: page.end }) : undefined,
  };
}

/** Returns whether there are pages before and after a page. */
export function findNeighbours({ position, page }: Omit<SelectedPage, "filter">): { prev: boolean; next: boolean } {
  const isBackwards = position !== undefined && "before" in position;
  const isEmpty = page.last === undefined;
  return {
    prev: !isEmpty && (isBackwards ? page.more : position !== undefined),
    next: !isEmpty && (isBackwards || page.more),
  };
}

/** Returns the `Link` header with the URLs of other pages; undefined if there is none. `origin` precedes paths. */
export function toLinkHeader({ first, prev, next }: PageLinks, origin = ""): string | undefined {
  const toLink = (url: string, rel: string) => `, <${url.startsWith("/") ? origin : ""}${url}>; rel="${rel}"`;
  let links = first === undefined ? "" : toLink(first, "first");
  if (prev !== undefined) links += toLink(prev, "prev");
  if (next !== undefined) links += toLink(next, "next");
  return links === "" ? undefined : links.slice(2);
}

function createCursor(position: PagePosition, filterDigest: Buffer): string {
  return Buffer.concat([writePosition(position), filterDigest.subarray(0, hashBytes)]).toString("base64url");
}

function writePosition(position: PagePosition): Buffer {
  const isForwards = "after" in position;
  const place = isForwards ? position.after : position.before;
  if (typeof place !== "bigint") return Buffer.concat([Buffer.of(Number(isForwards)), place]);
  const bytes = Buffer.allocUnsafe(numberBytes);
  bytes.writeBigInt64BE(isForwards ? place : -place);
  return bytes;
}

function digestOf(filter: object): Buffer {
  return Object.keys(filter).length === 0 ? digestOfNone : hash("sha256", canonicalJson(filter), "buffer");
}

const digestOfNone = hash("sha256", canonicalJson({}), "buffer");
