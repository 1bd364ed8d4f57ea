// Where the schemas of a document are, and where their references lead (JSON Schema 2020-12, sections 8.2 and 9).
import { getOrAdd } from "../../lib/index.ts";
import type { Schema, SchemaObject } from "../source/document-types.ts";
import {
  countReference,
  decodeFragment,
  escapeToken,
  isReferenceWithout,
  memberOf,
  unescapeToken,
} from "../source/part.ts";
import type { Upgrade } from "./dialect.ts";
import type { ListSubschemas, Marker } from "./value-forms.ts";

/** The place of a schema. */
export interface Place {
  /** The schema as it is written. */
  readonly raw: unknown;
  readonly pointer: string;
  /** The document, or the schema with an $id that contains it. */
  readonly resource: Resource;
  /** The closest $schema, or else the dialect of the document; undefined for that of OpenAPI. */
  readonly dialect: string | undefined;
}

/** The document, or a schema with an $id. */
export interface Resource {
  readonly uri: string;
  readonly place: Omit<Place, "resource">;
  readonly anchors: Map<string, Place>;
  readonly dynamicAnchors: Map<string, Place>;
}

/**
 * The dynamic anchors of the resources that an evaluation has entered: the outermost schema of each name. Empty in almost all
 * documents.
 */
export type Scope = ReadonlyMap<string, Place>;

const documentUri = "document:///";
const nothing = "leads to nothing in the document";

export class SchemaDocument {
  /** Whether a schema is read-only or write-only. */
  readonly markers = new Set<Marker>();
  /** Whether a schema has a default. */
  hasDefaults = false;
  readonly listSubschemas: ListSubschemas;
  readonly #upgrade: Upgrade;
  readonly #root: Resource;
  readonly #resources = new Map<string, Resource>(); // by URI
  readonly #resourceOf = new Map<unknown, Resource>(); // by the schema with the $id
  readonly #ignored = new Map<unknown, Set<string>>(); // keywords, by schema
  readonly #dynamicNames = new Set<string>(); // of the anchors that a $dynamicRef leads to
  readonly #identities = new Map<unknown, Map<string, object>>(); // by schema and the text of its scope
  readonly #targets = new Map<string, Place>(); // of references by pointer

  /** `listSubschemas` is that of the vocabulary. */
  constructor(root: unknown, upgrade: Upgrade, listSubschemas: ListSubschemas) {
    this.#upgrade = upgrade;
    this.listSubschemas = listSubschemas;
    const { jsonSchemaDialect: dialect, $self } = root as {
      readonly jsonSchemaDialect?: string;
      readonly $self?: string;
    };
    const uri = URL.parse($self ?? "", documentUri)?.href ?? documentUri; // OpenAPI 3.2
    this.#root = this.#addResource(uri, { raw: root, pointer: "", dialect });
  }

  #addResource(uri: string, place: Resource["place"]): Resource {
    if (this.#resources.has(uri))
      throw new Error(`The document has two schemas with the $id ${uri.replace(documentUri, "")}.`);
    const resource = { uri, place, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }

  /**
   * Adds the $id and the anchors of a schema. Call it for each schema, parents first, before others are resolved. `schema` has the
   * keywords that are enforced.
   */
  add({ raw, pointer, resource: outer, dialect }: Place, schema: SchemaObject): void {
    const { $id, $anchor, $dynamicAnchor, $dynamicRef, readOnly, writeOnly } = schema;
    if (readOnly === true) this.markers.add("readOnly");
    if (writeOnly === true) this.markers.add("writeOnly");
    this.hasDefaults ||= schema.default !== undefined;
    if (typeof $dynamicRef === "string") this.#dynamicNames.add($dynamicRef.slice($dynamicRef.indexOf("#") + 1));
    if (typeof $id === "string")
      this.#resourceOf.set(raw, this.#addResource(resolveUri($id, outer.uri).uri, { raw, pointer, dialect }));
    const place = this.enter({ raw, pointer, resource: outer, dialect });
    const { anchors, dynamicAnchors } = place.resource;
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === "string") anchors.set(name, place);
    if (typeof $dynamicAnchor === "string") dynamicAnchors.set($dynamicAnchor, place);
  }

  /** Leaves out keywords of a schema that can't be enforced. */
  ignore(raw: unknown, ...keywords: readonly string[]): void {
    const ignored = getOrAdd(this.#ignored, raw, () => new Set());
    for (const keyword of keywords) ignored.add(keyword);
  }

  /** Returns the keywords of a schema that are enforced. */
  read(raw: unknown): SchemaObject {
    if (typeof raw === "boolean") return raw ? {} : { enum: [] };
    if (typeof raw !== "object" || raw === null) return {};
    const schema = this.#upgrade(raw as SchemaObject);
    const ignored = this.#ignored.get(raw);
    if (ignored === undefined) return schema;
    return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ignored.has(keyword)));
  }

  /** Returns a place with the resource and the dialect that the schema itself declares. */
  enter(place: Place): Place {
    const resource = this.#resourceOf.size > 0 ? this.#resourceOf.get(place.raw) : undefined;
    const { $schema } = Object(place.raw) as { readonly $schema?: unknown };
    if (resource === undefined && typeof $schema !== "string") return place;
    const dialect = typeof $schema === "string" ? $schema : place.dialect;
    return { ...place, resource: resource ?? place.resource, dialect };
  }

  /** Returns the place of a subschema. `schema` has the keywords that are enforced. */
  below({ pointer, resource, dialect }: Place, schema: SchemaObject, keyword: string, key?: string | number): Place {
    const value = schema[keyword];
    if (key === undefined) return { raw: value, pointer: `${pointer}/${keyword}`, resource, dialect };
    const raw = (value as Record<string | number, unknown>)[key];
    return { raw, pointer: `${pointer}/${keyword}/${escapeToken(`${key}`)}`, resource, dialect };
  }

  /** Adds the dynamic anchors of a resource to a scope. Those of outer resources take precedence. */
  extend(scope: Scope, { dynamicAnchors }: Resource): Scope {
    if (dynamicAnchors.size === 0 || this.#dynamicNames.size === 0) return scope;
    const added = [...dynamicAnchors].filter(([name]) => !scope.has(name) && this.#dynamicNames.has(name));
    return added.length > 0 ? new Map([...scope, ...added]) : scope;
  }

  /**
   * Returns the identity of a schema in a scope: the schema itself without one. Not its pointer, which several schemas that are
   * not written in the document share.
   */
  identify(raw: unknown, scope: Scope): unknown {
    if (scope.size === 0) return raw;
    const text = JSON.stringify([...scope].map(([name, { pointer }]) => [name, pointer]));
    const identities = getOrAdd(this.#identities, raw, () => new Map());
    return getOrAdd(identities, text, () => ({}));
  }

  /** Returns the place of a schema that is not written in the document. */
  placeOf(schema: Schema): Place {
    return { ...this.#root.place, raw: schema, resource: this.#root };
  }

  /** Returns the place that a reference leads to. Throws an Error if it leads to no schema. */
  resolve(reference: string, from: Resource, passed = { count: 0 }): Place {
    const isPointer = /^#(\/|$)/.test(reference);
    const name = from.uri + reference;
    const known = isPointer ? this.#targets.get(name) : undefined;
    if (known) return known;
    const { uri, fragment } = isPointer
      ? { uri: from.uri, fragment: decodeFragment(reference.slice(1)) }
      : resolveUri(reference, from.uri);
    const resource = this.#resources.get(uri);
    if (resource === undefined) throw new Error(nothing);
    const place = resource.anchors.get(fragment) ?? this.find(fragment, false, resource, passed);
    if (isPointer) this.#targets.set(name, place);
    return place;
  }

  /**
   * Returns the place of the schema at a pointer, or with `isAny`, of anything. The pointer can lead through references, except that
   * of the resource itself. Throws an Error if there is none.
   */
  find(pointer: string, isAny = false, start = this.#root, passed = { count: 0 }): Place {
    if (!/^(\/|$)/.test(pointer)) throw new Error(nothing);
    let place: Place = { ...start.place, resource: start };
    for (const token of pointer.split("/").slice(1)) {
      const key = unescapeToken(token);
      while (place.raw !== start.place.raw && isReferenceWithout(place.raw, key)) {
        countReference(passed);
        place = this.resolve(place.raw.$ref, place.resource, passed);
      }
      place = this.enter({ ...place, raw: memberOf(place.raw, key), pointer: `${place.pointer}/${token}` });
    }
    const { raw } = place;
    if (!isAny && typeof raw !== "boolean" && (typeof raw !== "object" || raw === null || Array.isArray(raw)))
      throw new Error("leads to something that is not a schema");
    return place;
  }
}

function resolveUri(reference: string, base: string): { uri: string; fragment: string } {
  if (!URL.canParse(reference, base)) throw new Error("is not a URI");
  const [uri = "", fragment = ""] = new URL(reference, base).href.split("#");
  return { uri, fragment: decodeFragment(fragment) };
}
