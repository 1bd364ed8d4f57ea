// Creates the spans of a request: one for the request, one for each of its calls to the store, and one for each
// database statement that the store runs for them.
//
// Names and attributes follow OpenTelemetry's semantic conventions 1.45. Spans never contain API keys, queries, bodies,
// values of statements, or addresses of clients.

import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";
import { AnchoredClock, W3CTraceContextPropagator } from "@opentelemetry/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { redact } from "../../lib/index.ts";
import { queryChannel, type Statement, type Store, sharedContexts } from "../../store/index.ts";
import { callerOf } from "../keys/api-keys.ts";

const maxLinks = 128; // OpenTelemetry's default limit per span
const knownMethods = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT)$/;

// All spans of a request use the same clock, so that they nest exactly. It counts in microseconds; the SDK's own clock
// counts in milliseconds.
interface ClockedSpan {
  readonly span: api.Span;
  readonly clock: AnchoredClock;
}

type RecordedSpan = ClockedSpan | undefined; // undefined: the trace is not sampled

/** Creates spans by a tracer. Includes the statements of all stores of this process until `end` is called. */
export class SpanRecorder {
  readonly #tracer: api.Tracer;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #current = new AsyncLocalStorage<RecordedSpan>();
  readonly #statements = new WeakMap<object, ClockedSpan>();
  readonly #listener = {
    start: (statement: Statement) => this.#startStatement(statement),
    end: (statement: Statement) => this.#endStatement(statement),
    asyncEnd: (statement: Statement) => this.#endStatement(statement),
  };

  constructor(tracer: api.Tracer) {
    this.#tracer = tracer;
    queryChannel.subscribe(this.#listener);
  }

  /**
   * Creates a span for each request to `app` that is part of the API. Add it before other hooks, which then run within
   * the span.
   */
  traceRequests(app: FastifyInstance): void {
    // Fastify restores this context after it has read the body.
    app.addHook("onRequest", (request, reply, done) => {
      if (!request.is404 && request.routeOptions.config.operation?.id === undefined) done();
      else this.#current.run(this.#startRequest(request, reply), done);
    });
  }

  /** Wraps a store. Creates a span for each call of its methods for records and keys. */
  traceStore(store: Store): Store {
    const wrap = <M extends object>(group: string, methods: M): M =>
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [
          name,
          (...values: unknown[]) => this.#run(`${group}.${name}`, () => method(...values)),
        ]),
      ) as M;
    const records: Store["records"] = (name) => wrap(name, store.records(name));
    return { ...store, records, keys: wrap("keys", store.keys) };
  }

  /** Stops tracing statements. */
  end(): void {
    queryChannel.unsubscribe(this.#listener);
  }

  #startRequest(request: FastifyRequest, reply: FastifyReply): RecordedSpan {
    const { is404, routeOptions } = request;
    const method = knownMethods.test(request.method) ? request.method : "_OTHER";
    const route = is404 ? undefined : routeOptions.url?.replace(/:(\w+)/g, "{$1}");
    const name = [method === "_OTHER" ? "HTTP" : method, route].filter(Boolean).join(" ");
    const clock = new AnchoredClock(Date, performance);
    const caller = this.#propagator.extract(api.ROOT_CONTEXT, readTraceHeaders(request), api.defaultTextMapGetter);
    const span = this.#tracer.startSpan(name, { kind: api.SpanKind.SERVER, startTime: clock.now() }, caller);
    const { traceId, spanId, traceFlags } = span.spanContext();
    reply.header("traceparent", `00-${traceId}-${spanId}-0${traceFlags}`);
    request.log = reply.log = request.log.child({ trace: traceId, span: spanId });
    if (!span.isRecording()) return undefined;
    span.setAttributes({
      "http.request.method": method,
      "http.route": route,
      "url.path": redact(request.url.split("?", 1)[0] as string),
      "url.scheme": request.protocol,
      "server.address": redact(request.hostname),
      "server.port": request.port ?? undefined,
      "network.protocol.version": request.raw.httpVersion,
      "openapi.operation": request.routeOptions.config.operation?.id,
    });
    reply.raw.once("close", () => {
      const { statusCode, headersSent } = reply.raw;
      span.setAttributes({
        "http.response.status_code": headersSent ? statusCode : undefined, // undefined: the client disconnected
        "openapi.key": callerOf(request)?.name,
      });
      endSpan({ span, clock }, statusCode >= 500 ? `${statusCode}` : undefined);
    });
    return { span, clock };
  }

  #startChild({ span, clock }: ClockedSpan, name: string, options: api.SpanOptions): ClockedSpan {
    const context = api.trace.setSpan(api.ROOT_CONTEXT, span);
    return { span: this.#tracer.startSpan(name, { ...options, startTime: clock.now() }, context), clock };
  }

  async #run<T>(name: string, operation: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore();
    if (!parent?.span.isRecording()) return operation();
    const child = this.#startChild(parent, name, {});
    try {
      const result = await this.#current.run(child, operation);
      endSpan(child);
      return result;
    } catch (error) {
      endSpan(child, errorTypeOf(error));
      throw error;
    }
  }

  // The span of a statement that several calls share is a child of the first sampled call. Links connect it and the
  // spans of the other calls, in both directions.
  #startStatement(statement: Statement): void {
    const current = this.#current;
    const calls = sharedContexts()?.map((runInContext) => runInContext(() => current.getStore()));
    const spans = calls ?? [current.getStore()];
    const [parent, ...others] = spans.filter((call) => call?.span.isRecording()) as ClockedSpan[];
    if (parent === undefined) return;
    const verb = verbOf(statement.text);
    const child = this.#startChild(parent, verb, {
      kind: api.SpanKind.CLIENT,
      attributes: {
        "db.system.name": statement.system,
        "db.operation.name": verb,
        "db.query.text": statement.text,
        "openapi.calls": spans.length,
      },
      links: others.slice(0, maxLinks).map(({ span }) => ({ context: span.spanContext() })),
    });
    for (const { span } of others) span.addLink({ context: child.span.spanContext() });
    this.#statements.set(statement, child);
  }

  // For an asynchronous statement, the channel calls this twice: first without a result, when the statement was sent.
  #endStatement(statement: Statement & { result?: unknown; error?: unknown }): void {
    const span = this.#statements.get(statement);
    if (span && "error" in statement) endSpan(span, errorTypeOf(statement.error));
    else if (span && "result" in statement) endSpan(span);
  }
}

// Omits the error's message, which may contain data. The log has it, with the id of the trace.
function endSpan({ span, clock }: ClockedSpan, errorType?: string): void {
  if (errorType !== undefined) span.setAttribute("error.type", errorType).setStatus({ code: api.SpanStatusCode.ERROR });
  span.end(clock.now());
}

// A tracestate that looks like a secret is not propagated.
function readTraceHeaders({ headers: { traceparent, tracestate } }: FastifyRequest): object {
  const state = String(tracestate ?? "");
  return redact(state) === state ? { traceparent, tracestate } : { traceparent };
}

// The driver's error code, if there is one: 5 of SQLite, 57014 of PostgreSQL, ECONNREFUSED. Otherwise, the class.
function errorTypeOf(error: unknown): string {
  const { errcode, code } = error as { errcode?: number; code?: string };
  return String(errcode ?? code ?? (error as object).constructor.name);
}

// The verb that changes data, which a statement may have after SELECT or WITH. Otherwise, the first word.
function verbOf(text: string): string {
  return (/\b(INSERT|DELETE|REPLACE|(?<!FOR )UPDATE)\b/.exec(text) ?? /\w+/.exec(text))?.[0] as string;
}
