// Registers a route for each operation of the document.
import type { FastifyInstance, RouteOptions as FastifyRoute, RouteShorthandOptionsWithHandler } from "fastify";
import glue from "fastify-openapi-glue";
import fp from "fastify-plugin";
import { findSimilarName } from "../../lib/index.ts";
import type { Document } from "../document/document.ts";
import { createVariantConstraint, groupVariants, hasDelimiters } from "../document/variants.ts";
import type { UntypedHandler } from "../operation/call.ts";
import { deprecationHeaders } from "../operation/deprecation.ts";
import { OpenCalls } from "../operation/open-calls.ts";
import type { Operation } from "../operation/operation.ts";
import type { WriteOptions } from "../operation/response/response.ts";
import { type Wrap, wrapHandler } from "../operation/wrap.ts";
import type { Handlers } from "../types/handler.ts";
import { createAuthentication, type SecuritySchemes } from "./authentication.ts";
import { ErrorTable, type MappedError } from "./error-table.ts";
import { gluedMethods, toGlueDocument } from "./glue-document.ts";
import { bodies } from "./request-body.ts";
import { type Guard, OperationRoute } from "./route.ts";

export interface RoutesOptions<Operations, Context, Caller> {
  readonly document: Document;
  readonly handlers: Handlers<Operations, Context, Caller>;
  /** The second argument of each handler. */
  readonly context: Context;
  readonly security?: SecuritySchemes<Caller>;
  /** Run in this order for each request, after authentication. */
  readonly guards?: readonly Guard[];
  /** The name of the API in challenges. By default, the title of the document. */
  readonly realm?: string | undefined;
  /** The URL of the API as clients know it. By default, the base path of the document. */
  readonly baseUrl?: string;
  /** The URL of Swagger UI, to which responses of deprecated operations link. */
  readonly docsUrl?: string;
  /** The Link header of failures. */
  readonly links?: string | undefined;
  /** Operations without a handler respond with examples, and schemes without an implementation accept each credential. */
  readonly mock?: boolean | undefined;
  /** Whether the header Prefer can delay the response of a handler, or select an example of another status, for tests. */
  readonly prefer?: boolean | undefined;
  /** Why operations need a handler, by operationId. Completes "it …". */
  readonly handlerReasons?: ReadonlyMap<string, string> | undefined;
  /** Whether requests are validated, and their credentials. It can only be false for `mock` without handlers. The default is true. */
  readonly validateRequests?: boolean | undefined;
  /** Whether a response that does not match the document is a failure (500), or is logged. The default is true. */
  readonly validateResponses?: boolean | "log" | undefined;
  /** Run around each handler. The first is the outermost. */
  readonly wraps?: readonly Wrap[] | undefined;
  /** Is called if a response fails after its headers were sent. */
  readonly onError?: WriteOptions["onError"];
  /** The errors that handlers can throw or return. */
  readonly errors?: readonly MappedError[] | undefined;
}

/**
 * Serves the operations of the document: `app.register(routes<operations, Context, Caller>, …)`. Throws an Error that names the
 * operation if the document and the code do not agree: an operation without a handler, a handler without an operation,
 * a security scheme without an implementation, or a schema that would not be enforced.
 */
export const routes = fp(registerRoutes, { name: "routes", dependencies: ["error-handler"] });

async function registerRoutes<Operations, Context, Caller>(
  app: FastifyInstance,
  options: RoutesOptions<Operations, Context, Caller>,
): Promise<void> {
  const { document } = options;
  const openCalls = new OpenCalls();
  const mocks = options.mock || options.prefer ? await import("../mock/mock-handler.ts") : undefined;
  const routes = createRoutes(options, app.prefix, openCalls, mocks);
  app.edge.shutdownListeners.push((gracePeriod) => openCalls.close(gracePeriod / 2));
  for (const name of ["caller", "sentQuery", "headerValues", "cookieValues"]) app.decorateRequest(name);
  await app.register(bodies);
  const groups = groupVariants(document.operations);
  const byId = new Map(document.operations.map((operation) => [operation.id, operation]));
  const firsts = groups.map(([first]) => first as Operation);
  const constraint = createVariantConstraint(groups);
  const toRoute = (operation: Operation, isConstrained = hasDelimiters(operation)): FastifyRoute => {
    const { id, basePath, path } = operation;
    const route = routes.get(id) as FastifyRoute;
    return {
      ...route,
      ...(isConstrained && { constraints: { [constraint.name]: id } }),
      // Each line of the log about a request names its operation.
      childLoggerFactory: (logger, bindings, options, raw) => {
        const place = { operation: id, method: raw.method, route: basePath + path };
        return app.childLoggerFactory(logger, { ...bindings, ...place }, options, raw);
      },
    };
  };
  const others = groups.flatMap(([, ...variants]) => variants);
  if (others.length > 0 || firsts.some(hasDelimiters)) {
    app.addConstraintStrategy(constraint as never); // the router does not declare the type of its handlers
    app.edge.requestConstraints.push(constraint.name);
  }
  const addRoute = (operation: Operation, isConstrained?: boolean) =>
    app.route({
      ...toRoute(operation, isConstrained),
      method: operation.method,
      url: operation.template.routerPath,
    });
  // Before those with GET, to which Fastify adds HEAD unless it exists.
  for (const operation of firsts.filter(({ method }) => method === "HEAD")) addRoute(operation);
  await app.register(glue, {
    specification: toGlueDocument(firsts),
    operationResolver: (id) => toRoute(byId.get(id) as Operation),
  });
  for (const operation of firsts.filter(({ method }) => method !== "HEAD" && !gluedMethods.test(method))) {
    if (!app.supportedMethods.includes(operation.method)) app.addHttpMethod(operation.method, { hasBody: true });
    addRoute(operation);
  }
  for (const operation of others) addRoute(operation, true);
  if (!options.mock) return;
  const rank = ({ operation: { method } }: { operation: Operation }) => Number(method !== "HEAD");
  for (const { operation, isVariant } of listOtherPaths(groups).sort((one, other) => rank(one) - rank(other)))
    addRoute(operation, isVariant || hasDelimiters(operation));
}

// The operations at the paths of the other values of their server's variables: a mock can't know which one is meant.
function listOtherPaths(groups: readonly Operation[][]): { operation: Operation; isVariant: boolean }[] {
  const known = new Set(groups.flatMap(([first]) => `${first?.method} ${first?.template.key}`));
  return groups.flatMap((group) =>
    (group[0]?.otherTemplates ?? []).flatMap((template) => {
      const route = `${group[0]?.method} ${template.key}`;
      if (known.has(route)) return [];
      known.add(route);
      return group.map((operation, index) => ({ operation: { ...operation, template }, isVariant: index > 0 }));
    }),
  );
}

function createRoutes<Operations, Context, Caller>(
  {
    document: { operations, leftOut, basePath, content, schemas },
    handlers,
    context,
    security = {},
    guards = [],
    realm = `${content.info?.title ?? "API"}`,
    baseUrl = basePath,
    docsUrl,
    links,
    mock = false,
    prefer = false,
    handlerReasons,
    validateRequests = true,
    validateResponses = true,
    wraps = [],
    errors = [],
    onError,
  }: RoutesOptions<Operations, Context, Caller>,
  prefix: string,
  openCalls: OpenCalls,
  mocks: typeof import("../mock/mock-handler.ts") | undefined,
): ReadonlyMap<string, RouteShorthandOptionsWithHandler> {
  const byId = new Map(Object.entries(handlers as object as Readonly<Record<string, UntypedHandler>>));
  if (!validateRequests && !(mock && byId.size === 0))
    throw new Error("The option `validateRequests` can only be false for `mock` without handlers.");
  const validation = validateResponses === "log" ? "log" : validateResponses ? "fail" : "off";
  const table = new ErrorTable(errors);
  requireOperations([...byId.keys()], { operations, leftOut });
  const missing = mock ? [] : operations.filter(({ id }) => !byId.has(id));
  if (missing.length > 0) throw new Error(describeMissing(missing, handlerReasons));
  const routes = operations.map((operation) => {
    const ownHandler = byId.get(operation.id);
    const mockHandler = mocks?.createMockHandler(operation, schemas) as UntypedHandler;
    const preferred = ownHandler && prefer ? mocks?.followPreferences(ownHandler, mockHandler) : ownHandler;
    const handler = preferred ?? mockHandler;
    const route = new OperationRoute({
      operation,
      handler: wrapHandler(handler, wraps),
      context,
      authenticate: createAuthentication(operation, { schemes: security, realm, mock }),
      guards,
      headers: {
        // A shared cache must not return the response to a request with a credential to other clients.
        ...(operation.security.length > 0 && { "cache-control": "private, no-cache" }),
        ...deprecationHeaders(operation, baseUrl, docsUrl),
      },
      links,
      validateRequests,
      validation: ownHandler ? validation : "none",
      errors: table,
      onError,
      openCalls,
      baseUrl,
      mountPath: prefix + basePath,
      read: operations.find(({ method, path }) => method === "GET" && path === operation.path) ?? operation,
    });
    return [operation.id, route.toFastifyOptions()] as const;
  });
  const schemes = content.components?.securitySchemes ?? {};
  const unknown = Object.keys(security).find((name) => !Object.hasOwn(schemes, name));
  if (unknown) throw new Error(`The security check ${unknown} has no security scheme in the document.`);
  return new Map(routes);
}

/** Throws an Error if a handler has no operation in a document. `names` are those of the handlers. */
export function requireOperations(
  names: readonly string[],
  { operations, leftOut }: Pick<Document, "operations" | "leftOut">,
): void {
  const ids = new Set(operations.map(({ id }) => id));
  const orphan = names.find((id) => !ids.has(id) && !leftOut.has(id));
  if (orphan === undefined) return;
  const meant = findSimilarName(orphan, ids);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new Error(`The handler ${orphan} has no operation in the document.${hint}`);
}

const maxListed = 20; // operations with their reasons in a message

function describeMissing(missing: readonly Operation[], reasons: ReadonlyMap<string, string> = new Map()): string {
  const [first, ...others] = missing.map(({ id }) => {
    const reason = reasons.get(id);
    return `${id} has no handler${reason === undefined ? "" : `, and needs one, because it ${reason}`}`;
  });
  const advice = "to `handlers`, or set `mock`. The command openapi-server generate --handlers writes stubs.";
  if (others.length === 0) return `The operation ${first}. Add one ${advice}`;
  const listed = [first, ...others].slice(0, maxListed).map((line) => `- ${line}`);
  const unlisted = missing.slice(maxListed).map(({ id }) => id);
  const rest = unlisted.length > 0 ? [`- and ${unlisted.length} others: ${unlisted.join(", ")}`] : [];
  return [`${missing.length} operations have no handler. Add them ${advice}`, ...listed, ...rest].join("\n");
}
