// The parts of an OpenAPI 3.1 document that the server reads. A part can be a reference to another one: see part.ts.
import type { Schema } from "./schema-keywords.ts";

/** The methods that an operation may have, in lower case as in the document. */
export const methods = ["get", "put", "post", "delete", "options", "head", "patch"] as const;

/** An OpenAPI document. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly "x-released"?: string };
  readonly servers?: readonly {
    readonly url: string;
    readonly variables?: Record<string, { readonly default: string }>;
  }[];
  readonly security?: readonly SecurityRequirementObject[];
  readonly paths: Record<string, PathItem>;
  readonly components?: {
    readonly schemas?: Record<string, Schema>;
    readonly securitySchemes?: Record<string, SecuritySchemeObject>;
  };
}

export interface SecuritySchemeObject {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}

export type SecurityRequirementObject = Record<string, readonly string[]>;

export type PathItem = { readonly [Method in (typeof methods)[number]]?: OperationObject } & {
  readonly parameters?: unknown;
  readonly servers?: unknown;
  readonly trace?: unknown;
};

/** An operation as written in the document. */
export interface OperationObject {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly ParameterObject[];
  readonly servers?: unknown;
  readonly requestBody?: RequestBodyObject;
  readonly responses?: Record<string, ResponseObject>;
  readonly security?: readonly SecurityRequirementObject[];
  readonly "x-deprecated-since"?: string;
  readonly "x-sunset"?: string;
  readonly "x-successor"?: string;
  readonly "x-stability"?: string;
}

/** A parameter as written in the document. */
export interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly style?: string;
  readonly allowEmptyValue?: boolean;
  readonly allowReserved?: boolean;
}

/** A request body as written in the document. */
export interface RequestBodyObject {
  readonly required?: boolean;
  readonly content: Content;
  readonly "x-max-bytes"?: number;
}

/** A response as written in the document. */
export interface ResponseObject {
  readonly headers?: object;
  readonly content?: Content;
}

/** The schemas of a body by media type. */
export type Content = Record<string, { readonly schema?: Schema }>;
