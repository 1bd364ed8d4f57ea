// Cross-Origin Resource Sharing (Fetch standard, section 3.2).
//
// Not @fastify/cors: it adds OPTIONS to every path, so that an unknown path responds with 204 instead of 404.
import fp from "fastify-plugin";

const maxAge = "7200"; // seconds; browsers cap the lifetime of preflight results at this or less

/** The options of the plugin `cors`. */
export interface CorsOptions {
  /** The origins of pages that may call the service; `*` allows any. Empty turns CORS off. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  /** The headers that pages may send. */
  readonly requestHeaders: readonly string[];
  /** The headers of responses that pages may read. */
  readonly responseHeaders: readonly string[];
}

/** Allows pages of other origins to call the service and to read its responses. */
export const cors = fp<CorsOptions>(
  async (app, { origins, methods, requestHeaders, responseHeaders }) => {
    if (origins.length === 0) return;
    const any = origins.includes("*");
    const preflight = {
      "access-control-allow-methods": toList(methods),
      "access-control-allow-headers": toList(requestHeaders),
      "access-control-max-age": maxAge,
    };
    const exposed = { "access-control-expose-headers": toList(responseHeaders) };

    app.addHook("onRequest", (request, reply, done) => {
      const { origin, "access-control-request-method": requestedMethod } = request.headers;
      if (!any) reply.header("vary", "origin");
      if (origin === undefined || !(any || origins.includes(origin))) return done();
      reply.headers({ ...exposed, "access-control-allow-origin": any ? "*" : origin });
      if (request.method !== "OPTIONS" || requestedMethod === undefined) return done();
      reply.code(204).headers(preflight).send();
    });
  },
  { name: "cors" },
);

function toList(names: readonly string[]): string {
  return [...new Set(names)].sort().join(", ");
}
