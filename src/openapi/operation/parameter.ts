// One parameter of an operation: its style, and the value of its media type.
import { parseJson } from "../../lib/index.ts";
import type { Schemas } from "../schema/schemas.ts";
import { Shape } from "../schema/shape.ts";
import type { ParameterObject } from "../source/document-types.ts";
import type { Part } from "../source/part.ts";
import { type FormEncoding, readForm } from "../wire/form-bodies.ts";
import { type FormatName, formatOf, listContents } from "../wire/media-types.ts";
import { decodeComponent, decodePercent } from "../wire/pairs.ts";
import type { Style } from "../wire/styles.ts";

const defaultStyles = { path: "simple", query: "form", header: "simple", cookie: "form", querystring: "form" } as const;
const decoders = {
  path: decodePercent,
  query: decodeComponent,
  querystring: decodePercent,
  header: (text: string) => text.trim(),
  cookie: decodePercent,
} as const;

/** Returns how a parameter is serialized (OpenAPI 3.1.1, section 4.8.12.2). */
export function serializationOf({ in: location, style, explode }: ParameterObject) {
  const used = style ?? defaultStyles[location as keyof typeof defaultStyles];
  return { style: used, explode: explode ?? (used === "form" || used === "cookie") };
}

export class Parameter {
  readonly name: string;
  readonly required: boolean;
  /** The pointer of its schema, or of that of its only media type; undefined if it can have any value. */
  readonly pointer: string | undefined;
  readonly #declared: ParameterObject;
  readonly #schemas: Schemas;
  readonly #mediaType: string | undefined;
  #style: Style | undefined;
  #textStyle: Style | undefined;
  #encoding: FormEncoding | undefined;

  constructor(part: Part<ParameterObject>, schemas: Schemas) {
    const [mediaType, content] = listContents(part.membersOf("content"))[0] ?? [];
    this.name = part.value.name;
    this.required = part.value.required ?? false;
    this.pointer = (content ? content.written("schema") : part.written("schema"))?.pointer;
    this.#declared = part.value;
    this.#schemas = schemas;
    this.#mediaType = mediaType;
  }

  /** Its serialization style. Created at the first request, because most operations of a large document are never called. */
  get style(): Style {
    this.#style ??= this.#createStyle();
    return this.#style;
  }

  /** Like `style`, for a second attempt to read an object with alternatives. */
  get textStyle(): Style {
    this.#textStyle ??= { ...this.style, shape: this.style.shape.asTexts };
    return this.#textStyle;
  }

  #createStyle(): Style {
    const { name, in: location } = this.#declared;
    const { style, explode } = serializationOf(this.#declared);
    return {
      name,
      style,
      explode,
      shape: this.#mediaType === undefined ? this.#schemas.shapeAt(this.pointer) : Shape.any,
      decode: style === "cookie" ? (text) => text : decoders[location as keyof typeof decoders],
    };
  }

  /** Whether it can be empty. The specification defines an empty value only for the style form of a query. */
  get allowsEmpty(): boolean {
    const { in: location, style = "form", allowEmptyValue = false } = this.#declared;
    return allowEmptyValue && location === "query" && style === "form";
  }

  /** The names of its pairs in a query. Those of an exploded object are its properties. */
  get textNames(): readonly string[] {
    const { name, style, explode, shape } = this.style;
    const isExploded = explode && style === "form" && shape.isOnly("object") && shape.propertyNames.length > 0;
    return isExploded ? shape.propertyNames : [style === "deepObject" ? `${name}[…]` : name];
  }

  /** Whether it reads what the other parameters of its location leave. */
  get isRest(): boolean {
    const { style, explode, shape } = this.style;
    return (
      this.#mediaType === undefined &&
      /^(form|cookie)$/.test(style) &&
      explode &&
      shape.types.has("object") &&
      shape.isOpen
    );
  }

  /** The format of its media type; undefined without one. */
  get format(): FormatName | undefined {
    return this.#mediaType === undefined ? undefined : formatOf(this.#mediaType);
  }

  /** Returns the value of a text in its media type. Throws an InvalidValue. */
  readContent(text: unknown): unknown {
    if (typeof text !== "string") return text;
    if (this.format === "json") return parseJson(text);
    if (this.format !== "form") return text;
    const parts = this.#declared.content?.[this.#mediaType as string]?.encoding;
    this.#encoding ??= { shape: this.#schemas.shapeAt(this.pointer), parts: parts ?? {} };
    return readForm(text, this.#encoding);
  }
}
