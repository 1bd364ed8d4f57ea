// The examples that a document declares for a media type, a header or a parameter, compared with their schemas.
import { decodeUtf8, InvalidValue, parseJson } from "../../lib/index.ts";
import type { Direction } from "../schema/evaluation.ts";
import type { Validate, Validation } from "../schema/keyword.ts";
import type { Schemas } from "../schema/schemas.ts";
import { externalValueOf } from "../source/bundle.ts";
import type { MediaTypeObject, ParameterObject } from "../source/document-types.ts";
import type { Part } from "../source/part.ts";
import { itemReaderOf } from "../wire/item-streams.ts";
import { essenceOf, isJson } from "../wire/media-types.ts";
import { readText } from "../wire/styles.ts";

/** An example of the document. */
export interface DeclaredExample {
  readonly name: string;
  readonly pointer: string;
  readonly value: unknown;
  /** What is sent as it is, if the document declares that: `serializedValue`, or the content of `externalValue`. */
  readonly sent?: Buffer;
  /** Whether its schema accepts the value. It accepts a text in a syntax that is not read, such as XML. */
  readonly result: Validation;
}

type ExamplesPart = Part<MediaTypeObject> | Part<ParameterObject>;

/** Returns the validation of the values of a media type, header or parameter: with `itemSchema`, of lists. */
export function validationOf(part: ExamplesPart, schemas: Schemas, direction?: Direction): Validate {
  const content = part as Part<MediaTypeObject>;
  const [schema, items] = [content.written("schema"), content.written("itemSchema")];
  const checks = [
    ...(schema ? [schemas.compileCheckAt(schema.pointer, direction)] : []),
    ...(items ? [checkItems(schemas.compileCheckAt(items.pointer, direction))] : []),
  ];
  return (value) => checks.map((check) => check(value)).find((result) => "problems" in result) ?? { value };
}

function checkItems(check: Validate): Validate {
  const noList = { problems: [new InvalidValue("must be an array of items")] } as const;
  return (value) =>
    Array.isArray(value) ? (value.map((item) => check(item)).find((item) => "problems" in item) ?? { value }) : noList;
}

/** Returns the declared examples. One whose `externalValue` was not read is none. `mediaType` is that of a body. */
export function readExamples(
  part: ExamplesPart,
  schemas: Schemas,
  mediaType: string | undefined,
  direction?: Direction,
): DeclaredExample[] {
  const content = part as Part<MediaTypeObject>;
  const validate = validationOf(part, schemas, direction);
  const read = readerOf(part, schemas, mediaType);
  const checkText = (text: () => string): Pick<DeclaredExample, "value" | "result"> => {
    try {
      const value = read?.(text());
      return { value, result: read ? validate(value) : { value } };
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      return { value: undefined, result: { problems: [error] } };
    }
  };
  const check = (value: unknown) =>
    typeof value === "string" && mediaType !== undefined && !isJson(mediaType)
      ? { ...checkText(() => value), value } // the text that is sent
      : { value, result: validate(value) };
  const { pointer } = part;
  const own = Object.hasOwn(part.value, "example") ? [content.value.example] : [];
  return [
    ...own.map((value) => ({ name: "of its media type", pointer: `${pointer}/example`, ...check(value) })),
    ...content.membersOf("examples").flatMap(([name, { value: example, pointer: place }]) => {
      const { serializedValue: text } = Object(example);
      const sent = typeof text === "string" ? Buffer.from(text) : externalValueOf(Object(example));
      const field = typeof text === "string" ? "serializedValue" : "externalValue";
      const fields = (["dataValue", "value"] as const).filter((key) => Object.hasOwn(Object(example), key));
      return [
        ...(sent ? [{ name, pointer: `${place}/${field}`, sent, ...checkText(() => decodeUtf8(sent)) }] : []),
        ...fields.map((key) => ({ name, pointer: `${place}/${key}`, ...check(example[key]) })),
      ];
    }),
  ];
}

// Reads the value of a text as it is sent; undefined for a syntax that is not read.
function readerOf(part: ExamplesPart, schemas: Schemas, mediaType: string | undefined) {
  const shape = schemas.shapeAt((part as Part<MediaTypeObject>).written("schema")?.pointer);
  if (mediaType === undefined) {
    const { in: location, explode = false } = part.value as ParameterObject;
    const style = { name: "", style: "simple", explode, shape, decode: (one: string) => one.trim() };
    return location === undefined ? (text: string) => readText(text, style) : undefined; // a header of a response
  }
  if (isJson(mediaType)) return parseJson;
  return essenceOf(mediaType) === "text/plain" ? (text: string) => shape.parsePrimitive(text) : itemReaderOf(mediaType);
}
