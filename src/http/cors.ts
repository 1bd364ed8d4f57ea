// Pages of other origins that may call the service (CORS, the Fetch standard, section 3.2). Not by
// @fastify/cors: with it every path would have OPTIONS, and a 404 be a 204.
import type { FastifyInstance } from "fastify";
import type { Document } from "../spec/index.ts";

const maxAge = "7200"; // seconds that a browser may keep what it was told; no browser keeps it for longer

/** Lets pages of `origins`, or of any for `*`, make the calls of the document and read their answers. */
export function enableCors(app: FastifyInstance, { operations }: Document, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const any = origins.includes("*");
  const all = (of: (operation: Document["operations"][number]) => readonly string[]) =>
    [...new Set(operations.flatMap(of))].sort().join(", ");
  const preflight = {
    "access-control-allow-methods": all(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
    "access-control-allow-headers": all(({ headers }) => ["Authorization", "Content-Type", ...headers.request]),
    "access-control-max-age": maxAge,
  };
  const exposed = { "access-control-expose-headers": all(({ headers }) => headers.response) };

  app.addHook("onRequest", (request, reply, done) => {
    const { origin, "access-control-request-method": asks } = request.headers;
    if (!any) reply.header("vary", "origin");
    if (origin === undefined || !(any || origins.includes(origin))) return done();
    reply.headers({ ...exposed, "access-control-allow-origin": any ? "*" : origin });
    if (request.method !== "OPTIONS" || asks === undefined) return done();
    reply.code(204).headers(preflight).send();
  });
}
