// The responses of an operation: selects the media type, validates what a handler returns, and writes it.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isMediaType, setHeader, tagOf, toError } from "../../../http/index.ts";
import { RawJson } from "../../../lib/index.ts";
import type { Schemas } from "../../schema/schemas.ts";
import type { OperationObject } from "../../source/document-types.ts";
import type { ReportReason } from "../../source/findings.ts";
import type { Part } from "../../source/part.ts";
import { findFormat, isBinary, type WrittenBody } from "../../wire/body-formats.ts";
import { discardStream, ItemStream, isItemStream, withoutContent } from "../../wire/item-streams.ts";
import { formatOf, isJson, negotiate, selectMediaType } from "../../wire/media-types.ts";
import type { OpenCalls } from "../open-calls.ts";
import { ResponseCheck, type ResponseValidation } from "./check.ts";
import { compileDeclarations, type Declaration, type Header, type ResponseContent } from "./declaration.ts";
import { checkSentHeader, findHeaderProblem, hasNoContent, writeHeaders } from "./headers.ts";
import { toPayload } from "./stream.ts";
import { chooseType, jsonTypeOf, notAcceptable } from "./type.ts";

/** The response of a handler without the types of its operation. The compiler has compared it with the document. */
export interface UntypedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** The media type. By default, the one that the client prefers, of those that are declared and that the body can have. */
  readonly type?: string | undefined;
  /** A value for JSON, a string for text, a stream or bytes for other media types, and an iterable for streams of items. */
  readonly body?: unknown;
  /** The lines of headers that another server has sent, by name: they and a body that is not bytes are compared, and not sent. */
  readonly sentHeaders?: NodeJS.Dict<string[]> | undefined;
}

/** What a handler returns: a response, or an error, which is treated as if it was thrown. */
export type HandlerResult = UntypedResponse | Error;

export interface WriteOptions {
  /** The Link header of failures. */
  readonly links?: string | undefined;
  readonly validation: ResponseValidation;
  /** Is called if a stream fails after its headers were sent. */
  readonly onError?: ((error: Error, request: FastifyRequest) => void) | undefined;
  /** Ends server-sent events when the server closes. */
  readonly openCalls: OpenCalls;
}

/** What is sent of a response. */
interface WrittenResponse {
  readonly texts: readonly (readonly [name: string, text: string])[];
  readonly content: WrittenBody | undefined;
  readonly tag: string | undefined;
}

/** The responses that an operation declares. */
export class Responses {
  /** The names of the headers of any response. */
  readonly headers: readonly string[];
  /** Whether a success can have an ETag. */
  readonly haveTags: boolean;
  readonly #declarations: ReadonlyMap<string, Declaration>; // by status, range of statuses or `default`
  readonly #byStatus = new Map<number, Declaration | undefined>(); // those that were selected before
  readonly #isDeclared: boolean; // the document can leave all responses open
  readonly #hasSuccess: boolean; // or all successes, if it declares only errors
  readonly #mediaTypes: readonly string[]; // of successes

  constructor(declarations: ReadonlyMap<string, Declaration>, headers: readonly string[]) {
    this.headers = headers;
    this.#declarations = declarations;
    this.#isDeclared = declarations.size > 0;
    this.#hasSuccess = [...declarations.keys()].some((status) => /^([123]|default)/.test(status));
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

  /** Returns the bodies that are declared for a status, by media type. */
  contentsOf(status: number): ReadonlyMap<string, ResponseContent> {
    return this.#select(status)?.contents ?? new Map();
  }

  /** Returns the names of the declared headers that `headers`, by name in lower case, lack, or do not match. */
  findHeaderProblems(status: number, headers: Readonly<Record<string, unknown>>): readonly string[] {
    const { headers: declared = new Map<string, Header>(), isTagged = false } = this.#select(status) ?? {};
    return [...declared].flatMap(([name, header]) => {
      const isSent = headers[name] !== undefined || (name === "etag" && isTagged);
      const isWrong = headers[name] !== undefined && findHeaderProblem(name, headers[name], header) !== undefined;
      return isWrong || (header.required && !isSent) ? [name] : [];
    });
  }

  /** Returns the media types of the body of a failure with this status, or without one, of all failures. */
  failureTypes(status?: number): readonly string[] {
    if (status !== undefined) return [...this.contentsOf(status).keys()];
    return [...this.#declarations].flatMap(([name, { contents }]) => (/^[1-3]/.test(name) ? [] : [...contents.keys()]));
  }

  /** Returns whether the document declares a status. */
  declares(status: number): boolean {
    const isOpen = !this.#isDeclared || (!this.#hasSuccess && status < 300);
    return isOpen || this.#select(status) !== undefined;
  }

  /** Returns the media type of a success that the client prefers; undefined if none is declared, or it accepts none. */
  preferredType(accept: string | undefined): string | undefined {
    return negotiate(this.#mediaTypes, accept);
  }

  /**
   * Sends the response of a handler. Throws an Error if it can't be sent, or if the document does not declare it. The JSON text of
   * a RawJson is not compared: a handler returns it for speed.
   */
  write(reply: FastifyReply, response: UntypedResponse, options: WriteOptions): FastifyReply {
    const { status, headers, type, body, sentHeaders } = response; // once, because the values of a getter can change
    try {
      return this.#write(reply, { status, headers, type, body, sentHeaders }, options);
    } catch (error) {
      discardStream(body);
      throw error;
    }
  }

  /**
   * Returns the ETags that `write` would add to a response, one for each media type that its body can have. Throws an Error if it
   * can't be sent.
   */
  tagsOf(response: UntypedResponse, reply: FastifyReply): readonly string[] {
    const check = new ResponseCheck("off", reply);
    const declaration = this.#select(response.status);
    const texts = writeHeaders(response, declaration, check);
    const types = [...(declaration?.contents.keys() ?? [])].filter((type) => findFormat(type).canWrite(response.body));
    const bodies = (types.length > 0 ? types : [undefined]).map((type) =>
      this.#writeBody(declaration, { ...response, type }, reply, check),
    );
    return bodies.flatMap(({ payload }) => tagOf(texts, payload) ?? []);
  }

  /**
   * Compares a response as `write` does, before what it says is committed. Returns it with the text of its JSON, which `write` does not
   * compare again. Throws an Error if it can't be sent.
   */
  prepare(reply: FastifyReply, response: UntypedResponse, validation: ResponseValidation): UntypedResponse {
    const { body } = response;
    if (isBinary(body) || Symbol.asyncIterator in Object(body)) return response; // is compared while it is sent
    const { content } = this.#compare(reply, response, validation, undefined);
    const isText = content !== undefined && isJson(content.type) && typeof content.payload === "string";
    return isText ? { ...response, type: content.type, body: new RawJson(content.payload as string) } : response;
  }

  // Returns what is sent of a response.
  #compare(
    reply: FastifyReply,
    response: UntypedResponse,
    validation: ResponseValidation,
    links: string | undefined,
  ): WrittenResponse {
    const { status, body, type, sentHeaders } = response;
    if (!(Number.isInteger(status) && status >= 200 && status <= 599))
      throw new Error(`The handler returned the status ${status}, which is not one of 200 to 599.`);
    const hasText = body instanceof RawJson; // which is not read again
    const check = new ResponseCheck(hasText || !this.#isDeclared ? "none" : validation, reply);
    const declaration = this.#select(status);
    if (validation !== "none" && !this.declares(status))
      throw new Error(`The handler returned the status ${status}, which the document does not declare.`);
    const texts = writeHeaders(response, declaration, check);
    const isBodiless = body === undefined || status === 304 || hasNoContent(status);
    if (isBodiless && (body ?? undefined) !== undefined)
      check.report(`The handler returned a body with the status ${status}, which has none.`);
    if (isBodiless) discardStream(body);
    if (type !== undefined && !(typeof type === "string" && isMediaType(type)))
      throw new Error("The type that the handler returned is not a media type.");
    const content = isBodiless ? undefined : this.#writeBody(declaration, response, reply, check);
    // The ETag of what a change returns is that of a GET, whose headers do not have those of the change, such as Location.
    const isOfTag = ([name]: readonly [string, string]) =>
      /^(GET|HEAD)$/.test(reply.request.method) || /^etag$/i.test(name);
    const tag = declaration?.isTagged ? tagOf(texts.filter(isOfTag), content?.payload) : undefined;
    if (check.comparesSchemas && declaration) {
      const names = new Set([
        ...texts.map(([name]) => name.toLowerCase()),
        ...(tag === undefined ? [] : ["etag"]),
        ...(links === undefined ? [] : ["link"]),
      ]);
      // Headers that hooks have set are counted, such as X-Request-Id.
      const isSent = (name: string) => (sentHeaders ? name in sentHeaders : names.has(name) || reply.hasHeader(name));
      for (const [name, header] of declaration.headers) {
        if (header.required && !isSent(name))
          check.report(`The handler returned no header ${name}, which the status ${status} requires.`);
        if (sentHeaders?.[name]) checkSentHeader(name, sentHeaders[name], header, check);
      }
      if (body === undefined) checkMissingBody(reply, status, declaration, check);
    }
    return { texts, content, tag };
  }

  #write(reply: FastifyReply, response: UntypedResponse, options: WriteOptions): FastifyReply {
    const { status, body } = response;
    const links = status >= 400 ? options.links : undefined;
    if (status >= 400) markFailure(reply, body);
    const { texts, content, tag } = this.#compare(reply, response, options.validation, links);
    if (tag !== undefined) reply.header("etag", tag);
    if (this.#mediaTypes.length > 1) setHeader(reply, "vary", "accept");
    for (const [name, text] of texts) setHeader(reply, name, text);
    const length = texts.find(([name]) => /^content-length$/i.test(name))?.[1];
    if (links !== undefined) setHeader(reply, "link", links);
    reply.code(status);
    if (content === undefined) return reply.send();
    reply.type(content.type);
    if (reply.request.method === "HEAD") return reply.send(withoutContent(content.payload));
    const payload = toPayload(content, reply, length === undefined ? undefined : Number(length), options.openCalls);
    if (payload instanceof Readable)
      payload.once("error", (error) => {
        for (const [name] of texts) reply.removeHeader(name); // of the stream, and not of the error
        if (reply.raw.headersSent) options.onError?.(toError(error), reply.request);
      });
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
    { status, type, body, sentHeaders }: UntypedResponse,
    reply: FastifyReply,
    check: ResponseCheck,
  ): WrittenBody {
    const declared = [...(declaration?.contents.keys() ?? [])];
    if (body instanceof RawJson) {
      const isChosen = type === undefined && declared.length > 1;
      const chosen = isChosen ? chooseType(declared, status, body, reply.request) : type;
      return { type: chosen && (type || isJson(chosen)) ? chosen : jsonTypeOf(declaration), payload: body.text };
    }
    if (declared.length === 0) check.report(`The document declares no body for the status ${status}.`);
    const mediaType = type ?? chooseType(declared, status, body, reply.request);
    const key = selectMediaType(declared, mediaType);
    if (key === undefined && declared.length > 0)
      check.report(
        `The handler returned ${mediaType} for the status ${status}, which declares ${declared.join(" or ")}.`,
      );
    const content = declaration?.contents.get(key as string);
    if (isItemStream(mediaType, body)) {
      if (Array.isArray(body)) check.check(body, status, content?.schema);
      const checkItem = (item: unknown) => check.check(item, status, content?.itemSchema);
      return { type: mediaType, payload: new ItemStream(mediaType, body, checkItem) };
    }
    if (sentHeaders && isBinary(body)) return { type: mediaType, payload: "" };
    const { schema } = content ?? {};
    const isChecked =
      schema !== undefined && (check.comparesSchemas || (check.isNeeded && schema.writeOnly !== undefined));
    return findFormat(mediaType).write(
      mediaType,
      body,
      isChecked ? (value) => check.check(value, status, schema, formatOf(mediaType) === "text") : undefined,
    );
  }
}

function markFailure(reply: FastifyReply, body: unknown): void {
  reply.header("cache-control", "no-store");
  const { code } = Object(body) as { readonly code?: unknown };
  if (typeof code === "string") reply.request.errorCode = code;
}

function checkMissingBody(reply: FastifyReply, status: number, declaration: Declaration, check: ResponseCheck): void {
  const schemas = [...declaration.contents.values()].map(({ schema }) => schema);
  if (
    schemas.length > 0 &&
    !schemas.includes(undefined) &&
    !/^(1..|204|205|304)$/.test(`${status}`) &&
    reply.request.method !== "HEAD"
  )
    check.report(`The handler returned no body for the status ${status}, which declares one.`);
}

/** Compiles the responses of an operation. Reports responses that no status selects. */
export function compileResponses(operation: Part<OperationObject>, schemas: Schemas, report: ReportReason): Responses {
  const declared = operation.membersOf("responses");
  const headers = declared.flatMap(([, response]) => response.membersOf("headers").map(([name]) => name));
  return new Responses(compileDeclarations(operation, schemas, report), headers);
}
