// Parts of records with a path of their own, such as `/orders/{id}/status`: the property of the record with this name.
import type { Document, Operation } from "../../openapi/index.ts";
import { RecordSchema } from "../record/record-schema.ts";
import type { AnsweredOperation } from "./answered-operation.ts";
import {
  bodiesOf,
  changeSchema,
  isKnownHeader,
  isPatchType,
  normalizePath,
  responseAt,
  responseSchema,
} from "./bodies-and-parameters.ts";
import { createSelection } from "./envelopes.ts";
import type { Resource } from "./resource.ts";
import { planHeaders } from "./response-headers.ts";

const kinds = { GET: "get", PUT: "replace", PATCH: "update", DELETE: "delete" } as const;

/** The value of a property, or an object with it, such as the record, of which only the property counts. */
export type PropertyForm = "property" | "object";

/** An operation of a part of a record. */
export interface PropertyOperation extends AnsweredOperation {
  readonly kind: (typeof kinds)[keyof typeof kinds];
  /** The name of the property. */
  readonly name: string;
  /** What a body contains; undefined if there is none. */
  readonly body: PropertyForm | undefined;
  /** What a response contains; undefined if it has no content. */
  readonly response: PropertyForm | undefined;
}

/** Returns the operations of parts of the records of a resource that a store can answer. */
export function findPropertyOperations({ operations }: Document, resource: Resource): readonly PropertyOperation[] {
  return operations.flatMap((operation) =>
    resource.hasPart(operation.path) ? (examine(operation, resource) ?? []) : [],
  );
}

function examine(operation: Operation, resource: Resource): PropertyOperation | undefined {
  const kind = kinds[operation.method as keyof typeof kinds] as PropertyOperation["kind"] | undefined;
  const place = normalizePath(operation.path);
  const name = place.slice(place.lastIndexOf("/") + 1);
  const success = ["200", "204"].find((one) => responseAt(operation, one) !== undefined);
  if (kind === undefined || success === undefined) return undefined;
  const schemaOf = (place: ReturnType<typeof changeSchema>) =>
    place && RecordSchema.of(resource.record.document, place);
  const [sent, returned] = [schemaOf(changeSchema(operation)), schemaOf(responseSchema(operation, success))];
  const [body, response] = [sent, returned].map((schema) => schema && findForm(schema, resource, name));
  const isChange = kind === "replace" || kind === "update";
  const isUnknown =
    (returned !== undefined && response === undefined) ||
    (kind === "get" && response === undefined) ||
    (isChange && body === undefined) ||
    (kind === "update" && !bodiesOf(operation).some(([type]) => isPatchType(type))) ||
    // What it deletes is in the body, or what it returns is deleted.
    (kind === "delete" && (sent !== undefined || response === "property"));
  const refused = operation.parameterParts.filter((part) => {
    const { in: location } = part.value;
    return location !== "path" && !(location === "header" && isKnownHeader(part));
  });
  if (isUnknown || refused.some(({ value }) => value.required)) return undefined;
  const envelope =
    response === "property" ? { property: name } : returned && createSelection(returned, resource.record);
  const status = Number(success);
  const envelopes = new Map(envelope ? [[status, envelope]] : []);
  const headers = planHeaders(operation, resource, { statuses: [status], creates: false });
  if (typeof headers === "string") return undefined;
  const standard = {
    kind,
    operation,
    resource,
    status,
    createdStatus: status,
    headers,
    envelopes,
    controls: [],
    refused,
    doubts: [],
  };
  return { ...standard, name, response, body };
}

function findForm(schema: RecordSchema, { record }: Resource, name: string): PropertyForm | undefined {
  const isPart = schema.propertyNames.every((one) => record.propertyNames.includes(one));
  if (schema.pointer === record.pointer || (schema.propertyNames.includes(name) && isPart)) return "object";
  return record.member(name)?.pointer === schema.pointer ? "property" : undefined;
}
