// The errors of the mock: as the document declares them, with the reason in their texts.
import { type ErrorBody, type FormattedFailure, HttpError } from "../../http/index.ts";
import { getOrAdd, STATUS_CODES, toJson } from "../../lib/index.ts";
import type { FormatInContext } from "../operation/error-format.ts";
import type { Operation } from "../operation/operation.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { MediaTypeObject, ResponseObject } from "../source/document-types.ts";
import type { Part } from "../source/part.ts";
import { isJson, listContents, selectMediaType } from "../wire/media-types.ts";
import { writeMockBody } from "./mock-body.ts";
import { chooseOf, findResponse, makeAcceptable, parsePreferences, textOf, toProblemHeader } from "./mock-handler.ts";
import { chooseValue, type MockValue } from "./mock-value.ts";

const maxCached = 10_000;
const depths = [0, 1, 2, 3]; // of the objects whose members are set
const maxDepth = 3;
// The names of the member with the reason, the best first, and of one with the status.
const reasonNames = [
  ...["message", "detail", "details", "description", "error_description", "errormessage", "error_message", "msg"],
  ...["reason", "error", "title"],
];
const statusNames = /^(status|status_?code|http_?status|code)$/i;
const codeNames = /^(code|error_?code|type|error_?type)$/i;
const phraseNames = /^(title|error)$/i; // if another member has the reason

type Content = readonly [mediaType: string, part: Part<MediaTypeObject>];

/**
 * Creates a format that uses another one if it matches what the operation declares, and otherwise the declared example, or a value
 * made from the declared schema, with the members that it requires, and those that say what is wrong. `findCommon` returns the body of
 * what the operation does not declare.
 */
export function createMockErrorFormat(
  schemas: Schemas,
  format: FormatInContext,
  findCommon: () => Content | undefined,
): FormatInContext {
  const values = new Map<string, MockValue>(); // by content, status, code and example
  let common: { readonly content: Content | undefined } | undefined;
  return (sent, context) => {
    const { prefer, accept } = context.request?.headers ?? {};
    const preferences = parsePreferences(prefer);
    const responses = context.operation ? listFailures(context.operation) : [];
    const failure = { ...sent, status: statusOf(sent, responses, preferences.status) };
    const formatted = { ...format(failure, context), status: failure.status };
    const all = listContents(findResponse(responses, failure.status)?.membersOf("content") ?? []);
    const isCommon = all.length === 0;
    if (isCommon) common ??= { content: findCommon() };
    const contents = (isCommon && common?.content ? [common.content] : [...all]).sort(
      ([one], [other]) => Number(canBeJson(other)) - Number(canBeJson(one)),
    );
    const make = (mediaType: string | undefined) => {
      const content = contents.find(([type]) => type === mediaType)?.[1];
      if (mediaType === undefined || content === undefined) return formatted;
      const preferred = isCommon ? undefined : preferences.example;
      return makeFailure({ failure, formatted, mediaType, content, schemas, values, preferred, isCommon });
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
  /** In the shape of the server. */
  readonly formatted: FormattedFailure;
  readonly mediaType: string;
  readonly content: Part<MediaTypeObject>;
  readonly schemas: Schemas;
  readonly values: Map<string, MockValue>;
  /** The name of an example. */
  readonly preferred: string | undefined;
  /** Whether the operation does not declare it, so that its examples are of other failures. */
  readonly isCommon: boolean;
}

// Throws an HttpError (501) if the mock can't make a body of the media type.
function makeFailure(options: FailureOptions): FormattedFailure {
  const { failure, formatted, mediaType, content, schemas, values, preferred, isCommon } = options;
  const { status, code, message } = failure;
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
  if (type === formatted.type && isValid(formatted.body) && (isExpected || !hasExample)) return formatted;
  const key = `${content.pointer} ${status} ${code} ${example} ${isCommon}`;
  const choose = () => {
    const { isDeclared, ...value } = chooseValue(content, schemas, { example }, undefined, type);
    return chooseErrorValue(isCommon ? value : { ...value, isDeclared }, failure, isValid);
  };
  const chosen = values.get(key) ?? choose();
  if (values.size < maxCached) values.set(key, chosen); // handlers can throw any code
  const sent = isJson(type) ? undefined : chosen.sent?.toString();
  let value = sent ?? structuredClone(chosen.value);
  if (value === undefined && textOf(type) === "any") return formatted;
  if (value === undefined) return { ...formatted, type, ...(!isJson(type) && { body: message }) };
  const isWhole = schema === undefined || example !== undefined || (!isJson(type) && chosen.isDeclared === true);
  if (isWhole && isAboutPrefer(failure)) return formatted; // only its message tells the reason
  if (!isWhole && !chosen.isDeclared && textOf(type) !== "any" && typeof value === "string" && isValid(message))
    value = message;
  else if (!isWhole) explain(value, failure, isValid, { deepest: maxDepth, hasCodes: !chosen.isDeclared });
  const body = writeMockBody(type, value, schema && schemas.at(schema.pointer));
  return { type, status, body, headers: isWhole ? toProblemHeader(message) : {} };
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
function chooseErrorValue(chosen: MockValue, failure: ErrorBody, isValid: (value: unknown) => boolean): MockValue {
  if (chosen.isDeclared) return chosen;
  const value = structuredClone(chosen.value);
  const explainTo = (deepest: number) => explain(value, failure, isValid, { deepest, hasCodes: true });
  // The reason is needed once, in the outermost object that can have it.
  const depth = depths.find((one) => explainTo(one).hasReason) ?? maxDepth;
  removeOptional(value, explainTo(depth).filled, () => isValid(value));
  return { value };
}

// A code of the server, or a usual one, if the schema lists the codes. "about:blank" is a type that is a URI (RFC 9457, section 4.2.1).
function codesOf({ code, status }: ErrorBody): readonly string[] {
  const phrase = STATUS_CODES[status]?.toLowerCase().replaceAll(/\W+/g, "_") ?? code;
  const usual = status < 500 ? ["invalid_request_error", "invalid_request"] : ["api_error", "server_error"];
  return [code, phrase, ...usual].flatMap((one) => [one, one.toUpperCase()]).concat("about:blank");
}

/** The names of the members that have the reason, the code or the status, by object. */
type Filled = Map<object, Set<string>>;

// Puts the reason, the code and the status into a value, where the schema allows it. Returns where it did.
function explain(
  value: unknown,
  failure: ErrorBody,
  isValid: (value: unknown) => boolean,
  { deepest, hasCodes }: { readonly deepest: number; readonly hasCodes: boolean },
): { filled: Filled; hasReason: boolean } {
  let hasReason = false;
  const filled: Filled = new Map();
  const set = (holder: Record<string, unknown>, name: string, member: unknown) => {
    const before = holder[name];
    holder[name] = member;
    if (!isValid(value)) holder[name] = before;
    const isSet = holder[name] === member;
    if (isSet) filled.set(holder, (filled.get(holder) ?? new Set()).add(name));
    return isSet;
  };
  const visit = (part: unknown, depth: number): void => {
    if (Array.isArray(part)) visit(part[0], depth + 1);
    if (depth > deepest || Array.isArray(part) || typeof part !== "object" || part === null) return;
    const members = part as Record<string, unknown>;
    const texts = Object.keys(members).filter((name) => typeof members[name] === "string");
    const rankOf = (name: string) => reasonNames.indexOf(name.toLowerCase());
    const places = texts.filter((name) => rankOf(name) >= 0).sort((one, other) => rankOf(one) - rankOf(other));
    const place = places.find((name) => set(members, name, failure.message));
    hasReason ||= place !== undefined;
    for (const [name, member] of Object.entries(members))
      if (name === place) continue;
      else if (typeof member === "number" && statusNames.test(name)) set(members, name, failure.status);
      else if (hasCodes && typeof member === "string" && codeNames.test(name))
        codesOf(failure).some((code) => set(members, name, code));
      else if (hasCodes && typeof member === "string" && phraseNames.test(name))
        set(members, name, STATUS_CODES[failure.status]);
      else visit(member, depth + 1);
  };
  visit(value, 0);
  return { filled, hasReason };
}

// Removes the members that are not filled, unless the schema requires them. The others keep their order.
function removeOptional(part: unknown, filled: Filled, isValid: () => boolean): void {
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

function hasFilled(part: unknown, filled: Filled): boolean {
  if (typeof part !== "object" || part === null) return false;
  return filled.has(part) || Object.values(part).some((member) => hasFilled(member, filled));
}
