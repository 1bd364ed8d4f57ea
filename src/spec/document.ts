// Parses an OpenAPI document into operations. Rejects documents that are invalid, or that require something that the
// server does not implement.
import { hash } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";
import { parseDocument as parseYamlDocument } from "yaml";
import { rejectIgnoredParts } from "./ignored-parts.ts";
import { methods, type OpenApi } from "./openapi.ts";
import { type Operation, readOperation } from "./operation.ts";

/** A valid document. */
export interface Document {
  /** The YAML or JSON text. */
  readonly text: string;
  /** The parsed text, with unresolved references. */
  readonly content: OpenApi;
  /** The path prefix of all operations, from the URL of the first server: `/v1`. */
  readonly basePath: string;
  /** The names of its specification extensions, such as `x-internal`. */
  readonly extensions: ReadonlySet<string>;
  readonly operations: readonly Operation[];
}

/** The public URLs of the service. */
export interface PublicUrls {
  /** The URL of the API, with its version segment. */
  readonly base: string;
  /** The URL above /docs and /openapi.json. Empty if it is the origin of the request. */
  readonly root: string;
}

/** Returns the public URLs of the service. `url` is the configured URL of the API, or empty if it is unknown. */
export function toPublicUrls({ basePath }: Document, url: string): PublicUrls {
  const base = url || basePath;
  return { base, root: base.slice(0, -basePath.length) };
}

/**
 * Parses an OpenAPI document (YAML or JSON). Rejects with an Error that names the fault and the operation.
 * `validHash` is the SHA-256 (hexadecimal) of a document that was validated before. Its validation is skipped, because
 * that takes 10 % of the start-up time.
 */
export async function parseDocument(text: string, validHash?: string): Promise<Document> {
  const content = parseYaml(text);
  const validator = new Validator();
  if (hash("sha256", text) !== validHash) {
    const { valid, errors } = await validator.validate(structuredClone(content));
    if (!valid) throw new Error(`The document is invalid: ${describe(errors)}.`);
  }
  rejectIgnoredParts(content);
  // References are resolved in place: the copy keeps `content` as written.
  const resolved = validator.resolveRefs({ specification: structuredClone(content) }) as unknown as OpenApi;

  const basePath = readBasePath(resolved);
  const operations = readOperations(resolved);
  const extensions = new Set(JSON.stringify(content).match(/(?<=")x-[\w-]+(?=":)/g));
  return { text, content, basePath, extensions, operations };
}

function readOperations(document: OpenApi): Operation[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) => {
    for (const field of ["parameters", "servers", "trace"] as const)
      if (item[field] !== undefined)
        throw new Error(`The path ${path} has the field ${field}, which is not supported.`);
    return methods.flatMap((method) => (item[method] ? [readOperation(document, path, method, item[method])] : []));
  });
  const ids = operations.map(({ id }) => id);
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate) throw new Error(`Two operations have the operationId ${duplicate}.`);
  return operations;
}

function parseYaml(text: string) {
  const yaml = parseYamlDocument(text, { intAsBigInt: true });
  const [error] = yaml.errors;
  if (error) throw new Error(`The document is invalid: ${error.message}`);
  const document = yaml.toJS({
    reviver: (_, value) => {
      if (typeof value !== "bigint") return value;
      if (Number.isSafeInteger(Number(value))) return Number(value);
      throw new Error(`The document is invalid: the number ${value} exceeds 2^53, and tools would round it.`);
    },
  });
  if (!/^3\.1\.\d+$/.test(document?.openapi)) throw new Error("The document is invalid: it must have openapi: 3.1.x.");
  return document;
}

/** Returns the URL of the document's first server, with the default values of its variables, or "" without servers. */
export function readServerUrl({ servers: [server] = [] }: OpenApi): string {
  return server?.url.replace(/\{(\w+)\}/g, (_, name) => server.variables?.[name]?.default ?? "") ?? "";
}

/** Returns the path of the document's first server, such as /v1. Throws an Error if it has none. */
export function readBasePath(document: OpenApi): string {
  const url = readServerUrl(document);
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  if (!/^(\/[\w.~-]+)+$/.test(path))
    throw new Error(`The URL of the document's first server must have a path such as /v1, but is '${url}'.`);
  return path;
}

function describe(errors: unknown): string {
  if (!Array.isArray(errors)) return String(errors);
  return errors
    .slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath || "it"} ${message}`)
    .join("; ");
}
