// The parameters of each location of a request: reads their texts, and validates their values.
import { type ErrorDetail, maxDetails } from "../../http/index.ts";
import { InvalidValue, type Problem, shorten } from "../../lib/index.ts";
import type { Validate } from "../schema/keyword.ts";
import type { Schemas } from "../schema/schemas.ts";
import { describeUnknown } from "../schema/wording.ts";
import { decodeComponent, type Pairs, parseCookies, type Query, splitCookies } from "../wire/pairs.ts";
import { readPairs, readText, type Style } from "../wire/styles.ts";
import { type ReadPart, toInvalidRequest } from "./invalid-request.ts";
import type { Parameter } from "./parameter.ts";
import { findRawText, type PathTemplate } from "./path-template.ts";

// The prototype of values: empty, because a parameter can have the name of a member of Object.prototype. Not null, because V8
// keeps the properties of an object without a prototype in a hash table, which is slow.
const empty = Object.freeze(Object.create(null));

/** How the parameters of one location are read. `Source` is the part of a request that has them, and `Texts` are their texts. */
interface Location<Source, Texts> {
  readonly name: ErrorDetail["location"];
  /** Names a parameter in messages. */
  readonly noun: string;
  split(source: Source): Texts;
  /** Returns the value of a parameter; undefined if it is missing. Throws an InvalidValue. */
  readParameter(parameter: Parameter, texts: Texts, style: Style): unknown;
  /** Returns the names that no parameter has read. They are rejected. */
  findUnknown?(texts: Texts): Iterable<string>;
}

/** The parameters of one location. */
export class ParameterLocation<Source, Texts = unknown> {
  readonly names: readonly string[];
  readonly #parameters: readonly Parameter[];
  readonly #location: Location<Source, Texts>;
  readonly #validate: Validate;
  #ordered: readonly Parameter[] | undefined;

  constructor(parameters: readonly Parameter[], schemas: Schemas, location: Location<Source, Texts>) {
    this.names = parameters.map(({ name }) => name);
    this.#parameters = parameters;
    this.#location = location;
    this.#validate = schemas.compileObject(
      parameters.map(({ name, pointer, required, allowsEmpty }) => {
        return { name, pointer, required, allowEmptyValue: required && allowsEmpty };
      }),
    );
  }

  /** Returns the values of the parameters by name, with default values. */
  read(source: Source): ReadPart {
    const result = this.#read(source, ({ style }) => style);
    if (!result.error || !this.#parameters.some(({ style }) => style.shape.hasUnions)) return result;
    const other = this.#read(source, ({ textStyle }) => textStyle);
    return other.error ? result : other;
  }

  #read(source: Source, styleOf: (parameter: Parameter) => Style): ReadPart {
    const { name: location, noun, split, readParameter, findUnknown } = this.#location;
    const texts = split(source);
    const values: Record<string, unknown> = Object.create(empty);
    const problems: Problem[] = [];
    const unread = new Set<string | undefined>();
    for (const parameter of this.#order())
      try {
        const value = readParameter(parameter, texts, styleOf(parameter));
        if (value !== undefined) values[parameter.name] = value;
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        problems.push({ path: shorten(parameter.name), requirement: error.requirement });
        unread.add(parameter.name);
      }
    for (const name of findUnknown?.(texts) ?? [])
      if (problems.length < maxDetails)
        problems.push({ path: "", part: shorten(name), requirement: describeUnknown(name, noun, this.#textNames()) });
    if (this.names.length === 0 && problems.length === 0) return { value: values };
    const result = this.#validate(values, { noun, areTexts: true });
    if ("value" in result && problems.length === 0) return result;
    // One that can't be read is not missing.
    const isNew = ({ path, part }: Problem) => path !== "" || !unread.has(part);
    const invalid = "value" in result ? [] : result.problems.filter(isNew);
    return { error: toInvalidRequest([...problems, ...invalid], location, noun) };
  }

  /** Returns whether a source has all required parameters, and no unknown ones, whatever their values are. */
  hasNames(source: Source): boolean {
    const { split, readParameter, findUnknown } = this.#location;
    const texts = split(source);
    const isMissing = (parameter: Parameter) => {
      try {
        return readParameter(parameter, texts, parameter.style) === undefined && parameter.required;
      } catch {
        return false; // `read` reports it
      }
    };
    const missing = this.#order().filter(isMissing); // each parameter removes what it reads
    return missing.length === 0 && [...(findUnknown?.(texts) ?? [])].length === 0;
  }

  #textNames(): readonly string[] {
    return this.#parameters.flatMap((parameter) => parameter.textNames);
  }

  #order(): readonly Parameter[] {
    this.#ordered ??= [...this.#parameters].sort((one, other) => Number(one.isRest) - Number(other.isRest));
    return this.#ordered;
  }
}

/** The parameters that the router has found, and the path of the request. */
export interface PathSource {
  readonly params: Readonly<Record<string, string>>;
  readonly path: string;
}

/** The parameters of a path. */
export class PathParameters extends ParameterLocation<PathSource, PathSource> {
  readonly #template: PathTemplate;

  constructor(parameters: readonly Parameter[], schemas: Schemas, template: PathTemplate) {
    const { names, routerNames, positions } = template;
    super(parameters, schemas, {
      name: "path",
      noun: "path parameter",
      split: (source) => source,
      readParameter(parameter, { params, path }, style) {
        const index = names.indexOf(parameter.name);
        const position = positions[index] as PathTemplate["positions"][number];
        const text = params[routerNames[index] as string] as string;
        const { types } = style.shape;
        const isText =
          position.pattern === undefined && style.style === "simple" && !types.has("array") && !types.has("object");
        // As it was sent, because the router has decoded its delimiters.
        const value = isText
          ? style.shape.parsePrimitive(text)
          : readText(findRawText(path, position) ?? encodeURIComponent(text), style);
        return parameter.readContent(value);
      },
    });
    this.#template = template;
  }

  /** Reads values by the names of the parameters, as they are behind percent-encoding. One that is missing is empty. */
  readValues(named: Readonly<Record<string, string>>): ReadPart {
    const { names, routerNames, key } = this.#template;
    const values = names.map((name) => named[name] ?? "");
    const path = values.reduce((filled, value) => filled.replace("{}", () => encodeURIComponent(value)), key);
    return this.read({
      params: Object.fromEntries(routerNames.map((name, index) => [name, values[index] as string])),
      path,
    });
  }
}

/** The parameters of a query. `others` are names of pairs that are no parameters, such as API keys. */
export const inQuery = (others: readonly string[], ignoresUnknown: boolean): Location<Query, Pairs> => ({
  name: "query",
  noun: "query parameter",
  split({ pairs }) {
    const own = new Map(pairs);
    for (const name of others) own.delete(name);
    return own;
  },
  readParameter(parameter, pairs, style) {
    const { name, required, allowsEmpty } = parameter;
    // An allowed empty value means that the parameter is not used (OpenAPI 3.1.1, section 4.8.12.2.1).
    if (allowsEmpty && !required && pairs.get(name)?.every((text) => text === "")) pairs.delete(name);
    return parameter.readContent(readPairs(pairs, style));
  },
  findUnknown: (pairs) => (ignoresUnknown ? [] : pairs.keys()),
});

/** The parameter that is the whole query (OpenAPI 3.2). `others` are names of pairs that do not belong to it. */
export const asQuery = (others: readonly string[]): Location<Query, string> => ({
  name: "query",
  noun: "query parameter",
  split({ text }) {
    const isOwn = (pair: string) => !others.includes(decodeComponent(pair.split("=", 1)[0] as string));
    return others.length === 0 ? text : text.split("&").filter(isOwn).join("&");
  },
  // An empty query is a missing parameter, or an empty form.
  readParameter(parameter, text) {
    if (text === "" && !parameter.required) return undefined;
    return parameter.readContent(parameter.format === "form" ? text : parameter.style.decode(text));
  },
});

/** The headers of a request, by name in lower case. */
export type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The parameters in headers. */
export const inHeaders: Location<SentHeaders, SentHeaders> = {
  name: "header",
  noun: "header",
  split: (headers) => headers,
  readParameter(parameter, headers, style) {
    const key = parameter.name.toLowerCase();
    const text = Object.hasOwn(headers, key) ? headers[key] : undefined;
    return text === undefined ? undefined : parameter.readContent(readText([text].flat().join(", "), style));
  },
};

/** The parameters in cookies. */
export const inCookies: Location<SentHeaders, Pairs> = {
  name: "cookie",
  noun: "cookie",
  split: ({ cookie }) => parseCookies(cookie as string),
  readParameter(parameter, pairs, style) {
    const { shape, explode } = style;
    const isExploded = explode && style.style === "form" && (shape.isOnly("array") || shape.isOnly("object"));
    return parameter.readContent(readPairs(isExploded ? splitCookies(pairs) : pairs, style));
  },
};
