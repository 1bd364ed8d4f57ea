// The errors of the mock: as the document declares them, with the reason in their texts.
import type { ErrorBody } from "../../http/index.ts";
import type { FormatInContext, Operation } from "../operation/index.ts";
import type { Schemas } from "../schema/index.ts";
import { isJson } from "../wire/index.ts";
import { chooseValue } from "./mock-value.ts";

const maxDepth = 3;
// The names of the member with the reason, the best first, and of one with the status.
const reasonNames = [
  ...["message", "detail", "details", "description", "error_description", "errormessage", "error_message", "msg"],
  ...["reason", "error", "title"],
];
const statusNames = /^(status|status_?code|http_?status|code)$/i;

/**
 * Creates a format that uses another one if it matches what the operation declares, and otherwise the declared example, or a value
 * made from the declared schema.
 */
export function createMockErrorFormat(schemas: Schemas, format: FormatInContext): FormatInContext {
  return (failure, context) => {
    const formatted = format(failure, context);
    const declared = context.operation && findContent(context.operation, failure.status);
    if (declared === undefined) return formatted;
    const [type, content] = declared;
    const schema = content.written("schema");
    const validate = schema && schemas.compileCheckAt(schema.pointer);
    const isValid = (body: unknown) => validate === undefined || "value" in validate(body);
    if (isValid(formatted.body) && (type === formatted.type || type.includes("*"))) return formatted;
    const { value } = chooseValue(content, schemas);
    return {
      type: type.includes("*") ? formatted.type : type,
      body: explain(structuredClone(value), failure, isValid),
    };
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

// Puts the reason and the status into a value, where the schema allows it.
function explain(value: unknown, failure: ErrorBody, isValid: (value: unknown) => boolean): unknown {
  const set = (holder: Record<string, unknown>, name: string, member: unknown) => {
    const before = holder[name];
    holder[name] = member;
    if (!isValid(value)) holder[name] = before;
    return holder[name] === member;
  };
  const visit = (part: unknown, depth: number): void => {
    if (Array.isArray(part)) visit(part[0], depth + 1);
    if (depth > maxDepth || Array.isArray(part) || typeof part !== "object" || part === null) return;
    const members = part as Record<string, unknown>;
    const texts = Object.keys(members).filter((name) => typeof members[name] === "string");
    const rankOf = (name: string) => reasonNames.indexOf(name.toLowerCase());
    const places = texts.filter((name) => rankOf(name) >= 0).sort((one, other) => rankOf(one) - rankOf(other));
    places.some((name) => set(members, name, failure.message));
    for (const [name, member] of Object.entries(members))
      if (typeof member === "number" && statusNames.test(name)) set(members, name, failure.status);
      else visit(member, depth + 1);
  };
  visit(value, 0);
  return value;
}
