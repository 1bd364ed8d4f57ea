// What a request asks for, as the router takes it.

/**
 * The path and query of the target of a request. The absolute form (RFC 9112, section 3.2.2) means its path.
 * Escapes that are no UTF-8 have no route: their percent signs are taken as they stand, so that the
 * request gets the answer of the path that it names, and 401 stays before 400.
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
