// The settings of the service, read from environment variables. `npm run docs` lists them in docs/configuration.md.
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { parseDatabaseUrl } from "./lib/index.ts";

/** A rate limit: a token bucket of `count` calls, which fills up evenly in `seconds`. */
export interface Limit {
  readonly count: number;
  readonly seconds: number;
}

interface Setting<T> {
  readonly default: string;
  readonly description: string;
  /** A description of the valid values. */
  readonly allowed: string;
  /** Returns the value, null if the setting is turned off, or undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

/** The log levels, from the most to the least verbose. A literal, because loading pino would delay each command. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

function integer(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

const unitSeconds = { s: 1, m: 60, h: 3_600 };

const maxPeriod = 86_400; // seconds, because Retry-After of a 429 can be as long

const limit = {
  allowed: "an integer up to 999999999 and a period of at most one day, such as 100/60s, 100/1m or 5000/1h",
  parse(text: string): Limit | undefined {
    const [, count, periods, unit] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
    if (count === undefined) return undefined;
    const seconds = Number(periods) * unitSeconds[unit as keyof typeof unitSeconds];
    return seconds <= maxPeriod ? { count: Number(count), seconds } : undefined;
  },
};

const onOrOff = {
  allowed: "on or off",
  parse: (text: string) => (text === "on" || text === "off" ? text === "on" : undefined),
};

// Parses a comma-separated list. Returns undefined if an item is not valid.
function list(isItem: (text: string) => boolean): (text: string) => readonly string[] | undefined {
  return (text) => {
    const items = text.split(",").map((item) => item.trim());
    if (text === "") return [];
    return items.every(isItem) ? items : undefined;
  };
}

const networks = "IP addresses and CIDR networks other than /0, separated by commas, such as 192.0.2.0/24, ::1";

// An IP address, or a network in CIDR notation.
function isNetwork(text: string): boolean {
  const [address = "", bits = "1", ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || !/^[1-9]\d{0,2}$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128);
}

// Browsers send this serialization in the header Origin (RFC 6454, section 6.2).
function isOrigin(text: string): boolean {
  return text === "*" || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}

function isPlainUrl(text: string): boolean {
  return /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text);
}

// The path is the number of a database. The client decodes user and password.
function isRedisUrl(text: string): boolean {
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

// src/server.ts also checks that it ends with the path of the document.
const publicUrl = {
  default: "",
  allowed: "an http or https URL without user, query or fragment that ends with the base path of the API",
  parse: (text: string) => (isPlainUrl(text) ? new URL(text).href : text && undefined),
};

/** The settings by name. */
export const settings = {
  HOST: {
    default: "127.0.0.1",
    description: "Address to listen on",
    allowed: "an IP address, or a host name that begins with a letter",
    parse: (text: string) => (isIP(text) !== 0 || /^[a-z][\w.-]*$/i.test(text) ? text : undefined),
  },
  PORT: {
    default: "3000",
    description: "Port to listen on; 0 selects a free port",
    allowed: "an integer from 0 to 65535",
    parse: integer(0, 65_535),
  },
  DATABASE_URL: {
    default: "sqlite:data/petstore.db",
    description: "Database of the pets and API keys: a SQLite file or a PostgreSQL URL",
    allowed: "sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE",
    parse: (text: string) => parseDatabaseUrl(text) && text,
  },
  DATABASE_POOL: {
    default: "10",
    description: "Maximum number of PostgreSQL connections per process; a count for MAX_PETS uses one more",
    allowed: "an integer from 1 to 1000",
    parse: integer(1, 1_000),
  },
  DATABASE_PREPARE: {
    default: "on",
    description: "Whether PostgreSQL statements are prepared; off if a connection pooler does not support them",
    ...onOrOff,
  },
  MAX_PETS: {
    default: "none",
    description: "Maximum number of pets; none sets no limit",
    allowed: "an integer from 1 to 999999999999999, or none",
    parse: (text: string) => (text === "none" ? null : /^[1-9]\d{0,14}$/.test(text) ? BigInt(text) : undefined),
  },
  WORKERS: {
    default: "1",
    description: "Number of processes that serve requests; auto starts one per available CPU core",
    allowed: "an integer from 1 to 256, or auto",
    parse: (text: string) => (text === "auto" ? availableParallelism() : integer(1, 256)(text)),
  },
  LOG_LEVEL: {
    default: "info",
    description: "Lowest level that is logged",
    allowed: `one of ${logLevels.join(", ")}`,
    parse: (text: string) => logLevels.find((level) => level === text),
  },
  MAX_CONNECTIONS: {
    default: "10000",
    description: "Maximum number of client connections per process",
    allowed: "an integer from 1 to 99999",
    parse: integer(1, 99_999),
  },
  COMPRESSION: {
    default: "on",
    description: "Whether responses are compressed; off if a reverse proxy compresses them",
    ...onOrOff,
  },
  RATE_LIMIT: {
    default: "10000/60s",
    description: "Maximum rate of calls per API key; none sets no limit",
    allowed: `${limit.allowed}; or none`,
    parse: (text: string) => (text === "none" ? null : limit.parse(text)),
  },
  RATE_LIMIT_STORE: {
    default: "",
    description: "Valkey or Redis server that counts the calls of several machines",
    allowed: "redis://USER:PASSWORD@HOST:PORT/NUMBER without query or fragment, or rediss:// with TLS",
    parse: (text: string) => (text === "" || isRedisUrl(text) ? text : undefined),
  },
  RATE_LIMIT_FAILED: {
    default: "100/60s",
    description: "Maximum rate of requests with an invalid API key per network address, counted by each process",
    ...limit,
  },
  TRUST_PROXY: {
    default: "",
    description: "Reverse proxies whose X-Forwarded-For header is trusted",
    allowed: networks,
    parse: list(isNetwork),
  },
  METRICS_FROM: {
    default: "none",
    description: "Networks that may read /metrics without a key; must not contain a proxy",
    allowed: `${networks}; or none`,
    parse: (text: string) => (text === "none" ? [] : list(isNetwork)(text)),
  },
  CORS_ORIGINS: {
    default: "",
    description: "Origins of web pages that may call the API from a browser",
    allowed: "origins separated by commas, such as https://app.example; or * for any origin",
    parse: list(isOrigin),
  },
  ALLOWED_HOSTS: {
    default: "",
    description:
      "Host names under which browsers open /docs, besides localhost, IP addresses and those of BASE_URL and STAGING_BASE_URL",
    allowed: "host names separated by commas, such as pets.example",
    parse: list((text) => /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(text)),
  },
  TLS_CERT: {
    default: "",
    description: "File of the TLS certificate and its chain, in PEM format; turns HTTPS on",
    allowed: "the path of a file; requires TLS_KEY",
    parse: (text: string) => text,
  },
  TLS_KEY: {
    default: "",
    description: "File of the certificate's private key, in PEM format",
    allowed: "the path of a file; requires TLS_CERT",
    parse: (text: string) => text,
  },
  OPERATOR_KEY: {
    default: "",
    description: "Operator key that the service accepts for /metrics and /status.json without its database",
    allowed: "a key as petstore keys create prints it",
    parse: (text: string) => (/^(psk_[\w-]{32,})?$/.test(text) ? text : undefined),
  },
  BASE_URL: {
    ...publicUrl,
    description: "Public URL of the API in production, for the OpenAPI document and for links",
  },
  STAGING_BASE_URL: { ...publicUrl, description: "Public URL of the API in staging, for the OpenAPI document" },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "",
    description: "OTLP/HTTP endpoint to which traces are sent; tracing is off without it",
    allowed: "an http or https URL without user, query or fragment, such as http://127.0.0.1:4318",
    parse: (text: string) => (text === "" || isPlainUrl(text) ? text : undefined),
  },
} satisfies Record<string, Setting<unknown>>;

/** The values of the settings. */
export type Config = {
  readonly [Name in keyof typeof settings]: Exclude<ReturnType<(typeof settings)[Name]["parse"]>, undefined>;
};

/** Parses the settings in `env`. Throws an Error that names the setting and its valid values if one is not valid. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const value = setting.parse(env[name] || setting.default);
    if (value === undefined) throw new Error(`${name} must be ${setting.allowed}.`);
    return [name, value];
  });
  return Object.fromEntries(values);
}
