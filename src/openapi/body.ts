// The body of a request: reads it by its media type, and validates it.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest, preParsingHookHandler, preValidationHookHandler } from "fastify";
import fp from "fastify-plugin";
import {
  checkContentCoding,
  checkMediaType,
  HttpError,
  limitWaitingChunks,
  parseBody,
  readBody,
} from "../http/index.ts";
import type { OperationObject } from "./document-types.ts";
import type { Reject } from "./operation.ts";
import type { Part } from "./part.ts";
import type { Schemas, Validate, Validation } from "./schema.ts";
import { describeFailure } from "./validation-messages.ts";

/** Parses the bytes of a body. Throws an HttpError if they are invalid. */
type BodyReader = (bytes: Buffer) => unknown;

// The readers of bodies by media type.
const readers: Readonly<Record<string, BodyReader>> = { "application/json": parseBody };

/** The request body of an operation. */
export class Body {
  readonly required: boolean;
  /** The maximum size in bytes; undefined for Fastify's default of 1 MiB. */
  readonly maxBytes: number | undefined;
  /** The accepted media types. */
  readonly mediaTypes: readonly string[];
  readonly #validate: Validate;

  constructor(options: Pick<Body, "required" | "maxBytes" | "mediaTypes"> & { readonly validate: Validate }) {
    this.required = options.required;
    this.maxBytes = options.maxBytes;
    this.mediaTypes = options.mediaTypes;
    this.#validate = options.validate;
  }

  /** Validates a parsed body, and fills in default values. The validator that Fastify runs. */
  readonly validate = (body: unknown): Validated => toValidated(this.#validate(body));
}

/** The result of a validation, as Fastify expects it. */
export type Validated = { readonly value: unknown; readonly error?: undefined } | { readonly error: HttpError };

function toValidated(result: Validation): Validated {
  if ("value" in result) return { value: result.value };
  const { path, requirement } = describeFailure(result.errors, "field");
  const subject = path === "" ? "body" : `field '${path}'`;
  return { error: new HttpError("invalid_body", `The ${subject} ${requirement}.`) };
}

/** Creates the validation of a record that follows the rules of a body, such as a line of an import. */
export function createRecordValidator(schema: Part, schemas: Schemas): (record: unknown) => Validated {
  const validate = schemas.compileAt(schema.pointer);
  return (record) => toValidated(validate(record));
}

/** Compiles the body of an operation; undefined if it has none. Rejects media types that the server can't read. */
export function compileBody(operation: Part<OperationObject>, schemas: Schemas, reject: Reject): Body | undefined {
  const body = operation.at("requestBody");
  if (body === undefined) return undefined;
  const { required = false, "x-max-bytes": maxBytes } = body.value;
  const content = body.membersOf("content");
  const mediaTypes = content.map(([type]) => type);
  const unsupported = mediaTypes.find((type) => readers[type] === undefined);
  if (unsupported) reject(`has a body of ${unsupported}, but only ${Object.keys(readers).join(", ")} is supported`);
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes > 0))
    reject(`has the x-max-bytes ${maxBytes}, but it must be a positive integer`);
  const schema = content[0]?.[1].written("schema");
  if (schema === undefined) return reject("has a body without a schema for application/json");
  return new Body({ required, maxBytes, mediaTypes, validate: schemas.compileAt(schema.pointer) });
}

/** Reads the bodies of all operations by their media types. Responds with 415 to other media types. */
export const bodies = fp(
  async (app) => {
    for (const event of ["request", "checkContinue", "checkExpectation"])
      app.server.prependListener(event, limitWaitingChunks);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
      const read = selectReader(request);
      const bytes = await readBody(request, payload);
      await app.waitForTurn(request); // the time of parsing counts as the client's
      checkContentCoding(request.headers["content-encoding"]);
      checkMediaType(request.headers["content-type"] as string);
      if (bytes.length === 0) throw new HttpError("invalid_body", "The body must not be empty.");
      return read(bytes);
    });
  },
  { name: "bodies", dependencies: ["error-handler", "load-shedding"] },
);

function selectReader({ mediaType, routeOptions }: FastifyRequest): BodyReader {
  const { mediaTypes = [] } = { ...routeOptions.config.operation?.body };
  const reader = mediaTypes.includes(`${mediaType}`) ? readers[`${mediaType}`] : undefined;
  if (reader) return reader;
  const types = mediaTypes.join(" or ");
  throw new HttpError(
    "unsupported_media_type",
    types ? `The Content-Type of the body must be ${types}.` : "This operation accepts no body.",
  );
}

/**
 * Rejects a malformed Content-Type, which Fastify would not parse. Responds with 100 to clients that wait for it before
 * they send the body (RFC 9110, section 10.1.1).
 */
export const prepareBody: preParsingHookHandler = (request, reply, _payload, done) => {
  const { raw, headers, routeOptions, mediaType } = request;
  if (headers["content-type"] !== undefined && mediaType === undefined) selectReader(request);
  const isWaiting = /\b100-continue\b/i.test(headers.expect ?? "") && raw.httpVersion !== "1.0";
  if (isWaiting && !(Number(headers["content-length"]) > routeOptions.bodyLimit)) reply.raw.writeContinue();
  done();
};

/** Rejects a request without a body, which Fastify would validate as null. */
export const requireBody: preValidationHookHandler = (request, _reply, done) =>
  done(request.body === undefined ? new HttpError("invalid_body", "The request must have a body.") : undefined);
