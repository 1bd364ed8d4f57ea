// Requests made from the document, each as it says.
import { parse } from "yaml";
import { createRandom, type Random } from "../../test/support/random.ts";

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
  media: string;
  body: Schema | undefined;
}

/** A request, in parts that can be changed. */
export interface Request {
  method: string;
  path: string;
  query: string[];
  headers: [name: string, value: string][];
  /** The fields of its body: the name and the value of each, as JSON. */
  fields: [name: string, value: string][];
  /** Where its body is something else. */
  body?: Buffer;
  chunked?: boolean;
  /** As the document says: it is answered with what was asked for. */
  valid: boolean;
}

/** What the generator knows of the service. */
export interface Known {
  readonly key: string;
  /** Cursors of a list without a filter. */
  readonly cursors: readonly string[];
}

/** The operations of the document, with what they refer to in place. */
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
      const [[media, { schema }] = ["", { schema: undefined }]] = Object.entries(content);
      return { method: method.toUpperCase(), path, parameters: (parameters ?? []) as Parameter[], media, body: schema };
    }),
  );
}

const letters = [..."abcXYZ 019-_'\"\\/<>{}&%\t\nåßжあ漢\u200d\u{1f436}\u{10fffd}"];

/** The text of a value that fits the schema. */
function sample(schema: Schema, random: Random): string {
  if (schema.enum) return random.pick(schema.enum);
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
  const fits = new RegExp(schema.pattern ?? "", "u");
  const length = random.chance(50) ? Math.min(schema.maxLength ?? 1000, 1000) : random.int(20);
  const text = Array.from({ length }, () => random.pick(letters)).join("");
  return fits.test(text) ? text : `t${random.int(1e9)}`;
}

/** A request that is as the document says. */
export function makeValid(operations: readonly Operation[], random: Random, { key, cursors }: Known): Request {
  const { method, path, parameters, media, body } = random.pick(operations);
  const request: Request = {
    method,
    path,
    query: [],
    headers: [
      ["Host", "x"],
      ["Authorization", `Bearer ${key}`],
    ],
    fields: [],
    valid: true,
  };
  // Some creates are sent again and again: each of them has a chance of its own, and so the same key and body.
  const again = body !== undefined && random.chance(8) ? random.int(20_000) : undefined;
  const own = again === undefined ? random : createRandom(again);
  const alone = random.chance(4); // a cursor goes with no filter
  for (const { name, in: place, required, schema } of parameters) {
    if (place === "path") request.path = request.path.replace(`{${name}}`, sample(schema, own));
    else if (name === "cursor") alone && request.query.push(`cursor=${random.pick(cursors)}`);
    else if (place === "query")
      !alone && own.chance(3) && request.query.push(`${name}=${encodeURIComponent(sample(schema, own))}`);
    else if (required || again !== undefined) request.headers.push([name, `again-${again}`]);
  }
  request.path = `/v1${request.path}`;
  if (body === undefined) return request;
  request.headers.push(["Content-Type", media]);
  for (const [name, schema] of Object.entries(body.properties ?? {}))
    if (body.required?.includes(name) || own.chance(2)) {
      const text = sample(schema, own);
      request.fields.push([JSON.stringify(name), schema.type === "integer" ? text : JSON.stringify(text)]);
    }
  request.chunked = random.chance(10);
  return request;
}

/** The fields of a body as JSON. */
export function json({ fields }: Pick<Request, "fields">): string {
  return `{${fields.map(([name, value]) => `${name}:${value}`)}}`;
}

/** The bytes of a request, in sound framing whatever its values are. */
export function toBytes({ method, path, query, headers, fields, body, chunked }: Request): Buffer {
  const target = path + (query.length > 0 ? `?${query.join("&")}` : "");
  const content = body ?? (fields.length > 0 ? Buffer.from(json({ fields })) : undefined);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const framing =
    content === undefined ? "" : chunked ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${content.length}\r\n`;
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}${framing}\r\n`, "latin1");
  if (content === undefined) return head;
  return Buffer.concat(chunked ? [head, ...toChunks(content)] : [head, content]);
}

// With an extension and a trailer, as RFC 9112, section 7.1, has them.
function toChunks(content: Buffer): Buffer[] {
  const half = content.indexOf(',"') + 1; // names of pets stay in one piece, to be found again
  const parts = [content.subarray(0, half), content.subarray(half)].filter(({ length }) => length > 0);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)};a="b"\r\n`),
    part,
    Buffer.from("\r\n"),
  ]);
  return [...chunks, Buffer.from("0\r\nX-Trailer: y\r\n\r\n")];
}
