// Registers a route for each operation of the document.
import type { RouteOptions as FastifyRoute } from "fastify";
import glue from "fastify-openapi-glue";
import fp from "fastify-plugin";
import { deprecationHeaders } from "./deprecation.ts";
import type { Document, PublicUrls } from "./document.ts";
import type { Operation } from "./operation.ts";
import { type AnyHandler, createRoute, type Guards } from "./route.ts";
import { createAuthentication, type SecuritySchemes } from "./security.ts";
import { createValidatorCompiler } from "./validation.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The owner of the request's credential, as the security scheme returned it. */
    caller: unknown;
  }
}

/** The options of the plugin `routes`. */
export interface RoutesOptions {
  readonly document: Document;
  /** One handler for each operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Creates the second argument of an operation's handler. */
  readonly context: (operation: Operation) => unknown;
  readonly security: SecuritySchemes;
  readonly guards: Guards;
  readonly urls: PublicUrls;
  /** The Link header of failures. */
  readonly links: string;
}

/**
 * Serves the operations of the document. Throws an Error that names the operation if the document and the code do not
 * agree: an operation without a handler, a handler without an operation, a security scheme without an implementation,
 * or a schema that would not be enforced.
 */
export const routes = fp<RoutesOptions>(
  async (app, { document, handlers, context, security, guards, urls, links }) => {
    const routes = new Map(
      document.operations.map((operation) => {
        const { id } = operation;
        if (!Object.hasOwn(handlers, id))
          throw new Error(`The operation ${id} has no handler: npm run scaffold adds one.`);
        const headers = deprecationHeaders(operation, urls.base, `${urls.root}/docs`);
        const authenticate = createAuthentication(operation, security);
        const handler = handlers[id] as AnyHandler;
        const options = { operation, handler, context: context(operation), authenticate, guards, headers, links };
        return [id, createRoute(options)];
      }),
    );
    const orphan = Object.keys(handlers).find((id) => !routes.has(id));
    if (orphan) throw new Error(`The handler ${orphan} has no operation in the document.`);

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
  },
  { name: "routes", dependencies: ["error-handler", "json-body"] },
);
