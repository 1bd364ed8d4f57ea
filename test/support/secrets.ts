// What no output may have: the whole suite is searched for it, by whoever starts the service.

// A key, a header with one, what every body of ours has, what a URL of a database has.
const secrets = /psk_[\w-]{20,}|Bearer [\w.~+/-]{5,}|categoryId|\/\/(?!USER:PASSWORD)[^\s/"@]+@|secret(%20| )word/i;

/** The first secret in what the service wrote, with what is around it. */
export function findSecret(output: string): string | undefined {
  const found = secrets.exec(output);
  return found ? output.slice(Math.max(0, found.index - 80), found.index + 80) : undefined;
}
