// The log: readable on a terminal, JSON lines otherwise, always on standard output. One line for
// each request, when it is answered; never a key, a query or a body.
import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from "fastify";
import { pino } from "pino";
import pretty from "pino-pretty";
import { callerDecorator } from "./auth.ts";
import type { Caller } from "./contract.ts";

/** The log of the service, from `level` up. */
export function buildLogger(level: string): FastifyBaseLogger {
  const terminal = {
    ignore: "pid,hostname,method,path,status,ms",
    messageFormat: "{msg}{if method}: {method} {path} {status} in {ms} ms{end}",
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
  };
  return process.stdout.isTTY ? pino({ level }, pretty(terminal)) : pino({ level });
}

/** What Fastify logs of a request. */
export class RequestLog extends fastify.LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
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
