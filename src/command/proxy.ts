// `openapi-server proxy`: compares the requests and responses of an existing server with a document.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readDocument } from "../openapi/tools.ts";
import type { Io } from "../terminal/index.ts";
import { type ConfigOptions, readConfig } from "./config.ts";
import { Contract, type Verdict } from "./proxy-contract.ts";
import { forward, type ProxiedRequest } from "./proxy-upstream.ts";

export interface ProxyOptions extends ConfigOptions {
  readonly port: number;
  readonly host: string;
  /** The URL of the server. */
  readonly upstream: string;
  /** Reports what violates the document, and passes it on. */
  readonly report: boolean;
}

const maxBytes = 16 * 1024 * 1024; // of the body of a request

/** Serves an upstream behind a document. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serveProxy(path: string, options: ProxyOptions, io: Io, signal?: AbortSignal): Promise<void> {
  const config = await readConfig(options);
  const document = await readDocument(path, { ...config, strict: false });
  const contract = await Contract.create(document, config);
  const upstream = readUpstream(options.upstream, document.basePath);
  const counts = { requests: 0, violations: 0 };
  const show = ({ method, url }: ProxiedRequest, { violation, upstream: response }: Verdict) => {
    counts.requests++;
    if (violation === undefined) return;
    counts.violations++;
    const status = response === undefined ? "" : ` ${response.status}`;
    io.stdout.write(`${method} ${url}${status}: the ${violation.of} violates the document: ${violation.message}\n`);
  };
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // A client can name another server: only paths are forwarded, to the upstream.
    if (!incoming.url?.startsWith("/")) return fail(outgoing, 400, "The target of the request must be a path.");
    const request = await readRequest(incoming);
    if (request === undefined) return fail(outgoing, 413, `The body has more than ${maxBytes} bytes.`);
    const target = toTarget(upstream, document.basePath, request.url);
    try {
      const verdict = await contract.check(request, () => forward(request, target));
      show(request, verdict);
      const { violation, response } = verdict;
      if (violation?.of === "response" && !options.report) return fail(outgoing, 502, violation.message);
      if (violation && !options.report)
        return respond(outgoing, response.status, Object.entries(response.headers), response.body);
      const passed = verdict.upstream ?? (await forward(request, target));
      return respond(outgoing, passed.status, passed.headers, passed.body);
    } catch (error) {
      return fail(outgoing, 502, (error as Error).message);
    }
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: Error) => fail(outgoing, 502, error.message));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  io.stdout.write(`Compares ${upstream} with ${path} at http://${host}:${port}.\n`);
  if (document.basePath !== "") io.stdout.write(`The paths of its operations begin with ${document.basePath}.\n`);
  const close = () => {
    if (!server.listening) return;
    // After the requests in progress.
    server.close(() => {
      void contract.close();
      io.stdout.write(`${counts.requests} requests, ${counts.violations} of them violate the document.\n`);
      if (counts.violations > 0) process.exitCode = 1;
    });
    server.closeIdleConnections();
  };
  for (const event of ["SIGINT", "SIGTERM"] as const) process.once(event, close);
  signal?.addEventListener("abort", close);
}

// Without a path of its own, it has the base path of the document.
function readUpstream(text: string, basePath: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(`--upstream must be the URL of a server, such as http://127.0.0.1:8080, and not ${text}.`);
  return url.pathname === "/" ? url.origin + basePath : url.origin + url.pathname.replace(/\/$/, "");
}

// What is outside of the base path has the same path there. The URL is a path, and begins with a slash.
function toTarget(upstream: string, basePath: string, url: string): URL {
  const isBelow = url.startsWith(basePath) && /^([/?]|$)/.test(url.slice(basePath.length));
  return new URL(isBelow ? upstream + url.slice(basePath.length) : new URL(upstream).origin + url);
}

async function readRequest(incoming: IncomingMessage): Promise<ProxiedRequest | undefined> {
  const { method = "GET", url = "/", headers } = incoming;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += (chunk as Buffer).length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return { method, url, headers, body: Buffer.concat(chunks) };
}

function respond(
  outgoing: ServerResponse,
  status: number,
  headers: readonly (readonly [string, unknown])[],
  body: Buffer,
): void {
  for (const [name, value] of headers)
    if (!/^(content-length|connection|keep-alive|transfer-encoding|date)$/i.test(name))
      outgoing.appendHeader(name, Array.isArray(value) ? value.map(String) : `${value}`);
  outgoing.writeHead(status);
  outgoing.end(body);
}

const failureCodes = { 400: "malformed_request", 413: "content_too_large", 502: "bad_gateway" } as const;

function fail(outgoing: ServerResponse, status: keyof typeof failureCodes, message: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
  outgoing.end(JSON.stringify({ code: failureCodes[status], message, status }));
}
