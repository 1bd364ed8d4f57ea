// The schemas of a document: checks them when it is loaded, and evaluates values.

import { isObject, type Problem } from "../../lib/index.ts";
import type { Schema, SchemaObject } from "../source/document-types.ts";
import type { RuleId } from "../source/findings.ts";
import { breakCycles } from "./checks/cycles.ts";
import { findDefaultProblems } from "./checks/default-problems.ts";
import { findAnnotationProblems, findKeywordProblems } from "./checks/keyword-problems.ts";
import { canForbidMembers, findForbiddenMember } from "./checks/required-problems.ts";
import { SchemaCompiler } from "./compiler.ts";
import type { Upgrade } from "./dialect.ts";
import { type Cell, type Direction, Evaluation } from "./evaluation.ts";
import type { Formats, Validate, Wording } from "./keyword.ts";
import { findDefault } from "./keywords/defaults.ts";
import { findLostTargets } from "./keywords/discriminator.ts";
import { MarkedMembers } from "./marked-members.ts";
import { SchemaNode } from "./node.ts";
import { describeFailures } from "./problems.ts";
import { SchemaDocument } from "./schema-document.ts";
import { type Matches, Shape } from "./shape.ts";
import type { Marker } from "./value-forms.ts";
import { listSubschemas } from "./vocabulary.ts";

/** Called with the place of a part that would not be enforced. The reason completes "The schema at /components/… …". */
export type ReportSchema = (rule: RuleId, pointer: string, reason: string) => void;

export interface CheckOptions {
  readonly report: ReportSchema;
  /** Called for each specification extension. */
  readonly onExtension?: ((name: string, schema: SchemaObject, pointer: string) => void) | undefined;
}

export interface SchemasOptions {
  /** Whether read-only properties of requests are removed. By default, they are invalid. */
  readonly dropsReadOnly?: boolean | undefined;
  /** Converts a schema of an earlier dialect. */
  readonly upgrade?: Upgrade | undefined;
  /** Formats of strings besides those of JSON Schema and OpenAPI. */
  readonly formats?: Formats | undefined;
  /** Skips the check of regular expressions, which can load RE2 (10 to 30 ms). Only for a document that was checked before. */
  readonly skipPatternCheck?: boolean;
}

/** A member of an object, such as a parameter. */
export interface ObjectMember {
  readonly name: string;
  /** The pointer of its schema; undefined if it can have any value. */
  readonly pointer: string | undefined;
  readonly required: boolean;
  /** Whether it can also be the empty string. */
  readonly allowEmptyValue: boolean;
}

const fields: Wording = { noun: "field" };

/** The schemas of one document. */
export class Schemas {
  readonly #document: SchemaDocument;
  readonly #compiler: SchemaCompiler;
  readonly #skipPatternCheck: boolean;
  /** Whether read-only members of requests are removed. */
  readonly dropsReadOnly: boolean;
  readonly #checked = new Set<unknown>(); // as they are written
  readonly #references: { readonly reference: string; readonly node: SchemaNode }[] = [];
  readonly #defaults: SchemaNode[] = [];
  readonly #examples: SchemaNode[] = [];
  readonly #discriminators: SchemaNode[] = [];
  readonly #objects: SchemaNode[] = []; // that can forbid what they require

  /** `root` is the parsed document. */
  constructor(root: unknown, options: SchemasOptions = {}) {
    this.#document = new SchemaDocument(root, options.upgrade ?? ((schema) => schema), listSubschemas);
    this.dropsReadOnly = options.dropsReadOnly ?? false;
    this.#compiler = new SchemaCompiler(options.formats ?? {}, this.dropsReadOnly);
    this.#skipPatternCheck = options.skipPatternCheck ?? false;
  }

  /**
   * Adds the schema at a place of the document, and checks it: what can be checked without evaluating it. Reports each part
   * that would not be enforced.
   */
  add(pointer: string, options: CheckOptions): void {
    this.#add(new SchemaNode(this.#document, this.#document.find(pointer, true)), options);
  }

  // Without recursion, because a schema can be very deep.
  #add(start: SchemaNode, options: CheckOptions): void {
    const waiting = [start];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (typeof next.raw === "boolean" || this.#checked.has(next.raw)) continue;
      this.#checked.add(next.raw);
      if (!isObject(next.raw)) {
        options.report("structure", next.pointer, "must be an object, or true or false");
        continue;
      }
      this.#document.add(next, next.schema);
      const node = typeof next.schema.$id === "string" ? next.reread() : next; // in its own resource
      this.#checkKeywords(node, options);
      const { schema } = node;
      const { $ref, $dynamicRef, default: value } = schema;
      for (const reference of [$ref, $dynamicRef])
        if (typeof reference === "string") this.#references.push({ reference, node });
      if (isObject(schema.discriminator)) this.#discriminators.push(node);
      if (value !== undefined) this.#defaults.push(node);
      if (schema.example !== undefined || schema.examples !== undefined) this.#examples.push(node);
      if (canForbidMembers(node)) this.#objects.push(node);
      for (const child of node.children().reverse()) waiting.push(child.node);
    }
  }

  #checkKeywords(node: SchemaNode, { report, onExtension }: CheckOptions): void {
    const { schema, pointer, raw } = node;
    for (const keyword of Object.keys(schema)) if (keyword.startsWith("x-")) onExtension?.(keyword, schema, pointer);
    for (const [keyword, { rule, reason }] of findKeywordProblems(node, !this.#skipPatternCheck)) {
      this.#document.ignore(raw, keyword);
      report(rule, pointer, reason);
    }
    for (const { rule, reason } of findAnnotationProblems(node, this.#compiler.formats)) report(rule, pointer, reason);
  }

  /**
   * Checks that each reference leads to a schema, and not to itself without a member between. Adds the targets that are in no place
   * of a schema. Call it when all schemas are added.
   */
  checkReferences(options: CheckOptions): void {
    const starts: SchemaNode[] = [];
    // The list grows while it is read.
    for (const { reference, node } of this.#references)
      try {
        this.#add(node.resolve(reference), options);
        starts.push(node);
      } catch (error) {
        this.#ignoreReferences(node);
        const reason = (error as Error).message;
        const advice = reference.startsWith("#")
          ? ""
          : ". References to other documents must be relative paths of files";
        options.report("reference", node.pointer, `has the reference ${reference}, which ${reason}${advice}`);
      }
    const done = new Set<unknown>();
    for (const start of starts)
      breakCycles(
        () => start.reread(),
        done,
        ({ node, target }) => {
          this.#ignoreReferences(node);
          const reason = `has a reference to ${target.pointer}, which leads back to it, so that no value can be checked`;
          options.report("reference", node.pointer, reason);
        },
      );
    for (const node of this.#discriminators)
      for (const target of findLostTargets(node.reread())) {
        const reason = `has a discriminator with a mapping to ${target}, which leads to nothing: all alternatives are tried for a value without one`;
        options.report("discriminator", node.pointer, reason);
      }
    this.#checked.clear();
    this.#references.length = 0;
    this.#discriminators.length = 0;
  }

  #ignoreReferences({ raw }: SchemaNode): void {
    this.#document.ignore(raw, "$ref", "$dynamicRef");
  }

  /**
   * Checks that defaults match their schemas. `requests` are the pointers of the schemas of requests, in which they are filled in. Call
   * it after `checkReferences`.
   */
  checkDefaults(requests: readonly string[], report: ReportSchema): void {
    const validateOf = (node: SchemaNode) => this.#validate(() => this.#compiler.cellOf(node), "parameters", false);
    const starts = requests.map((pointer) => this.at(pointer));
    const defaults = this.#defaults.map((node) => node.reread());
    for (const { node, rule, reason, isNone } of findDefaultProblems(defaults, starts, validateOf)) {
      if (isNone) this.#document.ignore(node.raw, "default"); // also in types, and for the records of a store
      report(rule, node.pointer, reason);
    }
    this.#defaults.length = 0;
  }

  /** Reports each schema that no object matches, because it requires what it forbids. Call it after `checkReferences`. */
  checkRequired(report: ReportSchema): void {
    for (const node of this.#objects) {
      const name = findForbiddenMember(node.reread());
      const reason = `requires the member '${name}', which additionalProperties: false forbids: add it to properties`;
      if (name !== undefined) report("required", node.pointer, reason);
    }
  }

  /** Returns the schemas that have examples. */
  withExamples(): SchemaNode[] {
    return this.#examples.map((node) => node.reread());
  }

  /** Returns the schema at a place of the document. What is no schema was reported, and allows each value. */
  at(pointer: string): SchemaNode {
    try {
      return new SchemaNode(this.#document, this.#document.find(pointer));
    } catch {
      return new SchemaNode(this.#document, this.#document.placeOf(true));
    }
  }

  /** Returns whether the schema at a place has a default, which is filled in where a value is missing. */
  hasDefaultAt(pointer: string | undefined): boolean {
    return pointer !== undefined && findDefault(this.at(pointer)) !== undefined;
  }

  /** Returns the shape of the values of the schema at a place, or that of any value. */
  shapeAt(pointer: string | undefined): Shape {
    if (pointer === undefined) return Shape.any;
    return new Shape([this.at(pointer)], this.matches);
  }

  /** Returns whether a value that is in no body matches a schema. */
  readonly matches: Matches = (node, value) =>
    this.#compiler.cellOf(node).check(value, new Evaluation("parameters", [value], "check"), undefined);

  /** Returns what of a value is read-only; undefined if no schema is. */
  readOnlyMembersAt(pointer: string): MarkedMembers | undefined {
    return this.#markedMembersAt(pointer, "readOnly");
  }

  /** Returns what of a response is write-only; undefined if no schema is. */
  writeOnlyMembersAt(pointer: string): MarkedMembers | undefined {
    return this.#markedMembersAt(pointer, "writeOnly");
  }

  #markedMembersAt(pointer: string, marker: Marker): MarkedMembers | undefined {
    return this.#document.markers.has(marker) ? MarkedMembers.of(this.at(pointer), marker) : undefined;
  }

  /** Returns the validation of the schema at a place, which also converts the value. Compiles it at its first call. */
  compileReaderAt(pointer: string, direction: Direction = "request", fillsDefaults = true): Validate {
    return this.#validate(() => this.#compiler.cellOf(this.at(pointer)), direction, true, fillsDefaults);
  }

  /** Returns the validation of a value that is not changed: without conversions and default values. */
  compileCheckAt(pointer: string, direction: Direction = "response"): Validate {
    return this.#validate(() => this.#compiler.cellOf(this.at(pointer)), direction, false);
  }

  /** Returns the validation of an object with these members, and no others, which also converts it. */
  compileObject(members: readonly ObjectMember[]): Validate {
    const properties = members.map(({ name, pointer, allowEmptyValue }): [string, Schema] => {
      const schema = pointer === undefined ? {} : { $ref: `#${encodeURI(pointer)}` };
      return [name, allowEmptyValue ? { anyOf: [{ const: "" }, schema] } : schema];
    });
    const schema = {
      type: "object",
      properties: Object.fromEntries(properties),
      required: members.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    };
    const place = this.#document.placeOf(schema);
    return this.#validate(() => this.#compiler.cellOf(new SchemaNode(this.#document, place)), "parameters", true);
  }

  // A valid value is evaluated once. An invalid one is evaluated again, to collect what is wrong with it.
  #validate(create: () => Cell, direction: Direction, converts: boolean, fillsDefaults = true): Validate {
    let cell: Cell | undefined;
    return (value, wording = fields) => {
      cell ??= create();
      const holder = [value];
      try {
        const run = new Evaluation(direction, holder, converts ? "convert" : "check");
        run.fillsDefaults = fillsDefaults;
        if (cell.check(value, run, undefined)) {
          run.change();
          return { value: holder[0] };
        }
        const explanation = new Evaluation(direction, holder, "explain"); // the second pass, only of an invalid value
        cell.check(value, explanation, undefined);
        return { problems: describeFailures(explanation.failures, wording) as [Problem, ...Problem[]] };
      } catch (error) {
        if (!(error instanceof RangeError && error.message.startsWith("Maximum call stack"))) throw error;
        return { problems: [{ path: "", requirement: "must not be nested so deeply" }] }; // the stack is too small
      }
    };
  }
}
