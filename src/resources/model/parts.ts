// Parts of records with a path of their own, such as `/orders/{id}/status`: the property of the record with this name.
import type { Document, Operation } from "../../openapi/index.ts";
import { bodiesOf, changeSchema, isKnownHeader, isPatchType, responseSchema } from "./operation-parts.ts";
import { RecordSchema } from "./record/record-schema.ts";
import type { Resource } from "./resource.ts";
import { createSelection } from "./responses/response-frame.ts";
import { planHeaders } from "./responses/response-headers.ts";
import type { StandardOperation } from "./standard-operation.ts";

const kinds = { GET: "get", PUT: "replace", PATCH: "update", DELETE: "delete" } as const;

/** The value of a property, or an object with it, such as the record, of which only the property counts. */
export type PartForm = "property" | "object";

/** An operation of a part of a record. */
export interface PartOperation extends StandardOperation {
  readonly kind: (typeof kinds)[keyof typeof kinds];
  /** The name of the property. */
  readonly name: string;
  /** What a body contains; undefined if there is none. */
  readonly body: PartForm | undefined;
  /** What a response contains; undefined if it has no content. */
  readonly response: PartForm | undefined;
}

/** Returns the operations of parts of the records of a resource that a store can answer. */
export function findPartOperations({ operations }: Document, resource: Resource): readonly PartOperation[] {
  return operations.flatMap((operation) =>
    resource.hasPart(operation.path) ? (examine(operation, resource) ?? []) : [],
  );
}

function examine(operation: Operation, resource: Resource): PartOperation | undefined {
  const kind = kinds[operation.method as keyof typeof kinds] as PartOperation["kind"] | undefined;
  const name = operation.path.slice(operation.path.lastIndexOf("/") + 1);
  const success = ["200", "204"].find((one) => operation.part.at("responses")?.at(one) !== undefined);
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
  const frame = response === "property" ? { property: name } : returned && createSelection(returned, resource.record);
  const status = Number(success);
  const frames = new Map(frame ? [[status, frame]] : []);
  const headers = planHeaders(operation, resource, { statuses: [status], creates: false });
  if (typeof headers === "string") return undefined;
  const standard = {
    kind,
    operation,
    resource,
    status,
    createdStatus: status,
    headers,
    frames,
    controls: [],
    refused,
    doubts: [],
  };
  return { ...standard, name, response, body };
}

function findForm(schema: RecordSchema, { record }: Resource, name: string): PartForm | undefined {
  const isPart = schema.propertyNames.every((one) => record.propertyNames.includes(one));
  if (schema.pointer === record.pointer || (schema.propertyNames.includes(name) && isPart)) return "object";
  return record.member(name)?.pointer === schema.pointer ? "property" : undefined;
}
