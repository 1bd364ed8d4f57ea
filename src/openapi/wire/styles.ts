// The styles of parameters (OpenAPI 3.1.1, section 4.8.12.3): turns texts into strings, arrays and objects, whose members
// are numbers and booleans if the schema says so. Texts are split before they are decoded, so that a value can have an
// encoded delimiter.
import { getOrAdd, InvalidValue, shorten } from "../../lib/index.ts";
import type { Shape } from "../schema/shape.ts";
import type { Pairs } from "./pairs.ts";

/** The serialization style of a value. */
export interface Style {
  readonly name: string;
  readonly style: string;
  readonly explode: boolean;
  readonly shape: Shape;
  /** Decodes a part of the text. */
  readonly decode: (text: string) => string;
}

type Properties = Record<string, unknown>;

const maxDepth = 20; // of a deepObject

/** Reads a value of the styles simple, label and matrix: of a path or a header. */
export function readText(text: string, style: Style): unknown {
  switch (style.style) {
    case "label":
      return readList(removePrefix(text, "."), style, style.explode ? "." : ",");
    case "matrix":
      return readMatrix(text, style);
    default:
      return readList(text, style, ",");
  }
}

/**
 * Reads a value of the styles form, spaceDelimited, pipeDelimited and deepObject from a query or a form: the texts behind
 * each name. Returns undefined if it is missing. Removes what it reads from `texts`.
 */
export function readPairs(texts: Pairs, style: Style): unknown {
  const { name, shape, explode } = style;
  if (style.style === "deepObject") return readDeepObject(texts, style);
  // The properties of an exploded object are parameters of their own, also if one has the name of the object.
  if (explode && shape.types.has("object") && (shape.isOnly("object") || !texts.has(name)))
    return readProperties(texts, style);
  const values = texts.get(name);
  if (values === undefined) return undefined;
  texts.delete(name); // also if it is invalid, so that it is not unknown as well
  const [value = ""] = values;
  const isList = explode && shape.types.has("array") && (values.length > 1 || shape.isOnly("array"));
  if (isList) return parseItems(values, style);
  if (values.length > 1) throw new InvalidValue(`must be given once, not ${values.length} times`);
  if (style.style === "spaceDelimited") return readList(value.replaceAll("+", "%20"), style, "%20");
  if (style.style === "pipeDelimited") return readList(value.replace(/%7c/gi, "|"), style, "|");
  return readList(value, style, ",");
}

function readList(text: string, { shape, explode, decode, style }: Style, delimiter: string): unknown {
  if (shape.types.has("array")) {
    const parts = delimiter === "," ? splitItems(text, { shape, decode }) : text.split(delimiter);
    if (shape.isOnly("array") || parts.length > 1)
      return text === "" ? [] : shape.choose(parseItems(parts, { shape, decode }), decode(text));
  } else if (shape.isOnly("object")) {
    if (text === "") return {};
    const isPaired = explode && !/Delimited|form/.test(style);
    const parts = delimiter === "," ? splitProperties(text, isPaired, { shape, decode }) : text.split(delimiter);
    return toObject(isPaired ? parts.map((part) => splitPair(part)) : toPairs(parts), shape, decode);
  }
  return shape.parsePrimitive(decode(text));
}

// Clients that encode a whole value, such as URLSearchParams, also encode its delimiters. A comma that no item can have is one.
function splitItems(text: string, { shape, decode }: Pick<Style, "shape" | "decode">): string[] {
  const parts = text.split(",");
  if (!/%2c/i.test(text) || (shape.types.has("string") && !shape.isOnly("array"))) return parts;
  const items = shape.items();
  const isList = (part: string, index: number) =>
    /%2c/i.test(part) && (index < shape.prefixLength ? shape.items(index) : items).excludes(",", decode(part));
  return parts.flatMap((part, index) => (isList(part, index) ? part.split(/%2c/i) : [part]));
}

// An object without delimiters is invalid. So they are encoded if they delimit the names of properties.
function splitProperties(
  text: string,
  isPaired: boolean,
  { shape, decode }: Pick<Style, "shape" | "decode">,
): string[] {
  const parts = text.split(",");
  if (parts.length > 1 || (isPaired && text.includes("="))) return parts;
  const decoded = text.split(/%2c/i).map((part) => (isPaired ? part.replace(/%3d/i, "=") : part));
  const names = new Set(shape.propertyNames);
  const isNamed = (part: string, index: number) =>
    (!isPaired && index % 2 === 1) || names.has(decode(part.split("=", 1)[0] as string));
  return decoded.every(isNamed) ? decoded : parts;
}

function readMatrix(text: string, style: Style): unknown {
  const { name, shape, explode, decode } = style;
  const parts = removePrefix(text, ";").split(";");
  if (explode && shape.isOnly("object")) {
    const isEmpty = parts.length === 1 && parts[0] === name && !shape.propertyNames.includes(name);
    return toObject(isEmpty ? [] : parts.map((part) => splitPair(part, "")), shape, decode);
  }
  const values = parts.map((part) => {
    const [key, value] = splitPair(part, "");
    if (decode(key) !== name) throw new InvalidValue(`must begin with ;${name}=`);
    return value;
  });
  if (explode && shape.types.has("array") && (values.length > 1 || shape.isOnly("array")))
    return parseItems(values, style);
  if (values.length > 1) throw new InvalidValue(`must be given once, not ${values.length} times`);
  return readList(values[0] as string, { ...style, explode: false }, ",");
}

function parseItems(texts: readonly string[], { shape, decode }: Pick<Style, "shape" | "decode">): unknown[] {
  const { prefixLength } = shape;
  const items = shape.items();
  return texts.map((text, index) => (index < prefixLength ? shape.items(index) : items).parsePrimitive(decode(text)));
}

function readProperties(texts: Pairs, { shape, decode }: Style): Properties | undefined {
  const names = shape.isOpen ? [...texts.keys()] : shape.propertyNames.filter((name) => texts.has(name));
  if (names.length === 0) return undefined;
  const pairs = names.map((name) => [name, texts.get(name) as readonly string[]] as const);
  for (const name of names) texts.delete(name); // also if one is invalid, so that it is not unknown as well
  const properties = pairs.map(([name, values]): [string, unknown] => {
    const property = shape.property(name);
    if (values.length === 1) return [name, readProperty(values[0] as string, property, decode)];
    if (!property.types.has("array")) throw new InvalidValue(`must have the property ${shorten(name)} once`);
    return [name, parseItems(values, { shape: property, decode })];
  });
  return Object.fromEntries(properties);
}

// a[b]=1&a[c][d]=2. Arrays are a[e]=3&a[e]=4, a[e][]=3, or a[e][0]=3: the specification does not say, and clients differ.
function readDeepObject(texts: Pairs, { name, shape, decode }: Style): unknown {
  const root: Tree = { children: new Map(), values: [] };
  let isFound = false;
  const [text] = texts.get(name) ?? [];
  if (text !== undefined) {
    texts.delete(name);
    if (!shape.isOnly("object") && shape.types.size > 0) return shape.parsePrimitive(decode(text)); // an alternative
    throw new InvalidValue(`must have properties such as ${name}[property]`);
  }
  for (const [key, values] of texts) {
    if (!key.startsWith(`${name}[`)) continue;
    const [, path] = /^((?:\[[^[\]]*\])+)$/.exec(key.slice(name.length)) ?? [];
    if (path === undefined) throw new InvalidValue(`must have properties such as ${name}[property]`);
    isFound = true;
    texts.delete(key);
    let tree = root;
    const names = path.slice(1, -1).split("][");
    if (names.length > maxDepth) throw new InvalidValue(`must have at most ${maxDepth} levels`);
    for (const part of names) {
      tree = getOrAdd(tree.children, part, () => ({ children: new Map(), values: [] }));
    }
    for (const value of values) tree.values.push(decode(value));
  }
  return isFound ? toValue(root, shape) : undefined;
}

interface Tree {
  readonly children: Map<string, Tree>;
  readonly values: string[];
}

function toValue({ children, values }: Tree, shape: Shape): unknown {
  if (children.size > 0 && values.length > 0)
    throw new InvalidValue("must not have a value and properties of the same name");
  const isArray =
    shape.types.has("array") && (children.size === 0 || [...children.keys()].every((key) => /^\d*$/.test(key)));
  if (isArray && (values.length > 1 || children.size > 0 || shape.isOnly("array"))) {
    const items = shape.items();
    const sorted = [...children].sort(([one], [other]) => Number(one) - Number(other));
    const members = sorted.flatMap(([key, child]) =>
      key === "" && child.children.size === 0
        ? child.values.map((value): Tree => ({ children: new Map(), values: [value] }))
        : [child],
    );
    return [...values.map((value) => items.parsePrimitive(value)), ...members.map((member) => toValue(member, items))];
  }
  if (children.size > 0)
    return Object.fromEntries([...children].map(([key, child]) => [key, toValue(child, shape.property(key))]));
  if (values.length > 1) throw new InvalidValue("must have each property once");
  return shape.parsePrimitive(values[0] as string);
}

function toObject(
  pairs: readonly (readonly [string, string])[],
  shape: Shape,
  decode: (text: string) => string,
): Properties {
  const entries = pairs.map(([key, value]) => [decode(key), value] as const);
  if (new Set(entries.map(([key]) => key)).size < entries.length)
    throw new InvalidValue("must have each property once");
  return Object.fromEntries(entries.map(([key, value]) => [key, readProperty(value, shape.property(key), decode)]));
}

function readProperty(text: string, property: Shape, decode: (text: string) => string): unknown {
  return property.isOnly("array")
    ? parseItems(splitItems(text, { shape: property, decode }), { shape: property, decode })
    : property.parsePrimitive(decode(text));
}

function toPairs(parts: readonly string[]): [string, string][] {
  if (parts.length % 2 === 1) throw new InvalidValue("must have a value for each property, such as property,value");
  return parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] as string]] : []));
}

function splitPair(text: string, missing?: string): [string, string] {
  const end = text.indexOf("=");
  if (end >= 0) return [text.slice(0, end), text.slice(end + 1)];
  if (missing === undefined) throw new InvalidValue("must have properties such as property=value");
  return [text, missing];
}

function removePrefix(text: string, prefix: string): string {
  if (!text.startsWith(prefix)) throw new InvalidValue(`must begin with ${prefix}`);
  return text.slice(1);
}
