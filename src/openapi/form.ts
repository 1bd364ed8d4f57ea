// Forms: application/x-www-form-urlencoded and multipart/form-data, with the `encoding` of their fields.
import { HttpError } from "../http/index.ts";
import { parseJson } from "../lib/index.ts";
import type { EncodingObject } from "./document-types.ts";
import { isJson, selectMediaType } from "./media-types.ts";
import { decodeComponent, parsePairs } from "./pairs.ts";
import { readPairs, StyleError } from "./parameter-styles.ts";
import type { Validate, Validation } from "./schema.ts";
import type { Shape } from "./value-shape.ts";

/** How the fields of a form are read. */
export interface FormEncoding {
  readonly shape: Shape;
  /** By the name of the field. */
  readonly parts: Readonly<Record<string, EncodingObject>>;
}

type Fields = Record<string, unknown>;

/** Reads application/x-www-form-urlencoded. Throws a StyleError if a field does not have the form of its style. */
export function readForm(text: string, { shape, parts }: FormEncoding): Fields {
  const pairs = parsePairs(text);
  const fields: [string, unknown][] = [];
  for (const name of shape.propertyNames) {
    const property = shape.property(name);
    const { contentType, style: written, explode } = parts[name] ?? {};
    const isNested = property.isOnly("object") || property.isOnly("array");
    const isDeep = !pairs.has(name) && [...pairs.keys()].some((key) => key.startsWith(`${name}[`));
    const style = written ?? (isDeep && isNested ? "deepObject" : "form");
    if (written === undefined && property.isOnly("object") && !isDeep) {
      const [json] = pairs.get(name) ?? [];
      pairs.delete(name);
      if (json !== undefined) fields.push([name, parseField(decodeComponent(json), name)]);
      continue;
    }
    const decode = decodeComponent;
    const value = readPairs(pairs, { name, style, explode: explode ?? style === "form", shape: property, decode });
    const isText = typeof value === "string" && contentType !== undefined && isJson(contentType);
    if (value !== undefined) fields.push([name, isText ? parseField(value, name) : value]);
  }
  for (const [name, values] of pairs) {
    const property = shape.property(name);
    const items = values.map((value) => property.parsePrimitive(decodeComponent(value)));
    fields.push([name, items.length === 1 ? items[0] : items]);
  }
  return Object.fromEntries(fields);
}

function parseField(text: string, name: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new StyleError(`must have JSON in the field '${name}': ${(error as Error).message}`);
  }
}

/**
 * Reads multipart/form-data (RFC 7578). A part with a file name is a File. Throws a StyleError if the body is malformed,
 * and an HttpError if a part has a media type that the document does not allow.
 */
export async function readMultipart(bytes: Buffer, contentType: string, encoding: FormEncoding): Promise<Fields> {
  const response = new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } });
  const form = await response.formData().catch(() => {
    throw new StyleError("must be multipart/form-data, with the boundary that its Content-Type declares");
  });
  const names = [...new Set(form.keys())];
  const fields: [string, unknown][] = [];
  for (const name of names) {
    const property = encoding.shape.property(name);
    const isArray = property.isOnly("array");
    const values = form.getAll(name);
    if (values.length > 1 && !isArray)
      throw new StyleError(`must have the field '${name}' once, not ${values.length} times`);
    const shape = isArray ? property.items() : property;
    const items = await Promise.all(values.map((value) => readPart(value, name, shape, encoding.parts[name])));
    fields.push([name, isArray ? items : items[0]]);
  }
  return Object.fromEntries(fields);
}

async function readPart(
  part: string | File,
  name: string,
  shape: Shape,
  encoding: EncodingObject = {},
): Promise<unknown> {
  const { contentType } = encoding;
  const isStructured = shape.isOnly("object") || shape.isOnly("array");
  if (typeof part === "string") return isStructured ? parseField(part, name) : shape.parsePrimitive(part);
  if (isStructured) return parseField(await part.text(), name);
  const allowed = contentType?.split(",").map((type) => type.trim());
  if (allowed && selectMediaType(allowed, part.type) === undefined)
    throw new HttpError(
      "unsupported_media_type",
      `The field '${name}' must have the Content-Type ${allowed.join(" or ")}.`,
    );
  return part;
}

/** Validates a form. A file is validated as an empty string, because its schema describes its bytes as a string. */
export function validateForm(form: unknown, validate: Validate): Validation {
  const fields = Object.entries(form as Fields);
  const toText = (value: unknown): unknown =>
    value instanceof File ? "" : Array.isArray(value) ? value.map(toText) : value;
  const result = validate(Object.fromEntries(fields.map(([name, value]) => [name, toText(value)])));
  if (!("value" in result)) return result;
  const hasFile = (value: unknown) => [value].flat().some((item) => item instanceof File);
  const files = fields.filter(([, value]) => hasFile(value));
  return { value: Object.fromEntries([...Object.entries(result.value as Fields), ...files]) };
}
