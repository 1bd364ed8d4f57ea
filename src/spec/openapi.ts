// The parts of an OpenAPI 3.1 document that the server reads.

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
    readonly securitySchemes?: Record<string, SecuritySchemeObject>;
  };
}

interface SecuritySchemeObject {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}

type SecurityRequirementObject = Record<string, readonly string[]>;

type PathItem = { readonly [Method in (typeof methods)[number]]?: OperationObject } & {
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
  readonly schema?: SchemaObject;
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
export type Content = Record<string, { readonly schema?: SchemaObject }>;

/** The keywords of a schema that the comparison with the code reads. A schema can also be `true` or `false`. */
export interface SchemaObject {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly properties?: Record<string, unknown>;
  readonly patternProperties?: unknown;
  readonly additionalProperties?: unknown;
  readonly unevaluatedProperties?: unknown;
  readonly items?: unknown;
  readonly allOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly if?: unknown;
  readonly then?: unknown;
  readonly else?: unknown;
  readonly dependentSchemas?: Record<string, unknown>;
}
