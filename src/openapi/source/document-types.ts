// The parts of an OpenAPI document (3.0 to 3.2) that the server reads. A part can be a reference to another one: see
// part.ts.

/** A schema as it is written. */
export type Schema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

/** An OpenAPI document. */
export interface OpenApi {
  readonly openapi: string;
  /** A document with errors can be served without it. */
  readonly info: { readonly title: string; readonly version: string; readonly "x-released"?: string };
  readonly servers?: readonly ServerObject[];
  readonly security?: readonly SecurityRequirementObject[];
  readonly paths?: Record<string, PathItem>;
  readonly components?: {
    readonly schemas?: Record<string, Schema>;
    readonly securitySchemes?: Record<string, SecuritySchemeObject>;
  };
}

export interface ServerObject {
  readonly url: string;
  readonly variables?: Record<string, { readonly default: string; readonly enum?: readonly string[] }>;
}

export interface SecuritySchemeObject {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
  /** The flows of OAuth 2.0, by grant type. */
  readonly flows?: Record<string, { readonly tokenUrl?: string; readonly refreshUrl?: string }>;
  readonly openIdConnectUrl?: string;
}

export type SecurityRequirementObject = Record<string, readonly string[]>;

/** The methods that have a field of a path, in lower case. */
export const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"] as const;

export type PathItem = { readonly [Method in (typeof methods)[number]]?: OperationObject } & {
  readonly parameters?: readonly ParameterObject[];
  readonly servers?: readonly ServerObject[];
  /** Operations of other methods (3.2), by method. */
  readonly additionalOperations?: Record<string, OperationObject>;
};

/** An operation as written in the document. */
export interface OperationObject {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly ParameterObject[];
  readonly servers?: readonly ServerObject[];
  readonly requestBody?: RequestBodyObject;
  readonly responses?: Record<string, ResponseObject>;
  readonly security?: readonly SecurityRequirementObject[];
  readonly "x-deprecated-since"?: string;
  readonly "x-sunset"?: string;
  readonly "x-successor"?: string;
  readonly "x-stability"?: string;
}

/** A parameter as written in the document, or a header of a response. */
export interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly content?: Content;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly allowReserved?: boolean;
}

/** A request body as written in the document. */
export interface RequestBodyObject {
  readonly required?: boolean;
  readonly content?: Content;
  readonly "x-max-bytes"?: number;
}

/** A response as written in the document. */
export interface ResponseObject {
  readonly headers?: Record<string, ParameterObject>;
  readonly content?: Content;
}

/** The schemas of a body by media type. */
export type Content = Record<string, MediaTypeObject>;

/** A media type as written in the document. */
export interface MediaTypeObject {
  readonly schema?: Schema;
  /** The schema of each item of a stream (3.2). */
  readonly itemSchema?: Schema;
  readonly example?: unknown;
  readonly examples?: Record<string, ExampleObject>;
  readonly encoding?: Record<string, EncodingObject>;
}

/** An example as written in the document. */
export interface ExampleObject {
  readonly value?: unknown;
  /** The value as JSON (3.2). */
  readonly dataValue?: unknown;
  /** The value as it is sent (3.2). */
  readonly serializedValue?: string;
  /** The URI of a file with the value as it is sent. */
  readonly externalValue?: string;
}

/** How a property of a form is sent. */
export interface EncodingObject {
  readonly contentType?: string;
  readonly style?: string;
  readonly explode?: boolean;
}
