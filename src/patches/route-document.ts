// @seriousme/openapi-schema-validator 2, which fastify-openapi-glue calls: without an option to skip it, it compiles the schema of
// OpenAPI for each document, which takes 0.1 s (`getAjvValidator`,
// https://github.com/seriousme/openapi-schema-validator/blob/master/index.js). Our routes are valid because of how they are made.
import { randomUUID } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";

/** The extension that marks a document that is not compared with the schema of OpenAPI. No other document can have it. */
export const isRouteDocument = `x-${randomUUID()}`;

const { getAjvValidator } = Validator.prototype as unknown as { getAjvValidator(version: string): unknown };
Object.assign(Validator.prototype, {
  getAjvValidator(this: { readonly specification: object }, version: string) {
    return isRouteDocument in this.specification ? () => true : getAjvValidator.call(this, version);
  },
});
