// Creates the log: readable text on a terminal, otherwise JSON lines, always on standard output. A request is logged as
// one line, when its response has been sent. Lines never contain API keys, queries or bodies.
import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from "fastify";
import {
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  type Logger,
  type LoggerOptions,
  pino,
} from "pino";
import type { MalformedRequest, RequestLog } from "../../http/index.ts";
import { type MetricsRegistry, redact, shorten } from "../../lib/index.ts";
import type { Operation } from "../../openapi/index.ts";
import { callerOf } from "../keys/api-keys.ts";
import { LogLimiter } from "./log-limiter.ts";
import { RequestMetrics } from "./request-metrics.ts";

const maxBuffered = 1_048_576; // characters
const maxPathLength = 256; // characters

// Drivers add properties to their errors that contain data, such as the values of a row.
function serializeError(error: Error & { code?: unknown }): object {
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message, stack, code: error.code };
}

/**
 * Creates the logger of the service. `level` is the lowest level that is logged. Writes to `output`, by default to
 * standard output.
 */
export async function createLogger(level: string, output?: DestinationStream): Promise<Logger> {
  const options: LoggerOptions = { level, serializers: { err: serializeError }, hooks: { streamWrite: redact } };
  if (output) return pino(options, output);
  if (!process.stdout.isTTY) {
    // If a write fails, as on a full disk, lines are buffered up to a limit, and requests are served.
    const destination = pino.destination({ dest: 1, sync: true, maxLength: maxBuffered });
    destination.on("error", () => {});
    // A full buffer drops lines without another try to write, even after the disk has space again.
    destination.on("drop", () => destination.write(""));
    return pino(options, destination);
  }
  const { default: pretty } = await import("pino-pretty");
  const format = {
    ignore: "pid,hostname,method,path,route,status,ms",
    messageFormat: "{msg}{if method}: {method}{end}{if path} {path} {status} in {ms} ms{end}",
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  };
  return pino(options, pretty(format));
}

/**
 * Wraps the log for Fastify, which creates a child for each request. A child is expensive, and most requests do not use
 * theirs, so it is created on first use.
 */
export function withLazyChildren(logger: Logger): FastifyBaseLogger {
  return Object.create(logger, {
    child: {
      value: (bindings: Bindings, options?: ChildLoggerOptions) =>
        new LazyLogger(() => logger.child(bindings, options)),
    },
  });
}

class LazyLogger {
  readonly #create: () => Logger;
  #logger: Logger | undefined;

  constructor(create: () => Logger) {
    this.#create = create;
  }

  static {
    for (const level of ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const)
      Object.defineProperty(LazyLogger.prototype, level, {
        value(this: LazyLogger, ...args: unknown[]) {
          return (this.#get()[level] as (...args: unknown[]) => unknown)(...args);
        },
      });
  }

  #get(): Logger {
    this.#logger ??= this.#create();
    return this.#logger;
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): LazyLogger {
    return new LazyLogger(() => this.#get().child(bindings, options));
  }
}

/**
 * Logs and counts each request when its response has been sent. Limits the lines of requests without a valid API key or
 * without an operation, and of those that are rejected for their rate or by load shedding.
 */
export class RequestLogger extends fastify.LogController implements RequestLog {
  readonly #log: Logger;
  readonly #metrics: RequestMetrics;
  readonly #limiter: LogLimiter;

  constructor(log: Logger, registry: MetricsRegistry, operations: readonly Operation[]) {
    super();
    this.#log = log;
    this.#metrics = new RequestMetrics(registry, operations);
    this.#limiter = new LogLimiter(log, registry);
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const operation = request.routeOptions.config.operation?.id;
    const { elapsedTime, statusCode: status } = reply;
    this.#metrics.recordResponse(operation, request.method, status, elapsedTime);
    if (!this.#log.isLevelEnabled("info")) return;
    const caller = callerOf(request);
    // RATE_LIMIT limits only calls of operations.
    const isLimited = caller === undefined || operation === undefined || status === 429 || status === 503;
    if (isLimited && !this.#limiter.take(status)) return;
    const line = {
      method: operation === undefined ? request.method : undefined, // that of an operation is in all lines
      path: shorten(request.url.split("?", 1)[0] as string, maxPathLength),
      key: request.callerName,
      status,
      code: request.errorCode || undefined,
      // The address of a client is personal data. It is logged only if the client was rejected for its key or its rate.
      address: status === 401 || status === 429 ? request.ip : undefined,
      ms: Math.round(elapsedTime * 100) / 100,
      err: error ?? undefined,
    };
    request.log.info(line, "request completed");
  }

  logMalformed(line: MalformedRequest): void {
    this.#metrics.recordMalformed(line.status);
    if (this.#log.isLevelEnabled("info") && this.#limiter.take(line.status)) this.#log.info(line, "malformed request");
  }

  isFailureLogged(status: number): boolean {
    return this.#limiter.takeFailure(status);
  }

  /** Logs the number of lines that were dropped in the current second. */
  flush(): void {
    this.#limiter.flush();
  }
}
