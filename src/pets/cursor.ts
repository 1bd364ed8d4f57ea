// Keyset pagination. A cursor holds the id after which the page begins, signed together with the filter, so that a
// forged cursor and a cursor of another filter are rejected.
import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../lib/index.ts";
import type { Page } from "../store/index.ts";

const idBytes = 8;
const signatureBytes = 16;

/** The query of a list. `cursor` and `limit` select the page, and all other parameters are the filter. */
export type ListQuery = { readonly limit: number; readonly cursor?: string };

/** Translates between the cursors of a list and ids. */
export interface Pagination {
  /** Returns the id after which the page begins: undefined for the first page, null if the cursor is invalid. */
  after(query: ListQuery): bigint | undefined | null;
  /** Returns the `Link` header to the next page (RFC 8288), or undefined for the last page. */
  next(query: ListQuery, page: Page): string | undefined;
}

/** Creates the pagination of the list at `url`. Signs cursors with `secret`. */
export function createPagination(secret: Uint8Array, url: string): Pagination {
  // Caches the link by page, because signing is expensive. A store returns the same object until the page changes.
  const cache = new WeakMap<Page, string>();
  const sign = (id: Buffer, { limit, cursor, ...filter }: ListQuery): Buffer =>
    createHmac("sha256", secret).update(id).update(canonicalJson(filter)).digest().subarray(0, signatureBytes);
  return {
    after(query) {
      if (query.cursor === undefined) return undefined;
      const bytes = Buffer.from(query.cursor, "base64url");
      if (bytes.length !== idBytes + signatureBytes || bytes.toString("base64url") !== query.cursor) return null;
      const id = bytes.subarray(0, idBytes);
      return timingSafeEqual(sign(id, query), bytes.subarray(idBytes)) ? id.readBigInt64BE() : null;
    },
    next(query, page) {
      const last = page.pets.at(-1);
      if (!page.more || last === undefined) return undefined;
      const cached = cache.get(page);
      if (cached !== undefined) return cached;
      const id = Buffer.alloc(idBytes);
      id.writeBigInt64BE(last.id);
      const cursor = Buffer.concat([id, sign(id, query)]).toString("base64url");
      const search = new URLSearchParams(
        Object.entries({ ...query, cursor }).map(([name, value]) => [name, String(value)]),
      );
      const link = `<${url}?${search}>; rel="next"`;
      cache.set(page, link);
      return link;
    },
  };
}
