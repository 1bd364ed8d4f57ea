// Cross-Origin Resource Sharing (Fetch standard, section 3.2).
//
// Not @fastify/cors: it adds OPTIONS to every path, so that an unknown path responds with 204 instead of 404.
import fp from "fastify-plugin";

const maxAge = 7_200; // seconds that a browser may cache a preflight response; Chromium's maximum

export interface CorsOptions {
  /** The origins of pages that may call the service. `*` allows any; an empty list turns CORS off. */
  readonly origins: readonly string[];
  /** The methods that pages may call. */
  readonly methods: readonly string[];
  /** The headers that pages may send. */
  readonly requestHeaders: readonly string[];
  /** The headers of responses that pages may read. */
  readonly responseHeaders: readonly string[];
}

/** Lets pages of other origins call the service and read its responses. Responds with 204 to preflight requests. */
export const cors = fp<CorsOptions>(
  async (app, { origins, methods, requestHeaders, responseHeaders }) => {
    if (origins.length === 0) return;
    const allowsAny = origins.includes("*");
    const preflight = {
      "access-control-allow-methods": toList(methods),
      "access-control-allow-headers": toList(requestHeaders),
      "access-control-max-age": `${maxAge}`,
    };
    const exposed = { "access-control-expose-headers": toList(responseHeaders) };

    app.addHook("onRequest", (request, reply, done) => {
      const { origin, "access-control-request-method": requestedMethod } = request.headers;
      if (!allowsAny) reply.header("vary", "origin");
      if (origin === undefined || !(allowsAny || origins.includes(origin))) return done();
      reply.headers({ ...exposed, "access-control-allow-origin": allowsAny ? "*" : origin });
      if (request.method !== "OPTIONS" || requestedMethod === undefined) return done();
      reply.code(204).headers(preflight).send();
    });
  },
  { name: "cors" },
);

function toList(names: readonly string[]): string {
  return [...new Set(names)].sort().join(", ");
}
