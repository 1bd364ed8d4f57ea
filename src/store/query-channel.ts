// What the stores ask their databases, told to whoever listens, traces say: the stores know of nobody who does. While
// nobody listens it costs a look at whether somebody does.
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import type { SQLInputValue, StatementSync } from "node:sqlite";

/** A statement that runs: in which database, and its text. Its values are never told. */
export interface Statement {
  readonly system: "sqlite" | "postgresql";
  readonly text: string;
}

/** The channel on which each statement is told as it begins and ends (`tracing:petstore.sql:start` and so on). */
export const queryChannel = tracingChannel<Statement>("petstore.sql");

/** Does `work` in the asynchronous context of a call, whatever that of whoever does it is. */
export type RunInContext = <T>(work: () => T) => T;

/** The way back to the call at hand; undefined while nobody listens. */
export function captureContext(): RunInContext | undefined {
  return queryChannel.hasSubscribers ? AsyncLocalStorage.snapshot() : undefined;
}

const sharing = new AsyncLocalStorage<readonly RunInContext[]>();

/** Does what several calls wait for: in the context of the first of them, which else would be that of any call before. */
export function runForCalls<T>(calls: readonly (RunInContext | undefined)[], work: () => T): T {
  const known = calls.filter((call) => call !== undefined);
  const [first] = known;
  return first ? first(() => sharing.run(known, work)) : work();
}

/** The calls that a statement is for, where it is for several. */
export function sharedContexts(): readonly RunInContext[] | undefined {
  return sharing.getStore();
}

/** A statement of SQLite that is told each time it runs. */
export function traced(statement: StatementSync) {
  const message = { system: "sqlite", text: statement.sourceSQL } as const;
  const tell =
    <T>(run: (...values: SQLInputValue[]) => T) =>
    (...values: SQLInputValue[]): T =>
      queryChannel.hasSubscribers ? queryChannel.traceSync(() => run(...values), { ...message }) : run(...values);
  return {
    all: tell((...values) => statement.all(...values)),
    get: tell((...values) => statement.get(...values)),
    run: tell((...values) => statement.run(...values)),
  };
}
