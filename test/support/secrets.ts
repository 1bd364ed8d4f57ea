// Finds secrets in output. All helpers that start the service or a command search its output for secrets.

// API keys, Authorization headers, request bodies (by a field that each of them has), and passwords of database URLs.
const secrets = /psk_[\w-]{20,}|Bearer [\w.~+/-]{5,}|categoryId|\/\/(?!USER:PASSWORD)[^\s/"@]+@|secret(%20| )word/i;

/** Returns the first secret in the output with the text around it, or undefined if there is none. */
export function findSecret(output: string): string | undefined {
  const found = secrets.exec(output);
  return found ? output.slice(Math.max(0, found.index - 80), found.index + 80) : undefined;
}
