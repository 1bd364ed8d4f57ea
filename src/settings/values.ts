// The values of settings: how a text is parsed, and what is allowed.
import { isIP } from "node:net";
import { parseDatabaseUrl } from "../lib/index.ts";

/** The log levels, from the most to the least verbose. A literal, because loading pino would delay each command. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export function integer(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

const unitSeconds = { s: 1, m: 60, h: 3_600 };

const maxPeriod = 86_400; // seconds, because Retry-After of a 429 can be as long

export const limit = {
  allowed: "an integer up to 999999999 and a period of at most one day, such as 100/60s, 100/1m or 5000/1h",
  parse(text: string): { readonly count: number; readonly seconds: number } | undefined {
    const [, count, periods, unit] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
    if (count === undefined) return undefined;
    const seconds = Number(periods) * unitSeconds[unit as keyof typeof unitSeconds];
    return seconds <= maxPeriod ? { count: Number(count), seconds } : undefined;
  },
};

export const onOrOff = {
  allowed: "on or off",
  parse: (text: string) => (text === "on" || text === "off" ? text === "on" : undefined),
};

// Parses a comma-separated list. Returns undefined if an item is not valid.
export function list(isItem: (text: string) => boolean): (text: string) => readonly string[] | undefined {
  return (text) => {
    const items = text.split(",").map((item) => item.trim());
    if (text === "") return [];
    return items.every(isItem) ? items : undefined;
  };
}

// A path is that of a SQLite file.
export function parseDatabase(text: string): string | undefined {
  if (text === "" || /^(sqlite|postgres|postgresql):/.test(text))
    return text && (parseDatabaseUrl(text) ? text : undefined);
  return /^[a-z][a-z+.-]+:\/\//i.test(text) ? undefined : `sqlite:${text}`;
}

export const networks = "IP addresses and CIDR networks other than /0, separated by commas, such as 192.0.2.0/24, ::1";

// An IP address, or a network in CIDR notation.
export function isNetwork(text: string): boolean {
  const [address = "", bits = "1", ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || !/^[1-9]\d{0,2}$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128);
}

// Browsers send this serialization in the header Origin (RFC 6454, section 6.2).
export function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return /^(\*|null|localhost|[a-z][a-z\d+.-]*:\/\/[^/\s]+)$/.test(text); // such as that of an app, capacitor://localhost
}

export function isPlainUrl(text: string): boolean {
  return /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text);
}

// The path is the number of a database. The client decodes user and password.
export function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\/./.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, username, password, search, hash } = new URL(text);
  const isAddress = hostname !== "" && /^(\/\d{0,5})?$/.test(pathname) && search + hash === "";
  return isAddress && [username, password].every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

// The start also checks that it ends with the path of the document.
export const publicUrl = {
  default: "",
  allowed: "an http or https URL without user, query or fragment that ends with the base path of the API",
  parse: (text: string) => (isPlainUrl(text) ? new URL(text).href : text && undefined),
};
