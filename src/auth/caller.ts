// Who has sent a request.
import type { FastifyRequest } from "fastify";

/** The owner of an API key. */
export interface Caller {
  readonly id: bigint;
  readonly name: string;
  /** Whether the key may read /metrics and /status.json. */
  readonly operator: boolean;
}

/** Returns the caller of a request; undefined before authentication, and if no credential was required. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return request.caller as Caller | undefined;
}
