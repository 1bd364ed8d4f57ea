// Rejects path templates and parameters that the server would not read as the document describes them.
import type { ParameterObject } from "./openapi.ts";
import type { Reject } from "./operation.ts";

const types = ["string", "integer", "number", "boolean"];
// OpenAPI ignores header parameters with these names (3.1.1, section 4.8.12.1).
const ignoredHeaders = /^(accept|content-type|authorization)$/i;

/** Checks that the router supports the path template, and that its names are those of the path parameters. */
export function checkPath(path: string, parameters: readonly ParameterObject[], reject: Reject): void {
  if (!/^(\/([\w.~-]|\{[^/{}]*\})+)+$/.test(path)) reject(`has the path ${path}, which the router does not support`);
  const inTemplate = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string);
  const misnamed = inTemplate.find((name) => !/^[a-z]\w*$/i.test(name));
  if (misnamed) reject(`has the path parameter ${misnamed}, whose name must be camelCase`);
  const declared = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const [missing] = new Set(inTemplate).symmetricDifference(new Set(declared));
  if (missing) reject(`must have the path parameter ${missing} both in its path and among its parameters`);
}

/** Checks that the server supports each parameter. */
export function checkParameters(parameters: readonly ParameterObject[], reject: Reject): void {
  for (const [index, parameter] of parameters.entries()) {
    const { name, in: location, schema, style = "form", allowEmptyValue, allowReserved } = parameter;
    if (location === "cookie") reject(`has the cookie parameter ${name}, but cookies are not supported`);
    if (location === "header" && ignoredHeaders.test(name))
      reject(`has the header parameter ${name}, which OpenAPI ignores`);
    if (parameters.findIndex((other) => other.name === name && other.in === location) !== index)
      reject(`has the parameter ${name} twice`);
    if (allowEmptyValue) reject(`has the parameter ${name} with allowEmptyValue, which is not supported`);
    if (allowReserved) reject(`has the parameter ${name} with allowReserved, which is not supported`);
    if (!/^(form|simple)$/.test(style))
      reject(`has the parameter ${name} with the style ${style}, which is not supported`);
    if (!types.includes(schema?.type as string))
      reject(`has the parameter ${name}, whose type must be one of ${types.join(", ")}`);
  }
}
