// POST /pets: creates a pet, at most once per Idempotency-Key.
import { createHash } from "node:crypto";
import { canonicalJson } from "../../lib/index.ts";
import type { IdempotencyKey } from "../../store/index.ts";
import { fail } from "../errors.ts";
import type { Call, Handler } from "../handler.ts";

export const createPet: Handler<"createPet"> = async (call, { pets, url }) => {
  const created = await pets.create(call.body, readIdempotencyKey(call));
  if (created.outcome === "conflict")
    return fail(
      "idempotency_key_reused",
      "This Idempotency-Key was used with a different body. Use a new key to create another pet.",
    );
  if (created.outcome === "full")
    return fail("store_full", "The store contains the maximum number of pets. No pet was created. Do not retry.");
  const replayed = created.outcome === "repeated" ? ({ "Idempotency-Replayed": "true" } as const) : {};
  return { status: 201, body: created.record, headers: { Location: `${url}/${created.id}`, ...replayed } };
};

// The value is a quoted string (RFC 8941, section 3.3.3); a bare one is accepted, too, and means the same key.
// Callers without a credential share the id 0, which no API key has.
function readIdempotencyKey({ headers, body, caller }: Call<"createPet">): IdempotencyKey | undefined {
  const value = headers["Idempotency-Key"];
  if (value === undefined) return undefined;
  const key = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
  return { caller: caller?.id ?? 0n, key, digest: createHash("sha256").update(canonicalJson(body)).digest() };
}
