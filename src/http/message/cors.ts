// Cross-Origin Resource Sharing (Fetch standard, section 3.2).
//
// Not @fastify/cors: it adds OPTIONS to every path, so that an unknown path responds with 204 instead of 404.
import fp from "fastify-plugin";
import { isLoopbackHost, shorten } from "../../lib/index.ts";
import { HttpError } from "../failure/http-error.ts";

const maxAge = 7_200; // seconds that a browser may cache a preflight response; Chromium's maximum

export interface CorsOptions {
  /**
   * The origins of pages that may call the service. `*` allows any, and `localhost` those of this machine, with any port. An empty
   * list turns CORS off.
   */
  readonly origins: readonly string[];
  /** What sets them, for the message of a preflight request of another origin. */
  readonly setting: string;
  /** The methods that pages may call. */
  readonly methods: readonly string[];
  /** The headers that pages may send. */
  readonly requestHeaders: readonly string[];
  /** The headers of responses that pages may read. */
  readonly responseHeaders: readonly string[];
}

/** Lets pages of other origins call the service and read its responses. Responds with 204 to preflight requests. */
export const cors = fp<CorsOptions>(
  async (app, { origins, setting, methods, requestHeaders, responseHeaders }) => {
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
      const isPreflight = request.method === "OPTIONS" && requestedMethod !== undefined;
      if (origin === undefined) return done();
      if (!allowsOrigin(origins, origin)) return done(isPreflight ? rejectOrigin(origin, setting) : undefined);
      reply.headers({ ...exposed, "access-control-allow-origin": allowsAny ? "*" : origin });
      if (!isPreflight) return done();
      reply.code(204).headers(preflight).send();
    });
  },
  { name: "cors" },
);

/** Returns whether pages of an origin may call the service. */
export function allowsOrigin(origins: readonly string[], origin = ""): boolean {
  if (origins.includes("*") || origins.includes(origin)) return true;
  return origins.includes("localhost") && /^https?:/.test(origin) && isLoopbackHost(URL.parse(origin)?.host ?? "");
}

/** Returns the error for pages of an origin, which is undefined if it is not known. `setting` is what would allow it. */
export function rejectOrigin(origin: string | undefined, setting: string): HttpError {
  const pages = origin === undefined ? "Pages of other sites" : `Pages of ${shorten(origin)}`;
  const message = `${pages} must not use this server. If they may, add their origin to ${setting}.`;
  return new HttpError("cross_site_request", message);
}

function toList(names: readonly string[]): string {
  return [...new Set(names)].sort().join(", ");
}
