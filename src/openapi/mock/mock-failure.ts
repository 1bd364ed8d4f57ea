// The errors of the mock: as the document declares them, with the reason in their texts.
import { STATUS_CODES } from "node:http";
import type { ErrorBody } from "../../http/index.ts";
import type { FormatInContext, Operation } from "../operation/index.ts";
import type { Schemas } from "../schema/index.ts";
import { isJson } from "../wire/index.ts";
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

/**
 * Creates a format that uses another one if it matches what the operation declares, and otherwise the declared example, or a value
 * made from the declared schema, with the members that it requires, and those that say what is wrong.
 */
export function createMockErrorFormat(schemas: Schemas, format: FormatInContext): FormatInContext {
  const values = new Map<string, MockValue>(); // by content, status and code
  return (failure, context) => {
    const formatted = format(failure, context);
    const declared = context.operation && findContent(context.operation, failure.status);
    if (declared === undefined) return formatted;
    const [type, content] = declared;
    const schema = content.written("schema");
    const validate = schema && schemas.compileCheckAt(schema.pointer);
    const isValid = (body: unknown) => validate === undefined || "value" in validate(body);
    if (isValid(formatted.body) && (type === formatted.type || type.includes("*"))) return formatted;
    const key = `${content.pointer} ${failure.status} ${failure.code}`;
    const known =
      values.get(key) ?? chooseErrorValue(chooseValue(content, schemas, {}, undefined, type), failure, isValid);
    if (values.size < maxCached) values.set(key, known); // handlers can throw any code
    const body = structuredClone(known.value);
    explain(body, failure, isValid, { deepest: maxDepth, hasCodes: !known.isDeclared });
    return { type: type.includes("*") ? formatted.type : type, body };
  };
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

// The JSON body that an operation declares for a status.
function findContent({ part }: Operation, status: number) {
  const responses = part.membersOf("responses");
  const names = [`${status}`, `${Math.floor(status / 100)}XX`, "default"];
  const response = names
    .map((name) => responses.find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1])
    .find((one) => one !== undefined);
  return response?.membersOf("content").find(([type]) => isJson(type) || type === "*/*");
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
    if (filled.get(part)?.has(name)) needed.add(name);
    else if (hasFilled(member, filled)) {
      needed.add(name);
      removeOptional(member, filled, isValid);
    } else {
      delete members[name];
      if (isValid()) continue;
      members[name] = member;
      needed.add(name);
      removeOptional(member, filled, isValid);
    }
  }
  for (const [name] of all) delete members[name];
  Object.assign(members, Object.fromEntries(all.filter(([name]) => needed.has(name))));
}

function hasFilled(part: unknown, filled: Filled): boolean {
  if (typeof part !== "object" || part === null) return false;
  return filled.has(part) || Object.values(part).some((member) => hasFilled(member, filled));
}
