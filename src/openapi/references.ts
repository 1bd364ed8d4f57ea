// Resolves the references of schemas: JSON pointers, $id, $anchor and $dynamicAnchor (JSON Schema 2020-12, section 8.2).
import { decodeFragment, type Part, referenceOf } from "./part.ts";
import type { SchemaObject } from "./schema-keywords.ts";

const documentUri = "document:///";

/**
 * The dynamic anchors of the schema resources that an evaluation has entered: the pointer of the outermost schema of each
 * name. Empty in almost all documents.
 */
export type DynamicScope = ReadonlyMap<string, string>;

/** A schema at a place of the document, in a dynamic scope. */
export interface Target {
  readonly pointer: string;
  readonly scope: DynamicScope;
}

interface Resource {
  readonly pointer: string;
  /** The pointers of its anchors, by name. */
  readonly anchors: Map<string, string>;
  readonly dynamicAnchors: Map<string, string>;
}

/** The schema resources of a document: the document itself, and each schema with an $id. */
export class References {
  readonly #root: Part;
  readonly #resources = new Map<string, Resource>([[documentUri, createResource("")]]); // by URI
  readonly #uris = new Map<string, string>(); // by the pointer of a schema with an $id
  readonly #dynamicNames = new Set<string>(); // of the anchors that a $dynamicRef leads to
  readonly #dialects = new Map<string, string>(); // by the pointer of a schema with a $schema

  constructor(root: Part) {
    this.#root = root;
  }

  /** Adds the $id and the anchors of a schema. Call it for each schema, parents first, before others are resolved. */
  add({ $id, $schema, $anchor, $dynamicAnchor, $dynamicRef }: SchemaObject, pointer: string): void {
    if (typeof $dynamicRef === "string") this.#dynamicNames.add($dynamicRef.slice($dynamicRef.indexOf("#") + 1));
    if (typeof $schema === "string") this.#dialects.set(pointer, $schema);
    if (typeof $id === "string") {
      const uri = resolveUri($id, this.#uriOf(pointer)).uri;
      if (this.#resources.has(uri)) throw new Error(`The document has two schemas with the $id ${$id}.`);
      this.#resources.set(uri, createResource(pointer));
      this.#uris.set(pointer, uri);
    }
    if ($anchor === undefined && $dynamicAnchor === undefined) return;
    const { anchors, dynamicAnchors } = this.#resourceOf(pointer);
    if (typeof $anchor === "string") anchors.set($anchor, pointer);
    if (typeof $dynamicAnchor === "string") {
      anchors.set($dynamicAnchor, pointer);
      dynamicAnchors.set($dynamicAnchor, pointer);
    }
  }

  /** Returns the pointer that a $ref in the schema at `pointer` leads to. Throws an Error if it leads to nothing. */
  resolve(reference: string, pointer: string): string {
    // The common case, without a URI.
    if (this.#uris.size === 0 && /^#(\/|$)/.test(reference))
      return this.#root.find(referenceOf({ $ref: reference }) as string, pointer).pointer;
    const { uri, fragment } = resolveUri(reference, this.#uriOf(pointer));
    const resource = this.#resources.get(uri);
    const anchor = resource?.anchors.get(fragment);
    if (anchor !== undefined) return anchor;
    if (resource === undefined || !/^(\/|$)/.test(fragment))
      throw new Error(
        `The schema at ${pointer} has the reference ${reference}, which leads to nothing in the document. References to other documents must be relative paths of files.`,
      );
    return this.#root.find(resource.pointer + fragment, pointer).pointer;
  }

  /** Returns the schema that a $ref leads to, and enters its resource. */
  follow(reference: string, { pointer, scope }: Target): Target {
    return this.enter({ pointer: this.resolve(reference, pointer), scope });
  }

  /** Returns the schema that a $dynamicRef leads to: the outermost with its $dynamicAnchor, if there is one. */
  followDynamic(reference: string, { pointer, scope }: Target): Target {
    const initial = this.resolve(reference, pointer);
    const name = reference.slice(reference.indexOf("#") + 1);
    const isDynamic = this.#resourceOf(initial).dynamicAnchors.get(name) === initial;
    return this.enter({ pointer: (isDynamic && scope.get(name)) || initial, scope });
  }

  /** Adds the dynamic anchors of the schema's resource to its scope. Those of outer resources take precedence. */
  enter({ pointer, scope }: Target): Target {
    const { dynamicAnchors } = this.#resourceOf(pointer);
    const added = [...dynamicAnchors].filter(([name]) => !scope.has(name) && this.#dynamicNames.has(name));
    return { pointer, scope: added.length > 0 ? new Map([...scope, ...added]) : scope };
  }

  /**
   * Returns the dialect that a schema declares: the closest $schema around it, or else the `jsonSchemaDialect` of the document.
   * Undefined for that of OpenAPI.
   */
  dialectOf(pointer: string): string | undefined {
    const { jsonSchemaDialect } = this.#root.value as { readonly jsonSchemaDialect?: string };
    return findClosest(this.#dialects, pointer) ?? jsonSchemaDialect;
  }

  #resourceOf(pointer: string): Resource {
    return this.#resources.get(this.#uriOf(pointer)) as Resource;
  }

  #uriOf(pointer: string): string {
    return findClosest(this.#uris, pointer) ?? documentUri;
  }
}

// The value of the closest place around a pointer.
function findClosest(values: ReadonlyMap<string, string>, pointer: string): string | undefined {
  if (values.size === 0) return undefined; // in almost all documents
  for (let place = pointer; place !== ""; place = place.slice(0, place.lastIndexOf("/"))) {
    const value = values.get(place);
    if (value !== undefined) return value;
  }
  return undefined;
}

function createResource(pointer: string): Resource {
  return { pointer, anchors: new Map(), dynamicAnchors: new Map() };
}

function resolveUri(reference: string, base: string): { uri: string; fragment: string } {
  if (!URL.canParse(reference, base))
    throw new Error(`The document has the reference ${reference}, which is not a URI.`);
  const [uri = "", fragment = ""] = new URL(reference, base).href.split("#");
  return { uri, fragment: decodeFragment(fragment) };
}
