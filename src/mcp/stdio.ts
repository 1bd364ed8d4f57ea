// Serves an agent on the standard streams of a process. Not StdioServerTransport of the SDK, which rounds integers beyond 2^53.
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { lineDelimiter, parseJsonBytes, readRecords } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import { type AgentCaller, AgentServer } from "./agent-server.ts";

const maxBytes = 1024 * 1024; // of a message, as of a request

/** Serves an agent until its stream ends. Rejects with an Error if `include` has an unknown operation or tag. */
export async function serveAgentOnStreams(
  document: Document,
  options: { readonly include?: readonly string[] | undefined },
  caller: AgentCaller,
  {
    input,
    output,
    report,
  }: { readonly input: Readable; readonly output: Writable; readonly report: (message: string) => void },
): Promise<void> {
  const server = new AgentServer(document, options).connect(caller);
  const transport: Transport = {
    start: async () => {},
    send: async (message) => void output.write(`${JSON.stringify(message)}\n`),
    close: async () => transport.onclose?.(),
  };
  await server.connect(transport);
  for await (const records of readRecords(input, maxBytes, lineDelimiter))
    for (const { bytes } of records) {
      const message = bytes && parseMessage(bytes);
      if (message) transport.onmessage?.(message);
      else report("A message of the agent is no message of JSON-RPC, or has more than 1 MiB.");
    }
  await server.close();
}

function parseMessage(bytes: Buffer): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.safeParse(parseJsonBytes(bytes)).data;
  } catch {
    return undefined;
  }
}
