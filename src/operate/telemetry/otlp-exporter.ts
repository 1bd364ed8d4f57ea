// Exports traces to an OTLP receiver. OpenTelemetry's packages are optional, and loaded only if tracing is on.
import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { throttle, version } from "../../lib/index.ts";
import type { Store } from "../../store/index.ts";

const exportTimeout = 3_000; // milliseconds
const maxAttributeLength = 4_096; // characters

/** Traces requests and the store, and exports the spans. */
export interface Tracing {
  /** Adds the hooks that trace requests. */
  readonly traceRequests: (app: FastifyInstance) => void;
  /** Returns a store whose calls are traced. */
  readonly traceStore: (store: Store) => Store;
  /** The headers of requests that a trace reads. */
  readonly headers: readonly string[];
  /** Exports the remaining spans. Resolves within about 3 seconds, also if the receiver does not respond. */
  end(): Promise<void>;
}

/**
 * Starts exporting traces of the service `name` to `endpoint`, in batches. `timeout` limits an export including its retries, in
 * milliseconds. The exporter also reads OpenTelemetry's own environment variables.
 * Rejects with an Error that names the missing package if OpenTelemetry is not installed.
 */
export async function openTracing(
  endpoint: string,
  name: string,
  log: FastifyBaseLogger,
  timeout = exportTimeout,
): Promise<Tracing> {
  const [api, core, { OTLPTraceExporter }, resources, { BatchSpanProcessor, TracerProvider }, { SpanRecorder }] =
    await importOpenTelemetry();

  const warn = throttle((reason: string) => log.warn({ reason }, "failed to export traces"));
  core.setGlobalErrorHandler((error) => warn((error as Error).message));
  const diagnostics = { error: warn, warn, info: warn, debug: warn, verbose: warn };
  api.diag.setLogger(diagnostics, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });

  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces`, timeoutMillis: timeout });
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  const service = { "service.name": name, "service.version": version, "service.instance.id": randomUUID() };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(service))
      .merge(detectResources({ detectors: [envDetector] })),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const recorder = new SpanRecorder(provider.getTracer("openapi-server", version));
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
      `Traces need OpenTelemetry (${reason}). Install its packages, in a checkout with npm ci --include=optional.`,
    );
  }
}
