// Publishes each statement that a store runs on a diagnostics channel, for tracing. Without subscribers, it costs one
// check per statement.
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";

/** A statement that runs: the database system and the text. Its values are never published. */
export interface Statement {
  readonly system: "sqlite" | "postgresql";
  readonly text: string;
}

/** The channel of all statements (`tracing:openapi-server.sql:start` and so on). */
export const queryChannel = tracingChannel<Statement>("openapi-server.sql");

/** Runs `work` in a captured async context, and returns its result. */
export type RunInContext = <T>(work: () => T) => T;

/** Captures the async context of the current call. Returns undefined if the channel has no subscribers. */
export function captureContext(): RunInContext | undefined {
  return queryChannel.hasSubscribers ? AsyncLocalStorage.snapshot() : undefined;
}

const shared = new AsyncLocalStorage<readonly RunInContext[]>();

/**
 * Runs `work`, which serves several calls, in the async context of the first of them. The current context may be that
 * of an unrelated earlier call.
 */
export function runInSharedContext<T>(contexts: readonly (RunInContext | undefined)[], work: () => T): T {
  const captured = contexts.filter((context) => context !== undefined);
  const [first] = captured;
  return first ? first(() => shared.run(captured, work)) : work();
}

/** Returns the contexts of all calls that share the current statement, or undefined if it serves one call. */
export function sharedContexts(): readonly RunInContext[] | undefined {
  return shared.getStore();
}
