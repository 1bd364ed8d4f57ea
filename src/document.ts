// Loads the document and hands out its operations as data. It refuses a document that is invalid,
// or that asks for something which this service would not do: what is written there must hold.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { parseDocument } from "yaml";

const file = new URL("../openapi/petstore.yaml", import.meta.url);
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
const mediaTypes = ["application/json"];
const parameterTypes = ["string", "integer", "number", "boolean"];

/** The document, checked. */
export interface Document {
  /** As written: the text, and what it holds, with its references. */
  readonly text: string;
  readonly content: OpenApi;
  /** The path at which the service mounts, from the first of the servers: `/v1`. */
  readonly basePath: string;
  /** The names of its extensions, the fields `x-…`. */
  readonly extensions: ReadonlySet<string>;
  readonly operations: readonly Operation[];
}

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path template below the base path, such as `/pets/{petId}`. */
  readonly path: string;
  /** The group under which it is documented. */
  readonly tag: string;
  /** The alternatives of security schemes, each by type (`http bearer`), of which one must be met. None: no credential. */
  readonly security: readonly (readonly string[])[];
  readonly body: { readonly required: boolean; readonly maxBytes: number | undefined } | undefined;
  readonly deprecation: Deprecation | undefined;
}

/** When a deprecated operation was deprecated and is removed, and the path of what follows it. */
export interface Deprecation {
  readonly since: Date;
  readonly sunset: Date | undefined;
  readonly successor: string | undefined;
}

interface OpenApi {
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

type PathItem = { readonly [Method in (typeof methods)[number]]?: OperationObject } & { readonly parameters?: unknown };

interface OperationObject {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema?: { readonly type?: string };
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: object; readonly "x-max-bytes"?: number };
  readonly security?: OpenApi["security"];
  readonly "x-deprecated-since"?: string;
  readonly "x-sunset"?: string;
  readonly "x-successor"?: string;
  readonly "x-stability"?: string;
}

/** Reads the document, or the given text of one. Throws an Error that says what is wrong, and in which operation. */
export async function readDocument(text: string = readFileSync(file, "utf8")): Promise<Document> {
  const content = parseYaml(text);
  const validator = new Validator();
  // References are resolved in place: the copy keeps `content` as written.
  const { valid, errors } = await validator.validate(structuredClone(content));
  if (!valid) throw new Error(`The document is invalid: ${explain(errors)}.`);
  const resolved = validator.resolveRefs() as unknown as OpenApi;

  const basePath = readBasePath(resolved);
  const operations = Object.entries(resolved.paths).flatMap(([path, item]) => {
    if (item.parameters !== undefined)
      throw new Error(`The path ${path} has parameters of its own: declare them on its operations.`);
    return methods.flatMap((method) => (item[method] ? [readOperation(resolved, path, method, item[method])] : []));
  });
  const ids = operations.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice) throw new Error(`The document has the operationId ${twice} twice.`);
  const extensions = new Set(JSON.stringify(content).match(/(?<=")x-[\w-]+(?=":)/g));
  return { text, content, basePath, extensions, operations };
}

function parseYaml(text: string) {
  const yaml = parseDocument(text, { intAsBigInt: true });
  const [error] = yaml.errors;
  if (error) throw new Error(`The document is invalid: ${error.message}`);
  const document = yaml.toJS({
    reviver: (_, value) => {
      if (typeof value !== "bigint") return value;
      if (Number.isSafeInteger(Number(value))) return Number(value);
      throw new Error(`The document is invalid: the number ${value} is beyond 2^53, where tools round it.`);
    },
  });
  if (!/^3\.1\.\d+$/.test(document?.openapi)) throw new Error("The document is invalid: it must have openapi: 3.1.x.");
  return document;
}

function readBasePath({ servers = [] }: OpenApi): string {
  const [server] = servers;
  const url = server?.url.replace(/\{(\w+)\}/g, (_, name) => server.variables?.[name]?.default ?? "") ?? "";
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  if (!/^(\/\w+)+$/.test(path))
    throw new Error(`The document's first server must have a path like /v1 by default, but is ${url}.`);
  return path;
}

function readOperation(document: OpenApi, path: string, method: string, operation: OperationObject): Operation {
  const id = operation.operationId;
  if (id === undefined) throw new Error(`The operation ${method.toUpperCase()} ${path} has no operationId.`);
  const refuse = (reason: string): never => {
    throw new Error(`The operation ${id} ${reason}.`);
  };

  const templated = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name as string);
  const wrong = templated.find((name) => !/^[a-z]\w*$/i.test(name));
  if (wrong) refuse(`has the path parameter ${wrong}, whose name must be camelCase`);
  const declared = operation.parameters ?? [];
  for (const { name, in: where, schema } of declared) {
    if (where === "cookie") refuse(`has the cookie parameter ${name}, and cookies are not read`);
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

function explain(errors: unknown): string {
  if (!Array.isArray(errors)) return String(errors);
  return errors
    .slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath || "it"} ${message}`)
    .join("; ");
}
