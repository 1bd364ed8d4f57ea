// The types that bind a handler to its operation in the document. An undeclared status, the body of another status, an
// undeclared header, a wrong parameter name or a missing handler does not compile.
import type { Readable } from "node:stream";
import type { RawJson } from "../../lib/index.ts";
import type { SentRequest } from "../operation/index.ts";

/** The operationId of an operation. `Operations` is the interface `operations` that openapi-typescript generates. */
export type OperationId<Operations> = keyof Operations & string;

type JsonType = `${string}/json${"" | `;${string}`}` | `${string}+json${"" | `;${string}`}`;
type FormType = "application/x-www-form-urlencoded" | "multipart/form-data";

/** The content of a request: by media type, a value, a text, or a stream. */
type RequestContent<Content> = {
  [Type in keyof Content]: Type extends JsonType | FormType
    ? Content[Type]
    : Type extends `text/${string}`
      ? string
      : Readable;
}[keyof Content];
/** The content of a response: by media type, a value, a text, a stream, or the items of a stream. */
type ResponseContent<Content> = {
  [Type in keyof Content]: Type extends JsonType
    ? Immutable<Content[Type]> | RawJson<Content[Type]>
    : string | Uint8Array | Readable | ReadableStream | AsyncIterable<unknown> | readonly unknown[];
}[keyof Content];

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

type Immutable<T> = T extends (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;
// `body` may be omitted if the document declares none, as for 204.
type BodyFields<Response> = Response extends { content: infer Content }
  ? { readonly body: ResponseContent<Content>; readonly type?: keyof Content & string }
  : { readonly body?: undefined };
// openapi-typescript adds an index signature to the headers of a response.
type DeclaredHeaders<T> = { [Name in keyof T as string extends Name ? never : Name]?: T[Name] };

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
// If the document declares failures one by one, `default` does not permit others.
type DefaultStatus<All> =
  Extract<keyof All, Failure | "4XX" | "5XX"> extends never
    ? Exclude<Success | Redirection | Failure, keyof All>
    : never;
type StatusOf<Key, All> = Key extends number
  ? Key
  : Key extends keyof Ranges
    ? Exclude<Ranges[Key], keyof All>
    : Key extends "default"
      ? DefaultStatus<All>
      : never;

/** A validated request. Parameters and fields that were not sent have their default values. */
export interface Call<Operations, Id extends OperationId<Operations>, Caller = unknown> {
  readonly operationId: Id;
  readonly params: Parameters<Operations[Id], "path">;
  readonly query: Parameters<Operations[Id], "query">;
  readonly headers: Parameters<Operations[Id], "header">;
  readonly cookies: Parameters<Operations[Id], "cookie">;
  readonly body: RequestBody<Operations[Id]>;
  /** Undefined if the operation requires no credential and none was sent. */
  readonly caller: Caller | undefined;
  /** The request as it was sent: its id, address, URL, headers and logger. */
  readonly request: SentRequest;
  /** The media type that the client prefers, of those that the document declares for successes; undefined for none. */
  readonly responseType: string | undefined;
  /**
   * Aborted when the response is complete, the client disconnects, or the server closes: at once for server-sent events, and
   * after half of the grace period for other responses.
   */
  readonly signal: AbortSignal;
}

type ResponseOf<All> = {
  [Key in keyof All]: BodyFields<All[Key]> & {
    readonly status: StatusOf<Key, All>;
    readonly headers?: All[Key] extends { headers: infer Headers } ? DeclaredHeaders<Headers> : undefined;
  };
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

/** One handler for each operation of the document. */
export type Handlers<Operations, Context = unknown, Caller = unknown> = {
  readonly [Id in OperationId<Operations>]: Handler<Operations, Id, Context, Caller>;
};
