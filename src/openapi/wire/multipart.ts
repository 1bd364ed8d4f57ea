// Splits bodies of the media type multipart/form-data (RFC 7578) into their parts.
//
// Not Response.formData of Node, which accepts only boundaries of 27 to 70 characters, and drops the media types of parts
// without a file name.
import { decodeUtf8, InvalidValue } from "../../lib/index.ts";
import { parseMediaType } from "./media-types.ts";

/** A part of a form. */
export interface FormPart {
  readonly name: string;
  /** Undefined if it was not sent. */
  readonly filename: string | undefined;
  /** The Content-Type; undefined if it was not sent. */
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

const lineEnd = "\r\n";
const parameter = /[\t ]*;[\t ]*([\w*-]+)=(?:"((?:[^"\\]|\\"|\\(?!"))*)"|([^\t ;"]*))/y;

/** Splits a body. Throws an InvalidValue or an HttpError if it is malformed. */
export function parseMultipart(bytes: Buffer, contentType: string): FormPart[] {
  const boundary = parseMediaType(contentType)?.parameters.get("boundary") ?? "";
  if (boundary === "" || boundary.length > 70) throw malformed(); // RFC 2046, section 5.1.1
  const delimiter = `${lineEnd}--${boundary}`;
  const isFirst = bytes.subarray(0, delimiter.length - 2).equals(Buffer.from(delimiter.slice(2)));
  let position = isFirst ? delimiter.length - 2 : find(bytes, delimiter, 0) + delimiter.length;
  const parts: FormPart[] = [];
  while (bytes.toString("latin1", position, position + 2) !== "--") {
    while (bytes[position] === 0x20 || bytes[position] === 0x09) position += 1;
    if (bytes.toString("latin1", position, position + 2) !== lineEnd) throw malformed();
    const end = find(bytes, delimiter, position); // a part without headers and content ends where it begins
    parts.push(parsePart(bytes.subarray(position, end)));
    position = end + delimiter.length;
  }
  return parts;
}

function parsePart(part: Buffer): FormPart {
  const end = find(part, lineEnd + lineEnd, 0);
  const fields = new Map<string, string>();
  for (const line of decodeUtf8(part.subarray(2, end)).split(lineEnd)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 0 || fields.has(name)) throw malformed();
    fields.set(name, line.slice(colon + 1).trim());
  }
  const { name, filename } = parseDisposition(fields.get("content-disposition") ?? "");
  return { name, filename, type: fields.get("content-type"), bytes: part.subarray(end + 4) };
}

function parseDisposition(text: string): Pick<FormPart, "name" | "filename"> {
  const values = new Map<string, string>();
  let position = "form-data".length;
  while (position < text.length) {
    parameter.lastIndex = position;
    const [whole, key = "", quoted, token = ""] = parameter.exec(text) ?? [];
    if (whole === undefined || values.has(key.toLowerCase())) throw malformed();
    values.set(key.toLowerCase(), quoted === undefined ? token : unescapeName(quoted));
    position += whole.length;
  }
  const name = values.get("name");
  if (name === undefined || !/^form-data/i.test(text)) throw malformed();
  return { name, filename: values.get("filename") };
}

// Browsers write %22, %0D and %0A (HTML standard, section 4.10.22.8), and other clients \".
function unescapeName(text: string): string {
  return text.replaceAll('\\"', '"').replaceAll(/%(22|0d|0a)/gi, decodeURIComponent);
}

function find(bytes: Buffer, text: string, start: number): number {
  const position = bytes.indexOf(text, start, "latin1");
  if (position < 0) throw malformed();
  return position;
}

function malformed(): InvalidValue {
  return new InvalidValue("must be multipart/form-data, with the boundary that its Content-Type declares");
}
