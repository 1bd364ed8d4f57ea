// The values of mock responses: the examples of the document, or values made from its schemas.
import { HttpError } from "../../http/index.ts";
import { type DeclaredExample, readExamples, validationOf } from "../document/declared-examples.ts";
import type { SchemaNode } from "../schema/node.ts";
import type { Schemas } from "../schema/schemas.ts";
import { externalValueOf } from "../source/bundle.ts";
import type { ExampleObject, MediaTypeObject, ParameterObject } from "../source/document-types.ts";
import type { Part } from "../source/part.ts";
import { createExample } from "./example.ts";

/** A value of a mock response. */
export interface MockValue {
  readonly value: unknown;
  /** What is sent as it is. */
  readonly sent?: Buffer | undefined;
  /** Whether it is an example of the document, and was not made from the schema. */
  readonly isDeclared?: boolean;
  /** Why the value, or an example of the document, does not match its schema. */
  readonly problem?: string | undefined;
}

/** How a value is chosen: the header Prefer (RFC 7240) with `example=name` and `dynamic=true`. */
export interface ValuePreferences {
  readonly example?: string | undefined;
  readonly isDynamic?: boolean;
}

/**
 * Returns a value for a media type, a header, or the items of a stream, as a list. Throws an HttpError if the example is not declared, or
 * was not read. `mediaType` is that of a body, whose examples can be texts in its syntax.
 */
export function chooseValue(
  part: Part<MediaTypeObject> | Part<ParameterObject>,
  schemas: Schemas,
  { example, isDynamic = false }: ValuePreferences = {},
  isAllowed: (value: unknown) => boolean = () => true,
  mediaType?: string,
): MockValue {
  const content = part as Part<MediaTypeObject>;
  const items = content.written("itemSchema");
  const schema = items ?? content.written("schema");
  const validate = validationOf(part, schemas);
  const examples = readExamples(part, schemas, mediaType);
  const unread = describeUnread(content, example);
  if (example !== undefined) {
    const found = examples.find(({ name }) => name === example);
    if (found) return { ...found, isDeclared: true, problem: describe(found) };
    if (unread !== undefined) throw new HttpError("not_implemented", unread);
    const names = content.membersOf("examples").map(([name]) => name);
    const declared = names.join(", ") || "none";
    throw new HttpError(
      "invalid_parameter",
      `Prefer has the example ${example}, but the document declares ${declared}.`,
    );
  }
  const isValid = ({ sent, value, result }: DeclaredExample) =>
    isAllowed(sent?.toString() ?? value) && "value" in result;
  const valid = isDynamic && schema ? undefined : examples.find(isValid);
  if (valid) return { ...valid, isDeclared: true };
  const [first] = examples;
  if (schema === undefined) return { value: first?.value, isDeclared: true, problem: unread };
  const toContent = (value: unknown) => (items ? [value] : value);
  const matches = (value: unknown) => isAllowed(value) && "value" in validate(toContent(value));
  const source = isDynamic ? { random: (count: number) => Math.floor(Math.random() * count) } : undefined;
  const options = { source, matches: (node: SchemaNode, value: unknown) => schemas.matches(node, value) };
  const value = toContent(createExample(schemas.at(schema.pointer), matches, options));
  const result = validate(value);
  if ("value" in result) return { value, problem: isDynamic ? undefined : first ? describe(first) : unread };
  return { value, problem: `No value was found that matches the schema: it ${result.problems[0].requirement}.` };
}

// Why an example was not read: that of a name, or the first.
function describeUnread(content: Part<MediaTypeObject>, name: string | undefined): string | undefined {
  for (const [key, { value }] of content.membersOf("examples")) {
    const { externalValue } = Object(value) as ExampleObject;
    if ((name ?? key) === key && externalValue !== undefined && externalValueOf(value) === undefined)
      return `The example ${key} was not read: its externalValue ${externalValue} must be a file in a folder that the server may read.`;
  }
  return undefined;
}

function describe({ name, result }: DeclaredExample): string | undefined {
  if ("value" in result) return undefined;
  const [{ path, requirement }] = result.problems;
  return `The example ${name} does not match its schema: ${path === "" ? "it" : `its field '${path}'`} ${requirement}.`;
}
