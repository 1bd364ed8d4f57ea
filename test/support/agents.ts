// Agents that call a server: the client of the SDK.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import type { Test } from "tap";
import { createServer, type ServerOptions, type UntypedOperations } from "../../src/server/index.ts";

/** The logger of servers whose log is not tested. */
export const silent = pino({ level: "silent" });

/** The result of a call. */
interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

/** Connects an agent. `call` returns the result with its text; the second text has notes. */
export async function connect(t: Test, transport: Transport) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  t.teardown(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as unknown as Result;
    const [text = "", notes = ""] = result.content.map((one) => one.text);
    return { ...result, isError: result.isError ?? false, text, notes };
  };
  return { client, call, tools: (await client.listTools()).tools };
}

/** Connects an agent to /mcp of a server that listens. */
export const connectTo = (t: Test, origin: string, headers: Record<string, string> = {}) =>
  connect(t, new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }));

/** Starts a server with agents. */
export async function startAgents(t: Test, options: object) {
  const all = { mcp: true, logger: silent, strict: false, ...options };
  const app: FastifyInstance = await createServer(all as unknown as ServerOptions<UntypedOperations, unknown, unknown>);
  t.teardown(() => app.close());
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, origin, connect: (headers?: Record<string, string>) => connectTo(t, origin, headers) };
}
