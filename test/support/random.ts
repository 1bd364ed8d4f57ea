// Chance that can be had again: what a seed gave once, it gives each time.

/** A source of chance. */
export interface Random {
  /** A whole number from 0 to `end`, without `end`. */
  int(end: number): number;
  /** Whether it happens, once in so many times. */
  once(times: number): boolean;
  /** One of them. */
  pick<T>(all: readonly T[]): T;
}

/** The chance of a seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (end: number) => Math.floor(next() * end);
  return { int, once: (times) => int(times) === 0, pick: <T>(all: readonly T[]) => all[int(all.length)] as T };
}
