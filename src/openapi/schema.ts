// The schemas of a document. Ajv compiles each at its first use. A schema that several operations share is compiled once,
// and a schema can be recursive.
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import type { SchemaEnv } from "ajv/dist/compile/index.js";
import { toJson } from "../lib/index.ts";
import { createAjv, createValidate, type Validate } from "./ajv.ts";
import { findMismatch } from "./default-values.ts";
import { isJsonSchema, isOpenApiDialect, type Upgrade } from "./dialect.ts";
import { type Direction, memoize, ValidationContext } from "./memoized-validation.ts";
import type { Part } from "./part.ts";
import { moveProto, prepareSchema } from "./prepared-schema.ts";
import { CycleSearch } from "./reference-cycles.ts";
import { References } from "./references.ts";
import { isSlow } from "./regular-expressions.ts";
import { findProblem, isPattern, type Schema, type SchemaObject, subschemasOf } from "./schema-keywords.ts";
import { SchemaNode } from "./schema-node.ts";
import type { CheckOptions, ReportSchema, SchemasOptions } from "./schema-options.ts";
import { type Convert, ValueConversion } from "./value-conversion.ts";
import type { SchemaValidation } from "./value-keywords.ts";

/** A member of an object, such as a parameter. */
export interface ObjectMember {
  readonly name: string;
  /** The pointer of its schema; undefined if it can have any value. */
  readonly pointer: string | undefined;
  readonly required: boolean;
  /** Whether it can also be the empty string. */
  readonly allowEmptyValue: boolean;
}

/** The schemas of one document. */
export class Schemas {
  readonly #ajv: Ajv2020;
  readonly #root: Part;
  readonly #upgrade: Upgrade;
  readonly #skipPatternCheck: boolean;
  readonly #references: References;
  readonly #names = new Map<string, string>(); // of the schemas in Ajv, by the key of the node
  readonly #targets = new Map<string, ReadonlySet<string>>(); // the names of schemas that each refers to, by its name
  readonly #waiting: { readonly name: string; readonly node: SchemaNode; readonly whole: SchemaNode }[] = []; // for Ajv
  readonly #uses: { readonly reference: string; readonly pointer: string }[] = [];
  readonly #defaults: string[] = []; // the pointers of schemas with a default
  readonly #checked = new Set<string>(); // pointers
  readonly #ignored = new Map<string, Set<string>>(); // the keywords that can't be enforced, by pointer
  readonly #conversion: ValueConversion;

  constructor(
    root: Part,
    { upgrade = (schema) => schema, formats = {}, skipPatternCheck = false }: SchemasOptions = {},
  ) {
    this.#root = root;
    this.#upgrade = upgrade;
    this.#skipPatternCheck = skipPatternCheck;
    this.#references = new References(root);
    const matches: SchemaValidation["matches"] = (node, value, context, whole) => {
      // A part that is no object has no path here, by which results could be kept.
      const isObject = typeof value === "object" && value !== null;
      return this.#compile(node, whole).call(
        isObject ? context : new ValidationContext(context.direction),
        value,
      ) as boolean;
    };
    const compile = (node: SchemaNode, whole?: SchemaNode) => this.#compile(node, whole);
    this.#ajv = createAjv({ compile, matches }, formats);
    this.#conversion = new ValueConversion(matches);
  }

  /**
   * Adds the schema at a place of the document, and checks it: what can be checked without compiling it. Reports each part
   * that would not be enforced.
   */
  add(schema: unknown, pointer: string, options: CheckOptions): void {
    this.#checked.add(pointer);
    if (typeof schema === "boolean") return;
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
      options.report(pointer, "must be an object, or true or false");
      return;
    }
    const upgraded = this.#upgrade(schema as SchemaObject);
    this.#references.add(upgraded, pointer);
    this.#checkKeywords(upgraded, pointer, options);
    for (const keyword of ["$ref", "$dynamicRef"] as const)
      if (typeof upgraded[keyword] === "string") this.#uses.push({ reference: upgraded[keyword], pointer });
    for (const { schema: subschema, place } of subschemasOf(upgraded))
      this.add(subschema, `${pointer}/${place}`, options);
  }

  #checkKeywords(schema: SchemaObject, pointer: string, { report, onExtension }: CheckOptions): void {
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword.startsWith("x-")) onExtension?.(keyword, schema, pointer);
      const problem = findProblem(keyword, value);
      if (problem === undefined) continue;
      this.#ignore(pointer, keyword);
      report(pointer, problem);
    }
    const { format, $schema, pattern, patternProperties, maxLength } = schema;
    this.#checkPatterns("pattern", [pattern], maxLength, pointer, report);
    this.#checkPatterns(
      "patternProperties",
      Object.keys({ ...(patternProperties as object) }),
      undefined,
      pointer,
      report,
    );
    if (typeof $schema === "string" && !isJsonSchema($schema) && !isOpenApiDialect($schema))
      report(pointer, `has the $schema ${$schema}, which is not supported`);
    if (typeof format === "string" && !this.#isFormat(format) && this.#assertsFormats(pointer))
      report(pointer, `has the unknown format "${format}"`);
    if (schema.default !== undefined) this.#defaults.push(pointer);
  }

  #checkPatterns(
    keyword: string,
    patterns: readonly unknown[],
    maxLength: unknown,
    pointer: string,
    report: ReportSchema,
  ): void {
    if (this.#skipPatternCheck) return;
    const slow = patterns.find((text) => typeof text === "string" && isPattern(text) && isSlow(text, maxLength));
    if (slow === undefined) return;
    this.#ignore(pointer, keyword);
    const advice = "simplify it, or add a maxLength";
    report(pointer, `has the regular expression ${slow}, which can take exponential or polynomial time: ${advice}`);
  }

  #ignore(pointer: string, keyword: string): void {
    this.#ignored.set(pointer, (this.#ignored.get(pointer) ?? new Set()).add(keyword));
  }

  #assertsFormats(pointer: string): boolean {
    return !isJsonSchema(this.#references.dialectOf(pointer));
  }

  #isFormat(name: string): boolean {
    return Object.hasOwn(this.#ajv.formats, name);
  }

  /**
   * Checks that each reference leads to a schema, and not to itself without a member between. Adds the targets that are in
   * no place of a schema. Call it when all schemas are added.
   */
  checkReferences(options: CheckOptions): void {
    // The list grows while it is read.
    for (const { reference, pointer } of this.#uses) {
      const target = this.#resolve(reference, pointer, options);
      if (target !== undefined && !this.#checked.has(target)) this.add(this.#root.find(target).value, target, options);
    }
    const search = new CycleSearch(({ node, target }) => {
      for (const keyword of ["$ref", "$dynamicRef"]) this.#ignore(node.pointer, keyword);
      const reason = `has a reference to ${target.pointer}, which leads back to it, so that no value can be checked`;
      options.report(node.pointer, reason);
    });
    for (const { pointer } of this.#uses) search.searchFrom(() => this.at(pointer));
    for (const pointer of this.#defaults) {
      const parts = this.at(pointer).parts();
      const value = parts[0]?.schema.default;
      const mismatch = parts.map(({ schema }) => findMismatch(schema, value)).find(Boolean);
      if (mismatch) options.report(pointer, `has the default ${toJson(value)}, but it must be ${mismatch}`);
    }
    this.#checked.clear();
    this.#uses.length = 0;
    this.#defaults.length = 0;
  }

  /** Returns the place that a reference of the schema at `pointer` leads to; undefined if it leads to nothing. */
  find(reference: string, pointer: string): string | undefined {
    return this.#resolve(reference, pointer, { report: () => {} });
  }

  #resolve(reference: string, pointer: string, { report }: CheckOptions): string | undefined {
    try {
      return this.#references.resolve(reference, pointer);
    } catch (error) {
      for (const keyword of ["$ref", "$dynamicRef"]) this.#ignore(pointer, keyword);
      const problem = (error as Error).message.includes("not a URI")
        ? "is not a URI"
        : "leads to nothing in the document";
      const advice = reference.startsWith("#") ? "" : ". References to other documents must be relative paths of files";
      report(pointer, `has the reference ${reference}, which ${problem}${advice}`);
      return undefined;
    }
  }

  /** Returns the schema at a place of the document. */
  at(pointer: string): SchemaNode {
    const document = {
      root: this.#root,
      references: this.#references,
      upgrade: this.#upgrade,
      ignored: this.#ignored,
    };
    return new SchemaNode(document, { pointer, scope: new Map() });
  }

  /** Returns the validation of an object with these members, and no others. Compiles it at its first call. */
  compileObject(members: readonly ObjectMember[]): Validate {
    const conversions = new Map<string, Convert>();
    const compile = () => {
      const properties = members.map(({ name, pointer, allowEmptyValue }): [string, Schema] => {
        const node = pointer === undefined ? undefined : this.at(pointer);
        const convert = node && this.#conversion.of(node);
        if (convert) conversions.set(name, convert);
        const schema = node ? { $ref: this.#nameOf(node) } : {};
        return [name, allowEmptyValue ? { anyOf: [{ const: "" }, schema] } : schema];
      });
      const required = members.flatMap((member) => (member.required ? [member.name] : []));
      this.#addWaiting();
      const schema = {
        type: "object",
        properties: Object.fromEntries(properties),
        required,
        additionalProperties: false,
      };
      moveProto(schema);
      return this.#ajv.compile(schema);
    };
    const convert: Convert = (value) => {
      const values = value as Record<string, unknown>;
      for (const [name, convert] of conversions) if (name in values) values[name] = convert(values[name]);
      return values;
    };
    return createValidate(compile, () => convert, "parameters");
  }

  /** Returns the validation of the schema at a place of the document. Compiles it at its first call. */
  compileAt(pointer: string, direction: Direction = "request"): Validate {
    const node = () => this.at(pointer);
    return createValidate(
      () => this.#compile(node()),
      () => this.#conversion.of(node()),
      direction,
    );
  }

  /** Returns the validation of a value that is not changed: without conversions and default values. */
  compileCheckAt(pointer: string, direction: Direction = "response"): Validate {
    return createValidate(
      () => this.#compile(this.at(pointer)),
      () => undefined,
      direction,
    );
  }

  #compile(node: SchemaNode, whole?: SchemaNode): ValidateFunction {
    const name = this.#nameOf(node, whole);
    this.#addWaiting();
    return this.#ajv.getSchema(name) as ValidateFunction;
  }

  #nameOf(node: SchemaNode, whole = node): string {
    const isPart = whole.key !== node.key && node.isChangedBy(whole);
    const key = isPart ? `${node.key} in ${whole.key}` : node.key;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = `schema${this.#names.size}`;
    this.#names.set(key, name);
    this.#waiting.push({ name, node, whole: isPart ? whole : node });
    return name;
  }

  // Each schema refers to others, which are added as well. Compiles each by itself: Ajv would compile those that it refers
  // to first, and overflow the stack in a document with some hundreds of schemas that refer to each other.
  #addWaiting(): void {
    const added: string[] = [];
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const { name, node, whole } = next;
      const targets = new Set<string>();
      const options = {
        nameOf: (target: SchemaNode, outer: SchemaNode) => {
          const targetName = this.#nameOf(target, outer);
          targets.add(targetName);
          return targetName;
        },
        onSeparate: () => targets.add(name), // it can refer to itself
        isFormat: (name: string, pointer: string) => this.#isFormat(name) && this.#assertsFormats(pointer),
      };
      this.#ajv.addSchema(prepareSchema(node, options, whole), name, undefined, false);
      this.#targets.set(name, targets);
      added.push(name);
    }
    for (const name of added)
      for (const target of this.#targets.get(name) as ReadonlySet<string>) {
        // One without references becomes a part of the code.
        if (this.#targets.get(target)?.size) this.#environmentOf(name).refs[target] = this.#environmentOf(target);
      }
    for (const name of added.reverse()) {
      const validate = this.#ajv.getSchema(name) as ValidateFunction;
      if (this.#targets.get(name)?.size) this.#environmentOf(name).validate = memoize(validate);
    }
  }

  #environmentOf(name: string): SchemaEnv {
    return this.#ajv.schemas[name] as SchemaEnv;
  }
}
