// The pages of a list. A cursor is the id after which the page begins, signed together with the
// filter: one that we did not make, or made for another filter, is told apart from a good one.
import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../lib/index.ts";
import type { ListQuery, Pagination } from "../spec/index.ts";
import type { Page } from "../store/index.ts";

const idBytes = 8;
const signatureBytes = 16;

/** The pages of the list at `address`. Cursors are signed with `secret`. */
export function createPagination(secret: Uint8Array, address: string): Pagination {
  // A store gives out the same page again for the same query, and to sign is dear.
  const links = new WeakMap<Page, string>();
  const sign = (id: Buffer, { limit, cursor, ...filter }: ListQuery): Buffer => {
    return createHmac("sha256", secret).update(id).update(canonicalJson(filter)).digest().subarray(0, signatureBytes);
  };
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
      const known = links.get(page);
      if (known !== undefined) return known;
      const id = Buffer.alloc(idBytes);
      id.writeBigInt64BE(last.id);
      const cursor = Buffer.concat([id, sign(id, query)]).toString("base64url");
      const search = new URLSearchParams(
        Object.entries({ ...query, cursor }).map(([name, value]) => [name, String(value)]),
      );
      const link = `<${address}?${search}>; rel="next"`;
      links.set(page, link);
      return link;
    },
  };
}
