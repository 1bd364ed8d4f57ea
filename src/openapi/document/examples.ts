// Compares the examples of a document with their schemas.
import type { Direction } from "../schema/evaluation.ts";
import type { Validation } from "../schema/keyword.ts";
import type { SchemaNode } from "../schema/node.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { MediaTypeObject } from "../source/document-types.ts";
import type { Report } from "../source/findings.ts";
import { type Part, unescapeToken } from "../source/part.ts";
import { readExamples } from "./declared-examples.ts";

/** Reports each example that its schema rejects: of schemas, and of the media types, parameters and headers at `pointers`. */
export function checkExamples(root: Part, pointers: readonly string[], schemas: Schemas, report: Report): void {
  for (const node of schemas.withExamples()) checkSchema(node, schemas, report);
  for (const pointer of pointers) {
    const part = root.find(pointer) as Part<MediaTypeObject>;
    const [, name] = /\/(?:content|mediaTypes)\/([^/]*)$/.exec(pointer) ?? [];
    const mediaType = name && unescapeToken(name);
    for (const { pointer: place, result } of readExamples(part, schemas, mediaType, directionOf(pointer)))
      reportProblem(result, place, report);
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
  for (const [name, value] of all) reportProblem(validate(value), `${pointer}/${name}`, report);
}

function reportProblem(result: Validation, pointer: string, report: Report): void {
  if ("value" in result) return;
  const [{ path, requirement }] = result.problems;
  const part = path === "" ? "which" : `whose part '${path}'`;
  report("example", `The example at ${pointer}`, `does not match its schema, ${part} ${requirement}`, pointer);
}

// Read-only properties are not in requests, and write-only ones not in responses.
function directionOf(pointer: string): Direction {
  if (/\/(requestBody|requestBodies)\//.test(pointer)) return "request";
  return /\/responses\//.test(pointer) ? "response" : "parameters";
}
