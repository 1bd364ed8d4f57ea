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

// Keywords whose schemas apply to the value itself, and not to its members.
const inPlace = /^(allOf|anyOf|oneOf|not|if|then|else|dependentSchemas)$/;

/** A schema of the document. Nodes of the same schema in the same dynamic scope have the same key. */
export class SchemaNode {
  /** Without a dynamic scope, this is the pointer of the schema. */
  readonly key: string;
  readonly pointer: string;
  /** The keywords. `false` is an empty `enum`. */
  readonly schema: SchemaObject;
  readonly #document: SchemaDocument;
  readonly #target: Target;

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
    return this.subschemas().flatMap(({ keyword, place }) => (inPlace.test(keyword) ? [this.at(place)] : []));
  }

  /**
   * Returns this schema and those that a value must match besides: behind references and `allOf`, at any depth, each once.
   */
  parts(found = new Map<string, SchemaNode>()): SchemaNode[] {
    if (!found.has(this.key)) {
      found.set(this.key, this);
      const all = this.subschemas().filter(({ keyword }) => keyword === "allOf");
      for (const part of [...this.references(), ...all.map(({ place }) => this.at(place))]) part.parts(found);
    }
    return [...found.values()];
  }

  /** Returns the schemas of a property, of this schema and of those that apply besides. */
  property(name: string): SchemaNode[] {
    return this.parts().flatMap((part) => {
      const properties = part.schema.properties as object | undefined;
      return properties !== undefined && Object.hasOwn(properties, name)
        ? [part.at(`properties/${escapeToken(name)}`)]
        : [];
    });
  }
}

function removeKeywords(schema: SchemaObject, ignored: ReadonlySet<string> | undefined): SchemaObject {
  if (ignored === undefined) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ignored.has(keyword)));
}
