// Receives traces by OTLP over HTTP, and starts the service in the test's process with traces.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { Test } from "tap";
import { createLogger } from "../../src/operate/telemetry/logger.ts";
import { openTracing } from "../../src/operate/telemetry/otlp-exporter.ts";
import { type Options, type Service, start } from "./service.ts";

/** A span of OTLP, with its attributes and its resource as objects. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number; message?: string };
  links: { traceId: string; spanId: string }[];
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

/** A receiver of traces, and the requests that it has received. */
export interface Receiver {
  endpoint: string;
  /** The status of its responses; 0 for no response. */
  status: number;
  /** The headers of all requests, and the bodies and spans of the requests with a response of 200. */
  text: string;
  headers: IncomingHttpHeaders[];
  spans: Span[];
}

/** The `traceparent` of a caller without its flags, and the ids in it. */
export const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
export const [, parentTraceId = "", parentSpanId = ""] = parent.split("-");

const toObject = (attributes: { key: string; value: object }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Starts a receiver on loopback until the test ends. */
export async function receiveTraces(t: Test): Promise<Receiver> {
  const received: Receiver = { endpoint: "", status: 200, text: "", spans: [], headers: [] };
  const server = createServer(async (request, response) => {
    const text = await readText(request);
    if (request.url !== "/otlp/v1/traces") return;
    received.headers.push(request.headers);
    if (received.status === 0) return;
    if (received.status === 200) {
      received.text += text;
      for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans)
        for (const span of scopeSpans.flatMap(({ spans }: { spans: object[] }) => spans))
          received.spans.push({
            ...span,
            attributes: toObject(span.attributes),
            resource: toObject(resource.attributes),
          });
    }
    response.writeHead(received.status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  received.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`;
  return received;
}

/** A service that sends its traces to a receiver. */
export interface TracedService extends Service {
  received: Receiver;
  /** The log of the exporter. */
  exporterLogs: Record<string, unknown>[];
  /** Ends the service and returns all spans, in the order in which they ended. */
  finish(): Promise<Span[]>;
}

/** Starts the service with traces. `timeout` is the timeout of an export in milliseconds. */
export async function startTraced(
  t: Test,
  { timeout, endpoint, ...options }: Omit<Options, "tracing"> & { timeout?: number; endpoint?: string } = {},
): Promise<TracedService> {
  const received = await receiveTraces(t);
  const exporterLogs: Record<string, unknown>[] = [];
  const logger = await createLogger("info", { write: (line: string) => void exporterLogs.push(JSON.parse(line)) });
  const tracing = await openTracing(endpoint ?? received.endpoint, "petstore", logger, timeout);
  t.teardown(tracing.end);
  const service = await start(t, { ...options, tracing });
  const finish = async () => {
    await service.close();
    await tracing.end();
    return received.spans;
  };
  return { ...service, received, exporterLogs, finish };
}

/** Returns the children of a span. Without a span, returns the root spans. */
export const childrenOf = (spans: readonly Span[], parent: Span | undefined): Span[] =>
  spans.filter((span) => span.parentSpanId === parent?.spanId);

/** Returns the spans with a name. */
export const withName = (spans: readonly Span[], name: string): Span[] => spans.filter((span) => span.name === name);

/** Returns the spans of kind SPAN_KIND_SERVER: one for each call. */
export const serverSpans = (spans: readonly Span[]): Span[] => spans.filter(({ kind }) => kind === 2);

/** Formats the names of a span and of its descendants: `pets.create(BEGIN INSERT COMMIT)`. */
export function outline(spans: readonly Span[], span: Span): string {
  const inner = childrenOf(spans, span).map((child) => outline(spans, child));
  return inner.length === 0 ? span.name : `${span.name}(${inner.join(" ")})`;
}
