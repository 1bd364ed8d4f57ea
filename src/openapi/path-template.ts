// Path templates: /books/{bookId}, and several parameters in a segment: /files/{name}.{extension}.

const expression = /\{([^{}]*)\}/g;

/** A path template. */
export interface PathTemplate {
  /** The names of its parameters, in their order. */
  readonly names: readonly string[];
  /** The path without the names of its parameters. Paths with the same key match the same requests. */
  readonly key: string;
  /** The path in the syntax of the router (find-my-way). */
  readonly routerPath: string;
  /** The names that the router has for the parameters. */
  readonly routerNames: readonly string[];
  /** The segments of parameters that are a whole segment, counted from the end of the path: -1 is the last one. */
  readonly wholeSegments: readonly (number | undefined)[];
}

/**
 * Parses a path template. Ignores a query or fragment behind it: a path has none, but some documents tell operations apart by
 * it. Throws an Error that begins with the path if it can't be routed.
 */
export function parsePathTemplate(written: string): PathTemplate {
  const [path = ""] = written.split(/[?#]/);
  const fail = (reason: string): never => {
    throw new Error(`The path ${path} ${reason}.`);
  };
  if (!path.startsWith("/")) fail("must begin with a slash");
  if (path.includes("*")) fail("has a *, which the router uses as a wildcard");
  const names = [...path.matchAll(expression)].map(([, name]) => name as string);
  if (new Set(names).size < names.length) fail("has the same parameter twice");
  if (/[{}]/.test(path.replace(expression, ""))) fail("has a brace that is not closed");
  const routerNames = names.map((name, index) => (/^[a-z]\w*$/i.test(name) ? name : `parameter${index}`));
  let index = 0;
  const segments = path.split("/");
  const wholeSegments = segments.flatMap((segment, place) => {
    const count = segment.split("{").length - 1;
    return Array.from({ length: count }, () => (/^\{[^{}]*\}$/.test(segment) ? place - segments.length : undefined));
  });
  const routerSegments = segments.map((segment) => {
    if (!segment.includes("{")) return escapeLiteral(segment);
    if (/^\{[^{}]*\}$/.test(segment)) return `:${routerNames[index++]}`;
    if (segment.includes("}{")) fail("has two parameters without a character between them");
    return segment
      .split(/(\{[^{}]*\}[^{}]?)/)
      .map((part) => {
        const [, next] = /^\{[^{}]*\}(.?)$/.exec(part) ?? [];
        if (next === undefined) return escapeLiteral(part);
        // Up to the character behind it, so that the time of matching is linear.
        const value = next === "" ? "(.*)" : `([^${next.replace(/[\]\\^-]/, "\\$&")}]*)`;
        return `:${routerNames[index++]}${value}${escapeLiteral(next)}`;
      })
      .join("");
  });
  return {
    names,
    key: path.replace(expression, "{}"),
    routerPath: routerSegments.join("/"),
    routerNames,
    wholeSegments,
  };
}

// The router decodes paths before it compares them.
function escapeLiteral(text: string): string {
  const decoded = /%[\da-f]{2}/i.test(text) ? decodeURI(text) : text;
  return decoded.replaceAll(":", "::");
}
