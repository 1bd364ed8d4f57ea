// What an application runs around its handlers.
import { ignoreFailure } from "../../lib/index.ts";
import type { UntypedCall, UntypedHandler } from "./call.ts";
import type { HandlerResult } from "./response/response.ts";

/** A call of any operation. */
export type AnyCall<Caller = unknown> = Omit<UntypedCall, "caller"> & { readonly caller: Caller | undefined };

/**
 * Runs around each handler: for transactions, audits, caches and metrics. `next` calls the handler and returns its response, or
 * rejects with what it has thrown. It can be called with another context, any number of times, or not at all. The body of a
 * stream is sent after the function has returned.
 *
 * @example
 * const inTransaction: Wrap<Context> = (call, next, context) =>
 *   context.database.transaction((database) => next({ ...context, database }));
 */
export type Wrap<Context = unknown, Caller = unknown> = (
  call: AnyCall<Caller>,
  next: (context?: Context) => Promise<HandlerResult>,
  context: Context,
) => Promise<HandlerResult>;

/** Returns a handler with functions around it, of which the first is the outermost. */
export function wrapHandler(handler: UntypedHandler, wraps: readonly Wrap[]): UntypedHandler {
  return wraps.reduceRight<UntypedHandler>(
    (inner, wrap) => async (call, context) => {
      const next = (own = context) => {
        const result = inner(call, own);
        ignoreFailure(result); // also if the function does not wait for it, and has a response of its own
        return result;
      };
      return wrap(call, next, context);
    },
    handler,
  );
}
