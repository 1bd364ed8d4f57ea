// Chance that comes again with the same seed (mulberry32).

/** Numbers from 0 up to, and without, `below`: whole ones. */
export type Random = (below: number) => number;

/** Makes the numbers that belong to a seed. */
export function buildRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
