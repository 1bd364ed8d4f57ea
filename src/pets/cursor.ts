// Keyset pagination. A cursor holds the id after which the page begins, signed together with the filter, so that a
// forged cursor and a cursor of another filter are rejected.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../lib/index.ts";
import type { Page } from "../store/index.ts";

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

  /** Returns the id after which the page begins: undefined for the first page, null if the cursor is invalid. */
  after(query: ListQuery): bigint | undefined | null {
    if (query.cursor === undefined) return undefined;
    const bytes = Buffer.from(query.cursor, "base64url");
    if (bytes.length !== idBytes + signatureBytes) return null;
    const id = bytes.readBigInt64BE();
    const [sent, expected] = [Buffer.from(query.cursor), Buffer.from(this.#createCursor(id, query))];
    return sent.length === expected.length && timingSafeEqual(sent, expected) ? id : null;
  }

  /** Returns the `Link` header to the next page (RFC 8288), or undefined for the last page. */
  next(query: ListQuery, page: Page): string | undefined {
    if (!page.more || page.lastId === undefined) return undefined;
    const search = new URLSearchParams(query as object as Record<string, string>);
    search.set("cursor", this.#createCursor(page.lastId, query));
    return `<${this.#url}?${search}>; rel="next"`;
  }

  #createCursor(id: bigint, { limit, cursor, ...filter }: ListQuery): string {
    const message = Buffer.from(`${" ".repeat(idBytes)}${canonicalJson(filter)}`);
    message.writeBigInt64BE(id);
    const signature = createHmac("sha256", this.#key).update(message).digest();
    return Buffer.concat([message.subarray(0, idBytes), signature.subarray(0, signatureBytes)]).toString("base64url");
  }
}
