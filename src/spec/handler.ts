// The types that tie a handler to its operation in the document: what it receives, and what it may
// answer. An undeclared status, a body of another status, an undeclared header, a wrong parameter
// name or a missing operation does not compile.
import type { components, operations } from "../generated/openapi.ts";
import type { Page, PetStore } from "../store/index.ts";

/** The operationId of an operation of the document. */
export type OperationId = keyof operations;

/** The body of every failure. */
export type ErrorBody = components["schemas"]["Error"];

/** Who is calling, as the credential says. */
export interface Caller {
  readonly id: bigint;
  readonly name: string;
  /** Whether the credential opens what is for those who run the service. */
  readonly operator: boolean;
}

type Content<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined;
type Immutable<T> = T extends (infer Item)[] ? readonly Readonly<Item>[] : Readonly<T>;
type Declared<T> = { [Name in keyof T as string extends Name ? never : Name]?: T[Name] };
type Part<Id extends OperationId, In extends keyof operations[Id]["parameters"]> = NonNullable<
  operations[Id]["parameters"][In]
>;

/** A call of an operation, validated against the document, defaults filled in. */
export interface Call<Id extends OperationId> {
  readonly params: Part<Id, "path">;
  readonly query: Part<Id, "query">;
  readonly headers: Part<Id, "header">;
  readonly body: Content<operations[Id]["requestBody"]>;
  /** Absent where the operation needs no credential and none was sent. */
  readonly caller: Caller | undefined;
}

/** An answer that the document declares for the operation, by its status. */
export type HandlerResponse<Id extends OperationId> = {
  [Status in keyof operations[Id]["responses"] & number]: {
    readonly status: Status;
    readonly body: Immutable<Content<operations[Id]["responses"][Status]>>;
    readonly headers?: Declared<
      operations[Id]["responses"][Status]["headers" & keyof operations[Id]["responses"][Status]]
    >;
  };
}[keyof operations[Id]["responses"] & number];

/** What a handler works with. */
export interface Context {
  readonly pets: PetStore;
  /** The pages of the operation called, where it lists. */
  readonly pages: Pagination;
}

/** The pages of a list (RFC 8288): where one begins, and the address of the next. */
export interface Pagination {
  /** The id after which the page of this query begins; null where its cursor is not of our making, or for another filter. */
  after(query: ListQuery): bigint | undefined | null;
  /** The `Link` header that leads from this page of the query to the next, where there is one. */
  next(query: ListQuery, page: Page): string | undefined;
}

/** The query of a list: `cursor` and `limit` say which page, all else is the filter. */
export type ListQuery = { readonly limit: number; readonly cursor?: string };

/** Answers the calls of one operation. Expected failures are returned (`fail`), only bugs are thrown. */
export type Handler<Id extends OperationId> = (call: Call<Id>, context: Context) => Promise<HandlerResponse<Id>>;

/** One handler for each operation of the document. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };
