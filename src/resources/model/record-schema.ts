// The schema of a record, with all that applies to it behind references and allOf.
import type { Checked } from "../../lib/index.ts";
import {
  createRecordValidator,
  createRowValidator,
  type Document,
  type SchemaNode,
} from "../../openapi/application.ts";
import { createExample } from "../../openapi/tools.ts";
import { hashSchema } from "./schema-hash.ts";

/** A type of values that a store can compare. */
export type ValueType = "string" | "int64" | "number" | "boolean";

/** The place of a schema in the document: its JSON pointer. */
export interface SchemaPlace {
  readonly pointer: string;
}

// The keywords of a schema that only refers to another one.
const notes = new Set(["$ref", "description", "title", "summary", "example", "examples", "nullable"]);

/** The schema of the records of a collection, or of the bodies that make them. */
export class RecordSchema {
  /** Its JSON pointer in the document: that of the schema to which it refers, if it is a reference. */
  readonly pointer: string;
  /** The names of its properties, in the order of the document. */
  readonly propertyNames: readonly string[];
  /** The properties that each record has. */
  readonly required: readonly string[];
  /** The schema itself, and those that apply besides. */
  readonly parts: readonly SchemaNode[];
  readonly document: Document;

  constructor(document: Document, { pointer }: SchemaPlace) {
    this.document = document;
    this.parts = document.schemas.at(pointer).parts();
    this.pointer =
      this.parts.find(({ schema }) => Object.keys(schema).some((key) => !notes.has(key)))?.pointer ?? pointer;
    this.propertyNames = document.schemas.shapeAt(pointer).propertyNames;
    this.required = [...new Set(this.parts.flatMap(({ schema }) => (schema.required ?? []) as string[]))];
  }

  /** The name of the component; undefined for a schema that is no component. */
  get name(): string | undefined {
    return /^\/components\/schemas\/([^/]+)$/.exec(this.pointer)?.[1];
  }

  /** The hash of the schema, with all that it refers to. */
  get hash(): string {
    return hashSchema(this.document.schemas.at(this.pointer));
  }

  /** Returns the schemas that apply to a property of a property, and so on. */
  at(path: readonly string[]): readonly SchemaNode[] {
    return path.reduce<readonly SchemaNode[]>(
      (found, name) => found.flatMap((node) => node.property(name)).flatMap((node) => node.parts()),
      this.parts,
    );
  }

  /** Returns the schemas that apply to a property. */
  property(name: string): readonly SchemaNode[] {
    return this.parts.flatMap((node) => node.property(name)).flatMap((node) => node.parts());
  }

  /** Returns an example of a response, made from the schema. */
  example(): unknown {
    const { schemas } = this.document;
    const check = schemas.compileCheckAt(this.pointer);
    return createExample(schemas.at(this.pointer), (value) => "value" in check(value));
  }

  /** Whether an object can have no other properties. */
  get isClosed(): boolean {
    return this.parts.some(
      ({ schema }) => schema.additionalProperties === false || schema.unevaluatedProperties === false,
    );
  }

  /** Returns whether a property can have a value in a response. Compiles its schema, which is expensive. */
  accepts(name: string, value: unknown): boolean {
    return this.acceptsAt([name], value);
  }

  /** Returns whether a property of a property, and so on, can have a value in a response. */
  acceptsAt(path: readonly string[], value: unknown): boolean {
    const nodes = path.reduce<readonly SchemaNode[]>(
      (found, name) => found.flatMap((node) => node.parts()).flatMap((node) => node.property(name)),
      this.parts,
    );
    return nodes.every(({ pointer }) => "value" in this.document.schemas.compileReaderAt(pointer, "response")(value));
  }

  /** Creates the validation of a parsed record: as it is sent, or returned. Compiles the schema, which is expensive. */
  createValidator(direction: "request" | "response"): (record: unknown) => Checked<object> {
    return createRecordValidator(this, this.document.schemas, direction) as (record: unknown) => Checked<object>;
  }

  /** Creates the validation of a record whose properties are texts; those of objects and arrays are JSON. */
  createRowValidator(): (row: Readonly<Record<string, string>>) => Checked<object> {
    const validate = createRowValidator(this, this.document.schemas);
    return validate as (row: Readonly<Record<string, string>>) => Checked<object>;
  }
}

/** Returns the type of values that a store can compare; undefined for others. `schemas` apply to the same value. */
export function valueType(schemas: readonly SchemaNode[]): ValueType | undefined {
  const types = schemas.flatMap(({ schema: { type } }) => (type === undefined ? [] : [[type].flat()]));
  const [first, ...others] = new Set(types.flat().filter((name) => name !== "null"));
  if (others.length > 0) return undefined;
  if (first === "integer") return schemas.some(({ schema }) => schema.format === "int64") ? "int64" : "number";
  return first === "string" || first === "number" || first === "boolean" ? first : undefined;
}

/** Returns the schemas of the items of an array; undefined if it is none. */
export function itemSchemas(schemas: readonly SchemaNode[]): readonly SchemaNode[] | undefined {
  const items = schemas.flatMap((node) => node.item(Number.POSITIVE_INFINITY) ?? []);
  return items.length > 0 ? items.flatMap((node) => node.parts()) : undefined;
}
