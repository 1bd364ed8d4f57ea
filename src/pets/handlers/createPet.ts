// POST /pets: creates a pet, at most once per Idempotency-Key.
import { readIdempotencyKey } from "../../resources/index.ts";
import { fail } from "../errors.ts";
import type { Handler } from "../handler.ts";

export const createPet: Handler<"createPet"> = async (call, { pets }) => {
  const created = await pets.create(call.body, readIdempotencyKey(call));
  if (created.outcome === "conflict")
    return fail(
      "idempotency_key_reused",
      "This Idempotency-Key was used with a different body. Use a new key to create another pet.",
    );
  if (created.outcome === "full")
    return fail("store_full", "The store contains the maximum number of pets. No pet was created. Do not retry.");
  const replayed = created.outcome === "repeated" ? ({ "Idempotency-Replayed": "true" } as const) : {};
  return { status: 201, body: created.record, headers: { Location: `${call.publicUrl}/${created.id}`, ...replayed } };
};
