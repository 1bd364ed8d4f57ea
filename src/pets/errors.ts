// The error codes of the handlers of the Pet Store. The document lists them (Error.code).
import type { components } from "../generated/openapi.ts";
import { createFail, httpErrors } from "../http/index.ts";

type ErrorCode = components["schemas"]["Error"]["code"];

/** All error codes, with their statuses. */
export const errors = {
  ...httpErrors,
  invalid_cursor: 400,
  pet_not_found: 404,
  idempotency_key_reused: 422,
  store_full: 507,
} as const satisfies Partial<Record<ErrorCode, number>>;

/** Returns an error response: the code, its status, and a message for people. */
export const fail = createFail(errors);
