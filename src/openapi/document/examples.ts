// Compares the examples of a document with their schemas.
import type { Direction, SchemaNode, Schemas, Validation } from "../schema/index.ts";
import { escapeToken, type MediaTypeObject, type OpenApi, Part, type Report } from "../source/index.ts";
import { isJson } from "../wire/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** Reports each example of a media type, parameter, header or schema that its schema rejects. */
export function checkExamples(document: OpenApi, schemas: Schemas, report: Report): void {
  for (const node of schemas.withExamples()) checkSchema(node, schemas, report);
  visit(document, "", (pointer, mediaType) => {
    const part = Part.of(document).find(pointer) as Part<MediaTypeObject>;
    const schema = part.written("schema");
    if (schema === undefined) return;
    const validate = schemas.compileCheckAt(schema.pointer, directionOf(pointer));
    const check = (value: unknown, place: string) => {
      // In other media types, an example is the text that is sent.
      if (mediaType !== undefined && !isJson(mediaType) && typeof value === "string") return;
      reportProblem(validate(value), `The example at ${place}`, place, report);
    };
    if (Object.hasOwn(part.value, "example")) check(part.value.example, `${pointer}/example`);
    for (const [, example] of part.membersOf("examples"))
      for (const field of ["value", "dataValue"] as const)
        if (Object.hasOwn(Object(example.value), field)) check(example.value[field], `${example.pointer}/${field}`);
  });
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

// Calls `onFound` for each object that has a schema and examples, with its media type.
function visit(
  part: unknown,
  pointer: string,
  onFound: (pointer: string, mediaType: string | undefined) => void,
  mediaType?: string,
): void {
  if (typeof part !== "object" || part === null) return;
  const fields = part as Json;
  if (fields.schema !== undefined && (fields.example !== undefined || fields.examples !== undefined))
    onFound(pointer, mediaType);
  for (const [name, value] of Object.entries(fields)) {
    if (/^(example|examples|schema|schemas|x-.*)$/.test(name)) continue;
    const isContent = pointer.endsWith("/content");
    visit(value, `${pointer}/${escapeToken(name)}`, onFound, isContent ? name : undefined);
  }
}

// Read-only properties are not in requests, and write-only ones not in responses.
function directionOf(pointer: string): Direction {
  if (/\/(requestBody|requestBodies)\//.test(pointer)) return "request";
  return /\/responses\//.test(pointer) ? "response" : "parameters";
}
