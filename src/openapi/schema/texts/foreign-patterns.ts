// The syntax of regular expressions in other languages than ECMAScript, which documents have: translates what can mean only one
// thing. V8 would read most of it as something else, without an error.

/** A regular expression of ECMAScript. */
export interface TranslatedPattern {
  readonly source: string;
  /** The flags that the expression sets for itself, of `i` and `s`. */
  readonly flags: string;
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  ascii: "\\x00-\\x7f",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9a-fA-F",
};
// Escapes of Perl, PCRE, Python, Java, .NET and Ruby.
const escapes: Readonly<Record<string, string>> = {
  A: "^",
  Z: "$",
  z: "$",
  h: "[ \\t]",
  a: "\\x07",
  e: "\\x1b",
};
const inClass: Readonly<Record<string, string>> = { h: " \\t", a: "\\x07", e: "\\x1b" };

const token =
  /\\p(?:\{\^?[^{}]*\}|[A-Z])|\\x\{[\da-f]+\}|\\.|\[:(\^?)([a-z]+):\]|\(\?P[<=]|\(\?|\{,\d+\}|\[\](?=.*\])|[[\]]/gis;

/** Translates a regular expression. One in ECMAScript is returned unchanged, as is one that the translation would make invalid. */
export function translatePattern(pattern: string): TranslatedPattern {
  // Between slashes, anchors can never match.
  const [, inner, , after = ""] = /^\/(\^(?:\\.|[^\\])*(?<!\\)(?:\\\\)*\$)(\/([isu]*))$/s.exec(pattern) ?? [];
  const body = inner ?? pattern;
  const [start = "", flags = ""] = /^\(\?([is]+)\)/.exec(body) ?? [];
  const source = translateTokens(body.slice(start.length));
  const translated = { source, flags: [...new Set(`${flags}${after.replace("u", "")}`)].sort().join("") };
  return source === pattern || isRegExp(source) ? translated : { source: pattern, flags: "" };
}

function translateTokens(pattern: string): string {
  let isInClass = false;
  return pattern.replace(token, (text, negation: string, posix: string) => {
    if (text === "[]" && !isInClass) {
      isInClass = true;
      return "[\\]"; // an empty class can never match
    }
    if (text === "[" && !isInClass) isInClass = true;
    else if (text === "]" || text === "[]") isInClass = false;
    else if (posix !== undefined && isInClass && negation === "" && Object.hasOwn(posixClasses, posix))
      return posixClasses[posix] as string;
    else if (text === "(?P<" && !isInClass) return "(?<";
    else if (/^\\x\{/.test(text)) return `\\u${text.slice(2)}`;
    else if (/^\{,/.test(text) && !isInClass) return `{0${text.slice(1)}`;
    // A needless escape, which the flag u does not allow.
    else if (/^\\[ !"#%&',:;<=>@_`~]$/.test(text) || (text === "\\-" && !isInClass)) return text.slice(1);
    else if (/^\\p[A-Z]$/i.test(text)) return `${text.slice(0, 2)}{${text.slice(2)}}`;
    else if (/^\\[A-Za-z]$/.test(text)) return (isInClass ? inClass : escapes)[text.slice(1)] ?? text;
    return text;
  });
}

function isRegExp(source: string): boolean {
  for (const flags of ["u", ""])
    try {
      return new RegExp(source, flags).source !== "";
    } catch {}
  return false;
}

/**
 * Returns the part of a regular expression that is neither ECMAScript nor can be translated, although V8 accepts it, with the right
 * spelling if there is one; undefined if there is no such part.
 */
export function findForeignSyntax(pattern: string): string | undefined {
  const { source } = translatePattern(pattern);
  let isInClass = false;
  for (const [text] of source.matchAll(token)) {
    if (text === "[" && !isInClass) isInClass = true;
    else if (text === "]" || text === "[]") isInClass = false;
    else if (/^\[:/.test(text) && isInClass) return `${text}: list the characters`;
    else if (/^\\p\{/i.test(text) && !isProperty(text)) return `${text}: write a property of Unicode, such as \\p{L}`;
    else if (/^\\[^\W\d_bBcdDfknprsStuvwWxP]$/.test(text)) return `${text}: write ${text.slice(1)} for the letter`;
  }
  return undefined;
}

function isProperty(text: string): boolean {
  try {
    return new RegExp(text, "u").unicode;
  } catch {
    return false;
  }
}
