// The operations of a document whose meaning is certain: a store can answer them without a handler.
import { randomUUID } from "node:crypto";
import type { Document, Operation, SchemaNode } from "../openapi/application.ts";
import { itemSchemas, RecordSchema, valueType } from "./record-schema.ts";
import {
  bodySchema,
  queryOf,
  type Resource,
  type ResourceOperations,
  readResources,
  responseSchema,
} from "./resource.ts";

export type OperationKind = keyof ResourceOperations;

/** An operation that a store can answer. */
export interface StandardOperation {
  readonly kind: OperationKind;
  readonly operation: Operation;
  readonly resource: Resource;
  /** The status of a success. */
  readonly status: number;
}

/** What a store can answer of a document. */
export interface StandardOperations {
  readonly known: readonly StandardOperation[];
  /** Why it can't answer the others, by operationId. Completes "The operation … ". */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Finds the operations of a document that a store can answer, and why it can't answer the others. */
export function findStandardOperations(document: Document): StandardOperations {
  const known: StandardOperation[] = [];
  const reasons = new Map<string, string>();
  for (const resource of readResources(document))
    for (const [kind, operation] of Object.entries(resource.operations) as [OperationKind, Operation | undefined][]) {
      if (operation === undefined) continue;
      const status = successOf(kind, operation, resource);
      const reason = status === undefined ? wrongSuccess(kind, resource) : findObstacle(kind, operation, resource);
      if (reason !== undefined) reasons.set(operation.id, reason);
      else known.push({ kind, operation, resource, status: status as number });
    }
  const ids = new Set([...known.map(({ operation }) => operation.id), ...reasons.keys()]);
  for (const { id } of document.operations)
    if (!ids.has(id)) reasons.set(id, "is none of a collection (POST /things, and GET /things/{id} with its id)");
  return { known, reasons };
}

// In order of preference.
const successes: Readonly<Record<OperationKind, readonly string[]>> = {
  list: ["200"],
  create: ["201", "200"],
  get: ["200"],
  replace: ["200", "204", "201"],
  update: ["200", "204"],
  delete: ["204", "200"],
};

// The first declared success must have the record, or no content.
function successOf(kind: OperationKind, operation: Operation, { record }: Resource): number | undefined {
  const declared = operation.part.at("responses");
  const status = successes[kind].find((one) => declared?.at(one) !== undefined);
  if (status === undefined) return undefined;
  const schema = responseSchema(operation, status);
  if (status === "204") return 204;
  if (schema === undefined) return undefined;
  if (kind !== "list") return schema.pointer === record.part.pointer ? Number(status) : undefined;
  const items = itemSchemas(new RecordSchema(record.document, schema).parts);
  return items?.some(({ pointer }) => pointer === record.part.pointer) ? Number(status) : undefined;
}

function wrongSuccess(kind: OperationKind, { record }: Resource): string {
  const name = record.name === undefined ? "the schema of the GET" : `the schema ${record.name}`;
  const content = kind === "list" ? `an array of ${name}` : name;
  const statuses = successes[kind].map((status) => (status === "204" ? "204" : `${status} with ${content}`));
  return `declares no response ${statuses.join(" or ")}`;
}

const knownHeaders = ["Idempotency-Key", "If-Match", "If-None-Match"];

// Returns why the meaning of an operation is not certain, or what the store can't do.
function findObstacle(kind: OperationKind, operation: Operation, resource: Resource): string | undefined {
  const { parameterParts } = operation;
  const known = kind === "list" ? queryOf(operation).map(({ value }) => value.name) : [];
  const other = parameterParts.find(({ value: { in: location, name } }) =>
    location === "header" ? !knownHeaders.includes(name) : location !== "path" && !known.includes(name),
  );
  if (other) return `has the ${other.value.in} parameter ${other.value.name}, whose effect is not known`;
  if (kind === "list") return findListObstacle(operation, resource);
  if (kind === "create") return findIdObstacle(operation, resource) ?? findBodyObstacle(operation, resource);
  if (kind === "replace") return findBodyObstacle(operation, resource);
  return kind === "update" ? findPatchObstacle(operation, resource) : undefined;
}

function findListObstacle(list: Operation, { unknownParameters, record }: Resource): string | undefined {
  const [unknown] = unknownParameters;
  if (unknown !== undefined)
    return `has the parameter ${unknown}, which neither selects a page (limit, cursor) nor has the name and type of a property`;
  const find = (name: string) => queryOf(list).find(({ value }) => value.name === name);
  const [limit, cursor] = [find("limit"), find("cursor")];
  const limitSchema = limit?.at("schema")?.value as { readonly default?: unknown } | undefined;
  const typeOf = (parameter: typeof limit) => {
    const schema = parameter?.written("schema");
    return schema && valueType(new RecordSchema(record.document, schema).parts);
  };
  if (typeOf(limit) === undefined || (limit?.value.required !== true && limitSchema?.default === undefined))
    return "has no parameter limit with a default, so that it would have to return all records at once";
  return typeOf(cursor) === "string" ? undefined : "has no parameter cursor, a string, which selects the next page";
}

// A new record has the id that is sent, or the store makes one.
function findIdObstacle({ parameterParts }: Operation, resource: Resource): string | undefined {
  const { id, idType } = resource.collection;
  const isSent = resource.takesId;
  if (idType === "int64")
    return isSent ? `takes the property ${id}, which the store makes: it must be read-only` : undefined;
  if (isSent && parameterParts.some(({ value }) => value.name === "Idempotency-Key"))
    return `takes the property ${id}, so that a retry does not need the header Idempotency-Key`;
  if (resource.newProperties.required.includes(id) || resource.record.accepts(id, randomUUID())) return undefined;
  return `does not require the property ${id}, whose schema does not allow the UUID that the store would make`;
}

// What is sent must be all that a record consists of, besides its id.
function findBodyObstacle(operation: Operation, { record, collection }: Resource): string | undefined {
  const part = bodySchema(operation, "application/json");
  if (part === undefined) return "has no body of application/json with a schema";
  const body = new RecordSchema(record.document, part);
  const unknown = body.propertyNames.find((name) => !record.propertyNames.includes(name));
  if (unknown !== undefined) return `takes the property ${unknown}, which the record does not have`;
  const secret = body.propertyNames.find((name) =>
    record.property(name).some(({ schema }) => schema.writeOnly === true),
  );
  if (secret !== undefined) return `takes the property ${secret}, which is write-only`;
  const isGiven = (name: string) => {
    const schemas = body.property(name).map(({ schema }) => schema);
    if (schemas.some(({ readOnly }) => readOnly === true)) return false; // a request can't have it
    return body.required.includes(name) || schemas.some((schema) => schema.default !== undefined);
  };
  const missing = record.required.find((name) => name !== collection.id && !isGiven(name));
  return missing === undefined ? undefined : `does not require the property ${missing}, which each record must have`;
}

function allowsNull(schemas: readonly SchemaNode[]): boolean {
  return schemas.some(({ schema }) => [schema.type].flat().includes("null"));
}

/** The media types of JSON Merge Patch (RFC 7396), and of a body that looks like it. */
export const patchTypes = ["application/merge-patch+json", "application/json"] as const;

function findPatchObstacle(operation: Operation, { record }: Resource): string | undefined {
  const types =
    operation.part
      .at("requestBody")
      ?.membersOf("content")
      .map(([type]) => type) ?? [];
  const [other] = types.filter((type) => !(patchTypes as readonly string[]).includes(type));
  if (types.length === 0 || other !== undefined)
    return `has ${other === undefined ? "no body" : `a body of ${other}`}, and not of ${patchTypes.join(" or ")}`;
  for (const type of types) {
    const part = bodySchema(operation, type);
    const body = part && new RecordSchema(record.document, part);
    const filled = body?.propertyNames.find((name) =>
      body.property(name).some(({ schema }) => schema.default !== undefined),
    );
    if (filled !== undefined)
      return `has a default for the property ${filled}, to which each change would set it: leave it out of the body's schema`;
    const unknown = body?.propertyNames.find((name) => !record.propertyNames.includes(name));
    if (unknown !== undefined) return `takes the property ${unknown}, which the record does not have`;
    const nullable = body?.propertyNames.find((name) => allowsNull(body.property(name)));
    if (nullable !== undefined && type === "application/json")
      return `allows null for the property ${nullable}, which could remove it or set it: in ${patchTypes[0]}, it removes it`;
  }
  return undefined;
}
