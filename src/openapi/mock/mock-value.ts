// The values of mock responses: the examples of the document, or values made from its schemas.
import { HttpError } from "../../http/index.ts";
import type { SchemaNode, Schemas, Validation } from "../schema/index.ts";
import type { ExampleObject, MediaTypeObject, ParameterObject, Part } from "../source/index.ts";
import { createExample } from "./example.ts";

/** A value of a mock response. */
export interface MockValue {
  readonly value: unknown;
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
 * Returns a value for a media type, a header, or the items of a stream. Throws an HttpError if the example is not declared. `isText`
 * tells that an example can be the text that is sent: a value in plain text, or one in any other syntax, such as XML.
 */
export function chooseValue(
  part: Part<MediaTypeObject> | Part<ParameterObject>,
  schemas: Schemas,
  { example, isDynamic = false }: ValuePreferences = {},
  isAllowed: (value: unknown) => boolean = () => true,
  isText?: "plain" | "any",
): MockValue {
  const content = part as Part<MediaTypeObject>;
  const schema = content.written("schema");
  const validate = schema && schemas.compileCheckAt(schema.pointer);
  const check = (value: unknown): Validation => {
    if (isText === "any" && typeof value === "string") return { value };
    const read =
      isText === "plain" && typeof value === "string" ? schemas.shapeAt(schema?.pointer).parsePrimitive(value) : value;
    return validate?.(read) ?? { value };
  };
  const isValid = (value: unknown) => isAllowed(value) && "value" in check(value);
  const examples = listExamples(content, example);
  const [first] = examples;
  if (first !== undefined && example !== undefined)
    return { value: first.value, problem: describe(first, check(first.value)) };
  const valid = isDynamic && schema ? undefined : examples.find(({ value }) => isValid(value));
  if (valid) return { value: valid.value, isDeclared: true };
  if (schema === undefined) return { value: first?.value, isDeclared: true };
  const matches = (value: unknown) => isAllowed(value) && "value" in (validate?.(value) ?? { value });
  const options = { isRandom: isDynamic, matches: (node: SchemaNode, value: unknown) => schemas.matches(node, value) };
  const value = createExample(schemas.at(schema.pointer), matches, options);
  const problem = first && !isDynamic ? describe(first, check(first.value)) : undefined;
  const result = validate?.(value) ?? { value };
  if ("value" in result) return { value, problem };
  return { value, problem: `No value was found that matches the schema: it ${result.problems[0].requirement}.` };
}

/** An example of the document. */
interface NamedExample {
  readonly name: string;
  readonly value: unknown;
}

// A null is an example, too.
function listExamples(content: Part<MediaTypeObject>, name: string | undefined): NamedExample[] {
  const { value: fields } = content;
  const named = content.membersOf("examples").flatMap(([key, { value }]) => readExample(key, value));
  const single = Object.hasOwn(fields, "example") ? [{ name: "of its media type", value: fields.example }] : [];
  if (name === undefined) return [...single, ...named];
  const found = named.filter((one) => one.name === name);
  if (found.length > 0) return found;
  const names = named.map((one) => one.name).join(", ") || "none";
  throw new HttpError("invalid_parameter", `Prefer has the example ${name}, but the document declares ${names}.`);
}

function readExample(name: string, example: ExampleObject): NamedExample[] {
  const key = (["dataValue", "value", "serializedValue"] as const).find((field) =>
    Object.hasOwn(Object(example), field),
  );
  return key === undefined ? [] : [{ name, value: example[key] }];
}

function describe({ name }: NamedExample, result: Validation): string | undefined {
  if ("value" in result) return undefined;
  const [{ path, requirement }] = result.problems;
  return `The example ${name} does not match its schema: ${path === "" ? "it" : `its field '${path}'`} ${requirement}.`;
}
