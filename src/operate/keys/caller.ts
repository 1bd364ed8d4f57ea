// Who has sent a request.
import type { FastifyRequest } from "fastify";

/** The owner of an API key. */
export interface Caller {
  readonly id: bigint;
  readonly name: string;
  /** Whether the key may read /metrics and /status.json. */
  readonly operator: boolean;
  /** What the key may do. Undefined for all. */
  readonly scopes?: readonly string[] | undefined;
}

/** Returns the caller of a request; undefined before authentication, and if no credential was required. */
export function callerOf(request: FastifyRequest): Partial<Caller> | undefined {
  return request.caller as Partial<Caller> | undefined;
}
