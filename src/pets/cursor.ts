// Keyset pagination. A cursor holds the id after which the page begins, signed together with the filter, so that a
// forged cursor and a cursor of another filter are rejected.
import { hash, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../lib/index.ts";
import type { Page } from "../store/index.ts";

const idBytes = 8;
// SHA-512/256 of the secret and the message. Not HMAC, which takes three times as long: unlike SHA-256, this hash can't be
// extended by a client that does not know the secret.
const algorithm = "sha512-256";
const signatureBytes = 16; // of 32

/** The query of a list. `cursor` and `limit` select the page, and all other parameters are the filter. */
export type ListQuery = { readonly limit: number; readonly cursor?: string };

/** Translates between the cursors of a list and ids. */
export class Pagination {
  readonly #secret: Uint8Array;
  readonly #url: string;

  /** Signs the cursors of the list at `url` with `secret`. */
  constructor(secret: Uint8Array, url: string) {
    this.#secret = secret;
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
    const { length } = this.#secret;
    const message = Buffer.concat([this.#secret, Buffer.alloc(idBytes), Buffer.from(canonicalJson(filter))]);
    message.writeBigInt64BE(id, length);
    const signature = hash(algorithm, message, "buffer");
    const idOfPage = message.subarray(length, length + idBytes);
    return Buffer.concat([idOfPage, signature.subarray(0, signatureBytes)]).toString("base64url");
  }
}
