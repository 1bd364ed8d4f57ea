// Which spans there are: one for each call, for each question of it to the store, and for each statement that the store
// runs for that. Names and attributes are OpenTelemetry's (semantic conventions 1.45); never a key, a query, a body,
// a value of a statement, or where a client is.
import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";
import { AnchoredClock, W3CTraceContextPropagator } from "@opentelemetry/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../auth/index.ts";
import { redact } from "../lib/index.ts";
import { queryChannel, type Statement, type Store, sharedContexts } from "../store/index.ts";

const mostLinks = 128; // of a span, as OpenTelemetry has it
const knownMethods = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT)$/;

/** The spans of a service. */
export interface Spans {
  /** Has a span for each call to `app`, but for what stands around the interface. Call it before other hooks are added. */
  traceRequests(app: FastifyInstance): void;
  /** The store with a span for each question that a call has. */
  traceStore(store: Store): Store;
  /** From here on, statements have no spans. */
  end(): void;
}

// A span with the clock of its call: all of a call by one, in microseconds, since those of the SDK are in milliseconds.
interface Timed {
  readonly span: api.Span;
  readonly clock: AnchoredClock;
}

/** Makes spans by `tracer`. Those of statements are of all stores of this process. */
export function createSpans(tracer: api.Tracer): Spans {
  const w3c = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Timed | undefined>();

  const startChild = ({ span, clock }: Timed, name: string, options: api.SpanOptions): Timed => {
    const context = api.trace.setSpan(api.ROOT_CONTEXT, span);
    return { span: tracer.startSpan(name, { ...options, startTime: clock.now() }, context), clock };
  };
  // Without a message, which may quote what must not leave: the log has it, with the id of the trace.
  const finish = ({ span, clock }: Timed, failure?: string) => {
    if (failure !== undefined) span.setAttribute("error.type", failure).setStatus({ code: api.SpanStatusCode.ERROR });
    span.end(clock.now());
  };

  const startCall = (request: FastifyRequest, reply: FastifyReply): Timed | undefined => {
    const { is404, routeOptions } = request;
    const method = knownMethods.test(request.method) ? request.method : "_OTHER";
    const route = is404 ? undefined : routeOptions.url?.replace(/:(\w+)/g, "{$1}");
    const name = [method === "_OTHER" ? "HTTP" : method, route].filter(Boolean).join(" ");
    const clock = new AnchoredClock(Date, performance);
    const caller = w3c.extract(api.ROOT_CONTEXT, readTrace(request), api.defaultTextMapGetter);
    const span = tracer.startSpan(name, { kind: api.SpanKind.SERVER, startTime: clock.now() }, caller);
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
      "petstore.operation": toOperation(request),
    });
    reply.raw.once("close", () => {
      const { statusCode, headersSent } = reply.raw;
      span.setAttributes({
        "http.response.status_code": headersSent ? statusCode : undefined, // or the client went before
        "petstore.key": callerOf(request)?.name,
      });
      finish({ span, clock }, statusCode >= 500 ? `${statusCode}` : undefined);
    });
    return { span, clock };
  };

  const ask = async <T>(name: string, question: () => Promise<T>): Promise<T> => {
    const parent = current.getStore();
    if (!parent?.span.isRecording()) return question();
    const asked = startChild(parent, name, {});
    try {
      const answer = await current.run(asked, question);
      finish(asked);
      return answer;
    } catch (error) {
      finish(asked, toType(error));
      throw error;
    }
  };

  // In the trace of the first call that it is for and that is traced, with links to the others, and from them to it.
  const running = new WeakMap<object, Timed>();
  const begin = (statement: Statement) => {
    const calls = sharedContexts()?.map((inCall) => inCall(() => current.getStore())) ?? [current.getStore()];
    const [parent, ...others] = calls.filter((call) => call?.span.isRecording()) as Timed[];
    if (parent === undefined) return;
    const operation = toVerb(statement.text);
    const one = startChild(parent, operation, {
      kind: api.SpanKind.CLIENT,
      attributes: {
        "db.system.name": statement.system,
        "db.operation.name": operation,
        "db.query.text": statement.text,
        "petstore.calls": calls.length,
      },
      links: others.slice(0, mostLinks).map(({ span }) => ({ context: span.spanContext() })),
    });
    for (const { span } of others) span.addLink({ context: one.span.spanContext() });
    running.set(statement, one);
  };
  // What takes a while ends twice, at first only its asking.
  const end = (statement: Statement & { result?: unknown; error?: unknown }) => {
    const one = running.get(statement);
    if (one && "error" in statement) finish(one, toType(statement.error));
    else if (one && "result" in statement) finish(one);
  };
  const listener = { start: begin, end, asyncEnd: end };
  queryChannel.subscribe(listener);

  return {
    traceRequests(app) {
      // What follows is in this context, also once a body has come, to which Fastify sees.
      app.addHook("onRequest", (request, reply, done) => {
        if (!request.is404 && toOperation(request) === undefined) done();
        else current.run(startCall(request, reply), done);
      });
    },
    traceStore(store) {
      const observed = <M extends object>(group: string, methods: M): M =>
        Object.fromEntries(
          Object.entries(methods).map(([name, method]) => [
            name,
            (...values: unknown[]) => ask(`${group}.${name}`, () => method(...values)),
          ]),
        ) as M;
      return { ...store, pets: observed("pets", store.pets), keys: observed("keys", store.keys) };
    },
    end: () => void queryChannel.unsubscribe(listener),
  };
}

// What other systems write into tracestate goes on with the trace; what looks like a secret does not.
function readTrace({ headers: { traceparent, tracestate } }: FastifyRequest): object {
  const state = String(tracestate ?? "");
  return redact(state) === state ? { traceparent, tracestate } : { traceparent };
}

function toOperation({ routeOptions }: FastifyRequest): string | undefined {
  return (routeOptions.schema as { operationId?: string } | undefined)?.operationId;
}

// What went wrong, by the driver's number or code where it has one: 5 of SQLite, 57014 of PostgreSQL, ECONNREFUSED.
function toType(error: unknown): string {
  const { errcode, code } = error as { errcode?: number; code?: string };
  return String(errcode ?? code ?? (error as object).constructor.name);
}

// What a statement does: of one that begins with SELECT or WITH, what it changes, if it does.
function toVerb(text: string): string {
  return (/\b(INSERT|DELETE|REPLACE|(?<!FOR )UPDATE)\b/.exec(text) ?? /\w+/.exec(text))?.[0] as string;
}
