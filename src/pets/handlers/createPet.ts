import { createHash } from "node:crypto";
import { fail } from "../../http/index.ts";
import { canonicalJson } from "../../lib/index.ts";
import type { Call, Handler } from "../../spec/index.ts";
import type { IdempotencyKey } from "../../store/index.ts";

export const createPet: Handler<"createPet"> = async (call, { pets }) => {
  const created = await pets.create(call.body, readOnce(call));
  if (created.outcome === "conflict")
    return fail(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another body. Make a new key for a new pet.",
    );
  return { status: 201, body: created.pet };
};

// "abc" and abc are the same key. Callers without a credential, where the document lets them in,
// share the id 0, which no key has.
function readOnce({ headers, body, caller }: Call<"createPet">): IdempotencyKey | undefined {
  const value = headers["Idempotency-Key"];
  if (value === undefined) return undefined;
  const key = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
  return { caller: caller?.id ?? 0n, key, digest: createHash("sha256").update(canonicalJson(body)).digest() };
}
