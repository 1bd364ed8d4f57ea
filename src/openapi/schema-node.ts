// A schema at its place in the document: in the dialect of JSON Schema 2020-12, with its references resolved.
import type { Upgrade } from "./dialect.ts";
import { escapeToken, type Part } from "./part.ts";
import type { References, Target } from "./references.ts";
import { type SchemaObject, type Subschema, subschemasOf } from "./schema-keywords.ts";

/** The document of schemas. */
export interface SchemaDocument {
  readonly root: Part;
  readonly references: References;
  readonly upgrade: Upgrade;
  /** The keywords that can't be enforced and are left out, by the pointer of their schema. */
  readonly ignored: ReadonlyMap<string, ReadonlySet<string>>;
}

const inPlace = /^(allOf|anyOf|oneOf|not|if|then|else|dependentSchemas)$/;

/** Returns whether the schemas of a keyword apply to the value itself, and not to its members. */
export function isInPlace(keyword: string): boolean {
  return inPlace.test(keyword);
}

type Marker = "readOnly" | "writeOnly";
const markers: readonly Marker[] = ["readOnly", "writeOnly"];

/** A schema of the document. Nodes of the same schema in the same dynamic scope have the same key. */
export class SchemaNode {
  /** Without a dynamic scope, this is the pointer of the schema. */
  readonly key: string;
  readonly pointer: string;
  /** The keywords. `false` is an empty `enum`. */
  readonly schema: SchemaObject;
  readonly #document: SchemaDocument;
  readonly #target: Target;
  #parts: readonly SchemaNode[] | undefined;
  #marked: ReadonlySet<string> | undefined; // markers and names of properties

  constructor(document: SchemaDocument, target: Target) {
    this.#document = document;
    this.#target = document.references.enter(target);
    const { pointer, scope } = this.#target;
    this.pointer = pointer;
    this.key = scope.size > 0 ? `${pointer} ${JSON.stringify([...scope])}` : pointer;
    const schema: unknown = document.root.find(pointer).value;
    if (typeof schema === "boolean") this.schema = schema ? {} : { enum: [] };
    else if (typeof schema === "object" && schema !== null)
      this.schema = removeKeywords(document.upgrade(schema as SchemaObject), document.ignored.get(pointer));
    else throw new Error(`The reference to ${pointer} leads to something that is not a schema.`);
  }

  /** Returns the schema at a place below this one, such as `properties/name`. */
  at(place: string): SchemaNode {
    return new SchemaNode(this.#document, { ...this.#target, pointer: `${this.pointer}/${place}` });
  }

  /** Returns the schemas that are direct parts of this one. */
  subschemas(): Subschema[] {
    return subschemasOf(this.schema);
  }

  /** Returns the schemas that `$ref` and `$dynamicRef` lead to. */
  references(): SchemaNode[] {
    const { $ref, $dynamicRef } = this.schema;
    const { references } = this.#document;
    const targets: Target[] = [];
    if (typeof $ref === "string") targets.push(references.follow($ref, this.#target));
    if (typeof $dynamicRef === "string") targets.push(references.followDynamic($dynamicRef, this.#target));
    return targets.map((target) => new SchemaNode(this.#document, target));
  }

  /** Returns the direct parts of this schema that apply to the value itself, and not to its members. */
  inPlaceParts(): SchemaNode[] {
    return this.subschemas().flatMap(({ keyword, place }) => (isInPlace(keyword) ? [this.at(place)] : []));
  }

  /**
   * Returns this schema and those that a value must match besides: behind references and `allOf`, at any depth, each once.
   */
  parts(): readonly SchemaNode[] {
    if (this.#parts === undefined) {
      const found = new Map<string, SchemaNode>();
      this.#addParts(found);
      this.#parts = [...found.values()];
    }
    return this.#parts;
  }

  #addParts(found: Map<string, SchemaNode>): void {
    if (found.has(this.key)) return;
    found.set(this.key, this);
    const all = this.subschemas().filter(({ keyword }) => keyword === "allOf");
    for (const part of [...this.references(), ...all.map(({ place }) => this.at(place))]) part.#addParts(found);
  }

  /** Returns the schemas of a property, of this schema and of those that apply besides. */
  property(name: string): SchemaNode[] {
    return this.parts().flatMap((part) => part.#ownProperty(name));
  }

  /** Returns the schemas of a property, also those of alternatives. */
  anyProperty(name: string): SchemaNode[] {
    return this.#partsAndAlternatives().flatMap((part) => part.#ownProperty(name));
  }

  #ownProperty(name: string): SchemaNode[] {
    const properties = this.schema.properties as object | undefined;
    return properties !== undefined && Object.hasOwn(properties, name)
      ? [this.at(`properties/${escapeToken(name)}`)]
      : [];
  }

  /** Returns whether a property is read-only or write-only, in this schema, one that applies besides, or an alternative. */
  isMarked(name: string, marker: Marker): boolean {
    this.#marked ??= this.#findMarked();
    return this.#marked.has(`${marker} ${name}`);
  }

  #findMarked(): Set<string> {
    return new Set(
      this.#partsAndAlternatives().flatMap((part) =>
        part.subschemas().flatMap(({ keyword, place, key }) =>
          keyword === "properties"
            ? part
                .at(place)
                .#markers()
                .map((marker) => `${marker} ${key}`)
            : [],
        ),
      ),
    );
  }

  #partsAndAlternatives(): SchemaNode[] {
    const alternatives = this.parts().flatMap((part) =>
      part.subschemas().flatMap(({ keyword, place }) => (/^(anyOf|oneOf)$/.test(keyword) ? [part.at(place)] : [])),
    );
    return [...this.parts(), ...alternatives.flatMap((alternative) => alternative.parts())];
  }

  #markers(): Marker[] {
    return markers.filter((marker) => this.parts().some(({ schema }) => schema[marker] === true));
  }

  /** Returns whether this schema, as a part of `whole`, requires a property that another part of it marks. */
  isChangedBy(whole: SchemaNode): boolean {
    return this.parts().some(({ schema }) =>
      ((schema.required as string[] | undefined) ?? []).some((name) =>
        markers.some((marker) => whole.isMarked(name, marker) && !this.isMarked(name, marker)),
      ),
    );
  }
}

function removeKeywords(schema: SchemaObject, ignored: ReadonlySet<string> | undefined): SchemaObject {
  if (ignored === undefined) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ignored.has(keyword)));
}
