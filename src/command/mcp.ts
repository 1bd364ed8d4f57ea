// `openapi-server mcp`: serves an agent on standard input and output, from records as `serve`, or from an existing server.
import type { Writable } from "node:stream";
import { pino } from "pino";
import { UsageError } from "../lib/index.ts";
import type { AgentCaller, readStart } from "../mcp/index.ts";
import type { Document } from "../openapi/index.ts";
import { openStore } from "../resources/index.ts";
import { createServer, loadAgents, toServerOptions } from "../server/index.ts";
import type { Io } from "../terminal/index.ts";
import { readUpstream, toPath } from "./documents/proxy.ts";
import { createContract, type Verdict } from "./documents/proxy-contract.ts";
import { forward } from "./documents/proxy-upstream.ts";
import { readInputs, type ServeOptions, toAnswers } from "./serve.ts";

export interface McpOptions
  extends Pick<
    ServeOptions,
    "config" | "data" | "examples" | "handlers" | "log" | "name" | "overlay" | "transactions"
  > {
  /** The URL of a server that answers the calls. */
  readonly upstream?: string | undefined;
  /** The credentials of the agent: for all security schemes, or as `scheme=key`. */
  readonly key?: readonly string[] | undefined;
  /** The operationIds and tags of the operations that the agent can call. */
  readonly include?: readonly string[] | undefined;
}

const variable = "MCP_KEY"; // of the environment; MCP_KEY_NAME is that of one security scheme

/** Serves an agent until standard input ends. Only messages of the protocol are written to standard output. */
export async function serveAgent(path: string, options: McpOptions, io: Io): Promise<void> {
  const agents = await loadAgents();
  const report = (message: string) => io.stderr.write(`${message}\n`);
  const inputs = await readInputs(path, options, io, io.stderr);
  const { document, settings, config } = inputs;
  const logger = pino({ level: settings.logLevel }, io.stderr);
  const credentials = toCredentials(readKeys(document, options.key ?? [], io.env));
  const streams = { input: io.stdin, output: io.stdout as Writable, report };
  const serve = (send: AgentCaller["send"]) =>
    agents.serveAgentOnStreams(document, options, { credentials, send }, streams);
  if (options.upstream !== undefined) {
    const contract = await createContract(document, config, pino({ level: "silent" }));
    const upstream = readUpstream(options.upstream, document.basePath);
    return serve(async ({ method, url, headers, payload: body = Buffer.alloc(0) }, signal) => {
      const fields = Object.entries({ ...headers, ...(body.length > 0 && { "content-length": `${body.length}` }) });
      const request = { method, url, fields: fields as [string, string][], body };
      const target = toPath(upstream, document.basePath, url);
      const end = new AbortController();
      signal.addEventListener("abort", () => end.abort(), { once: true });
      try {
        const send = () => forward(request, new URL(upstream), target, end.signal);
        return await toAnswer(await contract.check(request, send), agents.readStart);
      } finally {
        end.abort(); // what was not read of the response
      }
    }).finally(() => contract.close());
  }
  const resources = openStore(settings.data, { partial: !options.examples });
  const answers = toAnswers(inputs, [], { transactions: options.transactions });
  const app = await createServer({
    ...toServerOptions(settings),
    ...answers(resources),
    document,
    resources,
    logger,
    report,
  });
  await serve((request, signal) => agents.sendTo(app, request, signal)).finally(() => app.close());
}

// Throws an Error if the agent can't have the response.
async function toAnswer({ upstream, violation, skipped, response }: Verdict, read: typeof readStart) {
  if (violation?.of === "response") throw new Error(`The response violates the document: ${violation.message}`);
  if (response === undefined) throw new Error(violation?.message);
  const { statusCode: status, headers, rawPayload: body } = response;
  const { "content-encoding": coding, "content-type": type = "" } = upstream?.message.headers ?? {};
  const isRead = skipped === undefined && (upstream?.isCompared || coding === undefined);
  if (!isRead) {
    const reason = skipped ?? `It has the content coding ${coding}.`;
    throw new Error(`The upstream has responded with the HTTP status ${status}. The body was not read: ${reason}`);
  }
  const content = !upstream || upstream.isCompared ? { body, isComplete: true } : await read(upstream.message, type);
  return { status, headers, ...content };
}

// By the names of security schemes; that without a name is for the others.
function readKeys(
  { content }: Document,
  given: readonly string[],
  env: NodeJS.ProcessEnv,
): ReadonlyMap<string, string> {
  const schemes = Object.keys(content.components?.securitySchemes ?? {});
  const toVariable = (name: string) =>
    `${variable}_${name
      .replace(/([a-z\d])([A-Z])/g, "$1_$2")
      .replace(/\W+/g, "_")
      .toUpperCase()}`;
  const own = ["", ...schemes].flatMap((name): [string, string][] => {
    const value = env[name === "" ? variable : toVariable(name)];
    return value ? [[name, value]] : [];
  });
  const options = given.map((text): [string, string] => {
    const name = schemes.find((one) => text.startsWith(`${one}=`));
    return name === undefined ? ["", text] : [name, text.slice(name.length + 1)];
  });
  if (options.some(([, key]) => key === "")) throw new UsageError("--key must not be empty.");
  return new Map([...own, ...options]);
}

function toCredentials(keys: ReadonlyMap<string, string>): AgentCaller["credentials"] {
  return ({ name, scheme: { type, scheme = "" } }) => {
    const key = keys.get(name) ?? keys.get("");
    if (key === undefined || type === "apiKey") return key;
    if (type === "mutualTLS") return undefined;
    if (type !== "http" || !/^basic$/i.test(scheme)) return `${type === "http" ? scheme : "Bearer"} ${key}`;
    return `Basic ${Buffer.from(key.includes(":") ? key : `key:${key}`).toString("base64")}`;
  };
}
