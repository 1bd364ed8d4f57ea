// Serves a document: its routes and its documentation.
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { type FormatFailure, toError } from "../../http/index.ts";
import { throttleStart, toJson } from "../../lib/index.ts";
import { type Document, isParsed, readDocument } from "../document/document.ts";
import { createMockErrorFormat } from "../mock/mock-failure.ts";
import { createErrorFormat, toFailureContext } from "../operation/error-format.ts";
import type { Operation } from "../operation/operation.ts";
import type { Wrap } from "../operation/wrap.ts";
import { servePublicFile, serviceLinks } from "../pages/public-file.ts";
import { swaggerPages } from "../pages/swagger-ui.ts";
import { routes } from "../routing/routes.ts";
import type { OpenApi } from "../source/document-types.ts";
import { readBasePath } from "../source/servers.ts";
import type { Handlers } from "../types/handler.ts";
import { checkTypes, type DocumentTypes } from "../types/modules.ts";
import type { OpenApiOptions, ResourceHandlers, ResourceOptions } from "./options.ts";

/** Returns the Link header of failures. */
export function linksOf(prefix: string, hasDocs: boolean): string | undefined {
  return hasDocs ? serviceLinks(prefix) : undefined;
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

/** Adds the routes of a document and its documentation. */
export async function serveDocument<Operations, Context, Caller>(
  app: FastifyInstance,
  document: Document,
  options: OpenApiOptions<Operations, Context, Caller>,
  isSecure: boolean,
): Promise<void> {
  const { handlers = {}, security = {}, context, mock, wrap = [], errors, onError, validateResponses } = options;
  const docs = servesDocs(document, options);
  const baseUrl = app.prefix + document.basePath;
  const report = options.report ?? ((message: string) => app.log.warn(message));
  const progress = throttleStart(report);
  const resources = await openResources(app, document, options, { baseUrl, report, progress });
  progress(`Adding the routes of ${document.operations.length} operations.`);
  await app.register(routes<Operations, Context, Caller>, {
    document,
    handlers: { ...resources?.handlers, ...handlers } as object as Handlers<Operations, Context, Caller>,
    handlerReasons: resources?.reasons,
    context: () => context as Context,
    security,
    mock,
    guards: app.hasPlugin("load-shedding") ? [app.shedLoad] : [],
    links: linksOf(app.prefix, docs),
    baseUrl,
    validateRequests: options.validateRequests,
    validateResponses: validateResponses ?? process.env.NODE_ENV !== "production",
    wraps: [wrap].flat() as readonly Wrap[],
    errors,
    onError: onError && toErrorListener(onError),
    ...(docs && { docsUrl: `${app.prefix}/docs` }),
  });
  if (!docs) return;
  servePublicFile(app, { path: "/openapi.json", content: () => document.json ?? toJson(document.content) });
  const content = withAnswers(document, resources, Object.keys(handlers));
  await app.register(swaggerPages, { content: withOwnServers(content, app.prefix), isSecure });
}

// Notes in each operation whether it is answered from records, for the documentation.
function withAnswers(
  { content, operations }: Document,
  resources: ResourceHandlers | undefined,
  own: readonly string[],
) {
  if (resources === undefined) return content;
  const paths: Record<string, object> = { ...content.paths };
  for (const { id, method, path } of operations) {
    const key = method.toLowerCase();
    const item = paths[path] as Readonly<Record<string, object>> | undefined;
    if (item?.[key] === undefined) continue; // behind a reference
    const answer = own.includes(id) ? "handler" : resources.answered.has(id) ? "records" : "nothing";
    paths[path] = { ...item, [key]: { ...item[key], "x-answered-from": answer } };
  }
  return { ...content, paths } as OpenApi;
}

async function openResources<Operations, Context, Caller>(
  app: FastifyInstance,
  document: Document,
  { resources, handlers = {} }: OpenApiOptions<Operations, Context, Caller>,
  rest: Pick<ResourceOptions, "baseUrl" | "report" | "progress">,
): Promise<ResourceHandlers | undefined> {
  const maxBytes = app.initialConfig.bodyLimit as number;
  const opened = await resources?.open(document, { handlers, maxBytes, logger: app.log, ...rest });
  if (opened === undefined) return undefined;
  app.addHook("onClose", () => opened.close());
  app.log.info({ operations: Object.keys(opened.handlers) }, "operations without a handler of their own");
  return opened;
}

/** Returns the format of all error responses. */
export function createFailureFormat(
  { operations, schemas }: Document,
  { formatError, mock }: Pick<OpenApiOptions, "formatError" | "mock">,
): FormatFailure {
  const format = createErrorFormat(operations, formatError);
  const used = mock ? createMockErrorFormat(schemas, format) : format;
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

// Swagger UI calls this server, also for paths and operations that the document has at other ones.
function withOwnServers(content: OpenApi, prefix: string): OpenApi {
  const toOwn = (part: unknown) => ({ servers: [{ url: prefix + readBasePath(part as OpenApi) || "/" }] });
  const paths = Object.entries(content.paths ?? {}).map(([path, item]) => {
    if (typeof item !== "object" || item === null) return [path, item];
    const members = Object.entries(item).map(([name, member]) => {
      const hasServers = typeof member === "object" && member !== null && "servers" in member;
      return [name, hasServers ? { ...member, ...toOwn(member) } : member];
    });
    return [path, { ...Object.fromEntries(members), ...("servers" in item && toOwn(item)) }];
  });
  return { ...content, ...toOwn(content), ...(content.paths && { paths: Object.fromEntries(paths) }) };
}
