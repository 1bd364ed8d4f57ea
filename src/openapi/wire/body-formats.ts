// How the bodies of each media type are read and written: one row for each format.
import { Readable } from "node:stream";
import { decodeUtf8, type MaybePromise, parseJsonBytes, toJson } from "../../lib/index.ts";
import type { Validate, Validation } from "../schema/keyword.ts";
import { type FormEncoding, readForm, readMultipart, validateForm } from "./form-bodies.ts";
import { type FormatName, formatOf } from "./media-types.ts";
import { isJsonValue, toSentValue } from "./sent-value.ts";

/** What a body is read with. */
export interface ReadOptions {
  readonly contentType: string;
  readonly encoding: () => FormEncoding;
  /** Called before a text is read whose values take many times its size. Rejects if there is no memory for them. */
  readonly admit: (text: Buffer) => MaybePromise<void>;
}

/** A body that is sent, and its media type. */
export interface WrittenBody {
  readonly type: string;
  readonly payload: unknown;
}

/** How bodies of a format are read, validated and written. */
export interface BodyFormat {
  /** Whether bodies are streams, which are passed on, and neither read nor validated. */
  readonly isStream?: boolean;
  /** Returns the value of a body. Throws an InvalidValue or an HttpError. Missing for streams. */
  readonly read?: (bytes: Buffer, options: ReadOptions) => MaybePromise<unknown>;
  /** Reads a body with texts wherever they are allowed. Only of formats whose values are texts. */
  readonly readAsTexts?: (bytes: Buffer, encoding: FormEncoding) => unknown;
  /** Whether the whole body is one text, in UTF-8. */
  readonly isText?: boolean;
  /** By default, `validate` itself. */
  readonly validate?: (value: unknown, validate: Validate) => Validation;
  /** Whether a handler can return this body. */
  readonly canWrite: (body: unknown) => boolean;
  /**
   * Returns what is sent. `check` returns the value that is sent instead, and throws an Error if it does not match its schema.
   * Throws an Error for other bodies.
   */
  readonly write: (mediaType: string, body: unknown, check?: (value: unknown) => unknown) => WrittenBody;
}

/** Returns whether a body is bytes or a stream. */
export function isBinary(body: unknown): body is Readable | ReadableStream | Uint8Array {
  return body instanceof Readable || body instanceof ReadableStream || body instanceof Uint8Array;
}

/** Returns whether a body is an async iterable. */
export function isIterable(body: unknown): boolean {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

const asBytes: Pick<BodyFormat, "canWrite" | "write"> = {
  canWrite: (body) => isBinary(body) || typeof body === "string",
  write: (type, body) => (asBytes.canWrite(body) ? { type, payload: body } : failToWrite(type)),
};

const formats: Readonly<Record<FormatName, BodyFormat>> = {
  json: {
    read: (bytes) => parseJsonBytes(bytes),
    isText: true,
    canWrite: (body) => !isBinary(body) && !isIterable(body),
    write: (type, body, check) => ({ type, payload: writeJson(type, body, check) }),
  },
  text: {
    read: (bytes, { encoding }) => encoding().shape.parsePrimitive(decodeUtf8(bytes)),
    isText: true,
    canWrite: (body) => isBinary(body) || typeof body !== "object",
    write: (mediaType, body, check) => {
      const type = mediaType.includes(";") ? mediaType : `${mediaType}; charset=utf-8`;
      if (isBinary(body)) return { type, payload: body };
      if (typeof body === "object" && body !== null) return failToWrite(mediaType);
      check?.(body);
      return { type, payload: String(body) };
    },
  },
  form: {
    read: (bytes, { encoding }) => readForm(decodeUtf8(bytes), encoding()),
    readAsTexts: (bytes, { shape, parts }) => readForm(decodeUtf8(bytes), { shape: shape.asTexts, parts }),
    isText: true,
    ...asBytes,
  },
  multipart: {
    read: (bytes, { contentType, encoding, admit }) => readMultipart(bytes, contentType, encoding(), admit),
    validate: validateForm,
    ...asBytes,
  },
  stream: { isStream: true, validate: (value) => ({ value }), ...asBytes },
};

/** Returns how bodies of a media type are read and written. */
export function findFormat(mediaType: string): BodyFormat {
  return formats[formatOf(mediaType)];
}

function failToWrite(mediaType: string): never {
  throw new Error(`The handler must return ${mediaType} as a string, bytes or a stream.`);
}

function writeJson(mediaType: string, body: unknown, check?: (value: unknown) => unknown): string {
  // Undefined if toJSON returns it. Fails if the value contains itself.
  const text: string | undefined = isJsonValue(body) ? toJson(check ? check(toSentValue(body)) : body) : undefined;
  if (text !== undefined) return text;
  throw new Error(
    `The handler returned a value for ${mediaType} that is not a JSON value, such as a stream or a promise.`,
  );
}
