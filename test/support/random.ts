// A seeded pseudorandom number generator: the same seed produces the same numbers.

/** A pseudorandom number generator. */
export interface Random {
  /** Returns an integer from 0, inclusive, to `end`, exclusive. */
  int(end: number): number;
  /** Returns true with a probability of 1 in `n`. */
  chance(n: number): boolean;
  /** Returns a random element. */
  pick<T>(all: readonly T[]): T;
}

/** Creates a generator from a seed, with the algorithm mulberry32. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (end: number) => Math.floor(next() * end);
  return { int, chance: (n) => int(n) === 0, pick: <T>(all: readonly T[]) => all[int(all.length)] as T };
}
