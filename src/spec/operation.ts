// One operation of the document as data, checked: what it asks of the service must be something that
// the service does.

/** The methods that an operation may have, as the document writes them. */
export const methods = ["get", "put", "post", "delete", "options", "head", "patch"] as const;

const mediaTypes = ["application/json"];
const parameterTypes = ["string", "integer", "number", "boolean"];
// What OpenAPI says of a header parameter with one of these names is not heeded (3.1.1, section 4.8.12.1).
const reservedHeaders = /^(accept|content-type|authorization)$/i;

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path template below the base path, such as `/books/{bookId}`. */
  readonly path: string;
  /** The group under which it is documented. */
  readonly tag: string;
  /** The alternatives of security schemes, each by type (`http bearer`), of which one must be met. None: no credential. */
  readonly security: readonly (readonly string[])[];
  readonly body: { readonly required: boolean; readonly maxBytes: number | undefined } | undefined;
  readonly deprecation: Deprecation | undefined;
  /** The names of the headers that it takes as parameters, and that its answers may have. */
  readonly headers: { readonly request: readonly string[]; readonly response: readonly string[] };
}

/** When a deprecated operation was deprecated and is removed, and the path of what follows it. */
export interface Deprecation {
  readonly since: Date;
  readonly sunset: Date | undefined;
  readonly successor: string | undefined;
}

/** An OpenAPI document, as far as it is read here. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly "x-released"?: string };
  readonly servers?: readonly {
    readonly url: string;
    readonly variables?: Record<string, { readonly default: string }>;
  }[];
  readonly security?: readonly Record<string, readonly string[]>[];
  readonly paths: Record<string, PathItem>;
  readonly components: {
    readonly securitySchemes?: Record<string, { readonly type: string; readonly scheme?: string }>;
  };
}

type PathItem = { readonly [Method in (typeof methods)[number]]?: OperationObject } & {
  readonly parameters?: unknown;
  readonly servers?: unknown;
  readonly trace?: unknown;
};

interface OperationObject {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema?: { readonly type?: string };
    readonly style?: string;
    readonly allowEmptyValue?: boolean;
  }[];
  readonly servers?: unknown;
  readonly requestBody?: { readonly required?: boolean; readonly content: object; readonly "x-max-bytes"?: number };
  readonly responses?: Record<string, { readonly headers?: object }>;
  readonly security?: OpenApi["security"];
  readonly "x-deprecated-since"?: string;
  readonly "x-sunset"?: string;
  readonly "x-successor"?: string;
  readonly "x-stability"?: string;
}

/** Returns the methods and headers of all operations, for the plugin `cors`. */
export function listForCors(operations: readonly Operation[]) {
  return {
    methods: operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
    requestHeaders: ["Authorization", "Content-Type", ...operations.flatMap(({ headers }) => headers.request)],
    responseHeaders: operations.flatMap(({ headers }) => headers.response),
  };
}

/** Reads an operation. Throws an Error that names it and says what would not hold. */
export function readOperation(document: OpenApi, path: string, method: string, operation: OperationObject): Operation {
  const id = operation.operationId;
  if (id === undefined) throw new Error(`The operation ${method.toUpperCase()} ${path} has no operationId.`);
  const refuse = (reason: string): never => {
    throw new Error(`The operation ${id} ${reason}.`);
  };

  if (!/^(\/([\w.~-]|\{[^/{}]*\})+)+$/.test(path))
    refuse(`has the path ${path}, which the router would read otherwise`);
  if (operation.servers !== undefined) refuse("has servers of its own, which would not hold");
  const templated = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name as string);
  const wrong = templated.find((name) => !/^[a-z]\w*$/i.test(name));
  if (wrong) refuse(`has the path parameter ${wrong}, whose name must be camelCase`);
  const declared = operation.parameters ?? [];
  for (const [index, { name, in: where, schema, ...how }] of declared.entries()) {
    if (where === "cookie") refuse(`has the cookie parameter ${name}, and cookies are not read`);
    if (where === "header" && reservedHeaders.test(name))
      refuse(`has the header parameter ${name}, which OpenAPI passes over`);
    if (declared.findIndex((other) => other.name === name && other.in === where) !== index)
      refuse(`has the parameter ${name} twice`);
    if (how.allowEmptyValue) refuse(`has the parameter ${name} with allowEmptyValue, and an empty value is refused`);
    if (!/^(form|simple)$/.test(how.style ?? "form"))
      refuse(`has the parameter ${name} with the style ${how.style}, which is not read`);
    if (!parameterTypes.includes(schema?.type ?? ""))
      refuse(`has the parameter ${name}, whose type must be one of ${parameterTypes.join(", ")}`);
  }
  const inPath = declared.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const missing = templated.find((name) => !inPath.includes(name)) ?? inPath.find((name) => !templated.includes(name));
  if (missing) refuse(`must have the path parameter ${missing} both in its path and among its parameters`);

  const { requestBody } = operation;
  const unread = Object.keys(requestBody?.content ?? {}).find((type) => !mediaTypes.includes(type));
  if (unread) refuse(`has a body of ${unread}, and only ${mediaTypes} is read`);
  const maxBytes = requestBody?.["x-max-bytes"];
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes > 0))
    refuse(`has x-max-bytes ${maxBytes}, which must be a number of bytes`);
  const stability = operation["x-stability"];
  if (![undefined, "experimental", "beta"].includes(stability))
    refuse(`has x-stability ${stability}, which must be experimental or beta`);

  return {
    id,
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? "default",
    security: (operation.security ?? document.security ?? []).map((requirement) =>
      Object.entries(requirement).map(([name, roles]) => {
        const scheme = document.components.securitySchemes?.[name];
        if (scheme === undefined) return refuse(`needs the security scheme ${name}, which is not declared`);
        if (roles.length > 0) return refuse(`needs roles of the security scheme ${name}, and keys have none`);
        return [scheme.type, scheme.scheme].filter(Boolean).join(" ").toLowerCase();
      }),
    ),
    body: requestBody && { required: requestBody.required ?? false, maxBytes },
    deprecation: operation.deprecated ? readDeprecation(document, operation, refuse) : undefined,
    headers: {
      request: declared.filter((parameter) => parameter.in === "header").map(({ name }) => name),
      response: Object.values({ ...operation.responses }).flatMap(({ headers }) => Object.keys({ ...headers })),
    },
  };
}

// An operation that does not say since when is deprecated since the document's version was released.
function readDeprecation(
  document: OpenApi,
  operation: OperationObject,
  refuse: (reason: string) => never,
): Deprecation {
  const date = (name: string, text: string | undefined): Date => {
    const time = new Date(`${text}T00:00:00Z`);
    if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== text)
      return refuse(`is deprecated, and its ${name} must be a date like 2030-12-05`);
    return time;
  };
  const since = date("x-deprecated-since", operation["x-deprecated-since"] ?? document.info["x-released"]);
  const sunset = operation["x-sunset"] === undefined ? undefined : date("x-sunset", operation["x-sunset"]);
  if (sunset && sunset < since) refuse("has an x-sunset before it is deprecated");
  const successor = operation["x-successor"];
  const path = Object.entries(document.paths).find(([, item]) =>
    methods.some((method) => item[method]?.operationId === successor),
  );
  if (successor !== undefined && path === undefined) refuse(`has the x-successor ${successor}, which is no operation`);
  return { since, sunset, successor: successor && path?.[0] };
}
