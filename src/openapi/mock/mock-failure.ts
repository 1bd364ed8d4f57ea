// The errors of the mock: as the document declares them, with the reason in their texts.
import { type ErrorBody, type FormattedFailure, HttpError } from "../../http/index.ts";
import { getOrAdd, toJson } from "../../lib/index.ts";
import { type FailureContext, type FormatInContext, problemType } from "../operation/error-format.ts";
import type { Operation } from "../operation/operation.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { MediaTypeObject, ResponseObject } from "../source/document-types.ts";
import type { Part } from "../source/part.ts";
import { isJson, listContents, selectMediaType } from "../wire/media-types.ts";
import { type Explained, explain, hasFilled, isReasonName, maxDepth, type Told } from "./error-members.ts";
import { writeMockBody } from "./mock-body.ts";
import { chooseOf, findResponse, makeAcceptable, parsePreferences, textOf, toProblemHeader } from "./mock-handler.ts";
import { chooseValue, type MockValue } from "./mock-value.ts";

const maxCached = 10_000;
const depths = Array.from({ length: maxDepth + 1 }, (_, depth) => depth);
// The server's problem details need no members with the defaults of RFC 9457.
const impliedNames: Readonly<Record<string, readonly string[]>> = { [problemType]: ["type", "instance"] };

type Content = readonly [mediaType: string, part: Part<MediaTypeObject>];

/** A value that a failure is put into. */
interface Template extends MockValue {
  /** Whether the server's own shape has all members that say something. */
  readonly isCovered: boolean;
}

/**
 * Creates a format that uses another one if it matches what the operation declares, and says all of it. Otherwise, it uses the declared
 * example, or a value made from the declared schema, with the members that it requires, and those that say what is wrong. `findCommon`
 * returns the body of what the operation does not declare: undefined if `format` is the application's, which is used if it matches.
 */
export function createMockErrorFormat(
  schemas: Schemas,
  format: FormatInContext,
  findCommon: (() => Content | undefined) | undefined,
): FormatInContext {
  const templates = new Map<string, Template>(); // by content, kind of failure and example
  let common: { readonly content: Content | undefined } | undefined;
  return (sent, context) => {
    const { prefer, accept } = context.request?.headers ?? {};
    const preferences = parsePreferences(prefer);
    const responses = context.operation ? listFailures(context.operation) : [];
    const failure = { ...sent, status: statusOf(sent, responses, preferences.status) };
    const formatted = { ...format(failure, context), status: failure.status };
    const all = listContents(findResponse(responses, failure.status)?.membersOf("content") ?? []);
    const isCommon = all.length === 0;
    if (isCommon) common ??= { content: findCommon?.() };
    const contents = (isCommon && common?.content ? [common.content] : [...all]).sort(
      ([one], [other]) => Number(canBeJson(other)) - Number(canBeJson(one)),
    );
    const make = (mediaType: string | undefined) => {
      const content = contents.find(([type]) => type === mediaType)?.[1];
      if (mediaType === undefined || content === undefined) return formatted;
      const preferred = isCommon ? undefined : preferences.example;
      const isOwn = findCommon === undefined;
      return makeFailure({
        failure,
        context,
        formatted,
        isOwn,
        mediaType,
        content,
        schemas,
        templates,
        preferred,
        isCommon,
      });
    };
    try {
      return makeAcceptable(contents, accept, make);
    } catch (error) {
      if (error instanceof HttpError) return formatted; // the mock can't make a body of these types
      throw error;
    }
  };
}

/**
 * Returns the body that most operations with errors declare for them, so that all failures of a document have one shape: of those that
 * more than half of them declare, the most frequent one.
 */
export function findCommonError(operations: readonly Operation[]): Content | undefined {
  const found = new Map<string, { readonly content: Content; count: number; readonly operations: Set<Operation> }>();
  const all = new Set<Operation>();
  for (const operation of operations)
    for (const [, response] of listFailures(operation).filter(([status]) => !/^[1-3]/.test(status)))
      for (const content of listContents(response.membersOf("content"))) {
        const schema = content[1].written("schema");
        if (!canBeJson(content[0]) || schema === undefined) continue;
        const use = getOrAdd(found, `${content[0]} ${toJson(schema.value)}`, () => ({
          content,
          count: 0,
          operations: new Set<Operation>(),
        }));
        use.count++;
        use.operations.add(operation);
        all.add(operation);
      }
  const frequent = [...found.values()].filter((use) => use.operations.size * 2 > all.size);
  return frequent.sort((one, other) => other.count - one.count)[0]?.content;
}

// The responses that a failure can have. The only response of all statuses is that of successes, too.
function listFailures({ part }: Operation): [string, Part<ResponseObject>][] {
  const responses = part.membersOf("responses");
  const hasSuccess = responses.some(([status]) => status.startsWith("2"));
  return responses.filter(([status]) => hasSuccess || status !== "default");
}

function canBeJson(mediaType: string): boolean {
  return isJson(mediaType) || mediaType === "*/*";
}

interface FailureOptions {
  readonly failure: ErrorBody;
  readonly context: FailureContext;
  /** In the shape of the server, or that of the application. */
  readonly formatted: FormattedFailure;
  /** Whether it is that of the application. */
  readonly isOwn: boolean;
  readonly mediaType: string;
  readonly content: Part<MediaTypeObject>;
  readonly schemas: Schemas;
  readonly templates: Map<string, Template>;
  /** The name of an example. */
  readonly preferred: string | undefined;
  /** Whether the operation does not declare it, so that its examples are of other failures. */
  readonly isCommon: boolean;
}

// Throws an HttpError (501) if the mock can't make a body of the media type.
function makeFailure(options: FailureOptions): FormattedFailure {
  const { failure, context, formatted, mediaType, content, schemas, templates, preferred, isCommon } = options;
  const { status, code, message, details } = failure;
  const isOwnRange = mediaType.includes("*") && selectMediaType([mediaType], formatted.type) !== undefined;
  const type = isOwnRange ? formatted.type : chooseOf(mediaType, content, schemas);
  const schema = content.written("schema");
  const validate = schema && schemas.compileCheckAt(schema.pointer);
  const isValid = (body: unknown) => validate === undefined || "value" in validate(body);
  const names = content.membersOf("examples").map(([name]) => name);
  const example = names.find((name) => name === preferred);
  const hasExample = !isCommon && (names.length > 0 || Object.hasOwn(content.value, "example"));
  // An example says more than a schema that allows other members.
  const declared = new Set(schemas.shapeAt(schema?.pointer).propertyNames).add("details");
  const isExpected = Object.keys(Object(formatted.body)).every((name) => declared.has(name)) && example === undefined;
  const key = `${content.pointer} ${status} ${code} ${example} ${isCommon} ${!details} ${!context.request}`;
  const told = { failure, context, isValid };
  const choose = () => {
    const { isDeclared, ...value } = chooseValue(content, schemas, { example }, undefined, type);
    return chooseTemplate(isCommon ? value : { ...value, isDeclared }, told, formatted);
  };
  const chosen = templates.get(key) ?? choose();
  if (templates.size < maxCached) templates.set(key, chosen); // handlers can throw any code
  const isEnough = (options.isOwn || chosen.isCovered) && (isExpected || !hasExample);
  if (type === formatted.type && isEnough && isValid(formatted.body)) return formatted;
  const sent = isJson(type) ? undefined : chosen.sent?.toString();
  let value = sent ?? structuredClone(chosen.value);
  if (value === undefined && textOf(type) === "any") return formatted;
  if (value === undefined) return { ...formatted, type, ...(!isJson(type) && { body: message }) };
  let isTold = false;
  const isWhole = schema === undefined || example !== undefined || (!isJson(type) && chosen.isDeclared === true);
  if (isWhole && isAboutPrefer(failure)) return formatted; // only its message tells the reason
  if (!isWhole && !chosen.isDeclared && textOf(type) !== "any" && typeof value === "string" && isValid(message))
    [value, isTold] = [message, true];
  else if (!isWhole) {
    const { lacksPlace, hasReason, hasOtherStatus } = explain(value, told, chosen);
    isTold = hasReason;
    if (lacksPlace && isCommon) return toPlain(value, formatted, message);
    if ((!hasReason || hasOtherStatus) && isCommon) return formatted;
  }
  const body = writeMockBody(type, value, schema && schemas.at(schema.pointer));
  return { type, status, body, headers: isTold ? {} : toProblemHeader(message) };
}

// A list of invalid parts is no body of another failure. FastAPI has its message in the same member.
function toPlain(value: unknown, formatted: FormattedFailure, message: string): FormattedFailure {
  const [name = ""] = Object.keys(value as object);
  return isReasonName(name) ? { ...formatted, body: { [name]: message } } : formatted;
}

// All other invalid parameters have details.
function isAboutPrefer({ code, details }: ErrorBody): boolean {
  return code === "invalid_parameter" && details === undefined;
}

// An invalid request is 400, or 422 if the operation declares only this, or the client prefers it.
function statusOf(failure: ErrorBody, responses: readonly (readonly [string, unknown])[], preferred?: string): number {
  const has = (...names: string[]) => responses.some(([name]) => names.includes(name.toUpperCase()));
  if (failure.status !== 400 || isAboutPrefer(failure) || !has("422")) return failure.status;
  return preferred === "422" || !has("400", "4XX") ? 422 : 400;
}

// An example of the document as it is, or what was made from the schema without the members that are not needed. This is expensive.
function chooseTemplate(chosen: MockValue, told: Told, { type, body }: FormattedFailure): Template {
  const value = structuredClone(chosen.value);
  // Failures with other invalid parts have the same template.
  const details = told.failure.details?.slice(0, 1).map((detail) => ({ ...detail, name: "property1" }));
  const like = { ...told, failure: { ...told.failure, ...(details && { details }) } };
  const explainTo = (deepest: number) => explain(value, like, { deepest, isDeclared: chosen.isDeclared });
  // The reason is needed once, in the outermost object that can have it.
  const depth = depths.find((one) => explainTo(one).hasReason) ?? maxDepth;
  const { filled } = explainTo(depth);
  const covered = [...Object.keys(Object(body)), ...(impliedNames[type] ?? [])];
  const isSaid = (name: string) => filled.get(value as object)?.has(name) || hasFilled(Object(value)[name], filled);
  const isCovered = Object.keys(Object(value)).every((name) => covered.includes(name) || !isSaid(name));
  if (chosen.isDeclared) return { ...chosen, isCovered };
  removeOptional(value, filled, () => told.isValid(value));
  return { value, isCovered };
}

// Removes the members that are not filled, unless the schema requires them. The others keep their order.
function removeOptional(part: unknown, filled: Explained["filled"], isValid: () => boolean): void {
  if (Array.isArray(part)) for (const item of part) removeOptional(item, filled, isValid);
  if (Array.isArray(part) || typeof part !== "object" || part === null) return;
  const members = part as Record<string, unknown>;
  const all = Object.entries(members);
  const needed = new Set<string>();
  for (const [name, member] of all) {
    if (!filled.get(part)?.has(name)) {
      delete members[name];
      if (!hasFilled(member, filled) && isValid()) continue;
      members[name] = member;
      removeOptional(member, filled, isValid);
    }
    needed.add(name);
  }
  for (const [name] of all) delete members[name];
  Object.assign(members, Object.fromEntries(all.filter(([name]) => needed.has(name))));
}
