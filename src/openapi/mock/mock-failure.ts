// The errors of the mock: as the document declares them, with the reason in their texts.
import { STATUS_CODES } from "node:http";
import type { ErrorBody } from "../../http/index.ts";
import type { FormatInContext, Operation } from "../operation/index.ts";
import type { Schemas } from "../schema/index.ts";
import { isJson } from "../wire/index.ts";
import { chooseValue, type MockValue } from "./mock-value.ts";

const maxDepth = 3;
const depths = [0, 1, 2, 3];
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
  const values = new Map<string, MockValue>(); // by the pointers of contents
  return (failure, context) => {
    const formatted = format(failure, context);
    const declared = context.operation && findContent(context.operation, failure.status);
    if (declared === undefined) return formatted;
    const [type, content] = declared;
    const schema = content.written("schema");
    const validate = schema && schemas.compileCheckAt(schema.pointer);
    const isValid = (body: unknown) => validate === undefined || "value" in validate(body);
    if (isValid(formatted.body) && (type === formatted.type || type.includes("*"))) return formatted;
    const known = values.get(content.pointer) ?? chooseValue(content, schemas);
    values.set(content.pointer, known);
    const body = structuredClone(known.value);
    const hasCodes = !known.isDeclared;
    const explainTo = (depth: number) => explain(body, failure, isValid, { deepest: depth, hasCodes });
    if (!known.isDeclared) {
      // The outermost member that can have the reason. Those inside of others are not needed.
      const depth = depths.find((one) => explainTo(one).hasReason);
      prune(body, explainTo(depth ?? maxDepth).said, () => isValid(body));
    }
    explainTo(maxDepth);
    return { type: type.includes("*") ? formatted.type : type, body };
  };
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

// A code of the server, or a usual one, if the schema has a list of codes. "about:blank" is the type of RFC 9457, section 4.2.1, which is a URI.
function codesOf({ code, status }: ErrorBody): readonly string[] {
  const phrase = STATUS_CODES[status]?.toLowerCase().replaceAll(/\W+/g, "_") ?? code;
  const usual = status < 500 ? ["invalid_request_error", "invalid_request"] : ["api_error", "server_error"];
  return [code, phrase, ...usual].flatMap((one) => [one, one.toUpperCase()]).concat("about:blank");
}

/** The members of objects that say what is wrong. */
type Said = Map<object, Set<string>>;

// Puts the reason, the code and the status into a value, where the schema allows it. Returns where it did.
function explain(
  value: unknown,
  failure: ErrorBody,
  isValid: (value: unknown) => boolean,
  { deepest, hasCodes }: { readonly deepest: number; readonly hasCodes: boolean },
): { said: Said; hasReason: boolean } {
  let hasReason = false;
  const said: Said = new Map();
  const set = (holder: Record<string, unknown>, name: string, member: unknown) => {
    const before = holder[name];
    holder[name] = member;
    if (!isValid(value)) holder[name] = before;
    const isSet = holder[name] === member;
    if (isSet) said.set(holder, (said.get(holder) ?? new Set()).add(name));
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
  return { said, hasReason };
}

// Removes the members that say nothing, if the schema does not require them. Those that stay keep their order.
function prune(part: unknown, said: Said, isValid: () => boolean): void {
  if (Array.isArray(part)) for (const item of part) prune(item, said, isValid);
  if (Array.isArray(part) || typeof part !== "object" || part === null) return;
  const members = part as Record<string, unknown>;
  const all = Object.entries(members);
  const needed = new Set<string>();
  for (const [name, member] of all) {
    if (said.get(part)?.has(name)) needed.add(name);
    else if (saysSomething(member, said)) {
      needed.add(name);
      prune(member, said, isValid);
    } else {
      delete members[name];
      if (isValid()) continue;
      members[name] = member;
      needed.add(name);
      prune(member, said, isValid);
    }
  }
  for (const [name] of all) delete members[name];
  Object.assign(members, Object.fromEntries(all.filter(([name]) => needed.has(name))));
}

function saysSomething(part: unknown, said: Said): boolean {
  if (typeof part !== "object" || part === null) return false;
  return said.has(part) || Object.values(part).some((member) => saysSomething(member, said));
}
