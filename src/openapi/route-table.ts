// The document that fastify-openapi-glue gets: paths, methods and operationIds. It would replace each reference of the real
// document by what it refers to.
//
// fastify-openapi-glue compares what it gets with the schema of OpenAPI, and has no option to skip that. To compile this schema
// takes 125 of the 460 ms until the first response. A route table is valid because of how it is created, so the validator,
// which is also a dependency of this module, accepts one without compiling anything. It validates all other documents. If
// fastify-openapi-glue comes with another version of the validator, the start only takes longer.
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Operation } from "./operation.ts";

const marker = "x-route-table";

/** The methods that fastify-openapi-glue routes. */
export const gluedMethods = /^(DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT)$/;

/** Creates the document that fastify-openapi-glue reads. It has the operations whose methods are among `gluedMethods`. */
export function toRouteTable(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { id, method, template } of operations.filter(({ method }) => gluedMethods.test(method))) {
    const route = { operationId: id, responses: { default: { description: "" } } };
    paths[template.routerPath] = { ...paths[template.routerPath], [method.toLowerCase()]: route };
  }
  return { openapi: "3.1.0", info: { title: "", version: "" }, paths, [marker]: true };
}

const { validate } = Validator.prototype;
Validator.prototype.validate = async function (document) {
  if (typeof document === "string" || document[marker] !== true) return validate.call(this, document);
  Object.assign(this, { specification: document, version: "3.1" }); // what fastify-openapi-glue reads afterwards
  return { valid: true };
};
