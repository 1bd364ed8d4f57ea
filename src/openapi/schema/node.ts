// A schema at its place in the document: in the dialect of JSON Schema 2020-12, with its references resolved.
import { isObject } from "../../lib/index.ts";
import type { SchemaObject } from "../source/document-types.ts";
import { isJsonSchema } from "./dialect.ts";
import type { Marks } from "./evaluation.ts";
import type { Place, Resource, SchemaDocument, Scope } from "./schema-document.ts";
import { compilePattern } from "./texts/regular-expressions.ts";
import type { Application } from "./value-forms.ts";

/** A schema that is a direct part of another one. */
export interface Child {
  readonly keyword: string;
  /** The name or index behind the keyword; empty if the keyword has one schema. */
  readonly key: string;
  readonly node: SchemaNode;
}

const noScope: Scope = new Map();
const markers = ["readOnly", "writeOnly"] as const;
/** The application of `allOf`. */
export const wholes: ReadonlySet<Application> = new Set(["whole"]);
const possible: ReadonlySet<Application> = new Set(["whole", "alternative", "branch"]);
const inPlace: ReadonlySet<Application> = new Set(["whole", "alternative", "branch", "test"]);

// These schemas, and those that they refer to and have, at any depth, each once. Without recursion, because a chain of references
// can be long.
function* reach(
  starts: readonly SchemaNode[],
  key: "identity" | "raw",
  applications?: ReadonlySet<Application>,
): Generator<SchemaNode> {
  const reached = new Map(starts.map((node) => [node[key], node])); // grows while it is read
  for (const node of reached.values()) {
    yield node;
    for (const next of [...node.references(), ...node.children(applications).map((child) => child.node)])
      if (!reached.has(next[key])) reached.set(next[key], next);
  }
}

/** Lists these schemas, and those that they have and refer to, at any depth, each once as it is written. */
export const listReachable = (starts: readonly SchemaNode[]) => reach(starts, "raw");

/** Returns these schemas and those that a value may have to match besides: also alternatives, and those under a condition. */
export function possiblePartsOf(nodes: readonly SchemaNode[]): SchemaNode[] {
  return [...reach(nodes, "identity", possible)];
}

/** A schema of the document. */
export class SchemaNode implements Place {
  readonly raw: unknown;
  readonly pointer: string;
  readonly resource: Resource;
  readonly dialect: string | undefined;
  readonly scope: Scope;
  /** The keywords that are enforced. `false` is an empty `enum`. */
  readonly schema: SchemaObject;
  readonly #document: SchemaDocument;

  /** By default, outside of other schemas. */
  constructor(document: SchemaDocument, place: Place, scope: Scope = noScope) {
    const { raw, pointer, resource, dialect } = document.enter(place);
    this.raw = raw;
    this.pointer = pointer;
    this.resource = resource;
    this.dialect = dialect;
    this.scope = document.extend(scope, resource);
    this.schema = document.read(raw);
    this.#document = document;
  }

  /** Returns this schema with the keywords that are enforced now, outside of other schemas. */
  reread(): SchemaNode {
    return new SchemaNode(this.#document, this);
  }

  /** The same for all nodes of a schema in the same dynamic scope. */
  get identity(): unknown {
    return this.#document.identify(this.raw, this.scope);
  }

  /** Returns the subschema of a keyword, or of a name or index behind it. */
  at(keyword: string, key?: string | number): SchemaNode {
    return new SchemaNode(this.#document, this.#document.below(this, this.schema, keyword, key), this.scope);
  }

  /** Returns the schemas that are direct parts of this one: all, or those that apply to something. */
  children(applications?: ReadonlySet<Application>): Child[] {
    return this.#document.listSubschemas(this.schema, applications).map(({ keyword, key }) => {
      return { keyword, key: key ?? "", node: this.at(keyword, key) };
    });
  }

  /** Returns the schemas of a keyword that can have several. */
  childrenOf(keyword: string): Child[] {
    const subschemas = keyword in this.schema ? this.#document.listSubschemas({ [keyword]: this.schema[keyword] }) : [];
    return subschemas.map(({ key }) => ({ keyword, key: key as string, node: this.at(keyword, key) }));
  }

  /** Returns the schemas that `$ref` and `$dynamicRef` lead to. */
  references(): SchemaNode[] {
    const { $ref, $dynamicRef } = this.schema;
    if ($ref === undefined && $dynamicRef === undefined) return [];
    const targets: SchemaNode[] = [];
    if (typeof $ref === "string") targets.push(this.resolve($ref));
    if (typeof $dynamicRef === "string") targets.push(this.#resolveDynamic($dynamicRef));
    return targets;
  }

  /** Returns the schema that a reference leads to. Throws an Error if there is none. */
  resolve(reference: string): SchemaNode {
    return new SchemaNode(this.#document, this.#document.resolve(reference, this.resource), this.scope);
  }

  // The outermost schema with this $dynamicAnchor, if the reference leads to one (JSON Schema 2020-12, section 8.2.3.2).
  #resolveDynamic(reference: string): SchemaNode {
    const target = this.resolve(reference);
    const name = reference.slice(reference.indexOf("#") + 1);
    const isDynamic = target.resource.dynamicAnchors.get(name)?.raw === target.raw;
    const outer = isDynamic ? this.scope.get(name) : undefined;
    return outer === undefined ? target : new SchemaNode(this.#document, outer, this.scope);
  }

  /** Returns the direct parts that apply to the value itself, under any condition. */
  inPlaceParts(): SchemaNode[] {
    return [...this.references(), ...this.children(inPlace).map(({ node }) => node)];
  }

  /** Returns this schema and those that a value must match besides, behind references and `allOf`, at any depth, each once. */
  parts(): SchemaNode[] {
    return [...reach([this], "identity", wholes)];
  }

  /** Returns the schemas that apply to a property, by the keywords of this schema alone. */
  property(name: string): SchemaNode[] {
    const { properties, patternProperties, additionalProperties } = this.schema;
    const found: SchemaNode[] = [];
    if (isObject(properties) && Object.hasOwn(properties, name)) found.push(this.at("properties", name));
    for (const pattern of Object.keys((patternProperties as object | undefined) ?? {}))
      if (compilePattern(pattern).test(name)) found.push(this.at("patternProperties", pattern));
    return found.length === 0 && isObject(additionalProperties) ? [this.at("additionalProperties")] : found;
  }

  /** Returns the schema that applies to an item, by `prefixItems` and `items`; undefined if there is none. */
  item(index: number): SchemaNode | undefined {
    const { prefixItems, items } = this.schema;
    if (Array.isArray(prefixItems) && index < prefixItems.length) return this.at("prefixItems", index);
    return items === undefined ? undefined : this.at("items");
  }

  /** Whether a schema of the document is read-only or write-only. */
  get hasMarkers(): boolean {
    return this.#document.markers.size > 0;
  }

  /** Returns the properties that are read-only or write-only in this schema, and those that a value may have to match besides. */
  markedProperties(): Marks {
    const found = new Map<string, "readOnly" | "writeOnly">();
    for (const part of possiblePartsOf([this]))
      for (const { key, node } of part.childrenOf("properties")) {
        const schemas = node.parts().map(({ schema }) => schema);
        const marker = markers.find((name) => schemas.some((schema) => schema[name] === true));
        if (marker) found.set(key, marker);
      }
    return found;
  }

  /** Whether a schema of the document has a default. */
  get hasDefaults(): boolean {
    return this.#document.hasDefaults;
  }

  /** Whether `format` is enforced, and other annotations are reported: in the dialect of OpenAPI, but not in that of JSON Schema (section 7.2.1). */
  get assertsFormats(): boolean {
    return !isJsonSchema(this.dialect);
  }
}
