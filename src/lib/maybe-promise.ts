// Values that may have to be waited for. An `await` takes several microtasks even if the value is there already, and each
// request has several steps that rarely wait: together, a twentieth of the CPU time of a small response.

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with a value: at once, or when its promise is fulfilled, which can be that of another library. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  const isPending = typeof (value as Partial<Promise<T>> | undefined)?.then === "function";
  return isPending ? Promise.resolve(value).then(next) : next(value as T);
}
