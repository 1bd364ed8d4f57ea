// Checks what clients have seen of records with a number, which one client of each record raises: that none is lost, doubled or stale.

/** A call. Its times are those before the request was sent, and after the response was read. */
export interface RegisterCall {
  readonly record: string;
  readonly operation: "create" | "write" | "delete" | "read";
  /** The number that was written or read; undefined if the record was not found. */
  readonly value?: number | undefined;
  readonly start: number;
  readonly end: number;
  /** Whether a response has confirmed it. Otherwise, it may have taken effect. */
  readonly isConfirmed: boolean;
}

interface Bound {
  readonly value: number;
  readonly time: number;
}

/** What is known of one record. */
class Register {
  readonly #confirmed: Bound[] = []; // by the end of the call, also by reads
  readonly #attempted: Bound[] = []; // by the start of the call
  #deletedSince = Number.POSITIVE_INFINITY; // a confirmed deletion
  #mayBeDeletedSince = Number.POSITIVE_INFINITY;

  add({ operation, value = 0, start, end, isConfirmed }: RegisterCall): string | undefined {
    if (operation === "read") return undefined;
    if (operation === "delete") {
      this.#mayBeDeletedSince = Math.min(this.#mayBeDeletedSince, start);
      if (isConfirmed) this.#deletedSince = Math.min(this.#deletedSince, end);
      return undefined;
    }
    this.#attempted.push({ value, time: start });
    if (isConfirmed) this.#confirmed.push({ value, time: end });
    return undefined;
  }

  read(value: number | undefined, start: number, end: number): string | undefined {
    const known = this.#confirmed.filter(({ time }) => time < start).map((one) => one.value);
    const possible = this.#attempted.filter(({ time }) => time <= end).map((one) => one.value);
    if (value === undefined)
      return known.length > 0 && this.#mayBeDeletedSince > end ? "is lost, although it was confirmed" : undefined;
    if (this.#deletedSince < start) return `has ${value}, although its deletion was confirmed`;
    const [low, high] = [Math.max(0, ...known), Math.max(-1, ...possible)];
    if (value < low) return `has ${value}, although ${low} was confirmed or read before`;
    if (value > high) return `has ${value}, which nobody wrote`;
    this.#confirmed.push({ value, time: end });
    return undefined;
  }
}

/** Returns what contradicts the calls, a sentence each; empty for a history without faults. */
export function checkRegisters(calls: readonly RegisterCall[]): readonly string[] {
  const registers = new Map<string, Register>();
  const registerOf = (name: string) => {
    const found = registers.get(name) ?? new Register();
    registers.set(name, found);
    return found;
  };
  for (const call of calls) registerOf(call.record).add(call);
  // A read is compared with those that ended before it started.
  const reads = calls.filter(({ operation }) => operation === "read").toSorted((a, b) => a.end - b.end);
  return reads.flatMap(({ record, value, start, end }) => {
    const problem = registerOf(record).read(value, start, end);
    return problem === undefined ? [] : [`${record} ${problem} (from ${start.toFixed(1)} to ${end.toFixed(1)})`];
  });
}
