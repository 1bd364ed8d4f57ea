// The headers that a handler returns: validates them, and writes them as text.
import { isFraming, isHeaderName, isHeaderText } from "../../../http/index.ts";
import { ignoreFailure, isPromise, toJson } from "../../../lib/index.ts";
import type { Validate } from "../../schema/index.ts";
import { readText } from "../../wire/index.ts";
import type { ResponseCheck } from "./check.ts";
import type { Header } from "./declaration.ts";

/** Returns the values of a header as text. Throws an Error if HTTP does not allow it. Reports it if it does not match its declaration. */
export function writeHeader(
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
  if (check.comparesSchemas && header) checkValue(name, value, header, check);
  if (header?.isJson) return [toAscii(toJson(value))];
  if (Array.isArray(value)) return name.toLowerCase() === "set-cookie" ? value.map(String) : [value.join(", ")];
  if (typeof value !== "object" || value === null) return [String(value)];
  if (Object.prototype.toString.call(value) !== "[object Object]")
    throw new Error(
      `The handler returned the header ${name} as an object that is not a plain object. Return a string.`,
    );
  const separator = header?.explode ? "=" : ",";
  return [
    Object.entries(value)
      .map((pair) => pair.join(separator))
      .join(","),
  ];
}

// What is sent is a text, so that the schema can describe the value, or what is read from its text.
function checkValue(
  name: string,
  value: unknown,
  { validate, shape, explode, isJson }: Header,
  check: ResponseCheck,
): void {
  const result = validate?.(value) ?? { value };
  if ("value" in result) return;
  const isText = /^(string|number|bigint|boolean)$/.test(typeof value) && !isJson;
  const style = { name, style: "simple", explode, decode: (text: string) => text.trim() };
  if (isText && "value" in (validate as Validate)(readText(`${value}`, { ...style, shape: shape() }))) return;
  check.report(`The handler returned the header ${name}, which ${result.problems[0].requirement}.`);
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
