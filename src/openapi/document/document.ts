// Parses an OpenAPI document into operations. Finds what would not be enforced, and rejects what can't be served.
import { hash } from "node:crypto";
import { METHODS } from "../../lib/index.ts";
import type { ErrorFormat } from "../operation/error-format.ts";
import { compileOperation, listRequestSchemas, type Operation, type OperationEntry } from "../operation/operation.ts";
import { upgradeSchema30 } from "../schema/dialect.ts";
import type { Formats } from "../schema/keyword.ts";
import { Schemas } from "../schema/schemas.ts";
import { methods, type OpenApi, type OperationObject, type PathItem } from "../source/document-types.ts";
import { describeFindings, type Finding, type Report, type Strictness } from "../source/findings.ts";
import { type LoadedDocument, loadSource, parseDocumentText } from "../source/load.ts";
import { Part } from "../source/part.ts";
import { listBasePaths, readBasePath } from "../source/servers.ts";
import { checkDocument, toSchemaReport } from "./document-checks.ts";
import { compareErrorShapes } from "./error-shapes.ts";
import { checkExamples } from "./examples.ts";
import { compareWithSchema } from "./openapi-schema.ts";
import { describeVariant, differInParameters, groupVariants } from "./variants.ts";

/** A valid document. */
export interface Document extends LoadedDocument {
  readonly root: Part<OpenApi>;
  /** The path of the document's first server, such as `/v1`. Empty if it has none. Operations can have other servers. */
  readonly basePath: string;
  readonly schemas: Schemas;
  readonly operations: readonly Operation[];
  /** The operationIds that are not served, because of an error. */
  readonly leftOut: ReadonlySet<string>;
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
  return { base, root: base.slice(0, base.length - basePath.length) };
}

/** The options of `parseDocument` and `readDocument`. */
export interface DocumentOptions extends Strictness {
  /**
   * The SHA-256 (hexadecimal) of a document that was validated before. Its validation, and the check of its regular
   * expressions, are skipped, because they take a fifth of the start-up time.
   */
  readonly validHash?: string;
  /** Also finds examples that their schemas reject, which compiles all of them, and schemas that no object matches. */
  readonly isThorough?: boolean | undefined;
  /** The format of errors, with which the declared ones are compared; undefined if they are not. */
  readonly errors?: { readonly format: ErrorFormat | undefined } | undefined;
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Formats besides those of JSON Schema and OpenAPI. */
  readonly formats?: Formats | undefined;
  /** Whether read-only properties of request bodies are removed. By default, they are invalid. */
  readonly dropsReadOnly?: boolean | undefined;
  /** Only of `readDocument`. */
  readonly allowedFolders?: readonly string[] | undefined;
}

/**
 * Parses the text of an OpenAPI document (YAML or JSON). Rejects with an Error that names all findings that are errors, with their
 * places, unless `strict` is false.
 */
export async function parseDocument(text: string, options: DocumentOptions = {}): Promise<Document> {
  return compileDocument(parseDocumentText(text), options);
}

/** Returns whether a document was parsed by `parseDocument` or `readDocument`. */
export function isParsed(source: string | object): source is Document {
  return typeof source === "object" && Reflect.get(source, "schemas") instanceof Schemas;
}

/** Loads an OpenAPI document from a path, a file URL or a parsed object, and parses it like `parseDocument`. */
export async function readDocument(source: string | URL | object, options: DocumentOptions = {}): Promise<Document> {
  return compileDocument(await loadSource(source, options.allowedFolders), options);
}

async function compileDocument(loaded: LoadedDocument, options: DocumentOptions): Promise<Document> {
  const { text, json, content, findings, placeOf } = loaded;
  const { report } = findings;
  const { validHash, ignoreUnknown, formats, dropsReadOnly, strict } = options;
  const isKnown = validHash !== undefined && hash("sha256", text ?? "") === validHash;
  if (!isKnown) await compareWithSchema(content, report);
  const root = Part.of(content);
  const upgrade = content.openapi.startsWith("3.0.") ? upgradeSchema30 : undefined;
  const schemas = new Schemas(content, { upgrade, formats, dropsReadOnly, skipPatternCheck: isKnown });
  const withExamples = checkDocument(content, schemas, report);
  const places = listOperations(root, report);
  const paths = new Map(places.map(({ id, path }) => [id, path]));
  const operations = places.flatMap((place) => {
    try {
      return compileOperation(place, { document: root, schemas, paths, report, ignoreUnknown });
    } catch (error) {
      const reason = `can't be served: ${(error as Error).message.replace(/\.$/, "")}`;
      report("operation", `The operation ${place.id}`, reason, place.operation.pointer);
      return []; // the others are served
    }
  });
  const reachable = removeUnreachable(operations, report);
  reportServers(content, report);
  schemas.checkDefaults(listRequestSchemas(reachable), toSchemaReport(report));
  if (options.errors) compareErrorShapes(reachable, options.errors.format, report);
  if (options.isThorough) {
    checkExamples(root, withExamples, schemas, report);
    schemas.checkRequired(toSchemaReport(report));
  }
  const found = findings.list(options);
  if (strict !== false) refuseErrors(found);
  const served = new Set(reachable.map(({ id }) => id));
  const leftOut = new Set(places.map(({ id }) => id).filter((id) => !served.has(id)));
  const basePath = readBasePath(content);
  return { text, json, content, root, basePath, schemas, operations: reachable, leftOut, findings, placeOf };
}

function refuseErrors(findings: readonly Finding[]): void {
  const errors = findings.filter(({ level }) => level === "error");
  if (errors.length === 0) return;
  const lines = describeFindings(errors).map((text) => `- ${text}`);
  throw new Error(
    `The document can't be served:\n${lines.join("\n")}\nCorrect it, accept a rule with the option \`ignore\`, such as ` +
      `["${errors[0]?.rule}"], or serve the rest with \`strict: false\`. openapi-server check lists what is not enforced.`,
  );
}

function reportServers(content: OpenApi, report: Report): void {
  for (const [, server] of Part.of(content).membersOf("servers"))
    for (const [name, { value, pointer }] of server.membersOf("variables")) {
      const { default: own, enum: values } = Object(value) as Partial<typeof value>;
      const reason = `has the default ${own}, which its enum does not have`;
      if (Array.isArray(values) && !values.includes(own))
        report("schema", `The variable ${name} of a server`, reason, pointer);
    }
  const first = readBasePath(content);
  const others = listBasePaths(content);
  others.delete(first);
  const variants = listBasePaths({ servers: [content.servers ?? []].flat().slice(0, 1) });
  for (const path of others) {
    const end = variants.has(path) ? ", which only mock and serve do" : "";
    const reason = `begin with ${first || "/"}, as in the first server, and not with ${path || "/"}${end}`;
    report("servers", "The paths of the document", reason, "/servers");
  }
}

const maxVariants = 31; // of a path and method, which is the limit of the router

// Two templates that differ only in the names of their parameters are one path.
function removeUnreachable(operations: readonly Operation[], report: Report): Operation[] {
  const unreachable = new Set<Operation>();
  for (const variants of groupVariants(operations)) {
    const found = new Map<string, Operation>();
    for (const operation of variants) {
      const variant = describeVariant(operation);
      const first = found.get(variant);
      if (first === undefined && found.size < maxVariants) {
        found.set(variant, operation);
        continue;
      }
      unreachable.add(operation);
      const { id, part } = operation;
      const isSame = first !== undefined && differInParameters(first, operation);
      const reason = first
        ? `can't be reached, because ${first.id} has the same method and path${isSame ? ", and differs only in parameters: it gets all requests" : ""}`
        : `can't be served, because ${maxVariants} other operations have the same method and path`;
      const rule = isSame ? "duplicate-path" : first ? "path" : "operation";
      report(rule, `The operation ${id}`, reason, part.pointer);
    }
  }
  return operations.filter((operation) => !unreachable.has(operation));
}

function listOperations(document: Part<OpenApi>, report: Report): OperationEntry[] {
  const places = document.membersOf("paths").flatMap(([path, part]) => {
    if (!path.startsWith("/")) return []; // an extension
    const item: Part<PathItem> = part;
    const own = methods.flatMap((method) => toEntries(path, method, item, item.at(method), report));
    const others = item.membersOf("additionalOperations");
    return [...own, ...others.flatMap(([method, operation]) => toEntries(path, method, item, operation, report))];
  });
  const ids = new Set<string>();
  return places.map((place) => {
    const { id: own, operation } = place;
    if (ids.has(own) && operation.value.operationId)
      report(
        "operation-id",
        `The operation ${own}`,
        "has an operationId that another operation has",
        operation.pointer,
      );
    let id = own;
    for (let number = 2; ids.has(id); number++) id = `${own}${number}`;
    ids.add(id);
    return { ...place, id };
  });
}

function toEntries(
  path: string,
  method: string,
  item: Part<PathItem>,
  operation: Part<OperationObject> | undefined,
  report: Report,
): OperationEntry[] {
  if (operation === undefined) return [];
  const id = `${operation.value.operationId || createOperationId(method, path)}`;
  if (!METHODS.includes(method.toUpperCase())) {
    const reason = `has the method ${method}, which is not served, because Node's HTTP parser does not know it`;
    report("method", `The operation ${id}`, reason, operation.pointer);
    return [];
  }
  return [{ id, path, method: method.toLowerCase(), item, operation }];
}

/** Creates the operationId of an operation without one: `getBooksByBookId`. */
function createOperationId(method: string, path: string): string {
  const words = path
    .split("/")
    .flatMap((segment) => segment.replace(/\{([^{}]*)\}/g, " by $1 ").match(/[\p{L}\p{N}]+/gu) ?? []);
  const toCamelCase = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return [method.toLowerCase(), ...words.map(toCamelCase)].join("");
}
