// Parts of records with a path of their own, such as `/orders/{id}/status`: the property of the record with this name.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Document, Operation } from "../../../openapi/index.ts";
import { secretNames } from "../../names/member-names.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { bodiesOf, changeSchema, isPatchType, responseAt, responseSchema } from "../bodies-and-parameters.ts";
import { hasPart, partOf } from "../collections/plan-collection.ts";
import { planChange } from "../made-members.ts";
import { lastSegment } from "../paths.ts";
import type { PlannedAction, PropertyForm } from "../plan.ts";
import { createSelection } from "../responses/envelopes.ts";
import { ExaminedOperation, isUnderstood } from "./examined-operation.ts";

const kinds = { GET: "get", PUT: "replace", PATCH: "update", DELETE: "delete" } as const;

/** Returns what the operations of parts of the records of a resource do that a store can answer. */
export function findPropertyOperations(
  { operations }: Document,
  resource: Resource,
): readonly (readonly [Operation, PlannedAction])[] {
  return operations.flatMap((operation) => {
    const action = hasPart(resource, operation.path) ? examine(operation, resource) : undefined;
    return typeof action === "object" ? [[operation, action] as const] : [];
  });
}

function examine(operation: Operation, resource: Resource): PlannedAction | string | undefined {
  const kind = kinds[operation.method as keyof typeof kinds] as PlannedAction["kind"] | undefined;
  const property = partOf(lastSegment(operation.path), resource.record) as string;
  const success = ["200", "204"].find((one) => responseAt(operation, one) !== undefined);
  if (kind === undefined || success === undefined) return undefined;
  const schemaOf = (place: ReturnType<typeof changeSchema>) =>
    place && RecordSchema.of(resource.record.document, place);
  const [sent, returned] = [schemaOf(changeSchema(operation)), schemaOf(responseSchema(operation, success))];
  const [body, response] = [sent, returned].map((schema) => schema && findForm(schema, resource, property));
  const isChange = kind === "replace" || kind === "update";
  const isUnknown =
    (returned !== undefined && response === undefined) ||
    (kind === "get" && response === undefined) ||
    (isChange && (body === undefined || secretNames.test(toSnakeCase(property)))) ||
    (kind === "update" && !bodiesOf(operation).some(([type]) => isPatchType(type))) ||
    // What it deletes is in the body, or what it returns is deleted.
    (kind === "delete" && (sent !== undefined || response === "property" || returned?.required.includes(property)));
  const refused = operation.parameterParts.filter((part) => !isUnderstood(part));
  if (isUnknown || refused.some(({ value }) => value.required)) return undefined;
  const envelope = response === "property" ? { property } : returned && createSelection(returned, resource.record);
  const status = Number(success);
  const { updated } = planChange(resource.record, resource.newRecord, resource.idName);
  const part = { property, response, body, updated, ...(body === "object" && { schema: sent?.pointer }) };
  const found = { status, envelopes: envelope ? { [status]: envelope } : {}, part };
  return new ExaminedOperation(kind, operation, resource).plan(found, refused);
}

function findForm(schema: RecordSchema, { record }: Resource, name: string): PropertyForm | undefined {
  const isPart = schema.propertyNames.every((one) => record.propertyNames.includes(one));
  if (schema.pointer === record.pointer || (schema.propertyNames.includes(name) && isPart)) return "object";
  return record.member(name)?.pointer === schema.pointer ? "property" : undefined;
}
