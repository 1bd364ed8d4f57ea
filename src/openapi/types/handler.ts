// The types that bind a handler to its operation in the document. An undeclared status, the body of another status, an
// undeclared header, a wrong parameter name or a missing handler does not compile.
import type { Readable } from "node:stream";
import type { RawJson } from "../../lib/index.ts";
import type { UntypedCall } from "../operation/call.ts";

/** The operationId of an operation. `Operations` is the interface `operations` that openapi-typescript generates. */
export type OperationId<Operations> = keyof Operations & string;

type JsonType = `${string}/json${"" | `;${string}`}` | `${string}+json${"" | `;${string}`}`;
type FormType = "application/x-www-form-urlencoded" | "multipart/form-data";
type ItemName = "text/event-stream" | `application/${"jsonl" | "x-ndjson" | `${"" | `${string}+`}json-seq`}`;
type ItemType = ItemName | `${ItemName};${string}`;
type Range = `${string}/*`;
type Bytes = string | Uint8Array | Readable | ReadableStream;
type Items<Item> = AsyncIterable<Item> | Iterable<Item>;

/** A value, unless the document allows any. */
type ValueOr<Value, Other> = unknown extends Value ? Other : Value;

/** The content of a request: by media type, a value, a text, or a stream. */
type RequestContent<Content> = {
  [Type in keyof Content]: Type extends JsonType | FormType
    ? Content[Type]
    : Type extends ItemType
      ? Readable
      : Type extends `text/${string}`
        ? ValueOr<Content[Type], string>
        : Type extends Range // the media type of the request selects the reader, unless the document describes bytes
          ? Content[Type] extends string
            ? Readable
            : ValueOr<Content[Type], Readable>
          : Readable;
}[keyof Content];
/** The content of a response: by media type, a value, a text, a stream, or the items of a stream. */
type ResponseContent<Content> = {
  [Type in keyof Content]: Type extends JsonType
    ? Immutable<Content[Type]> | RawJson<Content[Type]>
    : Type extends ItemType
      ? Bytes | Items<Content[Type] extends readonly (infer Item)[] ? Immutable<Item> : unknown>
      : Type extends `text/${string}`
        ? Bytes | Extract<Content[Type], number | bigint | boolean>
        : Type extends Range
          ? Bytes | Immutable<Content[Type]> | RawJson<Content[Type]>
          : Bytes;
}[keyof Content];

/** The media types of a range: `image/*` has `image/png`. */
type WithinRange<Type> = Type extends "*/*"
  ? `${string}/${string}`
  : Type extends `${infer Main}/*`
    ? `${Main}/${string}`
    : Type extends `${infer Main}/*+${infer Suffix}`
      ? `${Main}/${string}+${Suffix}`
      : Type;

/** The parameters of a location; never if the document declares none. */
export type Parameters<Operation, In extends string> = Operation extends { parameters: infer All }
  ? NonNullable<All[In & keyof All]>
  : never;
/** The body of a request, which can be undefined if the document does not require it. */
export type RequestBody<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? RequestContent<Content>
  : Operation extends { requestBody?: infer Body }
    ? NonNullable<Body> extends { content: infer Content }
      ? RequestContent<Content> | undefined
      : undefined
    : undefined;

/** The responses of an operation by status. */
export type Responses<Operation> = Operation extends { responses: infer All } ? All : never;

type Immutable<T> = T extends readonly unknown[]
  ? { readonly [Index in keyof T]: Immutable<T[Index]> }
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;
// `body` may be omitted if the document declares none, as for 204.
type BodyFields<Response> = Response extends { content: infer Content }
  ? { readonly body: ResponseContent<Content>; readonly type?: WithinRange<keyof Content & string> }
  : { readonly body?: undefined };
// Headers that the server sets if the handler does not.
type ServerHeader =
  | (
      | "cache-control"
      | "connection"
      | "content-length"
      | "content-type"
      | "date"
      | "deprecation"
      | "etag"
      | "keep-alive"
    )
  | ("link" | "sunset" | "transfer-encoding" | "vary" | "x-request-id");
/** The value of a header, or its text. */
type HeaderValue<T> = T extends string ? T : Immutable<T> | string;
// openapi-typescript adds an index signature to the headers of a response.
type Declared<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };
type RequiredName<T> = {
  [Name in keyof T]-?: undefined extends T[Name] ? never : Lowercase<Name & string> extends ServerHeader ? never : Name;
}[keyof T];
type OptionalHeaders<T> = { readonly [Name in keyof T]?: HeaderValue<NonNullable<T[Name]>> };
type RequiredHeaders<T> = { readonly [Name in RequiredName<T>]: HeaderValue<T[Name]> };
type HeadersField<T> = [RequiredName<T>] extends [never]
  ? { readonly headers?: OptionalHeaders<T> }
  : { readonly headers: OptionalHeaders<T> & RequiredHeaders<T> };
type HeaderFields<Response> = Response extends { headers: infer Headers }
  ? HeadersField<Declared<Headers>>
  : { readonly headers?: undefined };

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207;
type Redirection = 300 | 301 | 302 | 303 | 304 | 307 | 308;
type ClientFailure =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418)
  | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);
type ServerFailure = 500 | 501 | 502 | 503 | 504 | 505 | 507 | 508 | 510 | 511;
interface Ranges {
  "2XX": Success;
  "3XX": Redirection;
  "4XX": ClientFailure;
  "5XX": ServerFailure;
}
type Failure = ClientFailure | ServerFailure;
type Covered<All> = Extract<keyof All, number> | Ranges[Extract<keyof All, keyof Ranges>];
// Beside a success of its own, `default` is for all else.
type DefaultStatus<All> = Exclude<
  Redirection | Failure | (Extract<Covered<All>, Success> extends never ? Success : never),
  Covered<All>
>;
type StatusOf<Key, All> = Key extends number
  ? Key
  : Key extends keyof Ranges
    ? Exclude<Ranges[Key], keyof All>
    : Key extends "default"
      ? DefaultStatus<All>
      : never;

/** A validated request. Parameters and fields that were not sent have their default values. */
export interface Call<Operations, Id extends OperationId<Operations>, Caller = unknown>
  extends Pick<
    UntypedCall,
    "request" | "publicUrl" | "lastEventId" | "ifMatch" | "ifNoneMatch" | "responseType" | "signal"
  > {
  readonly operationId: Id;
  readonly params: Parameters<Operations[Id], "path">;
  readonly query: Parameters<Operations[Id], "query">;
  readonly headers: Parameters<Operations[Id], "header">;
  readonly cookies: Parameters<Operations[Id], "cookie">;
  readonly body: RequestBody<Operations[Id]>;
  /** Undefined if the operation requires no credential and none was sent. */
  readonly caller: Caller | undefined;
}

type ResponseOf<All> = {
  [Key in keyof All]: BodyFields<All[Key]> & HeaderFields<All[Key]> & { readonly status: StatusOf<Key, All> };
}[keyof All];

/** A response that the document declares for the operation. */
export type HandlerResponse<Operations, Id extends OperationId<Operations>> = ResponseOf<Responses<Operations[Id]>>;

/**
 * Handles the requests of one operation. Returns expected failures, and throws only for bugs.
 *
 * @example
 * const getBook: Handler<operations, "getBook", Context> = async ({ params }, { books }) => {
 *   const book = books.get(params.bookId);
 *   return book ? { status: 200, body: book } : { status: 404, body: notFound };
 * };
 */
export type Handler<Operations, Id extends OperationId<Operations>, Context = unknown, Caller = unknown> = (
  call: Call<Operations, Id, Caller>,
  context: Context,
) => Promise<HandlerResponse<Operations, Id> | Error>;

/** The operations that a store of records does not answer: their generated types say so. */
export type UnansweredId<Operations> = {
  [Id in OperationId<Operations>]: Operations[Id] extends { readonly handler: "required" } ? Id : never;
}[OperationId<Operations>];

/** One handler for each operation of the document. */
export type Handlers<Operations, Context = unknown, Caller = unknown> = {
  readonly [Id in OperationId<Operations>]: Handler<Operations, Id, Context, Caller>;
};
