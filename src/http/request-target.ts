// Normalizes the target of a request for the router.

/**
 * Returns the path and query of a request target. Takes the path of the absolute form (RFC 9112, section 3.2.2). Escapes
 * the percent signs of paths that are not valid UTF-8, so that the router responds with 404, after authentication.
 */
export function normalizeTarget(target: string): string {
  if (/^\/[^%#]*$/.test(target)) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, "").replaceAll("#", "%23");
  const url = path.startsWith("/") ? path : `/${path}`;
  if (!url.includes("%")) return url;
  const [before = "", ...query] = url.split("?");
  try {
    decodeURIComponent(before);
    return url;
  } catch {
    return [before.replaceAll("%", "%25"), ...query].join("?");
  }
}
