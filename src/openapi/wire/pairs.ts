// Splits queries, forms and cookies into names and values. The values stay encoded, because a style can split them.

/** The values of each name. */
export type Pairs = Map<string, readonly string[]>;

/** The query of a request. */
export class Query {
  /** As it was sent, without the question mark. */
  readonly text: string;
  #pairs: Pairs | undefined;

  constructor(target: string) {
    const start = target.indexOf("?"); // a query can contain more of them
    this.text = start < 0 ? "" : target.slice(start + 1);
  }

  get pairs(): ReadonlyMap<string, readonly string[]> {
    this.#pairs ??= parsePairs(this.text);
    return this.#pairs;
  }
}

/** Returns the query of a request, which is parsed once. */
export function queryOf(request: { readonly url: string; sentQuery?: Query | undefined }): Query {
  request.sentQuery ??= new Query(request.url);
  return request.sentQuery;
}

/** Splits `a=1&b=2` of a query or a form (application/x-www-form-urlencoded). */
export function parsePairs(text: string): Pairs {
  return toPairs(text === "" ? [] : text.split("&"), decodeComponent);
}

/** Splits `a=1&b=2` in the values of cookies, as the style form writes arrays and objects. */
export function splitCookies(cookies: Pairs): Pairs {
  const texts = [...cookies].flatMap(([name, values]) => values.flatMap((value) => `${name}=${value}`.split("&")));
  return toPairs(texts, (name) => name);
}

/** Splits the Cookie header (RFC 6265, section 4.2.1). The double quotes around a value are not part of it (section 4.1.1). */
export function parseCookies(header: string | undefined): Pairs {
  const pairs = header?.split(";").map((pair) => pair.trim().replace(/^([^=]*=)"([^"]*)"$/, "$1$2")) ?? [];
  return toPairs(pairs, (name) => name);
}

function toPairs(texts: readonly string[], decode: (text: string) => string): Pairs {
  const pairs = new Map<string, string[]>();
  for (const text of texts) {
    if (text === "") continue;
    const end = text.indexOf("=");
    const name = decode(end < 0 ? text : text.slice(0, end));
    const values = pairs.get(name);
    const value = end < 0 ? "" : text.slice(end + 1);
    if (values) values.push(value);
    else pairs.set(name, [value]);
  }
  return pairs;
}

/** Decodes a name or value of a form: %20 and + are spaces. Returns the text if it is not UTF-8. */
export function decodeComponent(text: string): string {
  return text.includes("%") || text.includes("+") ? decodePercent(text.replaceAll("+", " ")) : text;
}

/** Decodes percent-encoded text. Returns the text if it is not UTF-8, as in most servers. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
