// Parts of an operation: its paths, bodies and parameters.
import { toJson, toSnakeCase } from "../../lib/index.ts";
import type { Document, Operation, Part } from "../../openapi/index.ts";
import { meaningOf } from "../names/meaning.ts";
import { neutralHeaders, tenantNames } from "../names/operation-names.ts";
import { readTenantHint } from "./x-resource.ts";

const jsonTypes = [
  /^application\/json(?![\w.+-])/,
  /^application\/(?!.*patch\+)[\w.+-]+\+json\b/,
  /^(\*|application)\/\*$/,
];
const bodyTypes = [...jsonTypes, /^application\/x-www-form-urlencoded\b/];
const patchTypes = [...bodyTypes, /^application\/(json|merge|strategic-merge)-patch\+json\b/];

/** Returns whether a header is a condition or an Idempotency-Key, whose effect is certain. */
export function isConditionOrKey(name: string): boolean {
  return /^(idempotency-key|if-match|if-none-match)$/i.test(name);
}

/** Returns whether the effect of a header is known: that of a condition, none, or that of the only value that it can have. */
export function isKnownHeader(parameter: Operation["parameterParts"][number]): boolean {
  const { name } = parameter.value;
  const { enum: values, const: constant } = Object(parameter.at("schema")?.value) as Readonly<Record<string, unknown>>;
  const isFixed = constant !== undefined || (Array.isArray(values) && values.length === 1);
  return isFixed || isConditionOrKey(name) || neutralHeaders.test(toSnakeCase(name)) || isKeyHeader(name);
}

/** Returns whether a parameter is a header that selects a tenant: as `x-resource` declares it, or by its name. */
export function isTenant(parameter: Operation["parameterParts"][number]): boolean {
  const { in: location, name, required } = parameter.value;
  if (location !== "header") return false;
  return readTenantHint(parameter) ?? (required === true && meaningOf(tenantNames, name) === true);
}

const isKeyHeader = (name: string) => /idempotency/i.test(name);

/**
 * Returns the name of the header with the Idempotency-Key of an operation that creates records: also an id of the request that `get`, which
 * returns one, does not have.
 */
export function keyHeaderOf(create: Operation, get: Operation): string {
  const namesOf = ({ parameterParts }: Operation) =>
    parameterParts.flatMap(({ value }) => (value.in === "header" ? [value.name] : []));
  const [names, others] = [namesOf(create), namesOf(get)];
  const isRequestId = (name: string) =>
    /.-request-id$/i.test(name) && !/^x-request-id$/i.test(name) && !others.includes(name);
  return names.find(isKeyHeader) ?? names.find(isRequestId) ?? "Idempotency-Key";
}

/** Returns the bodies of an operation, by media type. */
export function bodiesOf({ part }: Operation): Contents {
  return part.at("requestBody")?.membersOf("content") ?? [];
}

/** Returns the schema of the body of an operation: as JSON, or as a form. Undefined if it has none. */
export function bodySchema(operation: Operation): Part | undefined {
  return chooseSchema(bodiesOf(operation), bodyTypes);
}

/** Returns the schema of the body of an operation that changes a record: also that of a patch that is like a record. */
export function changeSchema(operation: Operation): Part | undefined {
  const patch = /^application\/(strategic-)?merge-patch\+json\b/;
  return bodySchema(operation) ?? chooseSchema(bodiesOf(operation), [patch]);
}

/**
 * Returns the response with a status: if no success has a declared status, 200 and 201 have that of all successes (`2XX`, or a `default`
 * that is no error), or if it has no content, 204 has it.
 */
export function responseAt({ part }: Operation, status: string) {
  const responses = part.at("responses");
  const exact = responses?.at(status);
  const names = Object.keys(Object(responses?.value));
  if (exact !== undefined || !/^20[014]$/.test(status) || names.some((name) => /^2\d\d$/.test(name))) return exact;
  const all = responses?.at("2XX") ?? responses?.at("default");
  const isFailure = all?.pointer.endsWith("/default") && errorWords.test(toJson(all.value));
  const hasContent = all?.at("content") !== undefined;
  return isFailure || hasContent === (status === "204") ? undefined : all;
}

/** Returns whether an operation declares a response that is no error. */
export function declaresSuccess({ part }: Operation): boolean {
  const responses = part.at("responses");
  const isSuccess = (name: string) =>
    /^[123]/.test(name) || (name === "default" && !errorWords.test(toJson(responses?.at(name)?.value)));
  return Object.keys(Object(responses?.value)).some(isSuccess);
}

const errorWords = /error|problem|(?<!de)fault|fail|unexpected|exception|invalid|unauthorized/i;

/** Returns the schema of the response with a status, as JSON; undefined if it has none. */
export function responseSchema(operation: Operation, status: string): Part | undefined {
  return chooseSchema(responseAt(operation, status)?.membersOf("content"), jsonTypes);
}

/** Returns the schema of the first of these successes that has content: by default, of a creation. */
export function successSchema(operation: Operation, statuses: readonly string[] = ["201", "200"]): Part | undefined {
  return statuses.flatMap((status) => responseSchema(operation, status) ?? [])[0];
}

/** Returns the schema of what a GET returns. */
export function readSchema(get: Operation): Part | undefined {
  return successSchema(get, ["200", "201"]);
}

/** Returns whether a body of a media type can change a record: a patch, a part of the record as JSON, or a form. */
export function isPatchType(mediaType: string): boolean {
  return patchTypes.some((pattern) => pattern.test(mediaType));
}

type Contents = readonly (readonly [string, Part<{ readonly schema?: unknown }>])[];

// Of the first type that is declared.
function chooseSchema(declared: Contents = [], types: readonly RegExp[]): Part | undefined {
  const contents = types.flatMap((pattern) => declared.filter(([type]) => pattern.test(type)));
  return contents[0]?.[1].at("schema");
}

/** Returns the parameter of the path whose value is JSON, so that it is no text of an id; undefined if there is none. */
export function findJsonInPath({ parameterParts }: Operation): string | undefined {
  return parameterParts.find(({ value }) => value.in === "path" && value.content !== undefined)?.value.name;
}

/** Returns the parameters of an operation in its query. */
export function queryOf({ parameterParts }: Operation) {
  return parameterParts.filter(({ value }) => value.in === "query");
}

/** Returns the default of a parameter; undefined if it has none. */
export function defaultOf(parameter: Operation["parameterParts"][number] | undefined): unknown {
  return (Object(parameter?.at("schema")?.value) as { readonly default?: unknown }).default;
}

/** Returns the description of a parameter, with that of its schema. */
export function descriptionOf(parameter: Operation["parameterParts"][number]): string {
  const { description } = Object(parameter.at("schema")?.value) as { readonly description?: unknown };
  return `${(parameter.value as { readonly description?: unknown }).description ?? ""} ${description ?? ""}`;
}

/** Returns a function that returns whether a parameter can have a value. Compiles its schema, which is expensive. */
export function createArgumentCheck(
  parameter: Operation["parameterParts"][number],
  { schemas }: Document,
): (value: unknown) => boolean {
  const schema = parameter.written("schema");
  const check = schema && schemas.compileCheckAt(schema.pointer, "request");
  return (value) => check === undefined || "value" in check(value);
}
