// Regular expressions of documents, also in the syntax of other languages.

/** Returns a regular expression with a pattern. Some are only valid without the flag u. */
export function toRegExp(pattern: string): RegExp {
  const [, flags = "", rest = pattern] = /^\(\?([is]+)\)(.*)$/s.exec(pattern) ?? [];
  const source = rest.replaceAll(/\\A/g, "^").replaceAll(/\\z/gi, "$");
  try {
    return new RegExp(source, `u${flags}`);
  } catch {
    return new RegExp(source, flags);
  }
}
