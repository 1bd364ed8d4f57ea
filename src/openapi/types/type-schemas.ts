// Prepares the schemas of a document for openapi-typescript, so that each type compiles and describes what the server passes: it
// ignores keywords beside $ref and anyOf, makes intersections that no object matches, and rounds large integers.
import { setOwn } from "../../lib/index.ts";
import { findDefault } from "../schema/keywords/defaults.ts";
import { nameAlternatives } from "../schema/keywords/discriminator.ts";
import { isInt64 } from "../schema/keywords/integers.ts";
import type { SchemaNode } from "../schema/node.ts";
import type { Schemas } from "../schema/schemas.ts";
import { isBinarySchema } from "../schema/shape.ts";
import { typeNames } from "../schema/value-forms.ts";
import { escapeToken } from "../source/part.ts";
import type { TypeViews, View } from "./type-views.ts";

/** A schema for openapi-typescript. */
export type TypeSchema = Record<string, unknown>;

/** The literals that a value can have, as TypeScript; never if there are none. openapi-typescript knows no bigint. */
export const literalsKey = "x-literals";

// They do not change a type.
const annotations = [
  "title",
  "description",
  "deprecated",
  "format",
  "default",
  "example",
  "examples",
  "x-extensible-enum",
] as const;
const prefix = "/components/schemas/";

export interface TypeOptions {
  /** Whether a property of a request with a default has always a value. */
  readonly fillsDefaults: boolean;
  /** Whether schemas have descriptions, examples and other annotations. */
  readonly hasNotes: boolean;
}

/** Converts schemas, and collects those that others refer to. */
export class TypeSchemas {
  /** The components, by name. Grows while schemas are converted. */
  readonly components: Record<string, TypeSchema> = {};
  readonly #schemas: Schemas;
  readonly #views: TypeViews;
  readonly #options: TypeOptions;
  readonly #waiting: { readonly name: string; readonly node: SchemaNode; readonly view: View }[] = [];
  readonly #names = new Set<string>();

  constructor(schemas: Schemas, views: TypeViews, options: TypeOptions) {
    this.#schemas = schemas;
    this.#views = views;
    this.#options = options;
  }

  /** Adds a component of the document, also if nothing refers to it. */
  addComponent(name: string): void {
    const node = this.#schemas.at(`${prefix}${escapeToken(name)}`);
    this.#reference(node, this.#views.plainView(node));
  }

  /** Returns the schema at a pointer. */
  convertAt(pointer: string, view: View): TypeSchema {
    return this.#convert(this.#schemas.at(pointer), view);
  }

  /** Converts what was added, and what it refers to. */
  finish(): void {
    // The list grows while it is read.
    for (const { name, node, view } of this.#waiting) setOwn(this.components, name, this.#convert(node, view));
    this.#waiting.length = 0;
  }

  #reference(node: SchemaNode, view: View): TypeSchema {
    const path = node.pointer.startsWith(prefix) ? node.pointer.slice(prefix.length) : node.pointer.slice(1);
    const name = `${path}${this.#views.suffixOf(node, view)}`;
    if (!this.#names.has(name)) {
      this.#names.add(name);
      this.#waiting.push({ name, node, view });
    }
    return { $ref: `#${prefix}${encodeURIComponent(escapeToken(name))}` };
  }

  // The type of a value is the intersection of those of the parts of its schema.
  #convert(node: SchemaNode, view: View): TypeSchema {
    const { schema } = node;
    const parts = [
      ...node.references().map((target) => this.#reference(target, view)),
      ...node.childrenOf("allOf").map((child) => this.#convert(child.node, view)),
      ...(["anyOf", "oneOf"] as const).map((keyword) => this.#convertAlternatives(node, keyword, view)),
      this.#convertRequired(node, view),
    ].filter((part) => !isUnknown(part));
    const own = this.#convertOwn(node, view);
    const isBare = own.type === "object" && !("properties" in own || "additionalProperties" in own);
    if (!isUnknown(own) && !(isBare && parts.length > 0)) parts.unshift(own);
    const noted = this.#options.hasNotes ? annotations.filter((name) => name in schema) : [];
    const notes = Object.fromEntries(noted.map((name) => [name, schema[name]]));
    if (parts.length === 0) return notes;
    return parts.length === 1 ? { ...notes, ...parts[0] } : { ...notes, allOf: parts };
  }

  // What a schema requires of the properties that only its parts declare, such as those of allOf.
  #convertRequired(node: SchemaNode, view: View): TypeSchema {
    const names = ([node.schema.required ?? []].flat() as string[]).filter((name) => {
      const declaring = node.parts().filter(({ schema }) => Object.hasOwn(Object(schema.properties), name));
      const isOwn = declaring.some(({ pointer }) => pointer === node.pointer);
      const found = declaring.flatMap((part) => part.property(name));
      return !isOwn && found.length > 0 && found.every((one) => this.#views.exclusionOf(one, view) === undefined);
    });
    const properties: Record<string, unknown> = {};
    for (const name of names) setOwn(properties, name, { type: "object", [literalsKey]: ["{}", "null"] });
    return names.length === 0 ? {} : { type: "object", required: names, properties };
  }

  #convertAlternatives(node: SchemaNode, keyword: "anyOf" | "oneOf", view: View): TypeSchema {
    const alternatives = node.childrenOf(keyword).map((child) => child.node);
    const { property, named = [], aliases = [] } = nameAlternatives(node, alternatives) ?? {};
    const all = [...named, ...aliases];
    const converted = alternatives.map((alternative) => {
      const type = this.#convert(alternative, view);
      const names = all.filter(([, one]) => one === alternative).map(([name]) => name);
      if (property === undefined || names.length === 0 || !names.every((name) => typeof name === "string")) return type;
      const tag = { type: "object", required: [property], properties: { [property]: { enum: names } } };
      return isUnknown(type) ? tag : { allOf: [type, tag] };
    });
    return converted.length === 0 || converted.some(isUnknown) ? {} : { anyOf: converted };
  }

  // Without what refers to other schemas for the same value.
  #convertOwn(node: SchemaNode, view: View): TypeSchema {
    const { schema } = node;
    if (schema.const !== undefined) return toLiterals([schema.const], schema);
    if (Array.isArray(schema.enum)) return toLiterals(schema.enum, schema);
    const types = [schema.type ?? []].flat().filter((type) => typeNames.includes(type as string)) as string[];
    const implied = ["properties", "patternProperties", "additionalProperties"].some((name) => name in schema);
    if (types.length === 0) return implied ? this.#convertType("object", node, view) : {};
    const converted = types.map((type) => this.#convertType(type, node, view));
    return converted.length === 1 ? (converted[0] as TypeSchema) : { anyOf: converted };
  }

  #convertType(type: string, node: SchemaNode, view: View): TypeSchema {
    const { schema } = node;
    if (type === "object") return this.#convertObject(node, view);
    if (type === "array") return this.#convertArray(node, view);
    if (type === "integer" && isInt64(schema)) return { type, [literalsKey]: ["bigint"] };
    if (type === "string" && view === "form" && isBinarySchema(schema)) return { type, [literalsKey]: ["File"] };
    const extensible = type === "string" ? schema["x-extensible-enum"] : undefined;
    return { type, ...(extensible !== undefined && { "x-extensible-enum": extensible }) };
  }

  #convertArray(node: SchemaNode, view: View): TypeSchema {
    const { minItems = 0, maxItems, items } = node.schema;
    const first = node.childrenOf("prefixItems").map((child) => this.#convert(child.node, view));
    const isFixed = first.length > 0 && Number(minItems) >= first.length;
    if (isFixed && (items === false || maxItems === first.length)) return { type: "array", prefixItems: first };
    const rest = items === undefined ? {} : this.#convert(node.at("items"), view);
    const all = [...first, rest];
    return { type: "array", items: all.some(isUnknown) ? {} : all.length === 1 ? rest : { anyOf: all } };
  }

  #convertObject(node: SchemaNode, view: View): TypeSchema {
    const { schema } = node;
    const required = new Set([schema.required ?? []].flat() as string[]);
    const properties: Record<string, unknown> = {};
    for (const { key, node: property } of node.childrenOf("properties")) {
      const exclusion = this.#views.exclusionOf(property, view);
      if (exclusion !== undefined) required.delete(key);
      if (exclusion === "absent") continue;
      const isFilled = this.#options.fillsDefaults && view !== "response" && findDefault(property) !== undefined;
      if (isFilled) required.add(key);
      setOwn(
        properties,
        key,
        exclusion === "never" ? { type: "null", [literalsKey]: [] } : this.#convert(property, view),
      );
    }
    const names = Object.keys(properties);
    const others = this.#convertOthers(node, Object.values(properties) as TypeSchema[], view);
    const needed = [...required].filter((name) => Object.hasOwn(properties, name));
    if (names.some((name) => !required.has(name)) && others && !isUnknown(others))
      others.anyOf = [
        ...((others.anyOf as TypeSchema[] | undefined) ?? []),
        { type: "null", [literalsKey]: ["undefined"] },
      ];
    return {
      type: "object",
      ...(names.length > 0 && { properties }),
      ...(needed.length > 0 && { required: needed }),
      ...(others && { additionalProperties: isUnknown(others) ? true : others }),
    };
  }

  // The type of members without a name: in TypeScript, also one of the named members must match it.
  #convertOthers(node: SchemaNode, named: readonly TypeSchema[], view: View): TypeSchema | undefined {
    const { additionalProperties } = node.schema;
    const patterns = node.childrenOf("patternProperties").map((child) => this.#convert(child.node, view));
    const isDeclared = additionalProperties !== undefined && additionalProperties !== false;
    if (!isDeclared && patterns.length === 0) return undefined;
    const rest = isDeclared ? [this.#convert(node.at("additionalProperties"), view)] : [];
    const all = [...rest, ...patterns, ...named];
    return all.some(isUnknown) ? {} : { anyOf: all };
  }
}

// A schema without a type, which may have annotations.
function isUnknown(schema: TypeSchema): boolean {
  return Object.keys(schema).every((name) => (annotations as readonly string[]).includes(name));
}

function toLiterals(values: readonly unknown[], schema: Parameters<typeof isInt64>[0]): TypeSchema {
  const isExact = (value: unknown) =>
    typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value) && isInt64(schema));
  const { type } = schema;
  if (values.length > 0 && !values.some(isExact))
    return { ...(typeof type === "string" && type !== "object" && { type }), enum: values };
  const literals = values.map((value) => (isExact(value) ? `${value}n` : JSON.stringify(value)));
  return { type: "integer", [literalsKey]: literals };
}
