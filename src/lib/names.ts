// Names: in other conventions, and the one that an author may have meant.

/** Returns a name in snake case: `perPage` and `per-page` are `per_page`. */
export function toSnakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/g, "_").toLowerCase();
}

/**
 * Returns the known name that differs from `name` by a typing error: one insertion, deletion, replacement or swap of neighbours, or
 * two from 8 characters on. Case and separators count for nothing. Names that differ only in their digits are versions, and no
 * typing errors. Returns undefined if there is none, or the name has less than `minLength` letters.
 */
export function findSimilarName(name: string, known: Iterable<string>, minLength = 4): string | undefined {
  const plain = toPlain(name);
  if (plain.length < minLength) return undefined;
  let best: string | undefined;
  let least = plain.length < 8 ? 2 : 3;
  for (const other of known) {
    if (name !== other && name.replace(/\d/g, "") === other.replace(/\d/g, "")) return undefined;
    const distance = editDistance(plain, toPlain(other), least);
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}

function toPlain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}

// The optimal string alignment distance, or `limit` if it is not less.
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const current = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      let distance = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + cost);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        distance = Math.min(distance, at(before, j - 2) + 1);
      current.push(distance);
    }
    [before, previous] = [previous, current];
  }
  return Math.min(at(previous, other.length), limit);
}

function at(row: readonly number[], index: number): number {
  return row[index] as number;
}
