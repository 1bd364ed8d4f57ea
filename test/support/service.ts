// Starts the service for a test, on a real socket over a real store, and checks each response against the document.
import { once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { FastifyInstance } from "fastify";
import type { Test } from "tap";
import { buildApp, type Dependencies, type Overrides } from "../../src/app.ts";
import { generateKey } from "../../src/auth/authentication.ts";
import { readConfig } from "../../src/config.ts";
import { parseOwnDocument, readDocument } from "../../src/pets/document.ts";
import type { Handlers } from "../../src/pets/handler.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { openStore } from "../../src/store/open.ts";
import type { Pet, Store } from "../../src/store/port.ts";
import type { MetricsHub } from "../../src/telemetry/aggregation.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import type { Tracing } from "../../src/telemetry/otlp-exporter.ts";
import { documentText } from "./files.ts";
import { startPrism } from "./prism.ts";
import {
  createResponseCheck,
  type HttpResponse,
  parseResponses,
  type ResponseCheck,
  toHttpResponse,
} from "./responses.ts";
import { findSecret } from "./secrets.ts";

/** The headers, body and key of a request. */
export interface Call {
  headers?: Record<string, string | string[] | undefined>;
  body?: string | Buffer;
  /** Sent as JSON. */
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

/** The configuration of a service under test. */
export interface Options {
  document?: string;
  store?: Store;
  handlers?: Record<string, unknown>;
  /** Settings, as environment variables. */
  settings?: Record<string, string>;
  metrics?: MetricsHub;
  /** Sends each `call` through Prism, and throws an Error if the traffic violates the document. */
  prism?: boolean;
  tracing?: Tracing;
  tls?: Dependencies["tls"];
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

let emptyStore = async (_: Test): Promise<Store> => openStore("sqlite::memory:");

/** Sets the default store. `open` returns an empty store for each service that is started without one. */
export function useStores(open: (t: Test) => Promise<Store>): void {
  emptyStore = open;
}

let prismByDefault = false;

/** Puts Prism in front of each service that is started after this call. */
export function usePrism(): void {
  prismByDefault = true;
}

/** Starts the service, configured as in production, on a free port of loopback. Stops it when the test ends. */
export async function start(t: Test, options: Options = {}): Promise<Service> {
  const text = options.document ?? documentText;
  const store = options.store ?? (await emptyStore(t));
  const logs: Record<string, unknown>[] = [];
  const logger = await createLogger("info", { write: (line: string) => void logs.push(JSON.parse(line)) });
  const app = await buildApp({
    // The signatures are those of the Pet Store's handlers.
    document: await (options.handlers ? parseOwnDocument : readDocument)(text),
    handlers: (options.handlers ?? handlers) as Handlers,
    store,
    config: readConfig({ RATE_LIMIT: "none", ...options.settings }), // a test may exceed the default
    logger,
    tracing: options.tracing,
    metrics: options.metrics,
    tls: options.tls,
    ...(options.overrides && { overrides: options.overrides }),
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const close = async () => {
    agent.destroy();
    await app.close();
  };
  t.teardown(async () => {
    await close();
    if (options.store === undefined) await store.close();
    const secret = findSecret(JSON.stringify(logs));
    if (secret !== undefined) throw new Error(`a secret is in the log: ${secret}`);
  });

  const origin = `http://127.0.0.1:${port}`;
  const check = await createResponseCheck(text);
  const prism = (options.prism ?? prismByDefault) ? await startPrism(t, `${origin}/v1`, text) : undefined;
  const key = await addKey(store, `test-${port}-${Math.random().toString(36).slice(2, 8)}`);
  const call = createCall({ port, key, agent, check, prism });
  const create: Service["create"] = async (pet, headers = {}) => {
    const { status, body, text } = await call("POST", "/v1/pets", { json: pet, headers });
    if (status !== 201) throw new Error(`not created: ${status} ${text}`);
    return body as Pet;
  };
  return { origin, port, key, app, store, logs, call, raw: createRaw(port, check), create, close };
}

interface Connection {
  port: number;
  key: string;
  agent: Agent;
  check: ResponseCheck;
  prism: Awaited<ReturnType<typeof startPrism>> | undefined;
}

function createCall({ port, key, agent, check, prism }: Connection): Service["call"] {
  return async (method, path, { headers, body, json, key: credential = key } = {}) => {
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
