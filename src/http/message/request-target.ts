// The target of a request: its authority, and its path for the router.
import { isIPv6 } from "node:net";

const absoluteForm = /^https?:\/\/([^/?#]*)/i;
// A host name, an IPv4 address or an IPv6 address, with a port (RFC 3986, section 3.2.2). No comma, which separates two
// headers.
const hostAndPort = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::\d{0,5})?$/i;

let lastHost = "";

/** Returns whether a text is a host with an optional port. Most requests have the host of the previous one. */
export function isHost(text: string): boolean {
  if (text === lastHost && text !== "") return true;
  const [isMatch, address] = hostAndPort.exec(text) ?? [];
  const isValid = isMatch !== undefined && (address === undefined || isIPv6(address));
  if (isValid) lastHost = text;
  return isValid;
}

/** Returns the host and port of a target in absolute form (RFC 9112, section 3.2.2). */
export function readAuthority(target: string): string | undefined {
  return absoluteForm.exec(target)?.[1];
}

/**
 * Returns the path and query of a request target, also of one in absolute form (RFC 9112, section 3.2.2). Escapes the
 * percent signs of paths that are not valid UTF-8, which the router would otherwise reject before authentication.
 */
export function normalizeTarget(target: string): string {
  if (/^\/[^%#]*$/.test(target)) return target;
  const path = target.replace(absoluteForm, "").replaceAll("#", "%23");
  const url = path.startsWith("/") ? path : `/${path}`;
  if (!url.includes("%")) return url;
  const [rawPath = "", ...query] = url.split("?");
  try {
    decodeURIComponent(rawPath);
    return url;
  } catch {
    return [rawPath.replaceAll("%", "%25"), ...query].join("?");
  }
}

/** Returns whether a target is what URL parsers make of it: they remove dot segments, and change \ and #. */
export function isNormalized(target: string): boolean {
  return !/#|^[^?]*(\\|\/(\.|%2e){1,2}([/?]|$))/i.test(target);
}
