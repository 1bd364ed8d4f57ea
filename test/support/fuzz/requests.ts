// Generates valid requests from the document.
import fc from "fast-check";
import { parse } from "yaml";
import { anyTextOf } from "../arbitraries.ts";
import { createRandom, type Random } from "../random.ts";

interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
  required?: string[];
  properties?: Record<string, Schema>;
}
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
}
interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  mediaType: string;
  body: Schema | undefined;
}

/** A request, in parts that mutations can change. */
export interface Request {
  method: string;
  path: string;
  query: string[];
  headers: [name: string, value: string][];
  /** The fields of the body: names and values as JSON. */
  fields: [name: string, value: string][];
  /** A body that replaces the fields. */
  body?: Buffer;
  chunked?: boolean;
  /** Whether the request conforms to the document, so that the service must not reject it. */
  isValid: boolean;
}

/** The values of a service that requests use. */
export interface Inputs {
  readonly key: string;
  /** Cursors of lists without a filter. */
  readonly cursors: readonly string[];
}

/** Reads the operations of the document, with references resolved. */
export function readOperations(text: string): Operation[] {
  const document = parse(text);
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (part === null || typeof part !== "object") return part;
    if ("$ref" in part)
      return resolve(
        String(part.$ref)
          .slice(2)
          .split("/")
          .reduce((node, name) => node[name], document),
      );
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]));
  };
  const paths = resolve(document.paths) as Record<string, Record<string, Record<string, unknown>>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters, requestBody }]) => {
      const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema: Schema }> };
      const [[mediaType, { schema }] = ["", { schema: undefined }]] = Object.entries(content);
      return {
        method: method.toUpperCase(),
        path,
        parameters: (parameters ?? []) as Parameter[],
        mediaType,
        body: schema,
      };
    }),
  );
}

const letters = [..."abcXYZ 019-_'\"\\/<>{}&%\t\nåßжあ漢\u200d\u{1f436}\u{10fffd}"];

// Texts that match a narrow pattern, by the schema.
const texts = new Map<Schema, string[]>();

// Generates the text of a value that is valid for the schema.
function sample(schema: Schema, random: Random): string {
  if (schema.enum) return random.pick(schema.enum);
  if (schema.type === "boolean") return random.pick(["true", "false"]);
  if (schema.type === "integer") {
    const { minimum, maximum } = schema;
    if (minimum !== undefined && maximum !== undefined) return String(minimum + random.int(maximum - minimum + 1));
    if (random.chance(2)) return String(1 + random.int(300));
    return random.pick([
      "0",
      "-1",
      "9223372036854775807",
      "-9223372036854775808",
      "9007199254740993",
      "-4611686018427387905",
    ]);
  }
  const pattern = new RegExp(schema.pattern ?? "", "u");
  const length = random.chance(50) ? Math.min(schema.maxLength ?? 1000, 1000) : random.int(20);
  const text = Array.from({ length }, () => random.pick(letters)).join("");
  if (pattern.test(text)) return text;
  const unique = `t${random.int(1e9)}`;
  if (pattern.test(unique) && unique.length <= (schema.maxLength ?? unique.length)) return unique;
  if (!texts.has(schema)) texts.set(schema, fc.sample(anyTextOf(schema), { numRuns: 100, seed: 1 }));
  return random.pick(texts.get(schema) as string[]);
}

/** Generates a valid request. */
export function generateValid(operations: readonly Operation[], random: Random, { key, cursors }: Inputs): Request {
  const { method, path, parameters, mediaType, body } = random.pick(operations);
  const request: Request = {
    method,
    path,
    query: [],
    headers: [
      ["Host", "x"],
      ["Authorization", `Bearer ${key}`],
    ],
    fields: [],
    isValid: true,
  };
  // Some creates repeat an idempotency key. The number determines the key and the body.
  const repeated = body !== undefined && random.chance(8) ? random.int(20_000) : undefined;
  const values = repeated === undefined ? random : createRandom(repeated);
  const useCursor = random.chance(4); // without a filter
  for (const { name, in: location, required, schema } of parameters) {
    if (location === "path") request.path = request.path.replace(`{${name}}`, sample(schema, values));
    else if (name === "cursor") useCursor && request.query.push(`cursor=${random.pick(cursors)}`);
    else if (location === "query")
      !useCursor && values.chance(3) && request.query.push(`${name}=${encodeURIComponent(sample(schema, values))}`);
    else if (required || repeated !== undefined) request.headers.push([name, `repeated-${repeated}`]);
  }
  request.path = `/v1${request.path}`;
  if (body === undefined) return request;
  request.headers.push(["Content-Type", mediaType]);
  for (const [name, schema] of Object.entries(body.properties ?? {}))
    if (body.required?.includes(name) || values.chance(2)) {
      const text = sample(schema, values);
      request.fields.push([JSON.stringify(name), schema.type === "string" ? JSON.stringify(text) : text]);
    }
  request.chunked = random.chance(10);
  return request;
}

/** Serializes the fields of a body as JSON. */
export function serializeFields({ fields }: Pick<Request, "fields">): string {
  return `{${fields.map(([name, value]) => `${name}:${value}`)}}`;
}

/** Serializes a request, with valid framing. */
export function serialize({ method, path, query, headers, fields, body, chunked }: Request): Buffer {
  const target = path + (query.length > 0 ? `?${query.join("&")}` : "");
  const content = body ?? (fields.length > 0 ? Buffer.from(serializeFields({ fields })) : undefined);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const framing =
    content === undefined ? "" : chunked ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${content.length}\r\n`;
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}${framing}\r\n`, "latin1");
  if (content === undefined) return head;
  return Buffer.concat(chunked ? [head, ...toChunks(content)] : [head, content]);
}

// Adds a chunk extension and a trailer (RFC 9112, section 7.1).
function toChunks(content: Buffer): Buffer[] {
  const half = content.indexOf(',"') + 1; // names of pets are not split, so that the ledger finds them
  const parts = [content.subarray(0, half), content.subarray(half)].filter(({ length }) => length > 0);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)};a="b"\r\n`),
    part,
    Buffer.from("\r\n"),
  ]);
  return [...chunks, Buffer.from("0\r\nX-Trailer: y\r\n\r\n")];
}
