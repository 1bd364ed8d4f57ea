// Answers the requests of agents: lists the tools of a document, and calls its operations.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InvalidValue, isObject, redact, shorten, toJson, version } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import { type Arguments, type Credentials, type ToolRequest, toRequest } from "./request.ts";
import { type Answer, toResult, toWire } from "./result.ts";
import { createSearch, searchTools } from "./search.ts";
import { defineTool, listTools, type Tool } from "./tools.ts";

/** Above, operations are searched. */
const maxTools = 40;
const maxSchemas = 120_000; // characters of all tools together
const maxSchema = 20_000; // characters of the schema of one
const maxCalls = 32; // at once

/** The caller of tools: its credentials, and how its requests are sent. */
export interface AgentCaller {
  readonly credentials: Credentials;
  /** Sends a request. Rejects with an Error whose message the agent gets. */
  readonly send: (request: ToolRequest, signal: AbortSignal) => Promise<Answer>;
}

/** What agents can do with a document. It has no state of its callers. */
export class AgentServer {
  readonly #document: Document;
  readonly #tools: ReadonlyMap<string, Tool>;
  #definitions: readonly unknown[] | undefined; // created for the first agent
  #searchTools: ReturnType<typeof createSearch> | undefined;
  #calls = 0;

  /** Throws an Error if `include` has an unknown operation or tag. */
  constructor(document: Document, { include }: { readonly include?: readonly string[] | undefined }) {
    this.#document = document;
    this.#tools = new Map(listTools(document, include).map((tool) => [tool.name, tool]));
  }

  /** Creates a server for a transport of the SDK, which has its protocol. */
  connect({ credentials, send }: AgentCaller): Server {
    const { info } = this.#document.content;
    const server = new Server(
      { name: `${info?.title ?? "API"}`, version: `${info?.version ?? version}` },
      // Nothing is elicited from clients: without an Ajv, which takes 0.3 ms of each request.
      {
        capabilities: { tools: {} },
        jsonSchemaValidator: {
          getValidator: () => () => ({ valid: true, data: undefined as never, errorMessage: undefined }),
        },
      },
    );
    server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: this.#list() as [] }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
      try {
        return await this.#call(params.name, params.arguments ?? {}, { credentials, send }, signal);
      } catch (error) {
        const { message } = error as Error;
        const text = error instanceof InvalidValue ? `The arguments ${error.requirement}.` : redact(message);
        return { content: [{ type: "text", text }], isError: true };
      }
    });
    return server;
  }

  #list(): readonly unknown[] {
    this.#definitions ??=
      this.#tools.size > maxTools
        ? searchTools(this.#tools.size)
        : [...this.#tools.values()].map((tool) => this.#define(tool, Math.floor(maxSchemas / this.#tools.size)));
    return this.#definitions;
  }

  #define(tool: Tool, length: number): unknown {
    return toWire(defineTool(tool, this.#document, Math.min(length, maxSchema)));
  }

  async #call(name: string, args: Arguments, caller: AgentCaller, signal: AbortSignal) {
    if (this.#tools.size <= maxTools) return this.#callOperation(name, args, caller, signal, true);
    if (name === "search_operations") return toText(this.#search(`${args.query ?? ""}`));
    if (name === "describe_operation") return toText(this.#define(this.#find(args.operationId), maxSchema));
    if (name !== "call_operation") throw new Error(`There is no tool ${toJson(shorten(name))}.`);
    const { operationId, arguments: own = {} } = args;
    if (!isObject(own)) throw new InvalidValue("must have an object as `arguments`");
    return this.#callOperation(operationId, own, caller, signal, false);
  }

  // The words of the tools are found for the first search.
  #search(query: string): unknown {
    this.#searchTools ??= createSearch([...this.#tools.values()]);
    return this.#searchTools(query);
  }

  #find(name: unknown): Tool {
    const tool = this.#tools.get(`${name}`);
    if (tool === undefined) throw new Error(`There is no operation ${toJson(shorten(`${name}`))} for agents.`);
    return tool;
  }

  async #callOperation(
    name: unknown,
    args: Arguments,
    { credentials, send }: AgentCaller,
    signal: AbortSignal,
    isStructured: boolean,
  ) {
    const { operation, layout, output } = this.#find(name);
    const request = await toRequest(operation, layout, args, this.#document, credentials);
    if (this.#calls >= maxCalls) throw new Error(`The server runs ${maxCalls} calls of agents. Try again later.`);
    this.#calls++;
    try {
      return toResult(await send(request, signal), operation, layout, isStructured && output !== undefined);
    } finally {
      this.#calls--;
    }
  }
}

function toText(value: unknown) {
  return { content: [{ type: "text" as const, text: toJson(value) }] };
}
