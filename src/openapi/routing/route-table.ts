// The document that fastify-openapi-glue gets: paths, methods and operationIds. It would replace each reference of the real
// document by what it refers to.
//
// Patches the validator that fastify-openapi-glue runs, because there is no option to skip it. It compiles the schema of
// OpenAPI, which takes 125 of the 460 ms until the first response. The patch accepts route tables, which `toRouteTable`
// creates, and validates all other documents. If fastify-openapi-glue depends on another version of the validator, the patch
// has no effect, and the start takes longer.
import { randomUUID } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Operation } from "../operation/index.ts";

const marker = `x-route-table-${randomUUID()}`; // no other document has it; fastify-openapi-glue keeps no symbols

/** The methods whose operations fastify-openapi-glue registers. HEAD is none of them: it must precede GET. */
export const gluedMethods = /^(DELETE|GET|OPTIONS|PATCH|POST|PUT)$/;

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
  if (Object(document)[marker] !== true) return validate.call(this, document);
  Object.assign(this, { specification: document, version: "3.1" }); // what fastify-openapi-glue reads afterwards
  return { valid: true };
};
