// The names of API keys.

/** The rule for the names of keys, which are also in logs and metrics. */
export const keyNameRule = "A name has 1 to 64 letters, digits or . _ - @, and begins with a letter, a digit or _.";

/** Returns whether a key can have this name. */
export function isKeyName(text: string): boolean {
  return /^\w[\w.@-]{0,63}$/.test(text);
}
