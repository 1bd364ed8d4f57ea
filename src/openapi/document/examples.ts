// Compares the examples of a document with their schemas.
import type { Direction, SchemaNode, Schemas, Validation } from "../schema/index.ts";
import { escapeToken, type MediaTypeObject, maps, type OpenApi, Part, type Report } from "../source/index.ts";
import { readExamples } from "./declared-examples.ts";

type Json = Readonly<Record<string, unknown>>;

/** Reports each example of a media type, parameter, header or schema that its schema rejects. */
export function checkExamples(document: OpenApi, schemas: Schemas, report: Report): void {
  for (const node of schemas.withExamples()) checkSchema(node, schemas, report);
  visit(document, { pointer: "", isMap: false }, (pointer, mediaType) => {
    const part = Part.of(document).find(pointer) as Part<MediaTypeObject>;
    for (const { pointer: place, result } of readExamples(part, schemas, mediaType, directionOf(pointer)))
      reportProblem(result, `The example at ${place}`, place, report);
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
  if (
    !isMap &&
    (fields.schema ?? fields.itemSchema) !== undefined &&
    (fields.example !== undefined || fields.examples !== undefined)
  )
    onFound(pointer, mediaType);
  for (const [name, value] of Object.entries(fields)) {
    if (!isMap && /^(example|examples|schema|itemSchema|schemas|x-.*)$/.test(name)) continue;
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
