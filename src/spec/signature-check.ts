// Compares the operations of the document with the signatures of their handlers. An edit of the document that the code
// does not implement fails at the start, instead of dropping values.
import { type Field, isOpen, readField, readFields, readItems, readType } from "./fields.ts";
import type { ResponseObject } from "./openapi.ts";
import type { Operation, Reject } from "./operation.ts";
import type { BodyType, FieldTypes, Signature } from "./signature.ts";

/** The rules for values that the code reads, or for values that it sends. */
interface Direction {
  /** Completes "has the field 'tags', which the code …". */
  readonly unused: string;
  /** Completes "lacks the field 'name', which the code …". */
  readonly used: string;
  /** Returns whether the document must declare a value of this type. */
  needs(type: string): boolean;
  /** Completes "has the field 'name' …", if the code can't use the field as the document declares it. */
  findFault(field: Field, type: string): string | undefined;
}

const remedy = "remove it, or implement it and add it to the signature of the operation";
const undo = "change it back, or change the code and the signature of the operation";

const request: Direction = {
  unused: `does not read: ${remedy}`,
  used: "needs: declare it",
  needs: (type) => !type.endsWith("?"),
  findFault({ required, hasDefault, readOnly }, type) {
    if (readOnly) return "with readOnly, but the code reads it: remove readOnly";
    const canBeMissing = !required && !hasDefault && !type.endsWith("?");
    return canBeMissing ? "as optional, but the code needs a value: make it required, or give it a default" : undefined;
  },
};

const response: Direction = {
  unused: `never sends: ${remedy}`,
  used: "sends: declare it",
  needs: () => true,
  findFault({ required, writeOnly }, type) {
    if (writeOnly) return "with writeOnly, but the code sends it: remove writeOnly";
    return required && type.endsWith("?") ? "as required, but the code can omit it: make it optional" : undefined;
  },
};

/** The headers that the server sends itself, or that OpenAPI ignores. */
export const serverHeaders =
  /^(access-control-.*|allow|connection|content-.*|date|deprecation|link|ratelimit|ratelimit-policy|retry-after|strict-transport-security|sunset|vary|www-authenticate|x-content-type-options|x-frame-options|x-request-id)$/i;

/**
 * Compares operations with the signatures of their handlers. Throws an Error that names the operation, and the
 * parameter or field, if the handler does not read or send it as the document describes. Skips operations without a
 * signature, which have no handler yet.
 */
export function checkSignatures(
  operations: readonly Operation[],
  signatures: Readonly<Record<string, Signature>>,
): void {
  for (const operation of operations) {
    const signature = Object.hasOwn(signatures, operation.id) ? signatures[operation.id] : undefined;
    if (signature !== undefined) checkSignature(operation, signature);
  }
}

function checkSignature(operation: Operation, signature: Signature): void {
  const reject: Reject = (reason) => {
    throw new Error(`The operation ${operation.id} ${reason}.`);
  };
  for (const location of ["path", "query", "header"] as const) {
    const parameters = operation.parameters.filter((parameter) => parameter.in === location);
    const fields = parameters.map(({ name, schema, required = false }) => [name, readField(schema, required)] as const);
    const label = (name: string) => `${location} parameter '${name}'`;
    checkFields(request, new Map(fields), signature[location] ?? {}, label, reject);
  }
  checkRequestBody(operation, signature, reject);
  for (const [status, type] of Object.entries(signature.responses)) {
    const declared = operation.responses[status];
    if (declared === undefined) reject(`lacks the response ${status}, which the code sends: declare it`);
    checkResponse(status, declared, type, reject);
  }
  checkResponseHeaders(operation, signature, reject);
}

function checkRequestBody({ body }: Operation, { body: type, optionalBody }: Signature, reject: Reject): void {
  if (body === undefined && type === undefined) return;
  if (type === undefined) reject(`has a body, which the code ${request.unused}`);
  if (body === undefined) reject(`lacks the body, which the code ${request.used}`);
  if (!body.required && !optionalBody) reject("has an optional body, but the code needs one: add required: true");
  checkType(request, body.schema, type, "body", reject);
}

/** Compares the body of a response with the type that the code sends. */
export function checkResponse(status: string, { content = {} }: ResponseObject, type: BodyType, reject: Reject): void {
  const name = `response ${status}`;
  const json = content["application/json"];
  if (type === "none" && json === undefined) return;
  if (json === undefined) reject(`has the ${name} without the body that the code sends: declare its schema`);
  if (type === "none") reject(`has a body in the ${name}, which the code ${response.unused}`);
  checkType(response, json.schema, type, name, reject);
}

function checkType(direction: Direction, schema: unknown, type: BodyType, name: string, reject: Reject): void {
  const expected = typeof type === "string" ? type : Array.isArray(type) ? "array" : "object";
  const actual = readType(schema);
  if (actual !== expected)
    reject(`has a ${name} of the type ${actual}, but the code has the type ${expected}: ${undo}`);
  if (Array.isArray(type)) checkType(direction, readItems(schema), type[0], `${name}'s items`, reject);
  else if (typeof type !== "string") {
    if (direction === request && isOpen(schema))
      reject(`accepts unknown fields in the ${name}, which the code does not read: add additionalProperties: false`);
    checkFields(
      direction,
      readFields(schema),
      type as FieldTypes,
      (field) => `field '${field}' of the ${name}`,
      reject,
    );
  }
}

function checkFields(
  { unused, used, needs, findFault }: Direction,
  fields: ReadonlyMap<string, Field>,
  types: FieldTypes,
  label: (name: string) => string,
  reject: Reject,
): void {
  for (const [name, field] of fields) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) reject(`has the ${label(name)} (${field.type}), which the code ${unused}`);
    const expected = type.replace("?", "");
    if (field.type !== expected)
      reject(`has the ${label(name)} with the type ${field.type}, but the code has the type ${expected}: ${undo}`);
    const fault = findFault(field, type);
    if (fault !== undefined) reject(`has the ${label(name)} ${fault}`);
  }
  const missing = Object.entries(types).find(([name, type]) => !fields.has(name) && needs(type));
  if (missing) reject(`lacks the ${label(missing[0])} (${missing[1]}), which the code ${used}`);
}

function checkResponseHeaders({ headers }: Operation, { responseHeaders = [] }: Signature, reject: Reject): void {
  const unsent = headers.response.find((name) => !serverHeaders.test(name) && !responseHeaders.includes(name));
  if (unsent) reject(`has the response header '${unsent}', which the code ${response.unused}`);
}
