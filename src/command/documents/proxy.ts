// `openapi-server proxy`: compares the requests and responses of an existing server with a document.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { pino } from "pino";
import { UsageError } from "../../lib/index.ts";
import { loadDocument } from "../../server/index.ts";
import type { Io } from "../../terminal/index.ts";
import { type ConfigOptions, readService } from "../inputs/config.ts";
import { onStop } from "../inputs/watch.ts";
import { createContract, type Verdict } from "./proxy-contract.ts";
import {
  endToEndFields,
  forward,
  maxBytes,
  type ProxiedRequest,
  readStart,
  type UpstreamResponse,
} from "./proxy-upstream.ts";

export interface ProxyOptions extends ConfigOptions {
  /** The URL of the server. */
  readonly upstream: string;
  /** Reports what violates the document, and passes it on. */
  readonly report: boolean;
}

const gracePeriod = 5_000; // milliseconds

/** Serves an upstream behind a document. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serveProxy(path: string, options: ProxyOptions, io: Io, signal?: AbortSignal): Promise<void> {
  const { settings, config } = await readService(options, io.env);
  const logger = pino({ level: "silent" });
  const document = await loadDocument({ ...config, document: path, strict: false }, logger);
  const contract = await createContract(document, config, logger);
  const upstream = readUpstream(options.upstream, document.basePath);
  const counts = { requests: 0, violations: 0, failures: 0 };
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // A client can name another server: only paths are forwarded, to the upstream.
    if (!incoming.url?.startsWith("/")) return fail(outgoing, 400, "The target of the request must be a path.");
    const { method = "GET", url, headers } = incoming;
    const { start: body, isComplete } = await readStart(incoming);
    if (!isComplete) incoming.resume(); // so that the client can send the rest, and read the response
    if (!isComplete) return fail(outgoing, 413, `The body has more than ${maxBytes} bytes.`);
    const request = { method, url, fields: endToEndFields(incoming), body };
    const controller = new AbortController();
    outgoing.once("close", () => controller.abort()); // also when the client disconnects
    const path = toPath(upstream, document.basePath, url);
    const send = () => forward(request, new URL(upstream), path, controller.signal);
    // A preflight request belongs to the Fetch standard, and not to the document.
    const isPreflight = method === "OPTIONS" && headers.origin && headers["access-control-request-method"];
    if (isPreflight) return pass(await send(), outgoing);
    counts.requests++;
    const verdict = await contract.check(request, send);
    const { violation } = verdict;
    if (violation) counts.violations++;
    io.stdout.write(describe(request, verdict));
    if (options.report || !violation) return pass(verdict.upstream ?? (await send()), outgoing);
    if (violation.of === "response") return fail(outgoing, 502, violation.message);
    if (verdict.response === undefined) return fail(outgoing, 400, violation.message);
    const { connection, "transfer-encoding": _, ...rejection } = verdict.response.headers;
    outgoing.writeHead(verdict.response.statusCode, rejection).end(verdict.response.rawPayload);
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(({ message }: Error) => {
      if (outgoing.destroyed) return; // by the client
      counts.failures++;
      io.stdout.write(`${incoming.method} ${incoming.url}: ${message}\n`);
      fail(outgoing, 502, message);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(settings.port, settings.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host;
  io.stdout.write(`Compares ${upstream} with ${path} at http://${host}:${port}.\n`);
  if (document.basePath !== "") io.stdout.write(`The paths of its operations begin with ${document.basePath}.\n`);
  onStop(io, signal, () => {
    if (!server.listening) return;
    // After the requests in progress.
    server.close(() => {
      void contract.close();
      const { requests, violations, failures } = counts;
      const failed = failures > 0 ? ` The service did not respond to ${failures}.` : "";
      io.stdout.write(`${requests} requests, ${violations} of them violate the document.${failed}\n`);
      if (violations + failures > 0) process.exitCode = 1;
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), gracePeriod).unref(); // streams
  });
}

// Returns a line for a violation, or for a response that was not compared.
function describe({ method, url }: ProxiedRequest, { violation, skipped, upstream }: Verdict): string {
  const message = violation
    ? `the ${violation.of} violates the document: ${violation.message}`
    : skipped && `the body of the response was not compared: ${skipped}`;
  return message ? `${method} ${url}${upstream ? ` ${upstream.message.statusCode}` : ""}: ${message}\n` : "";
}

/** Reads the URL of an upstream. Without a path of its own, it has the base path of the document. Throws a UsageError. */
export function readUpstream(text: string, basePath: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--upstream must be the URL of a server, such as http://127.0.0.1:8080, and not ${text}.`);
  return url.pathname === "/" ? url.origin + basePath : url.origin + url.pathname.replace(/\/$/, "");
}

/** Returns the path of the upstream. One that is not below the base path stays as it is. `url` begins with a slash. */
export function toPath(upstream: string, basePath: string, url: string): string {
  const isBelow = url.startsWith(basePath) && /^([/?]|$)/.test(url.slice(basePath.length));
  return isBelow ? upstream.slice(new URL(upstream).origin.length) + url.slice(basePath.length) : url;
}

// Sends a response as the upstream has sent it. Node frames its body.
async function pass({ message, start }: UpstreamResponse, outgoing: ServerResponse): Promise<void> {
  const fields = endToEndFields(message).filter(([name]) => !/^transfer-encoding$/i.test(name));
  outgoing.writeHead(message.statusCode as number, message.statusMessage, fields.flat());
  if (message.readableEnded) return void outgoing.end(start);
  outgoing.flushHeaders();
  outgoing.write(start);
  message.setTimeout(0); // a stream can be silent
  await pipeline(message, outgoing);
}

const failureCodes = { 400: "malformed_request", 413: "content_too_large", 502: "bad_gateway" } as const;

function fail(outgoing: ServerResponse, status: keyof typeof failureCodes, message: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { "Content-Type": "application/json" });
  outgoing.end(JSON.stringify({ code: failureCodes[status], message, status }));
}
