// The document that fastify-openapi-glue gets: paths, methods and operationIds. It would replace each reference of the real
// document by what it refers to.
import { isRouteDocument } from "../../patches/route-document.ts";
import type { Operation } from "../operation/operation.ts";

/** The methods whose operations fastify-openapi-glue registers. HEAD is none of them: it must precede GET. */
export const gluedMethods = /^(DELETE|GET|OPTIONS|PATCH|POST|PUT)$/;

/**
 * Creates the document that fastify-openapi-glue reads. It has the operations whose methods are among `gluedMethods`.
 */
export function toGlueDocument(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { id, method, template } of operations.filter(({ method }) => gluedMethods.test(method))) {
    const route = { operationId: id, responses: { default: { description: "" } } };
    paths[template.routerPath] = { ...paths[template.routerPath], [method.toLowerCase()]: route };
  }
  return { swagger: "2.0", info: { title: "", version: "" }, paths, [isRouteDocument]: true };
}
