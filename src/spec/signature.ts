// The signature of an operation: the types of the parameters and fields that its handler reads and sends. The compiler
// compares it with the types of the document, and the server compares it with the document when it starts: a document
// can be edited without a run of the compiler.
import type { Application, JsonContent, OperationId, Parameters, RequestBody, Responses } from "./handler.ts";

/** The types of parameters or fields by name. The suffix `?` marks a value that can be missing. */
export type FieldTypes = Readonly<Record<string, string>>;

/** The type of a body: its fields, the type of the items of an array, `object` for any fields, or `none`. */
export type BodyType = string | FieldTypes | readonly [BodyType];

/** The signature of an operation, without the types of its document. */
export interface Signature {
  readonly path?: FieldTypes | undefined;
  readonly query?: FieldTypes | undefined;
  readonly header?: FieldTypes | undefined;
  readonly body?: BodyType | undefined;
  /** Whether the handler accepts a request without a body. */
  readonly optionalBody?: boolean;
  /** The bodies that the handler sends, by status. */
  readonly responses: Readonly<Record<number, BodyType>>;
  /** The names of the headers that the handler sends. */
  readonly responseHeaders?: readonly string[];
}

/** The body of every error response. */
export const errorFields = { code: "string", message: "string", status: "integer" } as const;

type TypeName<T> = T extends bigint
  ? "int64"
  : T extends number
    ? "integer" | "number"
    : T extends string
      ? "string"
      : T extends boolean
        ? "boolean"
        : T extends readonly unknown[]
          ? "array"
          : "object";

type IsOptional<T, Name extends keyof T> = object extends Pick<T, Name> ? true : false;

// A handler can also accept that a required value is missing.
type RequestFields<T> = {
  readonly [Name in keyof T]-?: IsOptional<T, Name> extends true
    ? `${TypeName<NonNullable<T[Name]>>}?`
    : TypeName<T[Name]> | `${TypeName<T[Name]>}?`;
};
// A handler can also always send an optional value.
type ResponseFields<T> = {
  readonly [Name in keyof T]-?: IsOptional<T, Name> extends true
    ? TypeName<NonNullable<T[Name]>> | `${TypeName<NonNullable<T[Name]>>}?`
    : TypeName<T[Name]>;
};

type RequestType<T> = T extends readonly (infer Item)[]
  ? readonly [RequestType<Item>]
  : TypeName<T> extends "object"
    ? RequestFields<T> | "object"
    : TypeName<T>;
type ResponseType<T> = [T] extends [undefined]
  ? "none"
  : T extends readonly (infer Item)[]
    ? readonly [ResponseType<Item>]
    : TypeName<T> extends "object"
      ? ResponseFields<T> | "object"
      : TypeName<T>;

type Input<Part extends string, T> = [T] extends [never]
  ? { readonly [Name in Part]?: undefined }
  : { readonly [Name in Part]: T };
type ParameterTypes<Operation, In extends string> = Input<
  In,
  [Parameters<Operation, In>] extends [never] ? never : RequestFields<Parameters<Operation, In>>
>;
type HeaderName<All> = {
  [Status in keyof All]: All[Status] extends { headers: infer Headers } ? keyof Headers & string : never;
}[keyof All];

/** The signature of an operation of the application's document. */
export type OperationSignature<App extends Application, Id extends OperationId<App>> = ParameterTypes<
  App["operations"][Id],
  "path"
> &
  ParameterTypes<App["operations"][Id], "query"> &
  ParameterTypes<App["operations"][Id], "header"> &
  Input<"body", RequestType<NonNullable<RequestBody<App["operations"][Id]>>>> & {
    readonly optionalBody?: boolean;
    readonly responses: {
      readonly [Status in keyof Responses<App["operations"][Id]> & number]?: ResponseType<
        JsonContent<Responses<App["operations"][Id]>[Status]>
      >;
    };
    readonly responseHeaders?: readonly HeaderName<Responses<App["operations"][Id]>>[];
  };

/** One signature for each operation of the document. */
export type Signatures<App extends Application> = {
  readonly [Id in OperationId<App>]: OperationSignature<App, Id>;
};
