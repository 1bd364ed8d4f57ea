// The members of a body that are no part of a record.
import { toJson, toSnakeCase } from "../../../lib/index.ts";
import {
  attributesName,
  certainIdNames,
  controlNames,
  foreignIdOf,
  keyMembers,
  partNames,
} from "../../names/member-names.ts";
import type { Sources } from "../../record/member-sources.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { itemSchemas, valueType } from "../../record/schema-nodes.ts";
import { changeSchema, successSchema } from "../bodies-and-parameters.ts";
import { lastSegment, listPathOf, normalizePath } from "../paths.ts";
import { canBeId } from "../responses/response-shape.ts";
import type { ExaminedOperation } from "./examined-operation.ts";

/**
 * Returns the members of the body of an operation that select what a response has, or whether anything is changed. `member` has the
 * record, if it is not the body itself, and `renamed` are members that have an id of another one.
 */
export function findControls(
  examined: ExaminedOperation,
  member: string | undefined,
  renamed: readonly string[],
): readonly string[] {
  const { kind, operation, resource } = examined;
  const { record } = resource;
  const part = changeSchema(operation);
  const body = part && RecordSchema.of(record.document, part);
  const names = body ? body.propertyNames.filter((name) => !keyMembers.includes(name)) : [];
  if (kind === "delete") return names; // options of the deletion
  // If the record is a member of the body, the other members are options of the request, whose effect is not known.
  if (member !== undefined) return names.filter((name) => name !== member);
  const own = body ? findOwnMembers(examined, body) : [];
  const isLost = (name: string) => own.includes(name) && responseOf(examined)?.required.includes(name);
  const isControl = (name: string) => controlNames.test(toSnakeCase(name)) || isLost(name);
  const isOther = (name: string) =>
    body !== undefined &&
    !renamed.includes(name) &&
    (isOtherId(examined, name) || belongsElsewhere(examined, body, name));
  return names.filter((name) => (!record.propertyNames.includes(name) && isControl(name)) || isOther(name));
}

/** Returns the members of a body of which a record has a part that is made empty, which would be wrong: `parent` of `parent_name`. */
export function findDescribed(body: RecordSchema, created: Sources): readonly string[] {
  const isEmpty = (value: unknown) => ['""', "[]", "{}"].includes(toJson(value));
  const made = Object.entries(created).filter(([, source]) => "value" in source && isEmpty(source.value));
  const things = made.flatMap(([name]) => partNames.exec(toSnakeCase(name))?.[1] ?? []);
  return body.propertyNames.filter((name) => body.canHave(name) && things.includes(toSnakeCase(name)));
}

// Whether a member of a new record can be its id, or that of another one, such as the comment to which it replies.
function isOtherId({ kind, resource: { parameter, plan, record } }: ExaminedOperation, name: string): boolean {
  const isId = name === parameter && certainIdNames.test(toSnakeCase(name)) && !record.propertyNames.includes(name);
  return kind === "create" && isId && plan.id.member === undefined;
}

/** Returns the schema of the response of an operation; undefined if it has none. */
export function responseOf({ operation, resource }: ExaminedOperation): RecordSchema | undefined {
  const place = successSchema(operation);
  return place && RecordSchema.of(resource.record.document, place);
}

/** Returns the members of a body that the response of the operation has, and a record does not declare. */
export function findOwnMembers(examined: ExaminedOperation, body: RecordSchema): readonly string[] {
  const { propertyNames } = examined.resource.record;
  const shown = responseOf(examined)?.propertyNames ?? [];
  return shown.filter((name) => !propertyNames.includes(name) && body.canHave(name));
}

// Whether a member of a body belongs into an object that no request has, such as `tax_id` into `tax`, or into a collection below.
function belongsElsewhere({ all, resource }: ExaminedOperation, body: RecordSchema, name: string): boolean {
  const { record, item, idName } = resource;
  const words = toSnakeCase(name);
  const isInside = (outer: string) => {
    const isId = foreignIdOf(name, outer) !== undefined;
    const [inner] = itemSchemas(record.property(outer)) ?? record.property(outer);
    const schema = inner && RecordSchema.of(record.document, inner);
    const isMember = schema?.canHave(name) && valueType(schema.property(name)) === valueType(body.property(name));
    return schema && schema.propertyNames.length > 0 && (isId || isMember) && !canBeId(record, outer);
  };
  const outer = record.propertyNames.filter((one) => !body.propertyNames.includes(one) && isInside(one));
  if (record.propertyNames.includes(name)) return name !== idName && outer.includes(attributesName);
  const isBelow = ({ path }: Resource) =>
    listPathOf(path) === normalizePath(item.path) && toSnakeCase(lastSegment(path)) === words;
  return outer.length > 0 || (itemSchemas(body.property(name)) !== undefined && all.some(isBelow));
}
