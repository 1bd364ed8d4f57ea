// Keyset pagination. A cursor holds the id after which the page begins, signed together with the filter, so that a
// forged cursor and a cursor of another filter are rejected. The id is negative if the page ends before it.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../lib/index.ts";
import type { Page, PagePosition } from "../store/index.ts";

const idBytes = 8;
const signatureBytes = 16; // of the 32 of HMAC-SHA-256

/** The query of a list. `cursor` and `limit` select the page, and all other parameters are the filter. */
export type ListQuery = { readonly limit: number; readonly cursor?: string };

/** Translates between the cursors of a list and ids. */
export class Pagination {
  readonly #key: KeyObject;
  readonly #url: string;

  /** Signs the cursors of the list at `url` with `secret`. */
  constructor(secret: Uint8Array, url: string) {
    this.#key = createSecretKey(secret);
    this.#url = url;
  }

  /** Returns where the page begins or ends: undefined for the first page, null if the cursor is invalid. */
  position(query: ListQuery): PagePosition | undefined | null {
    if (query.cursor === undefined) return undefined;
    const bytes = Buffer.from(query.cursor, "base64url");
    if (bytes.length !== idBytes + signatureBytes) return null;
    const id = bytes.readBigInt64BE();
    const [sent, expected] = [Buffer.from(query.cursor), Buffer.from(this.#createCursor(id, scopeOf(query)))];
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return null;
    return id > 0n ? { after: id } : { before: -id };
  }

  /** Returns the `Link` header to other pages (RFC 8288): `first`, `prev` and `next`; undefined if there is no other page. */
  links(query: ListQuery, position: PagePosition | undefined, page: Page): string | undefined {
    const { firstId, lastId, more } = page;
    const isBackwards = position && "before" in position;
    const { cursor, ...first } = query;
    const url = `${this.#url}?${new URLSearchParams(first as object as Record<string, string>)}`;
    const scope = scopeOf(query);
    const links: string[] = [];
    const add = (relation: string, id?: bigint) =>
      links.push(`<${url}${id === undefined ? "" : `&cursor=${this.#createCursor(id, scope)}`}>; rel="${relation}"`);
    if (position) add("first");
    if (firstId !== undefined && (isBackwards ? more : position)) add("prev", -firstId);
    if (lastId !== undefined && (isBackwards || more)) add("next", lastId);
    return links.length === 0 ? undefined : links.join(", ");
  }

  // `scope` is the filter, for which alone the cursor is valid.
  #createCursor(id: bigint, scope: string): string {
    const message = Buffer.from(`${" ".repeat(idBytes)}${scope}`);
    message.writeBigInt64BE(id);
    const signature = createHmac("sha256", this.#key).update(message).digest();
    return Buffer.concat([message.subarray(0, idBytes), signature.subarray(0, signatureBytes)]).toString("base64url");
  }
}

function scopeOf({ limit, cursor, ...filter }: ListQuery): string {
  return canonicalJson(filter);
}
