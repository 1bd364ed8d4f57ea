// Parses an OpenAPI document into operations. Reports what would not be enforced, and rejects what can't be served.
import { hash } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";
import { compileOperation, type Operation, type OperationEntry } from "../operation/index.ts";
import { type Formats, Schemas, upgradeSchema30 } from "../schema/index.ts";
import {
  type LoadedDocument,
  loadDocument,
  methods,
  type OpenApi,
  type OperationObject,
  Part,
  type PathItem,
  parseDocumentText,
  type Report,
  readBasePath,
} from "../source/index.ts";
import { checkDocument } from "./document-checks.ts";
import { describeVariant, groupVariants } from "./variants.ts";

/** A valid document. */
export interface Document {
  /** The YAML or JSON text; undefined for a parsed object. */
  readonly text: string | undefined;
  /** The text, if it is the whole document in JSON. */
  readonly json: string | undefined;
  /** The parsed text, with unresolved references. */
  readonly content: OpenApi;
  readonly root: Part<OpenApi>;
  /** The path of the document's first server, such as `/v1`. Empty if it has none. Operations can have other servers. */
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
  return { base, root: base.slice(0, base.length - basePath.length) };
}

/** The options of `parseDocument` and `readDocument`. */
export interface DocumentOptions {
  /**
   * The SHA-256 (hexadecimal) of a document that was validated before. Its validation, and the check of its regular
   * expressions, are skipped, because they take a fifth of the start-up time.
   */
  readonly validHash?: string;
  /** Whether the document is compared with the schema of OpenAPI, which takes 0.7 s for 13 MB. The default is true. */
  readonly validate?: boolean;
  /** Called for each part that would not be enforced. By default, the document is rejected. */
  readonly report?: Report;
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Formats of strings besides those of JSON Schema and OpenAPI. */
  readonly formats?: Formats | undefined;
}

/** Parses the text of an OpenAPI document (YAML or JSON). Rejects with an Error that names the problem and the operation. */
export async function parseDocument(text: string, options: DocumentOptions = {}): Promise<Document> {
  return compileDocument(parseDocumentText(text), options);
}

/** Loads an OpenAPI document from a path, a file URL or a parsed object, and parses it like `parseDocument`. */
export async function readDocument(source: string | URL | object, options: DocumentOptions = {}): Promise<Document> {
  return compileDocument(await loadDocument(source), options);
}

const refuse: Report = (reason) => {
  throw new Error(reason);
};

async function compileDocument(loaded: LoadedDocument, options: DocumentOptions): Promise<Document> {
  const { text, json, content } = loaded;
  const { validHash, validate = true, report = refuse, ignoreUnknown, formats } = options;
  const isKnown = text !== undefined && hash("sha256", text) === validHash;
  if (validate && !isKnown) await compareWithSchema(content, report);
  const root = Part.of(content);
  const upgrade = content.openapi.startsWith("3.0.") ? upgradeSchema30 : undefined;
  const schemas = new Schemas(content, { upgrade, formats, skipPatternCheck: isKnown });
  checkDocument(content, schemas, report);
  const places = listOperations(root, report);
  const paths = new Map(places.map(({ id, path }) => [id, path]));
  const operations = places.flatMap((place) => {
    try {
      return compileOperation(place, { document: root, schemas, paths, report, ignoreUnknown });
    } catch (error) {
      if (report === refuse) throw error;
      report((error as Error).message);
      return []; // the others are served
    }
  });
  const reachable = removeUnreachable(operations, report);
  return { text, json, content, root, basePath: readBasePath(content), schemas, operations: reachable };
}

// Two templates that differ only in the names of their parameters are one path.
function removeUnreachable(operations: readonly Operation[], report: Report): Operation[] {
  const unreachable = new Set<Operation>();
  for (const variants of groupVariants(operations)) {
    const found = new Map<string, Operation>();
    for (const operation of variants) {
      const variant = describeVariant(operation);
      const first = found.get(variant);
      if (first === undefined) found.set(variant, operation);
      else {
        report(`The operation ${operation.id} can't be reached, because ${first.id} has the same method and path.`);
        unreachable.add(operation);
      }
    }
  }
  return operations.filter((operation) => !unreachable.has(operation));
}

async function compareWithSchema(content: OpenApi, report: Report): Promise<void> {
  const { valid, errors } = await new Validator().validate(
    structuredClone(content) as object as Record<string, unknown>,
  );
  // If `errors` is a text, the validator could not resolve a reference. `checkDocument` checks references.
  if (!valid && Array.isArray(errors)) report(`The document is invalid: ${describe(errors)}.`);
}

// An import would evaluate all of node:http, including its WebSocket, which takes 30 ms of each start.
const { METHODS: parserMethods } = process.getBuiltinModule("node:http");

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
    if (ids.has(place.id)) report(`Two operations have the operationId ${place.id}.`);
    let id = place.id;
    for (let number = 2; ids.has(id); number++) id = `${place.id}${number}`;
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
  const id = operation.value.operationId ?? createOperationId(method, path);
  if (!parserMethods.includes(method.toUpperCase())) {
    report(`The operation ${id} has the method ${method}, which Node's HTTP parser does not know.`);
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

// The errors of the validator, which are those of Ajv.
interface DocumentError {
  readonly instancePath?: string;
  readonly message?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function describe(errors: readonly DocumentError[]): string {
  return errors
    .slice(0, 3)
    .map(({ instancePath, message, params }) => {
      const name = params?.additionalProperty ?? params?.unevaluatedProperty;
      const requirement = name === undefined ? message : `must not have the property '${name}'`;
      return `${instancePath || "it"} ${requirement}`;
    })
    .join("; ");
}
