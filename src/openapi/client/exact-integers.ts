// JSON with exact integers, for clients: an int64 is a bigint. JSON.parse and JSON.stringify alone would round integers beyond 2^53,
// or throw. Needs no package, and runs in browsers and all runtimes. Without JSON.rawJSON and the source text of a reviver, which Node
// 20 does not have.

/** Where a value has integers that are bigints: by its schema. Missing parts have none. */
export interface IntegerPlaces {
  /** Whether the value itself is such an integer. */
  readonly exact?: boolean;
  readonly properties?: Readonly<Record<string, IntegerPlaces>>;
  /** Of the properties without a name. */
  readonly others?: IntegerPlaces;
  readonly items?: IntegerPlaces;
  /** Of the first items of an array. */
  readonly first?: readonly IntegerPlaces[];
  /** The names of schemas that describe the value as well. */
  readonly schemas?: readonly string[];
}

/** Where the responses of a document have integers that are bigints. `openapi-server generate --client` writes it. */
export interface IntegerMap {
  readonly schemas: Readonly<Record<string, IntegerPlaces>>;
  /**
   * By method and path template, such as `GET /books/{bookId}`, and by status, range or `default`. Also those without such an
   * integer: otherwise, a path or status would be taken for another one, such as /books/mine for /books/{bookId}.
   */
  readonly operations: Readonly<Record<string, Readonly<Record<string, IntegerPlaces>>>>;
}

// Marks the text of a number in a string. Random, so that no other string begins with it.
const mark = `integer:${Math.random().toString(36).slice(2)}:`;
// Sticky: a token begins where the previous one has ended, so that the time is linear.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^"\d-]+/gy;
const longInteger = /^(-?\d{16,})(?:\.0+)?$/; // which a number may not represent

/** Serializes a value as JSON, with each bigint as an integer. The `bodySerializer` of openapi-fetch. */
export function exactJson(value: unknown): string {
  // Reads the value from `this`, because the second parameter is a string if BigInt has a toJSON.
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, part) {
    const exact = [this[key], part].find((one) => typeof one === "bigint");
    return exact === undefined ? part : mark + String(exact);
  });
  const [first, ...others] = (text ?? "").split(`"${mark}`);
  return [first, ...others.map((part) => part.replace('"', ""))].join("");
}

/** Parses JSON, with a bigint at each of the places. Throws a SyntaxError if the text is not JSON. */
export function parseExactJson(text: string, places: IntegerPlaces, map: IntegerMap): unknown {
  const value = JSON.parse(text); // the expression below assumes that the text is JSON
  const withMarks = /\d{16}/.test(text)
    ? JSON.parse(text.replace(token, (part) => part.replace(longInteger, `"${mark}$1"`)))
    : value;
  const root = [withMarks];
  // Not recursive, because values can be nested deeper than the stack.
  const open: Open[] = [{ value: root, places: [{ items: places }] }];
  for (let one = open.pop(); one; one = open.pop()) convertMembers(one, map, open);
  return root[0];
}

/** An array or object whose members are still to be converted. */
interface Open {
  readonly value: object;
  readonly places: readonly IntegerPlaces[];
}

function convertMembers({ value, places }: Open, map: IntegerMap, open: Open[]): void {
  for (const [name, member] of Object.entries(value)) {
    const inner = withSchemas(
      Array.isArray(value)
        ? places.flatMap(({ first, items }) => first?.[Number(name)] ?? items ?? [])
        : places.flatMap(({ properties, others }) =>
            properties && Object.hasOwn(properties, name) ? (properties[name] as IntegerPlaces) : (others ?? []),
          ),
      map,
    );
    if (typeof member === "object" && member !== null) {
      open.push({ value: member, places: inner });
      continue;
    }
    const converted = convertPrimitive(
      member,
      inner.some(({ exact }) => exact),
    );
    // Not an assignment, because of the name __proto__.
    if (converted !== member)
      Object.defineProperty(value, name, { value: converted, enumerable: true, writable: true, configurable: true });
  }
}

function convertPrimitive(value: unknown, isExact: boolean): unknown {
  if (typeof value === "number") return isExact && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value !== "string" || !value.startsWith(mark)) return value;
  const digits = value.slice(mark.length);
  return isExact ? BigInt(digits) : Number(digits);
}

// Also those of the schemas that they name, each once: they can be recursive.
function withSchemas(places: readonly IntegerPlaces[], { schemas }: IntegerMap): readonly IntegerPlaces[] {
  if (places.every((one) => one.schemas === undefined)) return places;
  const found = new Set(places);
  for (const one of found) for (const name of one.schemas ?? []) found.add(schemas[name] as IntegerPlaces); // grows
  return [...found];
}

/**
 * Creates a `fetch` that returns responses whose `json()` has exact integers. The operation of a request is found by its method and
 * the end of its path. All else of a response, such as `text()`, is as it was. Use it alone, or as an option of openapi-fetch:
 *
 * @example
 * const client = createClient<paths>({ baseUrl, fetch: createExactFetch(integers), bodySerializer: exactJson });
 */
export function createExactFetch(
  map: IntegerMap,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): typeof globalThis.fetch {
  const routes = Object.entries(map.operations).map(([key, places]) => new Route(key, places));
  routes.sort((one, other) => other.segments - one.segments || other.weight - one.weight);
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const { pathname } = new URL(request.url);
    const route = routes.find((one) => one.matches(request.method, pathname));
    const places = route?.placesOf(response.status);
    if (
      places === undefined ||
      Object.keys(places).length === 0 ||
      !/^[^;]*[/+]json\s*(;|$)/i.test(response.headers.get("content-type") ?? "")
    )
      return response;
    return withExactJson(response, places, map);
  };
}

// A client can also read the text and parse it by itself, as openapi-fetch does without a Content-Length.
async function withExactJson(response: Response, places: IntegerPlaces, map: IntegerMap): Promise<Response> {
  const text = await response.text();
  const { status, statusText, headers, url, redirected, type } = response;
  const sent = new Headers(headers);
  if (text !== "") sent.set("content-length", `${new TextEncoder().encode(text).length}`);
  const isBodiless = text === "" && [204, 205, 304].includes(status);
  const copy = new Response(isBodiless ? null : text, { status, statusText, headers: sent });
  const define = (target: Response): Response =>
    Object.defineProperties(target, {
      url: { value: url },
      redirected: { value: redirected },
      type: { value: type },
      json: { value: async () => parseExactJson(await target.text(), places, map) },
      clone: { value: () => define(Response.prototype.clone.call(target)) },
    });
  return define(copy);
}

/** The method and path template of an operation. */
class Route {
  /** More segments precede fewer: the others are the path of the server's URL. */
  readonly segments: number;
  /** That of concrete paths precedes templates (OpenAPI 3.1.1, section 4.8.8.2). */
  readonly weight: number;
  readonly #method: string;
  /** The literal texts of each segment, between which its parameters are. */
  readonly #segments: readonly (readonly string[])[];
  readonly #places: Readonly<Record<string, IntegerPlaces>>;

  constructor(key: string, places: Readonly<Record<string, IntegerPlaces>>) {
    const [method = "", template = ""] = key.split(/ (.*)/s, 2);
    // A URL percent-encodes the literal texts as the requested one does, and the braces too.
    const { pathname } = new URL(`http://template${template.replaceAll(/\{[^{}]*\}/g, "{}")}`);
    this.#segments = pathname
      .split("/")
      .map((segment) => segment.split("%7B%7D"))
      .slice(1);
    this.segments = this.#segments.length;
    this.weight = this.#segments.flat().join("").length;
    this.#method = method;
    this.#places = places;
  }

  matches(method: string, pathname: string): boolean {
    const count = this.#segments.length; // the path of the server's URL can precede them
    const texts = pathname.split("/").slice(1).slice(-count);
    return (
      method === this.#method &&
      texts.length === count &&
      this.#segments.every((literals, index) => matchesSegment(texts[index] as string, literals))
    );
  }

  placesOf(status: number): IntegerPlaces | undefined {
    return this.#places[status] ?? this.#places[`${Math.floor(status / 100)}XX`] ?? this.#places.default;
  }
}

// Each parameter has at least one character, and the first of several as few as possible: linear, unlike a pattern.
function matchesSegment(text: string, literals: readonly string[]): boolean {
  const first = literals[0] as string;
  if (literals.length === 1) return text === first;
  const last = literals.at(-1) as string;
  let end = text.startsWith(first) ? first.length : -1;
  for (const literal of literals.slice(1, -1)) if (end >= 0) end = endOf(text, literal, end + 1);
  return end >= 0 && text.length - last.length > end && text.endsWith(last);
}

function endOf(text: string, literal: string, from: number): number {
  const start = text.indexOf(literal, from);
  return start < 0 ? -1 : start + literal.length;
}
