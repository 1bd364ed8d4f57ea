// Who may read the figures of the service: key names and how much is called are nobody else's business.
import { BlockList, isIP, isIPv6 } from "node:net";
import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { HttpError } from "../http/index.ts";
import { type Authenticate, challenge } from "./authentication.ts";

// What proxies say of themselves: whoever came through one that is not trusted may be anybody. And what the browser
// says for a page of another origin, which CORS_ORIGINS may let read the answer.
const traces = ["forwarded", "via", "x-real-ip", "origin"];

// A web page whose name its owner lets point at this machine would read it by the browser that is here.
const loopback = /^(::ffff:)?127\.|^::1$/i;
const loopbackHost = /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i;

/** Lets operators in, by their key. Rejects with the Refusal of all others. */
export function requireOperator(authenticate: Authenticate): onRequestAsyncHookHandler {
  return async (request) => {
    const { authorization } = request.headers;
    const caller = await authenticate({ authorization, connection: request.raw.socket, address: () => request.ip });
    if (!caller?.operator)
      throw new HttpError(
        "unauthorized",
        "The API key is not an operator's: make one with petstore keys create NAME --operator",
        { "www-authenticate": `${challenge}, error="insufficient_scope"` },
      );
  };
}

/** Tells whether a request comes from one of these networks: addresses, or networks such as 10.0.0.0/8. */
export function createNetworkMatcher(networks: readonly string[]): (request: FastifyRequest) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return ({ ip, ips = [ip], headers }) => {
    const forwarded = headers["x-forwarded-for"];
    const proxies = forwarded === undefined ? 0 : String(forwarded).split(",").length;
    // `ips`: the connection's address, and of X-Forwarded-For as many as trusted proxies have written.
    if (ips.length <= proxies || traces.some((name) => headers[name] !== undefined)) return false;
    // Nobody but this machine is loopback, whatever a proxy that is trusted says of its client.
    if (loopback.test(ip) && !(ips.every((one) => loopback.test(one)) && loopbackHost.test(String(headers.host))))
      return false;
    const address = ip.replace(/%.*$/, ""); // of a link, with its interface
    return isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  };
}
