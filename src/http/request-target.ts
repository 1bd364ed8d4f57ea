// Normalizes the target of a request for the router.

/**
 * Returns the path and query of a request target, also of one in absolute form (RFC 9112, section 3.2.2). Escapes the
 * percent signs of paths that are not valid UTF-8, which the router would otherwise reject before authentication.
 */
export function normalizeTarget(target: string): string {
  if (/^\/[^%#]*$/.test(target)) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, "").replaceAll("#", "%23");
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
