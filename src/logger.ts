// The log: readable on a terminal, JSON lines otherwise, always on standard output. One line for
// each request, when it is answered; never a key, a query or a body.
import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from "fastify";
import { type Bindings, type ChildLoggerOptions, type Logger, pino } from "pino";
import { callerDecorator } from "./auth.ts";
import type { Caller } from "./contract.ts";

/** The log of the service, from `level` up. */
export async function buildLogger(level: string): Promise<Logger> {
  if (!process.stdout.isTTY) return pino({ level });
  const { default: pretty } = await import("pino-pretty");
  const terminal = {
    ignore: "pid,hostname,method,path,status,ms",
    messageFormat: "{msg}{if method}: {method} {path} {status} in {ms} ms{end}",
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  };
  return pino({ level }, pretty(terminal));
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
    for (const name of ["fatal", "error", "warn", "info", "debug", "trace", "silent", "child"] as const)
      Object.defineProperty(LazyLog.prototype, name, {
        value(this: LazyLog, ...line: unknown[]) {
          this.#made ??= this.#make();
          return (this.#made[name] as (...line: unknown[]) => unknown)(...line);
        },
      });
  }
}

/** What Fastify logs of a request. */
export class RequestLog extends fastify.LogController {
  readonly #log: Logger;

  constructor(log: Logger) {
    super();
    this.#log = log;
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (!this.#log.isLevelEnabled("info")) return;
    const line = {
      method: request.method,
      path: request.url.split("?", 1)[0]?.replace(/psk_[\w-]+/g, "psk_…"),
      operation: (request.routeOptions.schema as { operationId?: string } | undefined)?.operationId,
      key: request.getDecorator<Caller | undefined>(callerDecorator)?.name,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      err: error ?? undefined,
    };
    request.log.info(line, "answered");
  }
}
