// Serves the operations of a document: what `createServer` and the plugin `openApi` share.
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { type FormatFailure, toError } from "../http/index.ts";
import { throttleStart } from "../lib/index.ts";
import {
  checkTypes,
  createErrorFormat,
  createMockErrorFormat,
  type Document,
  type DocumentTypes,
  findCommonError,
  type Guard,
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
import type { OpenApiOptions } from "./options.ts";

/** Returns the Link header of failures. `root` is the URL above /docs. */
export function linksOf(root: string, hasDocs: boolean): string | undefined {
  return hasDocs ? serviceLinks(root) : undefined;
}

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
  /** The name of the service in challenges. */
  readonly realm?: string | undefined;
  /** The public URL of the API, with its base path. */
  readonly baseUrl: string;
  /** The URL above /docs. */
  readonly root: string;
  readonly resources: ResourceHandlers | undefined;
  readonly security: SecuritySchemes;
  /** Run in this order for each request, after authentication and load shedding. */
  readonly guards: readonly Guard[];
}

/** Adds the routes of a document. */
export async function serveOperations<Operations, Context, Caller>(
  app: FastifyInstance,
  document: Document,
  options: OpenApiOptions<Operations, Context, Caller>,
  { realm, baseUrl, root, resources, security, guards }: OperationService,
): Promise<void> {
  const { handlers = {}, context, mock, wrap = [], errors, onError, validateResponses } = options;
  const { protection } = app.edge;
  const hasDocs = servesDocs(document, options);
  await app.register(routes<Operations, Context, Caller>, {
    document,
    handlers: { ...resources?.handlers, ...handlers } as object as Handlers<Operations, Context, Caller>,
    handlerReasons: resources?.reasons,
    context: context as Context,
    security: security as SecuritySchemes<Caller>,
    mock,
    guards: protection ? [protection.shedding.shedLoad, ...guards] : guards,
    links: linksOf(root, hasDocs),
    realm,
    baseUrl,
    validateRequests: options.validateRequests,
    validateResponses: validateResponses ?? process.env.NODE_ENV !== "production",
    wraps: [wrap].flat() as readonly Wrap[],
    errors,
    onError: onError && toErrorListener(onError),
    ...(hasDocs && { docsUrl: `${root}/docs` }),
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

/** Returns the format of all error responses. */
export function createFailureFormat(
  { operations, schemas }: Document,
  { formatError, mock }: Pick<OpenApiOptions, "formatError" | "mock">,
): FormatFailure {
  const format = createErrorFormat(operations, formatError);
  const findCommon = formatError ? undefined : () => findCommonError(operations);
  const used = mock ? createMockErrorFormat(schemas, format, findCommon) : format;
  return (failure, failed) => used(failure, toFailureContext(failed));
}

type OnError = NonNullable<OpenApiOptions["onError"]>;

/** Returns a listener of the HTTP layer that calls one of the application. Its own failures are logged. */
export function toErrorListener(onError: OnError): (error: Error, request: FastifyRequest) => void {
  return async (error, request) => {
    try {
      await onError(error, toFailureContext({ requestId: request.id, request, error }));
    } catch (thrown) {
      request.log.error({ err: toError(thrown) }, "onError failed");
    }
  };
}
