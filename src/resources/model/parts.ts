// Parts of records with a path of their own, such as `/orders/{id}/status`: the property of the record with this name.
import type { Document, Operation } from "../../openapi/application.ts";
import { bodyTypesOf, changeSchema, isPatchType, responseSchema } from "./operation-parts.ts";
import { RecordSchema } from "./record-schema.ts";
import type { Resource } from "./resource.ts";

const kinds = { GET: "get", PUT: "replace", PATCH: "update", DELETE: "delete" } as const;

/** An operation of a part of a record. */
export interface PartOperation {
  readonly kind: (typeof kinds)[keyof typeof kinds];
  readonly operation: Operation;
  readonly resource: Resource;
  /** The name of the property. */
  readonly name: string;
  readonly status: number;
  /** What a response contains: the property, the record, or nothing. */
  readonly response: PartForm | undefined;
  /** What a body contains. */
  readonly body: PartForm | undefined;
}

/** The value of a property, or a record, of which only the property counts. */
export type PartForm = "property" | "record";

/** Returns the operations of parts of the records of a resource that a store can answer. */
export function findPartOperations({ operations }: Document, resource: Resource): readonly PartOperation[] {
  return operations.flatMap((operation) =>
    resource.hasPart(operation.path) ? (examine(operation, resource) ?? []) : [],
  );
}

function examine(operation: Operation, resource: Resource): PartOperation | undefined {
  const kind = kinds[operation.method as keyof typeof kinds] as PartOperation["kind"] | undefined;
  const name = operation.path.slice(operation.path.lastIndexOf("/") + 1);
  const status = ["200", "204"].find((one) => operation.part.at("responses")?.at(one) !== undefined);
  if (kind === undefined || status === undefined) return undefined;
  const formOf = (place: ReturnType<typeof changeSchema>) =>
    place && findForm(new RecordSchema(resource.record.document, place), resource, name);
  const [sent, returned] = [changeSchema(operation), responseSchema(operation, status)];
  const [body, response] = [formOf(sent), formOf(returned)];
  if (kind === "delete" && sent !== undefined) return undefined; // what it deletes is in the body
  const isChange = kind === "replace" || kind === "update";
  const hasUnknown = (returned !== undefined && response === undefined) || (kind === "get" && response === undefined);
  if (
    hasUnknown ||
    (isChange && body === undefined) ||
    (kind === "update" && !bodyTypesOf(operation).some(isPatchType))
  )
    return undefined;
  const isRequired = operation.parameterParts.some(({ value }) => value.required && value.in !== "path");
  return isRequired ? undefined : { kind, operation, resource, name, status: Number(status), response, body };
}

function findForm(schema: RecordSchema, { record }: Resource, name: string): PartForm | undefined {
  const isPart = schema.propertyNames.every((one) => record.propertyNames.includes(one));
  if (schema.pointer === record.pointer || (schema.propertyNames.includes(name) && isPart)) return "record";
  const [node] = record.property(name);
  return node && new RecordSchema(record.document, node).pointer === schema.pointer ? "property" : undefined;
}
