// Searches an order of concurrent calls that explains all of their responses (linearizability), as Wing and Gong, and Lowe, describe it.

/** A call. Its times are those before the request was sent, and after the response was read. */
export interface TimedCall {
  readonly start: number;
  /** Infinity for a call without a response: it may have taken effect at any time after its start, or not at all. */
  readonly end: number;
}

/** What calls do, one after the other. */
export interface Model<C, S> {
  readonly initial: S;
  /** Returns a text that is equal for equal states. */
  serialize(state: S): string;
  /**
   * Returns the state after a call: the same object if the call changes nothing. Returns undefined if its response contradicts the state.
   */
  apply(state: S, call: C): S | undefined;
}

/** The order that explains most responses, if none explains all. */
export interface Contradiction<C, S> {
  /** The calls of which one or another can't be next. The first of them has ended first. */
  readonly next: readonly C[];
  /** The state before them, in the order that explains most. */
  readonly state: S;
  /** Whether there is no order. Otherwise, none was found within the maximum number of steps. */
  readonly isProven: boolean;
}

const maxSteps = 100_000; // some seconds

// A beginning of an order. All answered calls before `next`, and those of `done`, are part of it.
interface Prefix<S> {
  readonly next: number;
  readonly done: readonly number[];
  /** The calls without a response that have taken effect. */
  readonly used: readonly number[];
  readonly state: S;
}

/** Returns undefined if an order of the calls explains their responses: one in which no call is before another that had ended. */
export function findContradiction<C extends TimedCall, S>(
  calls: readonly C[],
  model: Model<C, S>,
): Contradiction<C, S> | undefined {
  const sorted = calls.toSorted((a, b) => a.start - b.start);
  const search = new Search(
    sorted.filter(({ end }) => end !== Number.POSITIVE_INFINITY),
    sorted.filter(({ end }) => end === Number.POSITIVE_INFINITY),
    model,
  );
  return search.run();
}

class Search<C extends TimedCall, S> {
  readonly #answered: readonly C[];
  readonly #unanswered: readonly C[];
  readonly #model: Model<C, S>;

  constructor(answered: readonly C[], unanswered: readonly C[], model: Model<C, S>) {
    this.#answered = answered;
    this.#unanswered = unanswered;
    this.#model = model;
  }

  run(): Contradiction<C, S> | undefined {
    // With the same state, one that has used fewer calls without a response can do all that another one can.
    const seen = new Map<string, (readonly number[])[]>();
    let steps = 0;
    let best: Prefix<S> | undefined;
    // Those to be continued, by the number of calls without a response that they use. Those with the fewest, and the latest, come first.
    const waiting: Prefix<S>[][] = [[{ next: 0, done: [], used: [], state: this.#model.initial }]];
    const takeNext = () => waiting.find(({ length }) => length > 0)?.pop();
    for (let prefix = takeNext(); prefix !== undefined; prefix = takeNext()) {
      const reached = this.#addReads(prefix);
      if (reached.next === this.#answered.length) return undefined;
      const key = `${reached.next} ${reached.done} ${this.#model.serialize(reached.state)}`;
      const known = seen.get(key) ?? [];
      if (known.some((used) => used.every((index) => reached.used.includes(index)))) continue;
      seen.set(key, [...known, reached.used]);
      if (best === undefined || lengthOf(reached) > lengthOf(best)) best = reached;
      if (++steps === maxSteps) break;
      waiting[reached.used.length + 1] ??= [];
      for (const branch of this.#branches(reached)) waiting[branch.used.length]?.push(branch);
    }
    const { next, done, used, state } = best as Prefix<S>;
    const candidates = this.#candidates({ next, done, used, state }).map((index) => this.#answered[index] as C);
    return { next: candidates.sort((a, b) => a.end - b.end), state, isProven: steps < maxSteps };
  }

  // A call that changes nothing and can be next is next: each order in which it comes later has one in which it comes now.
  #addReads(prefix: Prefix<S>): Prefix<S> {
    for (let reached = prefix; ; ) {
      const { state } = reached;
      const index = this.#candidates(reached).find(
        (one) => this.#model.apply(state, this.#answered[one] as C) === state,
      );
      if (index === undefined) return reached;
      reached = this.#add(reached, index, state);
    }
  }

  // The last one is tried first: the call that ended first.
  #branches(prefix: Prefix<S>): readonly Prefix<S>[] {
    const { used, state } = prefix;
    const endOf = (index: number) => (this.#answered[index] as C).end;
    const branches: Prefix<S>[] = [];
    const horizon = this.#horizon(prefix);
    for (const [index, call] of this.#unanswered.entries()) {
      if (call.start > horizon) break;
      if (used.includes(index)) continue;
      const after = this.#model.apply(state, call);
      if (after === undefined || after === state) continue;
      branches.push({ ...prefix, used: [...used, index].sort((a, b) => a - b), state: after });
    }
    for (const index of this.#candidates(prefix).sort((a, b) => endOf(b) - endOf(a))) {
      const after = this.#model.apply(state, this.#answered[index] as C);
      if (after !== undefined) branches.push(this.#add(prefix, index, after));
    }
    return branches;
  }

  #add({ next, done, used }: Prefix<S>, index: number, state: S): Prefix<S> {
    const all = new Set(done).add(index);
    let first = next;
    while (all.delete(first)) first++;
    return { next: first, done: [...all].sort((a, b) => a - b), used, state };
  }

  // The end of the first call to end that is not part of the prefix: no later call can be next.
  #horizon({ next, done }: Prefix<S>): number {
    let horizon = Number.POSITIVE_INFINITY;
    for (let index = next; index < this.#answered.length; index++) {
      const { start, end } = this.#answered[index] as C;
      if (start > horizon) break;
      if (!done.includes(index)) horizon = Math.min(horizon, end);
    }
    return horizon;
  }

  // The answered calls that can be next, as far as times say it.
  #candidates(prefix: Prefix<S>): number[] {
    const horizon = this.#horizon(prefix);
    const found: number[] = [];
    for (let index = prefix.next; index < this.#answered.length; index++) {
      if ((this.#answered[index] as C).start > horizon) break;
      if (!prefix.done.includes(index)) found.push(index);
    }
    return found;
  }
}

function lengthOf({ next, done }: Prefix<unknown>): number {
  return next + done.length;
}
