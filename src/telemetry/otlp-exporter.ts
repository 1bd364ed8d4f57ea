// Traces, to the OTLP receiver that OTEL_EXPORTER_OTLP_ENDPOINT names. OpenTelemetry's packages are loaded where it does, and only there.
import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { throttle, version } from "../lib/index.ts";
import type { Spans } from "./spans.ts";

const exportTimeout = 3_000; // milliseconds
const longest = 4_096; // characters of an attribute

/** What the service is followed with. */
export interface Tracing extends Omit<Spans, "end"> {
  /** Sends what is still to be sent. Resolves within some 3 seconds, also where nobody takes it. */
  end(): Promise<void>;
}

/**
 * Starts to send traces to `endpoint`; nothing where it is empty. Beside it, the exporter reads what OpenTelemetry's
 * specification has for it from the environment. Rejects with an Error that says what is not installed. `timeout` limits
 * an export with all its attempts, in milliseconds; the end waits for the last export.
 */
export async function openTracing(
  endpoint: string,
  log: FastifyBaseLogger,
  timeout = exportTimeout,
): Promise<Tracing | undefined> {
  if (endpoint === "") return undefined;
  const [api, core, { OTLPTraceExporter }, resources, { BatchSpanProcessor, TracerProvider }, { createSpans }] =
    await load();

  const warn = throttle((reason: string) => log.warn({ reason }, "traces are lost"));
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
    spanLimits: { attributeValueLengthLimit: longest },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const spans = createSpans(provider.getTracer("petstore", version));
  return {
    ...spans,
    async end() {
      spans.end();
      await provider.shutdown().catch((error) => warn(error.message));
    },
  };
}

async function load() {
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
      `OTEL_EXPORTER_OTLP_ENDPOINT needs OpenTelemetry (${reason}): npm ci --include=optional installs it.`,
    );
  }
}
