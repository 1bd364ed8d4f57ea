// The headers that a handler returns: validates them, and writes them as text.
import { isFraming, isHeaderName, isHeaderText } from "../../../http/index.ts";
import { InvalidValue, ignoreFailure, isPromise, parseJson, toJson } from "../../../lib/index.ts";
import type { Validation } from "../../schema/keyword.ts";
import { readText } from "../../wire/styles.ts";
import type { ResponseCheck } from "./check.ts";
import type { Declaration, Header } from "./declaration.ts";

// Returns the values of a header as text. Throws an Error if HTTP does not allow it. Reports it if it does not match its declaration.
function writeHeader(
  name: string,
  value: unknown,
  header: Header | undefined,
  check: ResponseCheck,
): readonly string[] {
  return formatHeader(name, value, header, check).map((text) => checkHeader(name, text));
}

// The values of a header. Only Set-Cookie has several, because a cookie can contain a comma.
function formatHeader(
  name: string,
  value: unknown,
  header: Header | undefined,
  check: ResponseCheck,
): readonly string[] {
  if (isPromise(value)) ignoreFailure(value);
  if (isPromise(value) || typeof value === "function")
    throw new Error(`The handler returned a promise or a function as the header ${name}.`);
  const requirement = check.comparesSchemas && header ? findHeaderProblem(name, value, header) : undefined;
  if (requirement !== undefined) reportProblem(name, requirement, check);
  if (header?.isJson) return [toAscii(toJson(value))];
  if (Array.isArray(value)) return isSetCookie(name) ? value.map(String) : [value.join(", ")];
  if (typeof value !== "object" || value === null) return [String(value)];
  if (Object.prototype.toString.call(value) !== "[object Object]")
    throw new Error(
      `The handler returned the header ${name} as an object that is not a plain object. Return a string.`,
    );
  const separator = header?.explode ? "=" : ",";
  const pairs = Object.entries(value).map((pair) => pair.join(separator));
  return [pairs.join(",")];
}

/**
 * Returns the requirement of its schema that the value of a header violates; undefined for none. What is sent is a text, so that the schema
 * can describe the value, or what is read from its text.
 */
export function findHeaderProblem(name: string, value: unknown, header: Header): string | undefined {
  const result = header.validate?.(value) ?? { value };
  const texts = Array.isArray(value) && isSetCookie(name) ? value : [value];
  const isText = (one: unknown) => /^(string|number|bigint|boolean)$/.test(typeof one) && !header.isJson;
  if ("value" in result || texts.every((one) => isText(one) && "value" in validateText(name, `${one}`, header)))
    return undefined;
  return result.problems[0].requirement;
}

/** Compares the lines of a header that another server has sent with its declaration. They are texts, and not values. */
export function checkSentHeader(name: string, lines: readonly string[], header: Header, check: ResponseCheck): void {
  for (const text of isSetCookie(name) ? lines : [lines.join(", ")]) {
    const result = validateText(name, text, header);
    if ("problems" in result) reportProblem(name, result.problems[0].requirement, check);
  }
}

// Validates what a declaration reads from a text.
function validateText(name: string, text: string, { validate, shape, explode, isJson }: Header): Validation {
  const style = { name, style: "simple", explode, shape: shape(), decode: (part: string) => part.trim() };
  try {
    const value = isJson ? parseJson(text) : readText(text, style);
    return validate?.(value) ?? { value };
  } catch (error) {
    if (error instanceof InvalidValue) return { problems: [error] };
    throw error;
  }
}

function reportProblem(name: string, requirement: string, check: ResponseCheck): void {
  check.report(`The handler returned the header ${name}, which ${requirement}.`);
}

function isSetCookie(name: string): boolean {
  return name.toLowerCase() === "set-cookie";
}

function checkHeader(name: string, text: string): string {
  if (!isHeaderName(name))
    throw new Error(`The handler returned the header '${name}', which is not the name of a header.`);
  if (isFraming(name)) throw new Error(`The handler returned the header ${name}, which only the server can set.`);
  if (/^content-length$/i.test(name) && !/^\d+$/.test(text))
    throw new Error(`The handler returned the Content-Length '${text}', which is not a number of bytes.`);
  if (isHeaderText(text)) return text;
  throw new Error(`The handler returned the header ${name} with a character that HTTP does not allow.`);
}

// In JSON, each character can be an escape. A header has no others than ASCII.
function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns the headers of a response as text, in their order. */
export function writeHeaders(
  {
    status,
    headers = {},
  }: { readonly status: number; readonly headers?: Readonly<Record<string, unknown>> | undefined },
  declaration: Declaration | undefined,
  check: ResponseCheck,
): [name: string, text: string][] {
  if (typeof headers !== "object" || headers === null || Symbol.iterator in headers)
    throw new Error("The headers that the handler returned must be a plain object.");
  const texts: [name: string, text: string][] = [];
  for (const name in headers)
    if (headers[name] !== undefined && !(hasNoContent(status) && /^content-length$/i.test(name)))
      for (const text of writeHeader(name, headers[name], declaration?.headers.get(name.toLowerCase()), check))
        texts.push([name, text]);
  return texts;
}

/** Returns whether responses with a status have no content (RFC 9110, sections 15.3.5 and 15.3.6). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205;
}
