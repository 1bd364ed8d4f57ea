// The schema of a record, with all that applies to it behind references and allOf.
import { type Checked, isObject } from "../../lib/index.ts";
import {
  type CellOptions,
  createExample,
  createRecordValidator,
  type Document,
  type SchemaNode,
  TableCells,
  type TableRow,
} from "../../openapi/index.ts";
import { RequestOnlyMembers } from "./request-only-members.ts";
import { hashSchema } from "./schema-hash.ts";
import { alternativesOf, propertyAt, variantsOf } from "./schema-nodes.ts";

/** The place of a schema in the document: its JSON pointer. */
export interface SchemaPlace {
  readonly pointer: string;
}

// The keywords of a schema that only refers to another one, also as its only `allOf`.
const notes = new Set(["$ref", "description", "title", "summary", "example", "examples", "nullable", "default"]);

type Reader = ReturnType<Document["schemas"]["compileReaderAt"]>;

type MarkedMembers = ReturnType<Document["schemas"]["readOnlyMembersAt"]>;

const maxVariants = 100; // of a schema

/** The schema of the records of a collection, or of the bodies that make them. There is one object for each place of a document. */
export class RecordSchema {
  static readonly #known = new WeakMap<Document, Map<string, RecordSchema>>();

  /** Its JSON pointer in the document: that of the schema to which it refers, if it is a reference. */
  readonly pointer: string;
  /** The names of its properties, also those of alternatives, in the order of the document. */
  readonly propertyNames: readonly string[];
  /** The schema itself, and those that apply besides. */
  readonly parts: readonly SchemaNode[];
  readonly document: Document;
  /** The declared names of some properties, by other names that these have, too: see `withNames`. */
  readonly names: Readonly<Record<string, string>>;
  #hash: string | undefined;
  #variants: readonly (readonly SchemaNode[])[] | undefined;
  #required: readonly string[] | undefined;
  #example: { readonly value: unknown } | undefined;
  #readOnly: { readonly members: MarkedMembers } | undefined;
  #writeOnly: { readonly members: MarkedMembers } | undefined;
  readonly #readers = new Map<string, readonly (readonly Reader[])[]>(); // by path

  /** Returns the schema at a place. */
  static of(document: Document, { pointer }: SchemaPlace): RecordSchema {
    const known = RecordSchema.#known.get(document) ?? new Map<string, RecordSchema>();
    RecordSchema.#known.set(document, known);
    const schema = known.get(pointer) ?? new RecordSchema(document, pointer);
    known.set(pointer, schema);
    return schema;
  }

  private constructor(document: Document, pointer: string, names: Readonly<Record<string, string>> = {}) {
    this.document = document;
    this.names = names;
    this.parts = document.schemas.at(pointer).parts();
    this.pointer = this.parts.find(saysMore)?.pointer ?? pointer;
    this.propertyNames = [...new Set([...document.schemas.shapeAt(pointer).propertyNames, ...Object.keys(names)])];
  }

  /** Returns the schema with other names of some properties, which have the declared ones, too. `names` has these, by the others. */
  withNames(names: Readonly<Record<string, string>>): RecordSchema {
    return Object.keys(names).length === 0 ? this : new RecordSchema(this.document, this.pointer, names);
  }

  /** Returns the declared name of a property. */
  ownName(name: string): string {
    return Object.hasOwn(this.names, name) ? (this.names[name] as string) : name;
  }

  /** Returns a value with the other names of its properties. */
  rename(members: object): object {
    const others = new Map(Object.entries(this.names).map(([name, own]) => [own, name]));
    if (others.size === 0) return members;
    return Object.fromEntries(Object.entries(members).map(([own, value]) => [others.get(own) ?? own, value]));
  }

  /** The properties that each record has, whichever alternative it matches. */
  get required(): readonly string[] {
    this.#required ??= this.#findRequired();
    return this.#required;
  }

  /** Returns whether each record can have a declared property, whichever alternative it matches. */
  isCommon(name: string): boolean {
    return this.#applicable.every((nodes) => propertyAt(nodes, [name]).length > 0);
  }

  /** Returns whether a property has one value only. */
  isConstant(name: string): boolean {
    const schemas = this.property(name).map(({ schema }) => schema);
    return schemas.some((schema) => schema.const !== undefined || (schema.enum as unknown[] | undefined)?.length === 1);
  }

  /** Returns whether a request can have a property: it is declared, and not read-only. */
  canHave(name: string): boolean {
    return this.propertyNames.includes(name) && !this.property(name).some(({ schema }) => schema.readOnly === true);
  }

  #findRequired(): readonly string[] {
    const [first = [], ...others] = this.#applicable.map((nodes) =>
      nodes.flatMap(({ schema }) => (schema.required ?? []) as string[]),
    );
    const own = [...new Set(first)].filter((name) => others.every((names) => names.includes(name)));
    return [...own, ...Object.keys(this.names).filter((name) => own.includes(this.ownName(name)))];
  }

  /** The schemas of `oneOf` and `anyOf` that have properties. */
  get alternatives(): readonly RecordSchema[] {
    return alternativesOf(this.parts).map((node) => RecordSchema.of(this.document, node));
  }

  // The schemas that apply together: all parts, and of the alternatives one.
  get #applicable(): readonly (readonly SchemaNode[])[] {
    this.#variants ??= variantsOf(this.parts).slice(0, maxVariants);
    return this.#variants;
  }

  /** The name of the component; undefined for a schema that is no component. */
  get name(): string | undefined {
    return /^\/components\/schemas\/([^/]+)$/.exec(this.pointer)?.[1];
  }

  /** The hash of the schema, with all that it refers to. */
  get hash(): string {
    this.#hash ??= hashSchema(this.document.schemas.at(this.pointer));
    return this.#hash;
  }

  /** Returns the schemas that can apply to a property of a property, and so on. */
  at(path: readonly string[]): readonly SchemaNode[] {
    const found = this.#propertiesAt(path).flatMap((nodes) => nodes.flatMap((node) => node.parts()));
    return [...new Map(found.map((node) => [node.pointer, node])).values()];
  }

  // By alternatives.
  #propertiesAt(path: readonly string[]): readonly (readonly SchemaNode[])[] {
    const declared = path.map((name, level) => (level === 0 ? this.ownName(name) : name));
    return this.#applicable.map((nodes) => propertyAt(nodes, declared));
  }

  /** Returns the schemas that can apply to a property. */
  property(name: string): readonly SchemaNode[] {
    return this.at([name]);
  }

  /** Returns the first schema of a property; undefined if none can apply to it. */
  member(name: string): RecordSchema | undefined {
    const [node] = this.property(name);
    return node && RecordSchema.of(this.document, node);
  }

  /** An example of a response, made from the schema. It must not be changed. */
  get example(): unknown {
    this.#example ??= { value: this.#createExample() };
    return this.#example.value;
  }

  #createExample(): unknown {
    const { schemas } = this.document;
    const check = schemas.compileCheckAt(this.pointer);
    const example = createExample(schemas.at(this.pointer), (value) => "value" in check(value));
    return isObject(example) ? { ...example, ...this.rename(example) } : example; // by all of its names
  }

  /** Returns a value with the read-only members of a previous one, at each depth. Those that `body` can have are not read-only. */
  keepReadOnly<T>(previous: unknown, value: T, body?: RecordSchema): T {
    const kept = (this.readOnly?.keepFrom(previous, value, body?.readOnly) ?? value) as T;
    const members = Object(value) as Readonly<Record<string, unknown>>;
    const isId = (name: string) => Object.hasOwn(members, name) && ![members[name]].flat().some(isObject);
    const ids = Object.keys(body?.names ?? {}).filter(isId);
    return ids.length === 0 ? kept : { ...kept, ...Object.fromEntries(ids.map((name) => [name, members[name]])) };
  }

  /** What is read-only of its values; undefined if no schema of the document is. */
  get readOnly(): MarkedMembers {
    this.#readOnly ??= { members: this.document.schemas.readOnlyMembersAt(this.pointer) };
    return this.#readOnly.members;
  }

  /** Returns a value without its write-only members, at each depth. */
  withoutWriteOnly<T>(value: T): T {
    this.#writeOnly ??= { members: this.document.schemas.writeOnlyMembersAt(this.pointer) };
    return (this.#writeOnly.members?.removeFrom(value) ?? value) as T;
  }

  /**
   * What of the values of a request its values do not have; undefined if there is nothing, or if it declares no property. Unless it is
   * closed, they have what other responses declare.
   */
  requestOnly(request: RecordSchema, others: readonly RecordSchema[]): RequestOnlyMembers | undefined {
    const shown = [this, ...(this.isClosed ? [] : others)].flatMap(({ parts }) => parts);
    return this.propertyNames.length === 0 ? undefined : RequestOnlyMembers.of(shown, request.parts);
  }

  /** Whether the document says that an object can have other properties. */
  get isOpen(): boolean {
    return this.parts.some(
      ({ schema }) => schema.additionalProperties === true || typeof schema.additionalProperties === "object",
    );
  }

  /** Whether an object can have no other properties. */
  get isClosed(): boolean {
    return this.parts.some(
      ({ schema }) => schema.additionalProperties === false || schema.unevaluatedProperties === false,
    );
  }

  /** Whether it is an object of which the document does not say the properties. */
  get isAnyObject(): boolean {
    const isObject = this.parts.some(({ schema: { type } }) => type === "object");
    return isObject && this.propertyNames.length === 0 && !this.isClosed;
  }

  /** Returns whether a property can have a value in a response. Compiles its schema, which is expensive. */
  accepts(name: string, value: unknown): boolean {
    return this.acceptsAt([name], value);
  }

  /** Returns whether a property of a property, and so on, can have a value in a response. */
  acceptsAt(path: readonly string[], value: unknown): boolean {
    const key = path.join("\0");
    const readers = this.#readers.get(key) ?? this.#compileReaders(path);
    this.#readers.set(key, readers);
    return readers.length === 0 || readers.some((all) => all.every((read) => "value" in read(value)));
  }

  // For each alternative that declares the property, those of the schemas that apply to it.
  #compileReaders(path: readonly string[]): readonly (readonly Reader[])[] {
    const { schemas } = this.document;
    const declared = this.#propertiesAt(path).filter((nodes) => nodes.length > 0);
    return declared.map((nodes) => nodes.map(({ pointer }) => schemas.compileReaderAt(pointer, "response")));
  }

  /** Creates the validation of a parsed record: as it is sent, or returned. Compiles the schema, which is expensive. */
  createValidator(direction: "request" | "response"): (record: unknown, noun?: "field" | "column") => Checked<object> {
    return createRecordValidator(this, this.document.schemas, direction) as (record: unknown) => Checked<object>;
  }

  /** Creates the reader of rows that have its properties, or those of other schemas, which precede. See `TableCells`. */
  createRowReader(others: readonly RecordSchema[], options: CellOptions): (row: TableRow) => Checked<object> {
    const pointers = [...others, this].map(({ pointer }) => pointer);
    const cells = new TableCells(this.document.schemas, pointers, options);
    return (row) => cells.read(row);
  }

  /** Creates the writer of the cells of its properties; null is an empty cell. */
  createCellWriter(): (name: string, value: unknown) => string | null {
    const cells = new TableCells(this.document.schemas, [this.pointer]);
    return (name, value) => cells.write(name, value);
  }
}

function saysMore({ schema }: SchemaNode): boolean {
  return Object.keys(schema).some(
    (key) => !notes.has(key) && !(key === "allOf" && (schema.allOf as unknown[]).length === 1),
  );
}
