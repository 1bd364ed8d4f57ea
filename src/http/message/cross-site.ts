// Rejects what a browser sends for a page of another site, to a server that asks for no credential. A page whose name resolves to the
// address of the server (DNS rebinding) could read all, and a form could write. webpack-dev-server and Vite do the same.
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { shorten } from "../../lib/index.ts";
import { createNetworkMatcher } from "../connection/index.ts";
import { HttpError } from "../failure/index.ts";
import { readAuthority } from "./request-target.ts";

export interface CrossSiteOptions {
  /** The names of the server, besides localhost and IP addresses. */
  readonly hosts: readonly string[];
  /** The origins whose pages may send requests; `*` allows any. Those of the server's own names may. */
  readonly origins: readonly string[];
  /** What allows a name and an origin, for the messages: `the option allowedHosts`. */
  readonly settings: readonly [hosts: string, origins: string];
  /** Whether a request is checked. The default is that each one is. */
  readonly isChecked?: ((request: FastifyRequest) => boolean) | undefined;
}

/** Responds with 421 to requests for another host, and with 403 to those of pages of other sites. Register it behind `requestChecks`. */
export const crossSite = fp<CrossSiteOptions>(
  async (app, { hosts, origins, settings, isChecked = () => true }) => {
    const names = new Set(hosts.map((host) => toHostName(isIP(host) === 6 ? `[${host}]` : host)));
    const isOwn = (name: string | undefined) => name !== undefined && (isLoopbackName(name) || names.has(name));
    // No other site has the name of an address. A server that listens for other machines can have any, such as behind a NAT.
    const isOwnHost = (name: string | undefined, { localAddress = "::1" }: FastifyRequest["socket"]) =>
      isOwn(name) || (isIP(name ?? "") !== 0 && !isLoopback(localAddress));

    app.addHook("onRequest", (request, _, done) => {
      if (!isChecked(request)) return done();
      const { host = "", origin, "sec-fetch-site": site } = request.headers;
      const hostName = toHostName(host);
      for (const sent of [host, readAuthority(request.originalUrl) ?? ""])
        if (sent !== "" && !isOwnHost(toHostName(sent), request.socket)) return done(misdirected(sent, settings[0]));
      const isAllowed = (page: string | undefined) => isOwn(page) || (page !== undefined && page === hostName);
      const isForeign =
        origin === undefined
          ? site === "cross-site" && !isNavigation(request)
          : !origins.includes(origin) && !isAllowed(toHostName(URL.parse(origin)?.host ?? ""));
      done(isForeign && !origins.includes("*") ? foreignPage(origin, settings[1]) : undefined);
    });
  },
  { name: "cross-site", dependencies: ["request-checks"] },
);

function misdirected(host: string, setting: string): HttpError {
  const name = shorten(toHostName(host) ?? host);
  const message = `The host ${name} is not a name of this server. If it is, such as behind a reverse proxy, add it to ${setting}.`;
  return new HttpError("misdirected_request", message);
}

function foreignPage(origin: string | undefined, setting: string): HttpError {
  const page = origin === undefined ? "Pages of other sites" : `Pages of ${shorten(origin)}`;
  return new HttpError(
    "cross_site_request",
    `${page} must not use this server. If they may, add their origin to ${setting}.`,
  );
}

// Following a link changes nothing, and the page that has the link can't read the response.
function isNavigation({ method, headers }: FastifyRequest): boolean {
  const isEmbedded = ["object", "embed"].includes(`${headers["sec-fetch-dest"]}`);
  return (method === "GET" || method === "HEAD") && headers["sec-fetch-mode"] === "navigate" && !isEmbedded;
}

const isLoopback = createNetworkMatcher(["127.0.0.0/8", "::1"]);

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || isLoopback(name);
}

/** Returns whether the value of Host is a name or an address of this machine, which no other site can have. */
export function isLoopbackHost(authority: string): boolean {
  return isLoopbackName(toHostName(authority) ?? "");
}

// Without a port, in lower case, and an address in its usual form. Undefined if it is invalid.
function toHostName(authority: string): string | undefined {
  return URL.parse(`http://${authority}`)?.hostname.replace(/^\[(.*)\]$|\.$/, "$1");
}
