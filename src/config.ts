// The settings: one table. A test holds the README to it.
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { levels } from "pino";

/** The environment variables of this process. Only this module reads them. */
export const environment = process.env;

/** How often something may happen: `count` times in `seconds`. */
export interface Limit {
  readonly count: number;
  readonly seconds: number;
}

interface Setting<T> {
  readonly default: string;
  readonly meaning: string;
  /** What a value may be, for people. */
  readonly allowed: string;
  /** The value that the text means, or undefined where it means none. */
  read(text: string): T | undefined; // null: a setting that is off
}

function count(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
}

// As pg reads it: beside what a URL may be, it takes a host in the options (…@/database?host=/run).
function isPostgres(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace("@/", "@host/"));
}

const units = { s: 1, m: 60, h: 3_600 }; // seconds

const limit = {
  allowed: "a number of calls in a period, 100/60s, 100/1m or 5000/1h",
  read(text: string): Limit | undefined {
    const [, count, periods, unit] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
    return (
      (count && { count: Number(count), seconds: Number(periods) * units[unit as keyof typeof units] }) || undefined
    );
  },
};

// Several values, separated by commas; none where one of them is wrong.
function list(isOne: (text: string) => boolean): (text: string) => readonly string[] | undefined {
  return (text) => {
    const values = text.split(",").map((value) => value.trim());
    if (text === "") return [];
    return values.every(isOne) ? values : undefined;
  };
}

// An address, or a network such as 10.0.0.0/8.
function isNetwork(text: string): boolean {
  const [address = "", bits = "1", ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0 || !/^[1-9]\d{0,2}$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128);
}

// As browsers write it in the header Origin (RFC 6454, section 6.2).
function isOrigin(text: string): boolean {
  return text === "*" || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}

const logLevels = [...Object.keys(levels.values), "silent"];

// With which path it ends the document says: src/server.ts holds it to that.
const address: Pick<Setting<string>, "default" | "allowed" | "read"> = {
  default: "",
  allowed: "an http or https URL that ends with the path of the service",
  read: (text) => (/^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text) ? new URL(text).href : text && undefined),
};

// OTLP's base address, to which the exporter adds /v1/traces.
function isEndpoint(text: string): boolean {
  return /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text);
}

/** Every setting: its default, what it means, and what it may be. */
export const settings = {
  HOST: {
    default: "127.0.0.1",
    meaning: "The address to listen on",
    allowed: "an IP address or a host name",
    read: (text: string) => (isIP(text) !== 0 || /^[a-z][\w.-]*$/i.test(text) ? text : undefined),
  },
  PORT: {
    default: "3000",
    meaning: "The port to listen on; 0 takes a free one",
    allowed: "a number from 0 to 65535",
    read: count(0, 65_535),
  },
  DATABASE_URL: {
    default: "sqlite:data/petstore.db",
    meaning: "Where the pets and keys are kept: a file, or postgres://USER:PASSWORD@HOST/DATABASE",
    allowed: "sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    read: (text: string) => (/^sqlite:(:memory:|[^:].*)$/.test(text) || isPostgres(text) ? text : undefined),
  },
  DATABASE_POOL: {
    default: "10",
    meaning: "To PostgreSQL, the most connections of each process",
    allowed: "a number from 1 to 1000",
    read: count(1, 1_000),
  },
  WORKERS: {
    default: "1",
    meaning: "How many processes serve; auto takes one for each core",
    allowed: "auto or a number from 1 to 256",
    read: (text: string) => (text === "auto" ? availableParallelism() : count(1, 256)(text)),
  },
  LOG_LEVEL: {
    default: "info",
    meaning: "The least level that is logged",
    allowed: `one of ${logLevels.join(", ")}`,
    read: (text: string) => logLevels.find((level) => level === text),
  },
  MAX_CONNECTIONS: {
    default: "10000",
    meaning: "The most connections of clients at once, of each process",
    allowed: "a number from 1 to 99999",
    read: count(1, 99_999),
  },
  RATE_LIMIT: {
    default: "",
    meaning: "How many calls each key may make, counted in each process; without it, any number",
    allowed: limit.allowed,
    read: (text: string) => (text === "" ? null : limit.read(text)),
  },
  RATE_LIMIT_FAILED: {
    default: "100/60s",
    meaning: "How many wrong keys may come from each address, counted in each process",
    ...limit,
  },
  TRUST_PROXY: {
    default: "",
    meaning: "The proxies in front of the service, whose X-Forwarded-For it believes",
    allowed: "IP addresses and networks, separated by commas: 10.0.0.0/8, ::1",
    read: list(isNetwork),
  },
  METRICS_FROM: {
    default: "127.0.0.0/8, ::1",
    meaning: "From where /metrics is read without a key; from elsewhere with an operator's",
    allowed: "IP addresses and networks, separated by commas: 10.0.0.0/8, ::1; or none",
    read: (text: string) => (text === "none" ? [] : list(isNetwork)(text)),
  },
  CORS_ORIGINS: {
    default: "",
    meaning: "The origins of web pages that may call the service from a browser",
    allowed: "origins separated by commas, https://app.example, or * for any",
    read: list(isOrigin),
  },
  TLS_CERT: {
    default: "",
    meaning: "To serve https: the file of the certificate and its chain, in PEM",
    allowed: "the path of a file, together with TLS_KEY",
    read: (text: string) => text,
  },
  TLS_KEY: {
    default: "",
    meaning: "The file of the certificate's private key, in PEM",
    allowed: "the path of a file, together with TLS_CERT",
    read: (text: string) => text,
  },
  OPERATOR_KEY: {
    default: "",
    meaning: "The key of an operator, with which petstore status asks the service",
    allowed: "a key, as petstore keys create prints it",
    read: (text: string) => (/^(psk_[\w-]+)?$/.test(text) ? text : undefined),
  },
  BASE_URL: { ...address, meaning: "The address of the production deployment, for the document and for links" },
  STAGING_BASE_URL: { ...address, meaning: "The address of the staging deployment, for the document" },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "",
    meaning: "Where traces are sent, by OTLP over HTTP; without it there are none",
    allowed: "an http or https URL without user, query or fragment, such as http://127.0.0.1:4318",
    read: (text: string) => (text === "" || isEndpoint(text) ? text : undefined),
  },
} satisfies Record<string, Setting<unknown>>;

/** The value of each setting. */
export type Config = {
  readonly [Name in keyof typeof settings]: Exclude<ReturnType<(typeof settings)[Name]["read"]>, undefined>;
};

/** Reads the settings from the environment. Throws an Error that names the setting and what it may be. */
export function readConfig(env: NodeJS.ProcessEnv = environment): Config {
  const values = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const value = setting.read(env[name] || setting.default);
    if (value === undefined) throw new Error(`${name} must be ${setting.allowed}.`);
    return [name, value];
  });
  return Object.fromEntries(values);
}
