// The Idempotency-Key of a request that creates a record.
import { InvalidRequest } from "../../../http/index.ts";
import type { UntypedCall } from "../../../openapi/index.ts";
import { type IdempotencyKey, toScope } from "../../../store/index.ts";
import { keyMembers } from "../../names/member-names.ts";
import type { CollectionAccess } from "../collection-access.ts";
import { callerId, digestOf } from "./caller.ts";

/**
 * Returns the Idempotency-Key of a request that creates a record; undefined if it has none. The value is a quoted string (RFC 8941,
 * section 3.3.3); a bare one is accepted, too, and means the same key. Each caller has keys of its own.
 */
export function readIdempotencyKey(
  call: Pick<UntypedCall, "headers" | "body" | "caller">,
  scope = "",
): IdempotencyKey | undefined {
  const sent = (call.headers as Readonly<Record<string, unknown>>)["Idempotency-Key"];
  if (sent === undefined) return undefined;
  const value = String(sent);
  const key = /^".*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
  // The scope is part of the digest: with the same key, a request below another parent is a conflict, and no retry.
  const content = scope === "" ? (call.body ?? null) : [scope, call.body ?? null];
  return { caller: callerId(call.caller), key, digest: digestOf(content) };
}

const maxKeyLength = 255; // characters, if the document has no schema

/** Returns the key of a request, which can have the header although the document does not declare it (Stripe), or a member (Square). */
export function findIdempotencyKey(collection: CollectionAccess, call: UntypedCall): IdempotencyKey | undefined {
  const { keyHeader } = collection.action;
  const { propertyNames } = collection.resource.record;
  const member = keyMembers.find((name) => Object.hasOwn(Object(call.body), name) && !propertyNames.includes(name));
  const scope = toScope(collection.place.valuesAbove(call));
  const declared = readIdempotencyKey(call, scope);
  const sent = call.request.headers[keyHeader.toLowerCase()] ?? (member && Object(call.body)[member]);
  if (declared !== undefined || typeof sent !== "string") return declared;
  if (!/^[\x20-\x7e]+$/.test(sent) || sent.length > maxKeyLength)
    throw new InvalidRequest([
      {
        location: "header",
        name: keyHeader,
        message: `The ${keyHeader} must have 1 to ${maxKeyLength} characters of ASCII.`,
      },
    ]);
  const { body, caller } = call;
  return readIdempotencyKey({ body, caller, headers: { "Idempotency-Key": sent } }, scope);
}
