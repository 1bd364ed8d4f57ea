// Path templates: /books/{bookId}, and several parameters in a segment: /files/{name}.{extension}.
import { type Pairs, parsePairs } from "../wire/pairs.ts";

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
  /** The positions of the parameters in a path as it was sent. */
  readonly positions: readonly ParameterPosition[];
  /** The pairs of a query behind the path, which tells it apart from other paths. */
  readonly query: Pairs;
}

/** The position of a parameter in a path. */
export interface ParameterPosition {
  /**
   * The segment, counted from the end of the path, because the path can have a prefix: -1 is the last one that is not empty.
   */
  readonly segment: number;
  /** Finds the parameter in the segment; undefined if it is the whole segment. */
  readonly pattern: RegExp | undefined;
  /** The group of the pattern. */
  readonly group: number;
}

/**
 * Parses a path template, below a base path. A path has neither query nor fragment, but some documents tell operations apart
 * by it. Throws an Error that begins with the path if it can't be routed.
 */
export function parsePathTemplate(written: string, basePath = ""): PathTemplate {
  const allNames: string[] = [];
  // A name can have any character except braces, also a slash.
  const withoutNames = (basePath + written).replace(/\{([^{}]*)\}/g, (_, name: string) => {
    allNames.push(name);
    return "{}";
  });
  const [key = ""] = withoutNames.split(/[?#]/);
  const names = allNames.slice(0, key.split("{}").length - 1);
  const fail = (reason: string): never => {
    throw new Error(`The path ${written} ${reason}.`);
  };
  if (!key.startsWith("/")) fail("must begin with a slash");
  if (new Set(names).size < names.length) fail("has the same parameter twice");
  if (/[{}]/.test(key.replaceAll("{}", ""))) fail("has a brace that is not closed");
  const routerNames = names.map((name, index) =>
    /^(?!parameter\d)[a-z]\w*$/i.test(name) ? name : `parameter${index}`,
  );
  const positions: ParameterPosition[] = [];
  const segments = key.split("/");
  const count = withoutSlash(key).split("/").length;
  const routerSegments = segments.map((segment, index) => {
    const [prefix = "", ...literals] = segment.split("{}").map((literal) => decodeLiteral(literal, fail));
    const values = literals.map((literal, position) => toValuePattern(literal, position === literals.length - 1, fail));
    const isWhole = segment === "{}";
    const patterns = values.map((value, position) => value + escapePattern(literals[position] as string));
    const pattern = isWhole ? undefined : new RegExp(`^${escapePattern(prefix)}${patterns.join("")}$`);
    const parts = literals.map((literal, position) => {
      const name = routerNames[positions.length];
      positions.push({ segment: index - count, pattern, group: position + 1 });
      return isWhole ? `:${name}` : `:${name}${values[position]}${escapeRouter(literal)}`;
    });
    return escapeRouter(prefix) + parts.join("");
  });
  const [, query = ""] = /^[^?#]*\?([^#]*)/.exec(written) ?? [];
  return { names, key, routerPath: routerSegments.join("/"), routerNames, positions, query: parsePairs(query) };
}

/**
 * Returns the text of a parameter in a path as it was sent. Its delimiters are still encoded. Returns undefined if the
 * router has found the parameter by an encoded delimiter.
 */
export function findRawText(path: string, { segment, pattern, group }: ParameterPosition): string | undefined {
  const text = withoutSlash(path).split("/").at(segment) as string;
  // As the router compares it with the literals: delimiters and percent signs stay encoded.
  return pattern === undefined ? text : pattern.exec(decodeSegment(text))?.[group];
}

function decodeSegment(text: string): string {
  try {
    return decodeURI(text.replaceAll("%25", "%2525"));
  } catch {
    return text;
  }
}

// An app can ignore a slash at the end of paths.
function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

// The router decodes paths before it compares them, but not their delimiters.
function decodeLiteral(text: string, fail: (reason: string) => never): string {
  const literal = text.replace(/(%(?!25)[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURI(encoded);
    } catch {
      return encoded;
    }
  });
  const [, wrong] = /(%.{0,2}|\*)/.exec(literal) ?? [];
  if (wrong === "*") fail("has a *, which the router uses as a wildcard");
  if (wrong !== undefined) fail(`has ${wrong}, which the router can't match`);
  return literal;
}

// Up to the literal behind it, and the last one as far as possible. Each can match in one way, so that the time is linear.
function toValuePattern(literal: string, isLast: boolean, fail: (reason: string) => never): string {
  if (isLast) return "([\\s\\S]+)";
  if (literal === "") fail("has two parameters without a character between them");
  return `((?:(?!${escapePattern(literal)})[\\s\\S])+)`;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function escapeRouter(text: string): string {
  return text.replaceAll(":", "::");
}
