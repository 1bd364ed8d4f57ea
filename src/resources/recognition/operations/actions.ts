// Actions on a record: operations that set members of it, as `x-resource` declares them, and what it could say of others.
import { toJson, toSnakeCase } from "../../../lib/index.ts";
import type { Document, Operation } from "../../../openapi/index.ts";
import { controlNames, stateNames } from "../../names/member-names.ts";
import { spokenEnding } from "../../names/operation-names.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { changeSchema, responseAt, responseSchema } from "../bodies-and-parameters.ts";
import { planChange } from "../made-members.ts";
import { actionOf, lastSegment, normalizePath, parametersOf } from "../paths.ts";
import type { PlannedAction } from "../plan.ts";
import { findRecordEnvelope } from "../responses/envelopes.ts";
import { readOperationHint, refusal } from "../x-resource.ts";
import { ExaminedOperation, isUnderstood } from "./examined-operation.ts";

/**
 * Returns what an operation does that sets members of a record, or why the store can't answer it; undefined if the document declares no
 * action. Throws a HintError.
 */
export function findAction(operation: Operation, resources: readonly Resource[]): PlannedAction | string | undefined {
  const hint = readOperationHint(operation);
  const where = `the operation ${operation.id}`;
  if (hint === false) return undefined;
  if (hint.set === undefined) {
    const isOfRecord = resources.some(({ item, isSingle }) => !isSingle && item.path === (hint.update ?? hint.delete));
    if (hint.if) throw refusal(where, "its member if needs the member set");
    if (isOfRecord && hint.update) throw refusal(where, "its member update needs set, or the path of a single record");
    return undefined;
  }
  if (/^(GET|HEAD)$/.test(operation.method)) throw refusal(where, `a ${operation.method} changes nothing`);
  const resource = resources.find(({ item }) => item.path === hint.update);
  if (resource === undefined) throw refusal(where, "its member update must be the path of a record that a GET returns");
  const missing = parametersOf(resource.item.path).find((name) => !parametersOf(operation.path).includes(name));
  if (missing !== undefined) throw refusal(where, `its path must have the parameter ${missing} of ${hint.update}`);
  const { record } = resource;
  const conditions = Object.entries(hint.if ?? {}).map(([name, value]) => [name, [value].flat()] as const);
  const values = [
    ...Object.entries(hint.set),
    ...conditions.flatMap(([name, all]) => all.map((one) => [name, one] as const)),
  ];
  const isWrong = ([name, value]: readonly [string, unknown]) =>
    !record.propertyNames.includes(name) || name === resource.idPath[0] || !record.accepts(name, value);
  const wrong = values.find(isWrong);
  if (Object.keys(hint.set).length === 0) throw refusal(where, "its member set must have a property of the record");
  if (wrong) throw refusal(where, `a record has no property ${wrong[0]} that can be ${toJson(wrong[1])}`);
  const status = ["200", "204", "201", "202"].find((one) => responseAt(operation, one) !== undefined);
  const schema = status === undefined ? undefined : responseSchema(operation, status);
  const envelope = schema && findRecordEnvelope(schema, resource, Number(status));
  if (status === undefined || (schema && envelope === undefined))
    return "declares no response 200 with the record, or 204";
  const sent = changeSchema(operation);
  const body = sent ? RecordSchema.of(record.document, sent) : resource.newRecord;
  const members = planChange(record, body, resource.idName);
  const others = sent ? body.propertyNames.filter((name) => !record.propertyNames.includes(name)) : [];
  const found = {
    status: Number(status),
    envelopes: envelope ? { [status]: envelope } : {},
    set: { members: hint.set, if: Object.fromEntries(conditions) },
    body: { ...members, schema: body.pointer, shown: [] },
    controls: others.filter((name) => controlNames.test(toSnakeCase(name))),
  };
  const refused = operation.parameterParts.filter((part) => !isUnderstood(part));
  const needed = refused.find(({ value }) => value.required)?.value.name;
  if (needed !== undefined) return `requires the parameter ${needed}, whose effect is not known`;
  const examined = new ExaminedOperation("update", operation, resource);
  if (others[0] !== undefined) examined.doubt(`takes the property ${others[0]}, which the record does not have`);
  return examined.plan(found, refused);
}

/** Returns the first verb of the text of an operation that ends a record without deleting it, such as `cancel`; undefined if there is none. */
export function findEnding({ part }: Operation): string | undefined {
  const { summary, description } = Object(part.value) as Readonly<Record<string, unknown>>;
  return [summary, description].flatMap((text) => spokenEnding.exec(`${text}`)?.[1]?.toLowerCase() ?? [])[0];
}

/** Returns the `x-resource` with which a POST with the name of an action would be answered, as text; undefined if none is likely. */
export function suggestAction(
  operation: Operation,
  { operations }: Document,
  resources: readonly Resource[],
): string | undefined {
  const place = normalizePath(operation.path);
  const isDeletion = operation.method === "DELETE" && operation.path.endsWith("}");
  const path = isDeletion ? place : place.slice(0, place.lastIndexOf("/"));
  const resource = resources.find(({ item }) => normalizePath(item.path) === path && operations.includes(item));
  const isAction = isDeletion || (operation.method !== "GET" && actionOf(operation) !== undefined);
  if (resource === undefined || !isAction) return undefined;
  const verb = isDeletion ? (findEnding(operation) ?? "\0") : lastSegment(place).toLowerCase();
  const stem = verb.replace(/e$/, "");
  const isResult = (value: unknown) => `${value}`.toLowerCase().startsWith(stem) && `${value}`.length < verb.length + 4;
  const { record } = resource;
  const states = record.propertyNames.filter((name) => stateNames.test(name));
  for (const name of new Set([...states, ...record.propertyNames]))
    for (const { schema } of record.property(name)) {
      const value = ((schema.enum ?? []) as unknown[]).find(isResult);
      if (value !== undefined) return `x-resource: { update: "${resource.item.path}", set: { ${name}: ${value} } }`;
    }
  return undefined;
}
