// Encodes values as bytes whose order is that of the values. It does not depend on collations, casts or NULLs of a database. Values of
// different types are ordered by type: missing and null, booleans, numbers, times, texts, objects and arrays.

/** How the texts of a member are compared: as instants, as UUIDs in any case, or by default by their code points. */
export type TextKind = "time" | "uuid";

const types = { missing: 0x01, boolean: 0x10, number: 0x20, time: 0x28, text: 0x30, other: 0x40 };

/** Returns the bytes of a value. No bytes are the beginning of those of another value. */
export function encodeValue(value: unknown, kind?: TextKind): Buffer {
  if (value === undefined || value === null) return Buffer.of(types.missing);
  if (typeof value === "boolean") return Buffer.of(types.boolean, Number(value));
  if (typeof value === "number" || typeof value === "bigint") return encodeNumber(`${value}`);
  if (typeof value !== "string") return encodeText(types.other, JSON.stringify(value, writeBigInt));
  if (kind === "uuid") return encodeText(types.text, value.toLowerCase());
  return (kind === "time" ? encodeTime(value) : undefined) ?? encodeText(types.text, value);
}

/** Returns the bytes of a value in descending order. */
export function reverse(bytes: Buffer): Buffer {
  return bytes.map((byte) => byte ^ 0xff) as Buffer;
}

/** Returns the first bytes behind all that begin with some bytes, which are not all ff. */
export function after(bytes: Buffer): Buffer {
  const end = bytes.findLastIndex((byte) => byte !== 0xff);
  return Buffer.concat([bytes.subarray(0, end), Buffer.of((bytes[end] as number) + 1)]);
}

/** Returns whether two values, as bytes, are of one type, so that one can be greater. */
export function haveSameType(a: Buffer, b: Buffer): boolean {
  return a[0] === b[0];
}

/** Returns a text in which case, and the way in which a character is composed, do not matter. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toUpperCase(); // not in lower case, in which a sigma depends on its neighbours
}

/** Returns whether a text is a date without a time (RFC 3339). */
export function isDate(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
}

/** Returns whether a text is a date or an instant that exists, of the years 0 to 9999 (RFC 3339). */
export function isTime(text: string): boolean {
  return encodeTime(text) !== undefined;
}

function writeBigInt(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

// The zero at the end is in no text of a record: stores reject it.
function encodeText(type: number, text: string): Buffer {
  return Buffer.concat([Buffer.of(type), Buffer.from(text), Buffer.of(0)]);
}

// The sign, the exponent, and pairs of decimal digits: exact for each number, also beyond 2^53.
function encodeNumber(text: string): Buffer {
  const [, sign, whole = "", fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const all = whole + fraction;
  const zeros = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = withoutZeros(all.slice(zeros));
  if (digits === "") return Buffer.of(types.number, 1);
  const pairs = (digits.length % 2 === 0 ? digits : `${digits}0`).match(/../g) as string[];
  const bytes = Buffer.alloc(5 + pairs.length);
  bytes.writeUInt8(types.number);
  bytes.writeUInt8(2, 1);
  bytes.writeUInt16BE(whole.length - zeros + Number(power) + 0x8000, 2);
  for (const [index, pair] of pairs.entries()) bytes.writeUInt8(Number(pair) + 1, 4 + index);
  if (sign !== "-") return bytes;
  return Buffer.concat([Buffer.of(types.number, 0), reverse(bytes.subarray(2))]);
}

// Without those at its end.
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

const timePattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?$/;

// Seconds since 0000, then the fraction: exact beyond nanoseconds, in any time zone. A date is its midnight in UTC. Undefined for a day
// that no month has.
function encodeTime(text: string): Buffer | undefined {
  const found = timePattern.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hours, minutes, seconds, , , zoneHours, zoneMinutes] = found
    .slice(1)
    .map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hours, minutes, seconds);
  const offset = (zoneHours * 60 + zoneMinutes) * 60 * (found[8] === "-" ? -1 : 1);
  const bytes = Buffer.alloc(7);
  bytes.writeUInt8(types.time);
  bytes.writeUIntBE(date.getTime() / 1000 - offset + 2 ** 40, 1, 6);
  return Buffer.concat([bytes, Buffer.from(withoutZeros(found[7] ?? "")), Buffer.of(0)]);
}
