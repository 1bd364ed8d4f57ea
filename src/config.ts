// The settings of the service, read from environment variables. A test checks that the README lists the same settings.
import { isIP } from "node:net";
import { availableParallelism } from "node:os";

/** The environment variables of this process. No other module reads them. */
export const environment = process.env;

/** A rate limit: at most `count` calls in `seconds`. */
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

// pg also accepts URLs without a host, if an option has it (…@/database?host=/run).
function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && splitHosts(text).every((url) => URL.canParse(url.replace("@/", "@host/")));
}

/** Splits the URL of a database on several hosts, as in `postgres://a:5432,b:5432/petstore`, into a URL for each host. */
export function splitHosts(url: string): string[] {
  const [, start, hosts, end] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) as string[];
  return (hosts as string).split(",").map((host) => `${start}${host}${end}`);
}

const unitSeconds = { s: 1, m: 60, h: 3_600 };

const limit = {
  allowed: "a number of calls in a period, 100/60s, 100/1m or 5000/1h",
  parse(text: string): Limit | undefined {
    const [, count, periods, unit] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
    if (count === undefined) return undefined;
    return { count: Number(count), seconds: Number(periods) * unitSeconds[unit as keyof typeof unitSeconds] };
  },
};

// Parses a comma-separated list. Returns undefined if an item is not valid.
function list(isItem: (text: string) => boolean): (text: string) => readonly string[] | undefined {
  return (text) => {
    const items = text.split(",").map((item) => item.trim());
    if (text === "") return [];
    return items.every(isItem) ? items : undefined;
  };
}

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

// src/server.ts also checks that it ends with the path of the document.
const publicUrl = {
  default: "",
  allowed: "an http or https URL that ends with the path of the service",
  parse: (text: string) => (isPlainUrl(text) ? new URL(text).href : text && undefined),
};

/** The settings by name. */
export const settings = {
  HOST: {
    default: "127.0.0.1",
    description: "The address to listen on",
    allowed: "an IP address or a host name",
    parse: (text: string) => (isIP(text) !== 0 || /^[a-z][\w.-]*$/i.test(text) ? text : undefined),
  },
  PORT: {
    default: "3000",
    description: "The port to listen on; 0 takes a free one",
    allowed: "a number from 0 to 65535",
    parse: integer(0, 65_535),
  },
  DATABASE_URL: {
    default: "sqlite:data/petstore.db",
    description: "Where the pets and keys are kept: a file, or postgres://USER:PASSWORD@HOST/DATABASE",
    allowed: "sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE",
    parse: (text: string) => (/^sqlite:(:memory:|[^:].*)$/.test(text) || isPostgresUrl(text) ? text : undefined),
  },
  DATABASE_POOL: {
    default: "10",
    description: "To PostgreSQL, the most connections of each process",
    allowed: "a number from 1 to 1000",
    parse: integer(1, 1_000),
  },
  DATABASE_PREPARE: {
    default: "on",
    description: "To PostgreSQL, whether statements are prepared; off for a pooler that does not support it",
    allowed: "on or off",
    parse: (text: string) => (text === "on" || text === "off" ? text === "on" : undefined),
  },
  MAX_PETS: {
    default: "none",
    description: "Maximum number of pets in the store, or none",
    allowed: "a number from 1 to 999999999999999; or none",
    parse: (text: string) => (text === "none" ? null : /^[1-9]\d{0,14}$/.test(text) ? BigInt(text) : undefined),
  },
  WORKERS: {
    default: "1",
    description: "How many processes serve; auto takes one for each core",
    allowed: "auto or a number from 1 to 256",
    parse: (text: string) => (text === "auto" ? availableParallelism() : integer(1, 256)(text)),
  },
  LOG_LEVEL: {
    default: "info",
    description: "The least level that is logged",
    allowed: `one of ${logLevels.join(", ")}`,
    parse: (text: string) => logLevels.find((level) => level === text),
  },
  MAX_CONNECTIONS: {
    default: "10000",
    description: "The most connections of clients at once, of each process",
    allowed: "a number from 1 to 99999",
    parse: integer(1, 99_999),
  },
  RATE_LIMIT: {
    default: "10000/60s",
    description: "How many calls each key may make, counted in each process; none sets no limit",
    allowed: `${limit.allowed}; or none`,
    parse: (text: string) => (text === "none" ? null : limit.parse(text)),
  },
  RATE_LIMIT_FAILED: {
    default: "100/60s",
    description: "How many wrong keys may come from each address, counted in each process",
    ...limit,
  },
  TRUST_PROXY: {
    default: "",
    description: "The proxies in front of the service, whose X-Forwarded-For it believes",
    allowed: "IP addresses and networks, separated by commas: 192.0.2.0/24, ::1",
    parse: list(isNetwork),
  },
  METRICS_FROM: {
    default: "none",
    description: "The networks from which /metrics can be read without the key of an operator; no proxy may be in them",
    allowed: "IP addresses and networks, separated by commas: 192.0.2.0/24, ::1; or none",
    parse: (text: string) => (text === "none" ? [] : list(isNetwork)(text)),
  },
  CORS_ORIGINS: {
    default: "",
    description: "The origins of web pages that may call the service from a browser",
    allowed: "origins separated by commas, https://app.example, or * for any",
    parse: list(isOrigin),
  },
  TLS_CERT: {
    default: "",
    description: "To serve https: the file of the certificate and its chain, in PEM",
    allowed: "the path of a file, together with TLS_KEY",
    parse: (text: string) => text,
  },
  TLS_KEY: {
    default: "",
    description: "The file of the certificate's private key, in PEM",
    allowed: "the path of a file, together with TLS_CERT",
    parse: (text: string) => text,
  },
  OPERATOR_KEY: {
    default: "",
    description: "The key of an operator, with which petstore status asks the service",
    allowed: "a key, as petstore keys create prints it",
    parse: (text: string) => (/^(psk_[\w-]+)?$/.test(text) ? text : undefined),
  },
  BASE_URL: { ...publicUrl, description: "The address of the production deployment, for the document and for links" },
  STAGING_BASE_URL: { ...publicUrl, description: "The address of the staging deployment, for the document" },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "",
    description: "Where traces are sent, by OTLP over HTTP; without it there are none",
    allowed: "an http or https URL without user, query or fragment, such as http://127.0.0.1:4318",
    parse: (text: string) => (text === "" || isPlainUrl(text) ? text : undefined),
  },
} satisfies Record<string, Setting<unknown>>;

/** The values of the settings. */
export type Config = {
  readonly [Name in keyof typeof settings]: Exclude<ReturnType<(typeof settings)[Name]["parse"]>, undefined>;
};

/** Parses the settings in `env`. Throws an Error that names the setting and its valid values if one is not valid. */
export function readConfig(env: NodeJS.ProcessEnv = environment): Config {
  const values = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const value = setting.parse(env[name] || setting.default);
    if (value === undefined) throw new Error(`${name} must be ${setting.allowed}.`);
    return [name, value];
  });
  return Object.fromEntries(values);
}
