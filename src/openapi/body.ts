// The body of a request: reads it by its media type, and validates it.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest, preParsingHookHandler, preValidationHookHandler } from "fastify";
import fp from "fastify-plugin";
import {
  checkContentCoding,
  checkMediaType,
  type ErrorDetail,
  HttpError,
  InvalidRequest,
  readBody,
  streamBody,
  yieldBetweenChunks,
} from "../http/index.ts";
import { type Checked, decodeUtf8, InvalidValue, type Problem, parseJsonBytes } from "../lib/index.ts";
import type { MediaTypeObject, OperationObject } from "./document-types.ts";
import { createEncoding, type FormEncoding, readForm, readMultipart, validateForm } from "./form.ts";
import { type Format, formatOf, selectMediaType } from "./media-types.ts";
import type { Report } from "./operation.ts";
import type { Part } from "./part.ts";
import type { Schemas, Validate } from "./schema/index.ts";

/** The content of a body in one media type. */
interface Content {
  readonly format: Format;
  /** Undefined if it can have any value. */
  readonly validate: Validate | undefined;
  /** Describes the fields of a form. Created at the first request. */
  readonly encoding: () => FormEncoding;
}

/** A body as it was sent: its content, and the value that was read from it. */
class RawBody {
  readonly content: Content;
  readonly value: unknown;

  constructor(content: Content, value: unknown) {
    this.content = content;
    this.value = value;
  }
}

/** Reads a body in one format. Throws an HttpError or an InvalidValue if it is invalid. */
type BodyReader = (request: FastifyRequest, payload: IncomingMessage, content: Content) => Promise<unknown>;

const readers: Readonly<Record<Format, BodyReader>> = {
  json: async (request, payload) => parseJsonBytes(await readText(request, payload)),
  text: async (request, payload, { encoding }) =>
    encoding().shape.parsePrimitive(decodeUtf8(await readText(request, payload))),
  form: async (request, payload, { encoding }) => readForm(decodeUtf8(await readText(request, payload)), encoding()),
  multipart: async (request, payload, { encoding }) =>
    readMultipart(await readBytes(request, payload), request.headers["content-type"] as string, encoding(), (text) =>
      request.server.shedBody?.(text),
    ),
  stream: async (request, payload) => {
    await request.server.waitForTurn?.(request);
    checkContentCoding(request.headers["content-encoding"]);
    return streamBody(request, payload);
  },
};

async function readBytes(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const bytes = await readBody(request, payload);
  await request.server.waitForTurn?.(request); // the time of parsing counts as the client's
  checkContentCoding(request.headers["content-encoding"]);
  return bytes;
}

// The text of a body, whose values take many times its size.
async function readText(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const bytes = await readBytes(request, payload);
  checkMediaType(request.headers["content-type"] as string);
  const admitted = request.server.shedBody?.(bytes);
  if (admitted) await admitted; // only then, because each await takes time
  return bytes;
}

/** The request body of an operation. */
export class Body {
  readonly required: boolean;
  /** The maximum size in bytes; undefined for Fastify's default of 1 MiB. */
  readonly maxBytes: number | undefined;
  /** The accepted media types and ranges. */
  readonly mediaTypes: readonly string[];
  readonly #contents: ReadonlyMap<string, Content>;

  constructor(options: Pick<Body, "required" | "maxBytes"> & { readonly contents: ReadonlyMap<string, Content> }) {
    this.required = options.required;
    this.maxBytes = options.maxBytes;
    this.mediaTypes = [...options.contents.keys()];
    this.#contents = options.contents;
  }

  /** Returns the content of a media type; undefined if it is not accepted. */
  select(mediaType: string): Content | undefined {
    const exact = this.#contents.get(mediaType);
    if (exact !== undefined) return exact;
    const declared = selectMediaType(this.mediaTypes, mediaType);
    const content = declared === undefined ? undefined : this.#contents.get(declared);
    if (content?.format !== "stream" || !declared?.includes("*")) return content;
    // If the schema of a range describes more than bytes, the media type of the request selects the reader.
    const types = [...content.encoding().shape.types];
    if (types.every((type) => type === "string")) return content;
    const format = formatOf(mediaType);
    return format === "stream" ? undefined : { ...content, format };
  }

  /** The media types whose bodies are streams, which are not validated. */
  get streamTypes(): string[] {
    return [...this.#contents].flatMap(([type, content]) =>
      content.format === "stream" && this.select(type)?.format === "stream" ? [type] : [],
    );
  }

  /** Validates a body, and fills in default values. The validator that Fastify runs. */
  readonly validate = (body: unknown): Validated => {
    if (!(body instanceof RawBody)) return { value: undefined }; // an optional body that was not sent
    const { value, content } = body;
    const { validate, format } = content;
    if (validate === undefined || format === "stream") return { value };
    const result = format === "multipart" ? validateForm(value, validate) : validate(value);
    return "value" in result ? result : { error: toHttpError(result.problems) };
  };
}

/** The result of a validation, as Fastify expects it. */
export type Validated = { readonly value: unknown; readonly error?: undefined } | { readonly error: InvalidRequest };

function toHttpError(problems: readonly Problem[]): InvalidRequest {
  const details = problems.map(({ path, part = path, requirement }): ErrorDetail => {
    const subject = path === "" ? "body" : `field '${path}'`;
    return { location: "body", name: part, message: `The ${subject} ${requirement}.` };
  });
  return new InvalidRequest("invalid_body", details);
}

/** Creates the validation of a record that follows the rules of a body, such as a line of an import. */
export function createRecordValidator(schema: Part, schemas: Schemas): (record: unknown) => Checked {
  const validate = schemas.compileAt(schema.pointer);
  return (record) => {
    const result = validate(record);
    return "value" in result ? result : { problem: result.problems[0] };
  };
}

/** Compiles the body of an operation; undefined if it has none. Reports what would not be enforced. */
export function compileBody(
  method: string,
  operation: Part<OperationObject>,
  schemas: Schemas,
  report: Report,
): Body | undefined {
  const body = operation.at("requestBody");
  if (body === undefined) return undefined;
  if (/^(get|head|trace)$/.test(method)) {
    report(`has a body, which ${method.toUpperCase()} requests do not have`);
    return undefined;
  }
  const { required = false, "x-max-bytes": limit } = body.value;
  const maxBytes = Number.isSafeInteger(limit) && Number(limit) > 0 ? limit : undefined;
  if (maxBytes !== limit) report(`has the x-max-bytes ${limit}, but it must be a positive integer`);
  const contents = body
    .membersOf("content")
    .map(([type, part]) => [type, compileContent(type, part, schemas, report)] as const);
  if (contents.length === 0) report("has a body without a media type");
  return new Body({ required, maxBytes, contents: new Map(contents) });
}

function compileContent(mediaType: string, part: Part<MediaTypeObject>, schemas: Schemas, report: Report): Content {
  const format = formatOf(mediaType);
  const schema = part.written("schema");
  if (schema === undefined && format !== "stream" && !mediaType.includes("*"))
    report(`has a body without a schema for ${mediaType}`);
  let encoding: FormEncoding | undefined;
  return {
    format,
    validate: schema && schemas.compileAt(schema.pointer),
    encoding: () => {
      encoding ??= createEncoding(schema && schemas.at(schema.pointer), part.value.encoding);
      return encoding;
    },
  };
}

/** Reads the bodies of all operations by their media types. Responds with 415 to other media types. */
export const bodies = fp(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
      // Some clients send a Content-Type with each request, also without a body.
      const { "content-length": length, "transfer-encoding": coding } = request.headers;
      if (coding === undefined && length === undefined) return undefined;
      const isRequired = request.routeOptions.config.operation?.body?.required;
      const isForm = request.mediaType === "application/x-www-form-urlencoded"; // it can be empty
      if (length === "0" && !isRequired && !isForm) return undefined;
      const content = selectContent(request);
      try {
        yieldBetweenChunks(request.raw, () => request.server.waitForTurn(request, true));
        return new RawBody(content, await readers[content.format](request, payload, content));
      } catch (error) {
        throw error instanceof InvalidValue ? toHttpError([error]) : error;
      }
    });
  },
  { name: "bodies", dependencies: ["error-handler"] },
);

// The headers with the media types that a method accepts (Linked Data Platform, section 7.1; RFC 5789, section 3.1).
const acceptHeaders: Readonly<Record<string, string>> = { POST: "accept-post", PATCH: "accept-patch" };

function selectContent({ method, mediaType, headers, routeOptions }: FastifyRequest): Content {
  const body = routeOptions.config.operation?.body;
  const content = mediaType === undefined ? undefined : body?.select(headers["content-type"] as string);
  if (content) return content;
  if (body === undefined) throw new HttpError("unsupported_media_type", "This operation accepts no body.");
  const { mediaTypes } = body;
  const message = `The Content-Type of the body must be ${mediaTypes.join(" or ")}.`;
  const acceptHeader = acceptHeaders[method];
  throw new HttpError("unsupported_media_type", message, acceptHeader ? { [acceptHeader]: mediaTypes.join(", ") } : {});
}

/**
 * Rejects a malformed Content-Type, which Fastify would not parse. Responds with 100 to clients that wait for it before
 * they send the body (RFC 9110, section 10.1.1).
 */
export const prepareBody: preParsingHookHandler = (request, reply, _payload, done) => {
  const { raw, headers, routeOptions, mediaType, server } = request;
  if (headers["content-type"] !== undefined && mediaType === undefined) selectContent(request);
  const isWaiting = /\b100-continue\b/i.test(headers.expect ?? "") && raw.httpVersion !== "1.0";
  const hasContinued = server.server.listenerCount("checkContinue") === 0; // Node has, in an existing app
  if (isWaiting && !hasContinued && !(Number(headers["content-length"]) > routeOptions.bodyLimit))
    reply.raw.writeContinue();
  done();
};

/** Rejects a request without a body. */
export const requireBody: preValidationHookHandler = (request, _reply, done) =>
  done(
    request.body === undefined
      ? new InvalidRequest("invalid_body", [{ location: "body", name: "", message: "The request must have a body." }])
      : undefined,
  );
