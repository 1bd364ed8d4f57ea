// Forms: application/x-www-form-urlencoded and multipart/form-data, with the `encoding` of their fields.
import { HttpError } from "../../http/index.ts";
import { decodeUtf8, InvalidValue, type MaybePromise, parseJson, shorten } from "../../lib/index.ts";
import type { Validate, Validation } from "../schema/keyword.ts";
import { Shape } from "../schema/shape.ts";
import type { EncodingObject } from "../source/document-types.ts";
import { checkMediaType, essenceOf, formatOf, isJson, selectMediaType } from "./media-types.ts";
import { type FormPart, parseMultipart } from "./multipart.ts";
import { decodeComponent, type Pairs, parsePairs } from "./pairs.ts";
import { readPairs } from "./styles.ts";

/** How the fields of a form are read. */
export interface FormEncoding {
  readonly shape: Shape;
  /** By the name of the field. */
  readonly parts: Readonly<Record<string, EncodingObject>>;
}

type Fields = Record<string, unknown>;

const maxFields = 10_000; // with different names: alternatives in a schema are tried for each

/** Reads application/x-www-form-urlencoded. Throws an InvalidValue if a field does not have the form of its style. */
export function readForm(text: string, { shape, parts }: FormEncoding): Fields {
  const pairs = parsePairs(text);
  if (pairs.size > maxFields) throw new InvalidValue(`must have at most ${maxFields} fields`);
  const fields: [string, unknown][] = [];
  for (const name of shape.propertyNames) {
    const value = nameField(name, () => readField(pairs, name, shape.property(name), parts[name]));
    if (value !== undefined) fields.push([name, value]);
  }
  for (const [name, values] of pairs) {
    const property = shape.property(name);
    const items = values.map((value) => property.parsePrimitive(decodeComponent(value)));
    fields.push([name, items.length === 1 ? items[0] : items]);
  }
  return Object.fromEntries(fields);
}

// Removes what it reads from `pairs`.
function readField(pairs: Pairs, name: string, property: Shape, encoding: EncodingObject = {}): unknown {
  const { contentType, style: written, explode } = encoding;
  const isObject = property.isOnly("object");
  const isNested = isObject || property.isOnly("array");
  const isDeep = isNested && !pairs.has(name) && [...pairs.keys()].some((key) => key.startsWith(`${name}[`));
  const style = written ?? (isDeep ? "deepObject" : "form");
  // Without a style, an object is JSON, and an array is sent item by item (OpenAPI 3.1.1, section 4.8.15.1).
  const hasNoStyle = written === undefined && explode === undefined && !isDeep;
  if (hasNoStyle && property.isOnly("array") && property.items().isOnly("object")) return readJsonItems(pairs, name);
  const isText = hasNoStyle && isObject;
  const shape = isText ? Shape.any : property;
  const decode = decodeComponent;
  const options = isText ? { explode: true, decode } : { explode: explode ?? style === "form", decode };
  const value = readPairs(pairs, { ...options, name, style, shape });
  const isEncoded = isText || (contentType !== undefined && isJson(contentType) && written === undefined);
  return isEncoded && typeof value === "string" ? parseJson(value) : value;
}

function readJsonItems(pairs: Pairs, name: string): unknown[] | undefined {
  const texts = pairs.get(name);
  pairs.delete(name);
  const items = texts?.map((text) => parseJson(decodeComponent(text)));
  return items?.length === 1 && Array.isArray(items[0]) ? items[0] : items; // some clients send the whole array
}

// Adds the name of a field to the message of its failure.
function nameField<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new InvalidValue(`has the invalid field '${shorten(name)}': it ${error.message}`);
  }
}

/**
 * Reads multipart/form-data (RFC 7578). A part whose schema describes bytes is a File. Throws an InvalidValue if the body is malformed,
 * and an HttpError if a part has a media type that the document does not allow. Calls `admit` before it reads the text of a part.
 */
export async function readMultipart(
  bytes: Buffer,
  contentType: string,
  encoding: FormEncoding,
  admit: (text: Buffer) => MaybePromise<void>,
): Promise<Fields> {
  const values = Map.groupBy(parseMultipart(bytes, contentType), ({ name }) => name);
  const fields: [string, unknown][] = [];
  for (const [name, parts] of values) {
    const property = encoding.shape.property(name);
    const isArray = property.isOnly("array");
    const shape = isArray ? property.items() : property;
    const kind = kindOf(shape, encoding.parts[name]);
    for (const part of parts) if (!isFile(part, kind)) await admit(part.bytes);
    const texts = parts.map((part) => readContent(part, kind, encoding.parts[name]));
    const value = nameField(name, () => {
      if (texts.length > 1 && !isArray) throw new InvalidValue(`must be given once, not ${texts.length} times`);
      const items = texts.map((text) => (typeof text === "string" ? readPart(text, shape) : text));
      return isArray ? items : items[0];
    });
    fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

type Kind = "file" | "text" | "any";

// Clients choose whether a part has a file name, but the schema of its field says whether it is a file.
function kindOf(shape: Shape, { contentType }: EncodingObject = {}): Kind {
  if (shape.isBinary || contentType?.split(",").some((type) => formatOf(type) === "stream")) return "file";
  return shape.types.size > 0 ? "text" : "any";
}

function isFile({ filename, type }: FormPart, kind: Kind): boolean {
  const isBinary = filename !== undefined || (type !== undefined && essenceOf(type) === "application/octet-stream");
  return kind === "file" || (kind === "any" && isBinary);
}

function readContent(part: FormPart, kind: Kind, { contentType }: EncodingObject = {}): string | File {
  const { name, filename, type, bytes } = part;
  const allowed = contentType?.split(",").map((one) => one.trim());
  // Without a Content-Type, a part is text/plain (RFC 7578, section 4.4). Clients send JSON so as well.
  const sent = type ?? "text/plain";
  if (allowed && (isFile(part, kind) || type !== undefined) && selectMediaType(allowed, sent) === undefined)
    throw new HttpError(
      "unsupported_media_type",
      `The field '${shorten(name)}' must have the Content-Type ${allowed.join(" or ")}.`,
    );
  if (isFile(part, kind)) return new File([new Uint8Array(bytes)], filename ?? "", { type: sent });
  if (type !== undefined) checkMediaType(type);
  return decodeUtf8(bytes);
}

function readPart(text: string, shape: Shape): unknown {
  return shape.isOnly("object") || shape.isOnly("array") ? parseJson(text) : shape.parsePrimitive(text);
}

/** Validates a form. A file is validated as a string of its size, because its schema describes its bytes as a string. */
export function validateForm(form: unknown, validate: Validate): Validation {
  const fields = Object.entries(form as Fields);
  const toText = (value: unknown): unknown =>
    value instanceof File ? "\0".repeat(value.size) : Array.isArray(value) ? value.map(toText) : value;
  const result = validate(Object.fromEntries(fields.map(([name, value]) => [name, toText(value)])));
  if (!("value" in result)) return result;
  const hasFile = (value: unknown) => [value].flat().some((item) => item instanceof File);
  const files = fields.filter(([, value]) => hasFile(value));
  return { value: Object.fromEntries([...Object.entries(result.value as Fields), ...files]) };
}
