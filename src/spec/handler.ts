// The types that bind a handler to its operation in the document. An undeclared status, the body of another status, an
// undeclared header, a wrong parameter name or a missing handler does not compile.

import type { Json } from "../lib/index.ts";

/** The types of an application. */
export interface Application {
  /** The interface `operations` that openapi-typescript generates from the document. */
  readonly operations: object;
  /** The second argument of handlers, such as a store. */
  readonly context: unknown;
  /** The owner of a valid credential. */
  readonly caller: unknown;
}

/** The operationId of an operation of the application's document. */
export type OperationId<App extends Application> = keyof App["operations"] & string;

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
export interface Call<App extends Application, Id extends OperationId<App>> {
  readonly params: Parameters<App["operations"][Id], "path">;
  readonly query: Parameters<App["operations"][Id], "query">;
  readonly headers: Parameters<App["operations"][Id], "header">;
  readonly body: RequestBody<App["operations"][Id]>;
  /** Undefined if the operation requires no credential and none was sent. */
  readonly caller: App["caller"] | undefined;
}

type ResponseOf<All> = {
  [Status in keyof All & number]: BodyField<JsonContent<All[Status]>> & {
    readonly status: Status;
    readonly headers?: All[Status] extends { headers: infer Headers } ? DeclaredHeaders<Headers> : undefined;
  };
}[keyof All & number];

/** A response that the document declares for the operation. */
export type HandlerResponse<App extends Application, Id extends OperationId<App>> = ResponseOf<
  Responses<App["operations"][Id]>
>;

/** Handles the requests of one operation. Returns expected failures, and throws only for bugs. */
export type Handler<App extends Application, Id extends OperationId<App>> = (
  call: Call<App, Id>,
  context: App["context"],
) => Promise<HandlerResponse<App, Id>>;

/** One handler for each operation of the document. */
export type Handlers<App extends Application> = { readonly [Id in OperationId<App>]: Handler<App, Id> };
