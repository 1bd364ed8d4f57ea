// Serves the operations of a document: what `createServer` and the plugin `openApi` share.
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { type ErrorHandlerOptions, toError } from "../http/index.ts";
import { throttleStart } from "../lib/index.ts";
import {
  checkTypes,
  createErrorFormat,
  createMockErrorFormat,
  type Document,
  type DocumentTypes,
  findCommonError,
  type Handlers,
  isParsed,
  type Operation,
  readDocument,
  routes,
  type SecuritySchemes,
  serviceLinks,
  toFailureContext,
  type Wrap,
} from "../openapi/index.ts";
import type { ResourceHandlers, ResourceOptions } from "../resources/index.ts";
import type { Access } from "./access.ts";
import type { OpenApiOptions } from "./options.ts";

// The paths that `swaggerPages` and /openapi.json take.
const docsPaths = /^\/(openapi\.json|docs|docs\/(json|yaml)|docs\/static\/.*)\/?$/;

/**
 * Returns the operation that has a path of the documentation. If there is one, the documentation is not served. It takes
 * precedence over parameters in paths.
 */
export function findDocsOperation({ operations }: Pick<Document, "operations">): Operation | undefined {
  return operations.find(({ method, template }) => method === "GET" && docsPaths.test(template.routerPath));
}

/** Returns whether the documentation is served. Throws an Error if an operation has its path. */
export function servesDocs(document: Document, { docs }: Pick<OpenApiOptions, "docs">): boolean {
  const operation = findDocsOperation(document);
  if (operation && docs)
    throw new Error(
      `The operation ${operation.id} has the path ${operation.path}, at which \`docs\` serves the documentation.`,
    );
  return docs ?? operation === undefined;
}

type LoadOptions = Pick<
  OpenApiOptions,
  | ("document" | "mock" | "strict" | "ignore" | "ignoreUnknownQuery" | "formats" | "readOnly" | "formatError")
  | "allowedFolders"
> & { readonly types?: DocumentTypes<unknown> | undefined };

/**
 * Loads the document, and logs what is wrong with it. Rejects with an Error that names what is refused. Returns a document that was
 * loaded before as it is.
 */
export async function loadDocument(options: LoadOptions, logger: FastifyBaseLogger): Promise<Document> {
  if (isParsed(options.document)) return options.document;
  const { mock, strict = mock ? false : undefined, ignore, formats, readOnly = mock ? "drop" : "reject" } = options;
  const document = await readDocument(options.document, {
    strict,
    ignore,
    formats,
    errors: mock ? undefined : { format: options.formatError },
    ignoreUnknown: options.ignoreUnknownQuery,
    dropsReadOnly: readOnly === "drop",
    allowedFolders: options.allowedFolders,
  });
  if (options.types) checkTypes(document, options.types);
  for (const { level, rule, message, count, places } of document.findings.list({ strict, ignore }))
    if (level !== "note")
      logger.warn({ rule, count, places: places.map(({ pointer }) => pointer) }, `document ${level}: ${message}`);
  return document;
}

/** What serves the operations of a document, beside its options. */
export interface OperationService {
  /** The public URL of the API, with its base path. */
  readonly baseUrl: string;
  /** The URL above /docs. */
  readonly root: string;
  readonly resources: ResourceHandlers | undefined;
  readonly failures: Failures;
  /** What requests pass before handlers, after load shedding. */
  readonly secured: ReturnType<Access["secure"]>;
}

/** Adds the routes of a document. */
export async function serveOperations<Operations, Context, Caller>(
  app: FastifyInstance,
  document: Document,
  options: OpenApiOptions<Operations, Context, Caller>,
  { baseUrl, root, resources, failures: { links, onError }, secured }: OperationService,
): Promise<void> {
  const { handlers = {}, context, mock, prefer, wrap = [], errors, validateResponses } = options;
  const { authentication, security, guards } = secured;
  const { protection } = app.edge;
  await app.register(routes<Operations, Context, Caller>, {
    document,
    handlers: { ...resources?.handlers, ...handlers } as object as Handlers<Operations, Context, Caller>,
    handlerReasons: resources?.reasons,
    context: context as Context,
    security: security as SecuritySchemes<Caller>,
    mock,
    prefer,
    guards: protection ? [protection.shedding.shedLoad, ...guards] : guards,
    links,
    realm: authentication.realm,
    baseUrl,
    validateRequests: options.validateRequests,
    validateResponses: validateResponses ?? process.env.NODE_ENV !== "production",
    wraps: [wrap].flat() as readonly Wrap[],
    errors,
    onError,
    ...(links !== undefined && { docsUrl: `${root}/docs` }),
  });
}

/** Opens what answers the operations that have no handler of the application. */
export async function openResources<Operations, Context, Caller>(
  document: Document,
  { resources, handlers = {} }: OpenApiOptions<Operations, Context, Caller>,
  server: Omit<ResourceOptions, "handlers" | "progress">,
): Promise<ResourceHandlers | undefined> {
  const { logger, report } = server;
  const progress = throttleStart(report);
  const opened = await resources?.open(document, { handlers, progress, ...server });
  const answered = Object.keys(opened?.handlers ?? {});
  if (answered.length > 0) logger.info({ operations: answered }, "operations without a handler of their own");
  progress(`Adding the routes of ${document.operations.length} operations.`);
  return opened;
}

/** Loads what serves agents. Rejects with an Error if its package is not installed. */
export function loadAgents() {
  return import("../mcp/index.ts").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      "Agents (MCP) need the package @modelcontextprotocol/sdk. Run npm install @modelcontextprotocol/sdk.",
    );
  });
}

/** The Link header and the format of all failures, and who gets to know of them. */
export type Failures = Pick<ErrorHandlerOptions, "links" | "format" | "onError">;

/** Returns how the failures of a document are sent. `root` is the URL above /docs. */
export function createFailures(
  document: Document,
  { docs, formatError, mock, onError }: Pick<OpenApiOptions, "docs" | "formatError" | "mock" | "onError">,
  root: string,
): Failures {
  const { operations, schemas } = document;
  const format = createErrorFormat(operations, formatError);
  const findCommon = formatError ? undefined : () => findCommonError(operations);
  const used = mock ? createMockErrorFormat(schemas, format, findCommon) : format;
  return {
    links: servesDocs(document, { docs }) ? serviceLinks(root) : undefined,
    format: (failure, failed) => used(failure, toFailureContext(failed)),
    onError: onError && toErrorListener(onError),
  };
}

// Its own failures are logged.
function toErrorListener(onError: NonNullable<OpenApiOptions["onError"]>): ErrorHandlerOptions["onError"] {
  return async (error, request) => {
    try {
      await onError(error, toFailureContext({ requestId: request.id, request, error }));
    } catch (thrown) {
      request.log.error({ err: toError(thrown) }, "onError failed");
    }
  };
}
