// The responses of an operation: selects the media type, validates what a handler returns, and writes it.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addTag, isHeaderName, isMediaType, setHeader } from "../../http/index.ts";
import { RawJson } from "../../lib/index.ts";
import type { Schemas, Validate } from "../schema/index.ts";
import type {
  MediaTypeObject,
  OperationObject,
  ParameterObject,
  Part,
  ReportReason,
  ResponseObject,
} from "../source/index.ts";
import {
  closeWithClient,
  discardStream,
  essenceOf,
  findFormat,
  ItemStream,
  isItemStream,
  isJson,
  isMediaTypeOrRange,
  negotiate,
  selectMediaType,
  toEventStream,
  type WrittenBody,
  withByteChunks,
  withLength,
  withoutContent,
} from "../wire/index.ts";
import type { OpenCalls } from "./open-calls.ts";
import { type Header, writeHeader } from "./response-headers.ts";
import { chooseType, notAcceptable } from "./response-type.ts";

/** The response of a handler without the types of its operation. The compiler has compared it with the document. */
export interface UntypedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** The media type. By default, the one that the client prefers, of those that are declared and that the body can have. */
  readonly type?: string | undefined;
  /** A value for JSON, a string for text, a stream or bytes for other media types, and an iterable for streams of items. */
  readonly body?: unknown;
}

/** A declared response. */
interface Declaration {
  /** By media type or range. */
  readonly contents: ReadonlyMap<string, ResponseContent>;
  readonly headers: ReadonlyMap<string, Header>; // by name in lower case
  /** Whether it gets an ETag: a success that declares one, of an operation that declares 304. */
  readonly isTagged: boolean;
}

interface ResponseContent {
  /** Undefined if it can have any value. */
  readonly validate: Validate | undefined;
  readonly validateItem: Validate | undefined;
}

const jsonType = "application/json";
// OpenAPI ignores Content-Type (3.1.1, section 4.8.17). Node sets the others when it sends the response.
const automaticHeaders = /^(connection|content-length|content-type|date|keep-alive|transfer-encoding)$/;

export interface WriteOptions {
  /** The Link header of failures. */
  readonly links?: string | undefined;
  /** Validates bodies and headers. */
  readonly validate: boolean;
  /** Ends server-sent events when the server closes. */
  readonly openCalls: OpenCalls;
}

/** The responses that an operation declares. */
export class Responses {
  /** The names of the headers of any response. */
  readonly headers: readonly string[];
  /** Whether a success can have an ETag. */
  readonly haveTags: boolean;
  readonly #declarations: ReadonlyMap<string, Declaration>; // by status, range of statuses or `default`
  readonly #byStatus = new Map<number, Declaration | undefined>(); // those that were selected before
  readonly #mediaTypes: readonly string[]; // of successes

  constructor(headers: readonly string[], declarations: ReadonlyMap<string, Declaration>) {
    this.headers = headers;
    this.#declarations = declarations;
    const successes = [...declarations].filter(([status]) => /^2/.test(status));
    this.haveTags = successes.some(([, { headers }]) => headers.has("etag"));
    this.#mediaTypes = [...new Set(successes.flatMap(([, { contents }]) => [...contents.keys()]))];
  }

  /**
   * Throws an HttpError (406) if the document declares several media types, and the client accepts none of them. With one,
   * the client receives it anyway (RFC 9110, section 12.4.1).
   */
  checkAccept({ headers: { accept } }: FastifyRequest): void {
    if (accept === undefined || this.#mediaTypes.length < 2 || this.preferredType(accept) !== undefined) return;
    throw notAcceptable(this.#mediaTypes);
  }

  /** Returns the media type of a success that the client prefers; undefined if none is declared, or it accepts none. */
  preferredType(accept: string | undefined): string | undefined {
    return negotiate(this.#mediaTypes, accept);
  }

  /**
   * Sends the response of a handler. Throws an Error if the document does not declare it. A response with JSON text is not
   * validated: a handler returns it for speed.
   */
  write(reply: FastifyReply, response: UntypedResponse, options: WriteOptions): FastifyReply {
    const { status, headers, type, body } = response; // once, because a getter can return other values the next time
    try {
      return this.#write(reply, { status, headers, type, body }, options);
    } catch (error) {
      discardStream(body);
      throw error;
    }
  }

  #write(reply: FastifyReply, response: UntypedResponse, options: WriteOptions): FastifyReply {
    const { status, body, headers = {}, type } = response;
    if (!(Number.isInteger(status) && status >= 200 && status <= 599))
      throw new Error(`The handler returned the status ${status}, which is not one of 200 to 599.`);
    const links = status >= 400 ? options.links : undefined;
    if (status >= 400) markFailure(reply, body);
    // The document can leave all responses open.
    const validate = options.validate && !(body instanceof RawJson) && this.#declarations.size > 0;
    const declaration = this.#select(status);
    if (validate && declaration === undefined)
      throw new Error(`The handler returned the status ${status}, which the document does not declare.`);
    if (typeof headers !== "object" || headers === null || Symbol.iterator in headers)
      throw new Error("The headers that the handler returned must be a plain object.");
    const texts: [name: string, text: string][] = [];
    for (const name in headers)
      if (headers[name] !== undefined && !(hasNoContent(status) && /^content-length$/i.test(name)))
        for (const text of writeHeader(name, headers[name], declaration?.headers.get(name.toLowerCase()), validate))
          texts.push([name, text]);
    const isBodiless = body === undefined || status === 304 || hasNoContent(status);
    if (isBodiless && (body ?? undefined) !== undefined && options.validate)
      throw new Error(`The handler returned a body with the status ${status}, which has none.`);
    if (isBodiless) discardStream(body);
    if (type !== undefined && !(typeof type === "string" && isMediaType(type)))
      throw new Error("The type that the handler returned is not a media type.");
    const content = isBodiless ? undefined : this.#writeBody(declaration, response, reply, validate);
    if (declaration?.isTagged) addTag(reply, texts, content?.payload);
    if (this.#mediaTypes.length > 1) setHeader(reply, "vary", "accept");
    if (validate && declaration) {
      const names = [...texts.map(([name]) => name), ...(links === undefined ? [] : ["link"])];
      checkRequiredHeaders(reply, status, declaration, names);
      if (body === undefined) checkMissingBody(reply, status, declaration);
    }
    for (const [name, text] of texts) setHeader(reply, name, text);
    const length = texts.find(([name]) => /^content-length$/i.test(name))?.[1];
    if (links !== undefined) setHeader(reply, "link", links);
    reply.code(status);
    if (content === undefined) return reply.send();
    reply.type(content.type);
    if (reply.request.method === "HEAD") return reply.send(withoutContent(content.payload));
    const stream = withByteChunks(content.payload);
    if (!(stream instanceof Readable)) return reply.send(stream);
    const events = essenceOf(content.type) === "text/event-stream" ? toEventStream(stream) : undefined;
    // Its client reconnects. Of other streams, an early end would look like the last item.
    if (events) options.openCalls.addEventStream(reply.raw, events);
    if (events || stream instanceof ItemStream) closeWithClient(reply.raw);
    const payload = length === undefined ? (events ?? stream) : withLength(events ?? stream, Number(length));
    payload.once("error", () => texts.forEach(([name]) => void reply.removeHeader(name))); // of the stream, and not of the error
    return reply.send(payload);
  }

  // A status, a range such as 4XX, or the default (OpenAPI 3.1.1, section 4.8.16).
  #select(status: number): Declaration | undefined {
    if (!this.#byStatus.has(status)) {
      const names = [`${status}`, `${Math.floor(status / 100)}XX`, "default"];
      this.#byStatus.set(status, names.map((name) => this.#declarations.get(name)).find(Boolean));
    }
    return this.#byStatus.get(status);
  }

  #writeBody(
    declaration: Declaration | undefined,
    { status, type, body }: UntypedResponse,
    reply: FastifyReply,
    validate: boolean,
  ): WrittenBody {
    if (body instanceof RawJson) return { type: type ?? jsonType, payload: body.text };
    const declared = [...(declaration?.contents.keys() ?? [])];
    if (declared.length === 0 && validate) throw new Error(`The document declares no body for the status ${status}.`);
    const mediaType = type ?? chooseType(declared, status, body, reply.request);
    const key = selectMediaType(declared, mediaType);
    if (key === undefined && validate)
      throw new Error(
        `The handler returned ${mediaType} for the status ${status}, which declares ${declared.join(" or ")}.`,
      );
    const content = declaration?.contents.get(key as string);
    const check = (value: unknown, schema: Validate | undefined) => {
      const result = validate && schema ? schema(value) : { value };
      if ("value" in result) return;
      const [{ path, requirement }] = result.problems;
      const part = path === "" ? "which" : `whose part '${path}'`;
      throw new Error(`The handler returned a body of the status ${status}, ${part} ${requirement}.`);
    };
    if (isItemStream(mediaType, body)) {
      if (Array.isArray(body)) check(body, content?.validate);
      return {
        type: mediaType,
        payload: new ItemStream(mediaType, body, (item) => check(item, content?.validateItem)),
      };
    }
    return findFormat(mediaType).write(mediaType, body, (value) => check(value, content?.validate));
  }
}

// Headers that hooks have set are counted, such as X-Request-Id.
function checkRequiredHeaders(
  reply: FastifyReply,
  status: number,
  declaration: Declaration,
  names: readonly string[],
): void {
  const written = new Set(names.map((name) => name.toLowerCase()));
  for (const [name, { required }] of declaration.headers)
    if (required && !written.has(name) && !reply.hasHeader(name))
      throw new Error(`The handler returned no header ${name}, which the status ${status} requires.`);
}

// RFC 9110, sections 15.3.5 and 15.3.6.
function hasNoContent(status: number): boolean {
  return status === 204 || status === 205;
}

function markFailure(reply: FastifyReply, body: unknown): void {
  reply.header("cache-control", "no-store");
  const { code } = Object(body) as { readonly code?: unknown };
  if (typeof code === "string") reply.request.errorCode = code;
}

function checkMissingBody(reply: FastifyReply, status: number, declaration: Declaration): void {
  const schemas = [...declaration.contents.values()].map(({ validate }) => validate);
  if (
    schemas.length > 0 &&
    !schemas.includes(undefined) &&
    !/^(1..|204|205|304)$/.test(`${status}`) &&
    reply.request.method !== "HEAD"
  )
    throw new Error(`The handler returned no body for the status ${status}, which declares one.`);
}

/** Compiles the responses of an operation. Reports responses that no status selects. */
export function compileResponses(operation: Part<OperationObject>, schemas: Schemas, report: ReportReason): Responses {
  const responses = operation.membersOf("responses");
  const isConditional = responses.some(([status]) => status === "304");
  const declarations = responses.map(([status, response]): [string, Declaration] => {
    if (!/^([1-5]([0-9]{2}|XX)|default|x-.*)$/.test(status))
      report(
        "status",
        `has the response ${status}, which is neither a status, nor a range such as 4XX, nor default`,
        response.pointer,
      );
    for (const [name] of response.membersOf("headers"))
      if (!isHeaderName(name))
        report(
          "response-header",
          `has a response header with the name '${name}', which HTTP does not allow`,
          response.pointer,
        );
    for (const [mediaType] of response.membersOf("content"))
      if (!isMediaTypeOrRange(mediaType))
        report(
          "response-content",
          `has a response of ${mediaType}, which is neither a media type nor a range such as application/*`,
          response.pointer,
        );
    return [status, compileResponse(response, schemas, isConditional && /^2/.test(status))];
  });
  const headers = responses.flatMap(([, response]) => response.membersOf("headers").map(([name]) => name));
  return new Responses(headers, new Map(declarations));
}

function compileResponse(response: Part<ResponseObject>, schemas: Schemas, canBeTagged: boolean): Declaration {
  const compileSchema = (part: Part<MediaTypeObject> | Part<ParameterObject>, key: "schema" | "itemSchema") => {
    const schema = (part as Part<MediaTypeObject>).written(key);
    return schema && schemas.compileCheckAt(schema.pointer);
  };
  const contents = response.membersOf("content").map(([type, part]): [string, ResponseContent] => {
    return [type, { validate: compileSchema(part, "schema"), validateItem: compileSchema(part, "itemSchema") }];
  });
  const headers = response.membersOf("headers").map(([name, part]): [string, Header] => {
    const { required = false, explode = false } = part.value;
    const [type, content] = part.membersOf("content")[0] ?? [];
    const validate = compileSchema(content ?? part, "schema");
    const shape = () => schemas.shapeAt(part.written("schema")?.pointer);
    return [name.toLowerCase(), { required, explode, isJson: type !== undefined && isJson(type), validate, shape }];
  });
  const own = new Map(headers.filter(([name]) => !automaticHeaders.test(name)));
  return { contents: new Map(contents), headers: own, isTagged: canBeTagged && own.has("etag") };
}
