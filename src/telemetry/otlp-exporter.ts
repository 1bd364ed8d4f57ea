// Exports traces to an OTLP receiver. OpenTelemetry's packages are optional, and loaded only if tracing is on.
import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { throttle, version } from "../lib/index.ts";
import type { SpanRecorder } from "./spans.ts";

const exportTimeout = 3_000; // milliseconds
const maxAttributeLength = 4_096; // characters

/** Traces requests and the store, and exports the spans. */
export interface Tracing extends Pick<SpanRecorder, "traceRequests" | "traceStore"> {
  /** The headers of requests that a trace reads. */
  readonly headers: readonly string[];
  /** Exports the remaining spans. Resolves within about 3 seconds, also if the receiver does not respond. */
  end(): Promise<void>;
}

/**
 * Starts exporting traces to `endpoint`, in batches. Returns undefined if `endpoint` is empty. `timeout` limits an
 * export including its retries, in milliseconds. The exporter also reads OpenTelemetry's own environment variables.
 * Rejects with an Error that names the missing package if OpenTelemetry is not installed.
 */
export async function openTracing(
  endpoint: string,
  log: FastifyBaseLogger,
  timeout = exportTimeout,
): Promise<Tracing | undefined> {
  if (endpoint === "") return undefined;
  const [api, core, { OTLPTraceExporter }, resources, { BatchSpanProcessor, TracerProvider }, { SpanRecorder }] =
    await importOpenTelemetry();

  const warn = throttle((reason: string) => log.warn({ reason }, "failed to export traces"));
  core.setGlobalErrorHandler((error) => warn((error as Error).message));
  const diagnostics = { error: warn, warn, info: warn, debug: warn, verbose: warn };
  api.diag.setLogger(diagnostics, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });

  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces`, timeoutMillis: timeout });
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  const service = { "service.name": "petstore", "service.version": version, "service.instance.id": randomUUID() };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(service))
      .merge(detectResources({ detectors: [envDetector] })),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const recorder = new SpanRecorder(provider.getTracer("petstore", version));
  return {
    headers: ["traceparent", "tracestate"],
    traceRequests: (app) => recorder.traceRequests(app),
    traceStore: (store) => recorder.traceStore(store),
    async end() {
      recorder.end();
      await provider.shutdown().catch((error) => warn(error.message));
    },
  };
}

async function importOpenTelemetry() {
  try {
    return await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/core"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/sdk-trace"),
      import("./spans.ts"),
    ]);
  } catch (error) {
    const reason = (error as Error).message.replace(/ imported from .*/s, "");
    throw new Error(
      `OTEL_EXPORTER_OTLP_ENDPOINT requires OpenTelemetry (${reason}). Install it with npm ci --include=optional.`,
    );
  }
}
