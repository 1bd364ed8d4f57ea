// The settings of services: their options, variables, names in a module, values and help texts. `npm run docs` lists them in
// docs/configuration.md.
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import {
  integer,
  isNetwork,
  isOrigin,
  isPlainUrl,
  isRedisUrl,
  limit,
  list,
  logLevels,
  networks,
  onOrOff,
  parseDatabase,
  publicUrl,
} from "./values.ts";

/** A setting. */
export interface Setting<T> {
  /** The environment variable, without the prefix of a program. */
  readonly variable: string;
  /** The option of the command line, if it is not made of the name. */
  readonly flag?: string;
  /** The letter of its short form. */
  readonly short?: string;
  /** Empty for none. Programs can have others. */
  readonly default: string;
  readonly description: string;
  /** A description of the valid values. */
  readonly allowed: string;
  /** Whether the option can be repeated, or has several values that are separated by commas. */
  readonly isList?: boolean;
  /** Whether it is about how a document is read. A program with a document of its own does not have it. */
  readonly isOfDocument?: boolean;
  /** Returns the value, null if the setting is turned off, or undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

/** The settings by name, which is also their name in a module and among the options of `createServer`. */
export const settings = {
  name: {
    variable: "SERVICE_NAME",
    default: "",
    description:
      "Name of the service, with which its metrics begin, and of its schema in PostgreSQL; by default, that of the document's file",
    allowed: "lower-case letters, digits and _, beginning with a letter",
    parse: (text: string) => (/^([a-z][a-z\d_]*)?$/.test(text) ? text : undefined),
  },
  host: {
    variable: "HOST",
    default: "127.0.0.1",
    description: "Address to listen on",
    allowed: "an IP address, or a host name that begins with a letter",
    parse: (text: string) => (isIP(text) !== 0 || /^[a-z][\w.-]*$/i.test(text) ? text : undefined),
  },
  port: {
    variable: "PORT",
    short: "p",
    default: "3000",
    description: "Port to listen on; 0 selects a free port",
    allowed: "an integer from 0 to 65535",
    parse: integer(0, 65_535),
  },
  data: {
    variable: "DATABASE_URL",
    default: "",
    description: "Database of the records and API keys: a SQLite file or a PostgreSQL URL",
    allowed: "a path, sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE",
    parse: parseDatabase,
  },
  databasePool: {
    variable: "DATABASE_POOL",
    default: "10",
    description: "Maximum number of PostgreSQL connections per process; a count for the limit of records uses one more",
    allowed: "an integer from 1 to 1000",
    parse: integer(1, 1_000),
  },
  databasePrepare: {
    variable: "DATABASE_PREPARE",
    default: "on",
    description: "Whether PostgreSQL statements are prepared; off if a connection pooler does not support them",
    ...onOrOff,
  },
  maxRecords: {
    variable: "MAX_RECORDS",
    default: "none",
    description: "Maximum number of records of each collection; none sets no limit",
    allowed: "an integer from 1 to 999999999999999, or none",
    parse: (text: string) => (text === "none" ? null : /^[1-9]\d{0,14}$/.test(text) ? BigInt(text) : undefined),
  },
  workers: {
    variable: "WORKERS",
    default: "1",
    description: "Number of processes that serve requests; auto starts one per available CPU core",
    allowed: "an integer from 1 to 256, or auto",
    parse: (text: string) => (text === "auto" ? availableParallelism() : integer(1, 256)(text)),
  },
  logLevel: {
    variable: "LOG_LEVEL",
    default: "info",
    description: "Lowest level that is logged",
    allowed: `one of ${logLevels.join(", ")}`,
    parse: (text: string) => logLevels.find((level) => level === text),
  },
  maxConnections: {
    variable: "MAX_CONNECTIONS",
    default: "10000",
    description: "Maximum number of client connections per process",
    allowed: "an integer from 1 to 99999",
    parse: integer(1, 99_999),
  },
  compression: {
    variable: "COMPRESSION",
    default: "on",
    description: "Whether responses are compressed; off if a reverse proxy compresses them",
    ...onOrOff,
  },
  rateLimit: {
    variable: "RATE_LIMIT",
    default: "10000/60s",
    description: "Maximum rate of calls per API key, and per caller of a token; none sets no limit",
    allowed: `${limit.allowed}; or none`,
    parse: (text: string) => (text === "none" ? null : limit.parse(text)),
  },
  rateLimitStore: {
    variable: "RATE_LIMIT_STORE",
    default: "",
    description: "Valkey or Redis server that counts the calls of several machines",
    allowed: "redis://USER:PASSWORD@HOST:PORT/NUMBER without query or fragment, or rediss:// with TLS",
    parse: (text: string) => (text === "" || isRedisUrl(text) ? text : undefined),
  },
  rateLimitFailed: {
    variable: "RATE_LIMIT_FAILED",
    default: "100/60s",
    description: "Maximum rate of requests with an invalid API key per network address, counted by each process",
    ...limit,
  },
  trustProxy: {
    variable: "TRUST_PROXY",
    default: "",
    description: "Reverse proxies whose X-Forwarded-For header is trusted",
    allowed: networks,
    isList: true,
    parse: list(isNetwork),
  },
  metricsFrom: {
    variable: "METRICS_FROM",
    default: "none",
    description: "Networks that may read /metrics without a key; must not contain a proxy",
    allowed: `${networks}; or none`,
    isList: true,
    parse: (text: string) => (text === "none" ? [] : list(isNetwork)(text)),
  },
  origins: {
    variable: "CORS_ORIGINS",
    flag: "origin",
    default: "",
    description: "Origins of web pages that may call the API from a browser",
    allowed:
      "origins separated by commas, such as https://app.example; or localhost, with any port; or * for any origin",
    isList: true,
    parse: list(isOrigin),
  },
  allowedHosts: {
    variable: "ALLOWED_HOSTS",
    flag: "allow-host",
    default: "",
    description:
      "Host names under which browsers open the service, besides localhost, IP addresses, the address to listen on and those of the public URLs",
    allowed: "host names separated by commas, such as api.example",
    isList: true,
    parse: list((text) => /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(text)),
  },
  tlsCert: {
    variable: "TLS_CERT",
    default: "",
    description: "File of the TLS certificate and its chain, in PEM format; turns HTTPS on",
    allowed: "the path of a file; requires that of the key",
    parse: (text: string) => text,
  },
  tlsKey: {
    variable: "TLS_KEY",
    default: "",
    description: "File of the certificate's private key, in PEM format",
    allowed: "the path of a file; requires that of the certificate",
    parse: (text: string) => text,
  },
  issuer: {
    variable: "ISSUER",
    default: "",
    description: "Issuer (OAuth 2.0, OpenID Connect) whose access tokens are valid, beside API keys",
    allowed: "an http or https URL without user, query or fragment",
    parse: (text: string) => (text === "" || isPlainUrl(text) ? text : undefined),
  },
  audience: {
    variable: "AUDIENCE",
    default: "",
    description: "Audience (aud) that the tokens of the issuer must have; by default any",
    allowed: "a text; requires an issuer",
    parse: (text: string) => text,
  },
  operatorKey: {
    variable: "OPERATOR_KEY",
    default: "",
    description: "Operator key that the service accepts for /metrics and /status.json without its database",
    allowed: "a key as keys create prints it",
    parse: (text: string) => (/^(psk_[\w-]{32,})?$/.test(text) ? text : undefined),
  },
  publicUrl: {
    variable: "BASE_URL",
    flag: "base-url",
    ...publicUrl,
    description: "Public URL of the API in production, for the OpenAPI document and for links",
  },
  stagingUrl: {
    variable: "STAGING_BASE_URL",
    flag: "staging-base-url",
    ...publicUrl,
    description: "Public URL of the API in staging, for the OpenAPI document",
  },
  tracing: {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    flag: "otlp-endpoint",
    default: "",
    description: "OTLP/HTTP endpoint to which traces are sent; tracing is off without it",
    allowed: "an http or https URL without user, query or fragment, such as http://127.0.0.1:4318",
    parse: (text: string) => (text === "" || isPlainUrl(text) ? text : undefined),
  },
  allowedFolders: {
    variable: "ALLOWED_FOLDERS",
    flag: "allow-folder",
    default: "",
    description: "Folders to which references to files may lead, besides that of the document",
    allowed: "paths of folders separated by commas",
    isList: true,
    isOfDocument: true,
    parse: list((text) => text !== ""),
  },
  docs: {
    variable: "DOCS",
    default: "",
    description: "Whether /docs and the document are served; by default, unless an operation has one of their paths",
    isOfDocument: true,
    allowed: onOrOff.allowed,
    parse: (text: string) => (text === "" ? null : onOrOff.parse(text)),
  },
  readOnly: {
    variable: "READ_ONLY",
    default: "",
    description: "Whether read-only members of a request body are rejected (400), or removed; by default removed",
    allowed: "reject or drop",
    isOfDocument: true,
    parse: (text: string) => (text === "" ? null : (["reject", "drop"] as const).find((value) => value === text)),
  },
  strict: {
    variable: "STRICT",
    default: "",
    description: "Whether warnings about the document are errors; off serves the valid part of an invalid document",
    isOfDocument: true,
    allowed: onOrOff.allowed,
    parse: (text: string) => (text === "" ? null : onOrOff.parse(text)),
  },
  ignore: {
    variable: "IGNORE",
    default: "",
    description: "Rules of errors and warnings about the document that are accepted",
    allowed: "rules separated by commas, such as format:unix-time",
    isList: true,
    isOfDocument: true,
    parse: list((text) => text !== ""),
  },
  ignoreUnknownQuery: {
    variable: "IGNORE_UNKNOWN_QUERY",
    default: "off",
    description: "Whether unknown query parameters are ignored instead of rejected",
    isOfDocument: true,
    ...onOrOff,
  },
} satisfies Record<string, Setting<unknown>>;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** The values of the settings. */
export type Settings = {
  readonly [Name in SettingName]: Exclude<ReturnType<(typeof settings)[Name]["parse"]>, undefined>;
} & {
  /** What the variables of the program begin with, for messages. */
  readonly variablePrefix: string;
};
