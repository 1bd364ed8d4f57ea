// Rejects what a browser sends for a page of another site, to a server that asks for no credential. A page whose name resolves to the
// address of the server (DNS rebinding) could read all, and a form could write. webpack-dev-server and Vite do the same.
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { isLoopbackName, shorten, toHostName } from "../../lib/index.ts";
import { HttpError } from "../failure/http-error.ts";
import { allowsOrigin, rejectOrigin } from "./cors.ts";
import { readAuthority } from "./request-target.ts";

export interface CrossSiteOptions {
  /** The names of the server, besides localhost and IP addresses. */
  readonly hosts: readonly string[];
  /** The origins whose pages may send requests, as those of CORS. Pages of the server's own names may. */
  readonly origins: readonly string[];
  /** What allows a name and an origin, for the messages: `the option allowedHosts`. */
  readonly settings: readonly [hosts: string, origins: string];
  /** Whether a request is checked. The default is that each one is. */
  readonly isChecked?: ((request: FastifyRequest) => boolean) | undefined;
}

/** Responds with 421 to requests for another host, and with 403 to those of pages of other sites. Register it behind `requestChecks`. */
export const crossSite = fp<CrossSiteOptions>(
  async (app, { hosts, origins, settings, isChecked = () => true }) => {
    const names = new Set(hosts.map(toHostName));
    const isOwn = (name: string) => name !== "" && (isLoopbackName(name) || names.has(name));

    const findProblem = (request: FastifyRequest) => {
      const { host = "", origin, "sec-fetch-site": site } = request.headers;
      const { localAddress = "::1" } = request.socket;
      // No page has an address as its name. A server for other machines can have any address, such as behind a NAT.
      const isOwnHost = (name: string) => isOwn(name) || (isIP(name) !== 0 && !isLoopbackName(localAddress));
      for (const sent of [host, readAuthority(request.originalUrl) ?? ""])
        if (sent !== "" && !isOwnHost(toHostName(sent)))
          return new HttpError(
            "misdirected_request",
            `The host ${shorten(toHostName(sent))} is not a name of this server. If it is, such as behind a reverse proxy, add it to ${settings[0]}.`,
          );
      const page = toHostName(URL.parse(origin ?? "")?.host ?? "");
      const isForeign =
        origin === undefined
          ? site === "cross-site" && !isNavigation(request)
          : !isOwn(page) && (page === "" || page !== toHostName(host));
      return isForeign && !allowsOrigin(origins, origin) ? rejectOrigin(origin, settings[1]) : undefined;
    };
    app.addHook("onRequest", (request, _, done) => done(isChecked(request) ? findProblem(request) : undefined));
  },
  { name: "cross-site", dependencies: ["request-checks"] },
);

// Following a link changes nothing, and the page that has the link can't read the response.
function isNavigation({ method, headers }: FastifyRequest): boolean {
  const isEmbedded = ["object", "embed"].includes(`${headers["sec-fetch-dest"]}`);
  return (method === "GET" || method === "HEAD") && headers["sec-fetch-mode"] === "navigate" && !isEmbedded;
}
