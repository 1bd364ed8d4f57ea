// Registers a route for each operation of the document.
import type { FastifyInstance, RouteOptions as FastifyRoute, RouteShorthandOptionsWithHandler } from "fastify";
import glue from "fastify-openapi-glue";
import fp from "fastify-plugin";
import { deprecationHeaders } from "./deprecation.ts";
import type { Document } from "./document.ts";
import type { Application, Handlers } from "./handler.ts";
import type { Operation } from "./operation.ts";
import { createRoute, type Guard, type UntypedHandler } from "./route.ts";
import { createAuthentication, type SecuritySchemes } from "./security.ts";
import { createValidatorCompiler } from "./validation.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The owner of the request's credential, as the security scheme returned it. */
    caller: unknown;
  }
}

/** The options of the plugin `routes`. */
export interface RoutesOptions<App extends Application> {
  readonly document: Document;
  readonly handlers: Handlers<App>;
  /** Creates the second argument of an operation's handler. */
  readonly context: (operation: Operation) => App["context"];
  readonly security?: SecuritySchemes<App["caller"]>;
  /** Run in this order for each request, after authentication. */
  readonly guards?: readonly Guard[];
  /** The URL of the API as clients know it. By default, the base path of the document. */
  readonly baseUrl?: string;
  /** The URL of Swagger UI, to which responses of deprecated operations link. */
  readonly docsUrl?: string;
  /** The Link header of failures. */
  readonly links?: string;
}

/**
 * Serves the operations of the document: `app.register(routes<MyApplication>, …)`. Throws an Error that names the
 * operation if the document and the code do not agree: an operation without a handler, a handler without an operation,
 * a security scheme without an implementation, or a schema that would not be enforced.
 */
export const routes = fp(registerRoutes, { name: "routes", dependencies: ["error-handler", "json-body"] });

async function registerRoutes<App extends Application>(
  app: FastifyInstance,
  options: RoutesOptions<App>,
): Promise<void> {
  const { document } = options;
  const routes = createRoutes(options);
  app.decorateRequest("caller");
  app.setValidatorCompiler(createValidatorCompiler(document.extensions));
  app.addHook("onRoute", ({ schema }) => {
    // Rejects every query parameter if the operation declares none.
    if (schema && "operationId" in schema) schema.querystring ??= { type: "object", properties: {} };
  });
  await app.register(glue, {
    specification: document.content,
    prefix: document.basePath,
    operationResolver: (id) => routes.get(id) as FastifyRoute,
  });
}

// A shared cache must not return the response to a request with a credential to other clients.
function cacheHeaders({ security }: Operation): Readonly<Record<string, string>> {
  return security.length > 0 ? { "cache-control": "private, no-cache" } : {};
}

function createRoutes<App extends Application>({
  document: { operations, basePath },
  handlers,
  context,
  security = {},
  guards = [],
  baseUrl = basePath,
  docsUrl,
  links,
}: RoutesOptions<App>): ReadonlyMap<string, RouteShorthandOptionsWithHandler> {
  const byId = new Map(Object.entries(handlers as Readonly<Record<string, UntypedHandler>>));
  const routes = operations.map((operation) => {
    const handler = byId.get(operation.id);
    if (handler === undefined)
      throw new Error(`The operation ${operation.id} has no handler. Run npm run scaffold to add one.`);
    const route = createRoute({
      operation,
      handler,
      context: context(operation),
      authenticate: createAuthentication(operation, security),
      guards,
      headers: { ...cacheHeaders(operation), ...deprecationHeaders(operation, baseUrl, docsUrl) },
      links,
    });
    return [operation.id, route] as const;
  });
  const ids = new Set(operations.map(({ id }) => id));
  const orphan = [...byId.keys()].find((id) => !ids.has(id));
  if (orphan) throw new Error(`The handler ${orphan} has no operation in the document.`);
  return new Map(routes);
}
