// Parses an OpenAPI document into operations. Rejects documents that are invalid, or that require something that the
// server does not implement.
import { hash } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";
import { parseDocument as parseYamlDocument } from "yaml";
import { checkDocument } from "./document-checks.ts";
import { methods, type OpenApi } from "./document-types.ts";
import { compileOperation, type Operation } from "./operation.ts";
import { Part } from "./part.ts";
import { Schemas } from "./schema.ts";

/** A valid document. */
export interface Document {
  /** The YAML or JSON text. */
  readonly text: string;
  /** The parsed text, with unresolved references. */
  readonly content: OpenApi;
  readonly root: Part<OpenApi>;
  /** The path prefix of all operations, from the URL of the first server: `/v1`. */
  readonly basePath: string;
  readonly schemas: Schemas;
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
  const isKnown = hash("sha256", text) === validHash;
  if (!isKnown) await validate(content);
  const root = Part.of(content);
  const schemas = new Schemas(root, isKnown);
  checkDocument(content, schemas);
  const operations = compileOperations(root, schemas);
  return { text, content, root, basePath: readBasePath(content), schemas, operations };
}

async function validate(content: OpenApi): Promise<void> {
  const { valid, errors } = await new Validator().validate(
    structuredClone(content) as object as Record<string, unknown>,
  );
  if (!valid) throw new Error(`The document is invalid: ${describe(errors)}.`);
}

function compileOperations(document: Part<OpenApi>, schemas: Schemas): Operation[] {
  const paths = document.membersOf("paths");
  const operations = paths.flatMap(([path, item]) => {
    for (const field of ["parameters", "servers", "trace"] as const)
      if (item.value[field] !== undefined)
        throw new Error(`The path ${path} has the field ${field}, which is not supported.`);
    return methods.flatMap((method) => {
      const operation = item.at(method);
      return operation === undefined ? [] : [compileOperation(document, path, method, operation, schemas)];
    });
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

/** Returns the YAML text of a document, with its comments and with other servers. */
export function toYaml({ text }: Document, servers: readonly object[]): string {
  const yaml = parseYamlDocument(text);
  yaml.set("servers", servers);
  return yaml.toString();
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
