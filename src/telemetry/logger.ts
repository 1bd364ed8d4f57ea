// The log: readable on a terminal, JSON lines otherwise, always on standard output. One line for
// each request, when it is answered; never a key, a query or a body.

import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from "fastify";
import {
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  type Logger,
  type LoggerOptions,
  pino,
} from "pino";
import { callerOf } from "../auth/index.ts";
import { redact } from "../lib/index.ts";
import type { RequestMetrics } from "./request-metrics.ts";

const mostWaiting = 1_048_576; // characters

// Of an error what helps to find it, not all that a driver puts there: the values of a row, say.
function describe(error: Error & { code?: unknown }): object {
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message, stack, code: error.code };
}

/** The log of the service, from `level` up; to `output`, or else to standard output. */
export async function createLogger(level: string, output?: DestinationStream): Promise<Logger> {
  const options: LoggerOptions = { level, serializers: { err: describe }, hooks: { streamWrite: redact } };
  if (output) return pino(options, output);
  if (!process.stdout.isTTY) {
    // On a full disk say: what can't be written waits, as far as there is room, and requests are answered.
    const lines = pino.destination({ dest: 1, sync: true, maxLength: mostWaiting });
    lines.on("error", () => {});
    return pino(options, lines);
  }
  const { default: pretty } = await import("pino-pretty");
  const terminal = {
    ignore: "pid,hostname,method,path,status,ms",
    messageFormat: "{msg}{if method}: {method} {path} {status} in {ms} ms{end}",
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  };
  return pino(options, pretty(terminal));
}

/** The log as Fastify takes it: it makes a child for each request, which is dear, and mostly nothing is written there. */
export function withLazyChildren(logger: Logger): FastifyBaseLogger {
  return Object.create(logger, {
    child: {
      value: (bindings: Bindings, options?: ChildLoggerOptions) => new LazyLog(() => logger.child(bindings, options)),
    },
  });
}

// A log that is made when there is something to write.
class LazyLog {
  readonly #make: () => Logger;
  #made: Logger | undefined;

  constructor(make: () => Logger) {
    this.#make = make;
  }

  static {
    for (const name of ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const)
      Object.defineProperty(LazyLog.prototype, name, {
        value(this: LazyLog, ...line: unknown[]) {
          return (this.#log()[name] as (...line: unknown[]) => unknown)(...line);
        },
      });
  }

  #log(): Logger {
    this.#made ??= this.#make();
    return this.#made;
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): LazyLog {
    return new LazyLog(() => this.#log().child(bindings, options));
  }
}

// Where from is told only of those who are refused for who they are, or how often they come.
function refusesCaller(status: number): boolean {
  return status === 401 || status === 429;
}

/** What Fastify logs of a request, once it is answered; and each is counted. */
export class RequestLogger extends fastify.LogController {
  readonly #log: Logger;
  readonly #count: RequestMetrics["recordResponse"];

  constructor(log: Logger, count: RequestMetrics["recordResponse"]) {
    super();
    this.#log = log;
    this.#count = count;
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { operationId: operation } = (request.routeOptions.schema ?? {}) as { operationId?: string };
    const { elapsedTime } = reply;
    this.#count(operation, request.method, reply.statusCode, elapsedTime);
    if (!this.#log.isLevelEnabled("info")) return;
    const line = {
      method: request.method,
      path: request.url.split("?", 1)[0],
      operation,
      key: callerOf(request)?.name,
      status: reply.statusCode,
      address: refusesCaller(reply.statusCode) ? request.ip : undefined,
      ms: Math.round(elapsedTime * 100) / 100,
      err: error ?? undefined,
    };
    request.log.info(line, "answered");
  }
}
