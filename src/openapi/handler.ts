// The types that bind a handler to its operation in the document. An undeclared status, the body of another status, an
// undeclared header, a wrong parameter name or a missing handler does not compile.

import type { Json } from "../lib/index.ts";

/** The operationId of an operation. `Operations` is the interface `operations` that openapi-typescript generates. */
export type OperationId<Operations> = keyof Operations & string;

// The types of openapi-typescript have the media types of a body, and the parameters of each location.
/** The body of a request or a response; undefined if the document declares none. */
export type JsonContent<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined;
/** The parameters of a location; never if the document declares none. */
export type Parameters<Operation, In extends string> = Operation extends { parameters: infer All }
  ? NonNullable<All[In & keyof All]>
  : never;
/** The body of a request, which can be undefined if the document does not require it. */
export type RequestBody<Operation> = Operation extends { requestBody: infer Body }
  ? JsonContent<Body>
  : Operation extends { requestBody?: infer Body }
    ? JsonContent<NonNullable<Body>> | undefined
    : undefined;

/** The responses of an operation by status. */
export type Responses<Operation> = Operation extends { responses: infer All } ? All : never;

type Immutable<T> = T extends (infer Item)[] ? readonly Readonly<Item>[] : Readonly<T>;
// `body` may be omitted if the document declares none, as for 204.
type BodyField<Body> = [Body] extends [undefined]
  ? { readonly body?: undefined }
  : { readonly body: Immutable<Body> | Json<Body> };
// openapi-typescript adds an index signature to the headers of a response.
type DeclaredHeaders<T> = { [Name in keyof T as string extends Name ? never : Name]?: T[Name] };

/** A validated request. Parameters and fields that were not sent have their default values. */
export interface Call<Operations, Id extends OperationId<Operations>, Caller = unknown> {
  readonly params: Parameters<Operations[Id], "path">;
  readonly query: Parameters<Operations[Id], "query">;
  readonly headers: Parameters<Operations[Id], "header">;
  readonly body: RequestBody<Operations[Id]>;
  /** Undefined if the operation requires no credential and none was sent. */
  readonly caller: Caller | undefined;
}

type ResponseOf<All> = {
  [Status in keyof All & number]: BodyField<JsonContent<All[Status]>> & {
    readonly status: Status;
    readonly headers?: All[Status] extends { headers: infer Headers } ? DeclaredHeaders<Headers> : undefined;
  };
}[keyof All & number];

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
) => Promise<HandlerResponse<Operations, Id>>;

/** One handler for each operation of the document. */
export type Handlers<Operations, Context = unknown, Caller = unknown> = {
  readonly [Id in OperationId<Operations>]: Handler<Operations, Id, Context, Caller>;
};
