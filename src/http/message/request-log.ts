// The log lines of Fastify about requests, without queries: a credential can be in a query (`apiKey` in OpenAPI).
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { redact } from "../../lib/index.ts";

/** Returns a view of a request, for a log: without the query and the user of the URL, and otherwise the same. */
export function withoutQuery(request: FastifyRequest): FastifyRequest {
  const [url, originalUrl] = [request.url, request.originalUrl].map((target) => ({ value: hideQuery(target) }));
  const host = { value: request.host.replace(/^.*@/, "…@") };
  const raw = Object.create(request.raw, {
    url: url as PropertyDescriptor,
    originalUrl: originalUrl as PropertyDescriptor,
  });
  return Object.create(request, {
    url,
    originalUrl,
    host,
    query: { value: {} },
    raw: { value: raw },
  } as PropertyDescriptorMap);
}

function hideQuery(target: string): string {
  return redact(target.split("?", 1)[0] as string);
}

// A view is expensive: a tenth of the CPU time of a small request. A logger other than pino may not tell its level.
function logsRequests({ log }: FastifyRequest): boolean {
  return (log as { isLevelEnabled?(level: string): boolean }).isLevelEnabled?.("info") ?? true;
}

/** Logs what Fastify logs by default, without the queries of requests, and with the caller. */
export class QueryFreeLogController extends fastify.LogController {
  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    if (!logsRequests(request)) return;
    super.incomingRequest(withoutQuery(request), reply);
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (!error && !logsRequests(request)) return;
    const { log, elapsedTime: responseTime } = reply;
    const res = Object.create(reply, { request: { value: withoutQuery(request) } });
    const line = { key: request.callerName, res, responseTime };
    if (error) log.error({ ...line, err: error }, "request errored");
    else log.info(line, "request completed");
  }

  override defaultErrorLog(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    super.defaultErrorLog(error, withoutQuery(request), reply);
  }

  override writeHeadError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    super.writeHeadError(error, withoutQuery(request), reply);
  }
}
