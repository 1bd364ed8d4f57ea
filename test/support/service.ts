// Starts the service for a test, on a real socket over a real store, and checks each response against the document.
import { once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { FastifyInstance } from "fastify";
import type { Test } from "tap";
import type { Certificate, MemoryMonitorOptions, Protection } from "../../src/http/index.ts";
import { generateKey } from "../../src/operate/keys/api-keys.ts";
import type { AggregatorClient } from "../../src/operate/telemetry/aggregation.ts";
import { createLogger } from "../../src/operate/telemetry/logger.ts";
import type { Tracing } from "../../src/operate/telemetry/otlp-exporter.ts";
import { parseOwnDocument, readDocument } from "../../src/pets/document.ts";
import type { Settings as Config } from "../../src/settings/index.ts";
import type { StoreTimeouts } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { documentText } from "./files.ts";
import { createPetServer } from "./pet-server.ts";
import { openPetStore, type Pet } from "./pets.ts";
import { startPrism } from "./prism.ts";
import {
  createResponseCheck,
  type HttpResponse,
  parseResponses,
  type ResponseCheck,
  toHttpResponse,
} from "./responses.ts";
import { findSecret } from "./secrets.ts";
import { readUsedConfig, type Settings } from "./settings.ts";

/** The headers, body and key of a request. */
export interface Call {
  headers?: Record<string, string | string[] | undefined>;
  body?: string | Buffer;
  /** Sent as JSON, instead of a body. */
  json?: unknown;
  /** The API key; null sends none. */
  key?: string | null;
}

/** A running service, and functions that call it. */
export interface Service {
  origin: string;
  port: number;
  key: string;
  app: FastifyInstance;
  store: Store;
  logs: Record<string, unknown>[];
  call(method: string, path: string, call?: Call): Promise<HttpResponse>;
  /**
   * Writes bytes to a new socket, and checks and returns all responses. The client closes its side of the connection
   * immediately, or with "more" after the first data of a response.
   */
  raw(bytes: string | Buffer, more?: "more"): Promise<HttpResponse[]>;
  create(pet: object, headers?: Call["headers"]): Promise<Pet>;
  /** Closes the client's connections and the service. Idle connections would delay the end of the service by 500 ms. */
  close(): Promise<void>;
}

/** Clocks and limits that a test replaces. */
export interface Overrides extends MemoryMonitorOptions {
  /** Milliseconds for a client to send its headers. */
  readonly headersTimeout?: number | undefined;
}

/** The configuration of a service under test. */
export interface Options {
  document?: string;
  /** A store that the test closes. By default, the service opens the store of the setting DATABASE_URL. */
  store?: Store;
  handlers?: Record<string, unknown>;
  settings?: Settings;
  metrics?: AggregatorClient;
  /** Sends each `call` through Prism, and throws an Error if the traffic violates the document. */
  prism?: boolean;
  tracing?: Tracing;
  tls?: Certificate;
  overrides?: Overrides;
}

/** A new pet with only the required fields. */
export const minimalPet = { name: "Tom", categoryId: 3 };

/** Creates an API key in the store and returns it. Throws an Error if the name is taken. */
export async function addKey(store: Store, name: string, expiresAt?: Date, operator = false): Promise<string> {
  const { key, hash } = generateKey();
  if (!(await store.keys.create(name, hash, { expiresAt, operator }))) throw new Error(`the name ${name} is taken`);
  return key;
}

let createDatabase = async (_: Test): Promise<string> => "sqlite::memory:";
let defaultTimeouts: StoreTimeouts = {};

/** Sets the default store. `create` returns the URL of an empty database for each service without another store. */
export function useStores(create: (t: Test) => Promise<string>, timeouts: StoreTimeouts): void {
  createDatabase = create;
  defaultTimeouts = timeouts;
}

let prismByDefault = false;

/** Puts Prism in front of each service that is started after this call. */
export function usePrism(): void {
  prismByDefault = true;
}

/**
 * Starts the service, configured as in production, on a free port of loopback. Stops it when the test ends. Throws an
 * Error if an option or a setting has no effect.
 */
export async function start(t: Test, options: Options = {}): Promise<Service> {
  const { document: text = documentText, settings = {}, prism: usesPrism = prismByDefault, ...others } = options;
  const { store: ownStore, handlers: ownHandlers, metrics, tracing, tls, overrides, ...unknown } = others;
  if (Object.keys(unknown).length > 0) throw new Error(`there are no such options: ${Object.keys(unknown).join(", ")}`);
  const needsDatabase = ownStore === undefined && settings.DATABASE_URL === undefined;
  const ofStore = ["data", "databasePool", "databasePrepare", "maxRecords"] as const;
  const config = readUsedConfig(
    settings,
    {
      RATE_LIMIT: "none", // a test may exceed the default
      ...(needsDatabase && { DATABASE_URL: await createDatabase(t) }),
    },
    ["port", ...(ownStore ? ofStore : [])],
  );
  const store = ownStore ?? (await openConfiguredStore(config, needsDatabase ? defaultTimeouts : {}));
  const logs: Record<string, unknown>[] = [];
  const logger = await createLogger(config.logLevel, { write: (line: string) => void logs.push(JSON.parse(line)) });
  const { headersTimeout, ...monitor } = overrides ?? {};
  const app = await createPetServer(store, config, {
    document: await (ownHandlers ? parseOwnDocument : readDocument)(text),
    ...(ownHandlers && { handlers: ownHandlers as never }),
    logger,
    tracing,
    aggregator: metrics,
    ...(tls && { tls }),
    headersTimeout,
    monitor,
  });
  const agent = new Agent({ keepAlive: true });
  const close = async () => {
    agent.destroy();
    await app.close();
  };
  // Not earlier: with a teardown, tap ends a file as soon as no test runs, even if the file awaits this call.
  t.teardown(async () => {
    await close();
    if (ownStore === undefined) await store.close();
    const secret = findSecret(JSON.stringify(logs));
    if (secret !== undefined) throw new Error(`a secret is in the log: ${secret}`);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const origin = `http://127.0.0.1:${port}`;
  const check = await createResponseCheck(text);
  const prism = usesPrism ? await startPrism(t, `${origin}/v1`, text) : undefined;
  const key = await addKey(store, `test-${port}-${Math.random().toString(36).slice(2, 8)}`);
  const call = createCall({ port, key, agent, check, prism });
  const create: Service["create"] = async (pet, headers = {}) => {
    const { status, body, text } = await call("POST", "/v1/pets", { json: pet, headers });
    if (status !== 201) throw new Error(`not created: ${status} ${text}`);
    return body as Pet;
  };
  return { origin, port, key, app, store, logs, call, raw: createRaw(port, check), create, close };
}

/** Returns the open connections of a server. */
export function connectionsOf({ edge }: FastifyInstance): Protection["connections"] {
  if (edge.protection === undefined) throw new Error("the server has no protection");
  return edge.protection.connections;
}

function openConfiguredStore(config: Config, timeouts: StoreTimeouts): Promise<Store> {
  return openPetStore(config.data, {
    connections: config.databasePool,
    prepare: config.databasePrepare,
    maxRecords: config.maxRecords,
    timeouts,
  });
}

interface Connection {
  port: number;
  key: string;
  agent: Agent;
  check: ResponseCheck;
  prism: Awaited<ReturnType<typeof startPrism>> | undefined;
}

function createCall({ port, key, agent, check, prism }: Connection): Service["call"] {
  return async (method, path, { headers, body, json, key: ownKey } = {}) => {
    if (body !== undefined && json !== undefined) throw new Error("a request has either a body or json");
    if (ownKey && headers && "authorization" in headers) throw new Error("a request has either a key or authorization");
    const credential = ownKey === undefined ? key : ownKey;
    const content = json === undefined ? body : typeof json === "string" ? json : JSON.stringify(json);
    const requestHeaders = {
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(content !== undefined && { "content-length": Buffer.byteLength(content) }),
      ...headers,
    };
    const send = async (port: number, path: string) => {
      const outgoing = request({ agent, host: "127.0.0.1", port, method, path, headers: requestHeaders });
      outgoing.end(content);
      const [incoming] = await once(outgoing, "response");
      return toHttpResponse(incoming.statusCode, incoming.headers, await readText(incoming));
    };
    const response = prism === undefined ? await send(port, path) : await prism(send, port, path);
    check(method, path, response);
    return response;
  };
}

function createRaw(port: number, check: ResponseCheck): Service["raw"] {
  return async (bytes, more) => {
    const socket = connect(port, "127.0.0.1");
    if (more) socket.once("data", () => socket.end()).write(bytes);
    else socket.end(bytes);
    const responses = parseResponses(await readText(socket));
    const lines = [...String(bytes).matchAll(/([A-Z]+) (\S+) HTTP\/\d/g)];
    for (const [index, response] of responses.entries()) {
      const [, method = "", path = ""] = lines[index] ?? [];
      check(method, path, response);
    }
    return responses;
  };
}
