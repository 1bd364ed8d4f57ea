// Compares the examples of a document with their schemas.
import { parseJson } from "../../lib/index.ts";
import type { Direction, SchemaNode, Schemas, Validate, Validation } from "../schema/index.ts";
import { escapeToken, type MediaTypeObject, maps, type OpenApi, Part, type Report } from "../source/index.ts";
import { essenceOf, isJson } from "../wire/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** Reports each example of a media type, parameter, header or schema that its schema rejects. */
export function checkExamples(document: OpenApi, schemas: Schemas, report: Report): void {
  for (const node of schemas.withExamples()) checkSchema(node, schemas, report);
  visit(document, { pointer: "", isMap: false }, (pointer, mediaType) => {
    const part = Part.of(document).find(pointer) as Part<MediaTypeObject>;
    const schema = part.written("schema");
    if (schema === undefined) return;
    const validate = schemas.compileCheckAt(schema.pointer, directionOf(pointer));
    const check = (value: unknown, place: string) => {
      if (isText(value, mediaType) && !isOnlyText(value, mediaType, validate)) return;
      reportProblem(validate(value), `The example at ${place}`, place, report);
    };
    if (Object.hasOwn(part.value, "example")) check(part.value.example, `${pointer}/example`);
    for (const [, example] of part.membersOf("examples")) {
      for (const field of ["value", "dataValue"] as const)
        if (Object.hasOwn(Object(example.value), field)) check(example.value[field], `${example.pointer}/${field}`);
      const { serializedValue: text } = Object(example.value) as Json;
      if (typeof text === "string" && mediaType !== undefined && isJson(mediaType))
        checkJson(text, `${example.pointer}/serializedValue`, validate, report);
    }
  });
}

// In media types other than JSON, an example that is a text is what is sent.
function isText(value: unknown, mediaType: string | undefined): value is string {
  return typeof value === "string" && mediaType !== undefined && !isJson(mediaType);
}

// Whether a text has no other meaning than its characters. In text/plain, it can also be a number or a boolean.
function isOnlyText(text: string, mediaType: string | undefined, validate: Validate): boolean {
  if (mediaType === undefined || essenceOf(mediaType) !== "text/plain") return false;
  try {
    return !("value" in validate(parseJson(text)));
  } catch {
    return true;
  }
}

function checkJson(text: string, place: string, validate: Validate, report: Report): void {
  const subject = `The example at ${place}`;
  try {
    reportProblem(validate(parseJson(text)), subject, place, report);
  } catch (error) {
    report("example", subject, (error as Error).message, place);
  }
}

function checkSchema(node: SchemaNode, schemas: Schemas, report: Report): void {
  const { schema, pointer } = node;
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  const all = [
    ...(schema.example === undefined ? [] : [["example", schema.example]]),
    ...examples.map((value, index) => [`examples/${index}`, value]),
  ];
  const validate = schemas.compileCheckAt(pointer, "parameters");
  for (const [name, value] of all) {
    const place = `${pointer}/${name}`;
    reportProblem(validate(value), `The example at ${place}`, place, report);
  }
}

function reportProblem(result: Validation, subject: string, pointer: string, report: Report): void {
  if ("value" in result) return;
  const [{ path, requirement }] = result.problems;
  const part = path === "" ? "which" : `whose part '${path}'`;
  report("example", subject, `does not match its schema, ${part} ${requirement}`, pointer);
}

interface Location {
  readonly pointer: string;
  /** Whether the fields are names that the author chooses. */
  readonly isMap: boolean;
  readonly mediaType?: string | undefined;
}

// Calls `onFound` for each object that has a schema and examples, with its media type.
function visit(
  part: unknown,
  { pointer, isMap, mediaType }: Location,
  onFound: (pointer: string, mediaType: string | undefined) => void,
): void {
  if (typeof part !== "object" || part === null) return;
  const fields = part as Json;
  if (!isMap && fields.schema !== undefined && (fields.example !== undefined || fields.examples !== undefined))
    onFound(pointer, mediaType);
  for (const [name, value] of Object.entries(fields)) {
    if (!isMap && /^(example|examples|schema|schemas|x-.*)$/.test(name)) continue;
    const isContent = isMap && /\/(content|mediaTypes)$/.test(pointer);
    const place = `${pointer}/${escapeToken(name)}`;
    visit(
      value,
      { pointer: place, isMap: !isMap && maps.test(name), mediaType: isContent ? name : undefined },
      onFound,
    );
  }
}

// Read-only properties are not in requests, and write-only ones not in responses.
function directionOf(pointer: string): Direction {
  if (/\/(requestBody|requestBodies)\//.test(pointer)) return "request";
  return /\/responses\//.test(pointer) ? "response" : "parameters";
}
