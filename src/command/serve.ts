// `openapi-server serve`: answers the operations of a document from records in a store, without code.
import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import {
  createServer,
  type Document,
  type OpenApiOptions,
  type ResourceSource,
  readDocument,
} from "../openapi/tools.ts";
import { openStore } from "../resources/index.ts";
import type { Io } from "../terminal/index.ts";
import { readConfig, readHandlers } from "./config.ts";
import { readWithOverlays } from "./overlay.ts";
import { countAnswered, describePlan } from "./plan.ts";
import { storeUrlOf, type TargetOptions } from "./target.ts";

export interface ServeOptions extends TargetOptions {
  readonly port: number;
  readonly host: string;
  readonly log: boolean;
  readonly config: string | undefined;
  /** A module with handlers. */
  readonly handlers: string | undefined;
  /** The credentials that are accepted. By default, each one is. */
  readonly key: readonly string[] | undefined;
  /** Only prints the plan. */
  readonly plan: boolean;
  /** Answers the other operations with examples of the document. */
  readonly examples: boolean;
}

/** Serves a document from records. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serve(path: string, options: ServeOptions, io: Io, signal?: AbortSignal): Promise<void> {
  const { key, host, examples } = options;
  const config = await readConfig(options.config);
  const handlers = await readHandlers(options.handlers);
  const own = Object.keys(handlers);
  const source = await readWithOverlays(path, options.overlay);
  const read = () => readDocument(source, { ...config, strict: false });
  if (options.plan) {
    io.stdout.write(describePlan(await read(), own));
    return;
  }
  const url = storeUrlOf(path, options);
  const resources = openStore(url, { certainty: "likely", partial: !examples });
  let document: Document | undefined;
  const open: ResourceSource["open"] = (opened, openOptions) => {
    document = opened;
    if (key === undefined && !isLoopback(host) && hasSecurity(opened))
      throw new Error(`Without --key, each credential is accepted. So ${host} is refused: pass --key, or omit --host.`);
    return resources.open(opened, openOptions);
  };
  const app = await createServer({
    ...config,
    document: source,
    handlers,
    resources: { open },
    context: resources,
    mock: true, // the valid part of the document, errors in its shapes, and examples
    logger: pino({ level: options.log ? "info" : "error" }),
    ...(key && { security: acceptKeys(await read(), key) }),
  });
  await listen(app, options);
  const address = app.listeningOrigin;
  const docs = app.hasRoute({ method: "GET", url: "/docs/static/*" })
    ? `, with its documentation at ${address}/docs`
    : "";
  if (document === undefined) throw new Error("The document was not opened.");
  io.stdout.write(
    `Serves ${path} at ${address}${docs}.\n` +
      `${countAnswered(document, own)} are answered from records in ${url.replace(/:[^:@/]*@/, ":…@")}. --plan lists them.\n` +
      (key === undefined && hasSecurity(document)
        ? "Each credential is accepted. --key sets those that are valid.\n"
        : ""),
  );
  const close = () => void app.close();
  for (const event of ["SIGINT", "SIGTERM"] as const) process.once(event, close);
  signal?.addEventListener("abort", close);
}

async function listen(app: FastifyInstance, { port, host }: ServeOptions): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    await app.close();
    throw error;
  }
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/.test(host);
}

function hasSecurity({ operations }: Document): boolean {
  return operations.some(({ security }) => security.some((schemes) => schemes.length > 0));
}

// Accepts the keys as the credential of each scheme of the document: a token, a password, or an API key.
function acceptKeys({ content }: Document, keys: readonly string[]): NonNullable<OpenApiOptions["security"]> {
  const isKey = (sent: string) =>
    keys.some((key) => {
      const [expected, actual] = [Buffer.from(key), Buffer.from(sent)];
      return expected.length === actual.length && timingSafeEqual(expected, actual);
    });
  const check = (credential: string | { readonly password: string } | undefined) =>
    isKey(typeof credential === "object" ? credential.password : `${credential}`) && {};
  return Object.fromEntries(Object.keys(content.components?.securitySchemes ?? {}).map((name) => [name, check]));
}
