// Access control for /metrics and /status.json.
import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { createNetworkMatcher, HttpError } from "../../http/index.ts";
import { isLoopbackHost } from "../../lib/index.ts";
import { setCaller, toChallenge } from "../../openapi/index.ts";
import { type Caller, hashKey } from "./api-keys.ts";
import { type AuthenticationOptions, bearer, createAuthentication } from "./authentication.ts";
import { readKey } from "./key-lookup.ts";

const ownCaller: Caller = { id: 0n, name: "OPERATOR_KEY", operator: true };

// Requests with one of these headers are rejected. Behind an untrusted proxy, the client is unknown. With Origin and
// CORS_ORIGINS, a page of another origin could read the response. That a request has none of them proves nothing: by
// default, nginx and HAProxy add no header. So no network is allowed by default, and TRUST_PROXY never is.
const forwardingHeaders = ["forwarded", "via", "x-real-ip", "origin"];

/**
 * Creates a hook that rejects requests without an operator key. `operatorKey`, unless it is empty, is accepted without
 * a lookup, so that the metrics can be read while the store is unavailable.
 */
export function requireOperator(
  { checkToken: _, ...options }: AuthenticationOptions,
  operatorKey: string,
): onRequestAsyncHookHandler {
  const ownHash = operatorKey === "" ? null : hashKey(operatorKey);
  const authenticate = createAuthentication(bearer, options);
  return async (request) => {
    const sent = readKey(bearer, request);
    if (sent !== undefined && hashKey(sent) === ownHash) {
      setCaller(request, ownCaller); // for the log
      return;
    }
    const caller = (await authenticate(request)) as Caller | HttpError;
    if (caller instanceof HttpError) throw caller;
    setCaller(request, caller); // for the log
    if (caller.operator) return;
    const challenge = toChallenge(bearer, { realm: options.realm, error: "insufficient_scope" });
    throw new HttpError(
      "insufficient_scope",
      "The API key is not an operator key. Create one with keys create NAME --operator.",
      { "www-authenticate": challenge },
    );
  };
}

/**
 * Creates a function that returns whether a request comes from one of these IP addresses or networks (CIDR). Requests
 * of the addresses and networks `proxies` themselves do not, because their clients are unknown.
 */
export function createClientMatcher(
  networks: readonly string[],
  proxies: readonly string[],
): (request: FastifyRequest) => boolean {
  const [isAllowed, isProxy] = [createNetworkMatcher(networks), createNetworkMatcher(proxies)];
  return ({ ip, ips = [ip], headers }) => {
    const forwarded = headers["x-forwarded-for"];
    const hops = forwarded === undefined ? 0 : String(forwarded).split(",").length;
    // `ips` has the address of the connection, and those of X-Forwarded-For that trusted proxies have added.
    if (ips.length <= hops || forwardingHeaders.some((name) => headers[name] !== undefined)) return false;
    // A trusted proxy may forward a loopback address, which would be its own and not that of this machine. A page whose
    // name resolves to 127.0.0.1 (DNS rebinding) could read the response in a browser on this machine.
    if (isLoopbackHost(ip) && ![...ips, String(headers.host)].every(isLoopbackHost)) return false;
    const address = ip.split("%", 1)[0] as string; // without the zone of a link-local address
    return isAllowed(address) && !isProxy(address);
  };
}
