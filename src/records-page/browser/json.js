// JSON with exact numbers: what a double may not represent stays as it is written. JSON.rawJSON is too new for some browsers.

const mark = `${Math.random()}:`; // with which no text of a record begins
// Texts, also those that do not end, and numbers: each character is read once.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\d[\d.]*(?:[eE][+-]?\d+)?/gs;

// Whether a double may not be what a number says: it has many digits, an exponent, or is -0.
const isInexact = (text) => text.length > 15 || /e/i.test(text) || text === "-0";

/** A number as it is written. */
export class Exact {
  constructor(text) {
    this.text = text;
  }
  toString = () => this.text;
  toJSON = () => mark + this.text + mark;
}

/** Parses JSON. Throws a SyntaxError. */
export function parse(text) {
  if (!/\d[\d.]{15}|\d[eE]|-0/.test(text)) return JSON.parse(text);
  const isKept = (token) => token.startsWith('"') || !isInexact(token);
  const exact = text.replace(tokens, (token) => (isKept(token) ? token : `"${mark}${token}"`));
  const isMarked = (value) => typeof value === "string" && value.startsWith(mark);
  return JSON.parse(exact, (_, value) => (isMarked(value) ? new Exact(value.slice(mark.length)) : value));
}

/** Returns JSON, in which numbers are as they were read. */
export const stringify = (value, indent = 0) =>
  JSON.stringify(value, undefined, indent)?.replaceAll(`"${mark}`, "").replaceAll(`${mark}"`, "");

/** Returns whether two values are the same JSON. */
export const isSame = (a, b) => stringify(a) === stringify(b);

/** Returns whether a value is an object with members. */
export const isObject = (value) => Object(value) === value && !Array.isArray(value) && !(value instanceof Exact);

/** Returns a member of an object; undefined if it only inherits one, such as `constructor`. */
export const memberOf = (value, name) => (Object.hasOwn(Object(value), name) ? value[name] : undefined);

/** Returns the value to which names lead. */
export const valueAt = (value, names) => names.reduce(memberOf, value);

/** Returns the number that a text has, or the text, so that the server says what is wrong. */
export function toNumber(text) {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text;
  return isInexact(text) ? new Exact(text) : Number(text);
}
