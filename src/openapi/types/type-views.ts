// The views of a schema: what a request has of it, and what a response (OpenAPI 3.1.1, section 4.8.24.1).

import { listReachable, type SchemaNode } from "../schema/node.ts";
import type { Schemas } from "../schema/schemas.ts";
import { isBinarySchema } from "../schema/shape.ts";

/** What a value belongs to: a response, the body of a request, or a form of a request, in which a field can be a file. */
export type View = "response" | "request" | "form";

const suffixes: Readonly<Record<View, string>> = { response: "", request: " (request)", form: " (form)" };

/**
 * Tells which schemas have several views. The name of a component is the type of responses, unless only requests have it. Names of other
 * views have a suffix that no component can have.
 */
export class TypeViews {
  readonly #schemas: Schemas;
  readonly #byResponses: ReadonlySet<unknown>; // the schemas that responses have
  readonly #byRequests: ReadonlySet<unknown>;
  readonly #differing = new Map<unknown, boolean>();

  /** `requests` and `responses` are the pointers of the schemas of their bodies. */
  constructor(schemas: Schemas, requests: readonly string[], responses: readonly string[]) {
    this.#schemas = schemas;
    this.#byRequests = this.#reach(requests);
    this.#byResponses = this.#reach(responses);
  }

  /** Returns the view that has the name of a component. */
  plainView(node: SchemaNode): View {
    return this.#byRequests.has(node.raw) && !this.#byResponses.has(node.raw) ? "request" : "response";
  }

  /** Returns what distinguishes the name of a view. */
  suffixOf(node: SchemaNode, view: View): string {
    return view === this.plainView(node) || !this.#differs(node) ? "" : suffixes[view];
  }

  /** Returns how a property is excluded from a view. */
  exclusionOf(property: SchemaNode, view: View): "absent" | "never" | undefined {
    const marker = view === "response" ? "writeOnly" : "readOnly";
    if (!property.parts().some(({ schema }) => schema[marker] === true)) return undefined;
    return view === "response" ? "never" : "absent"; // a handler must not return it, and can't read it
  }

  // Whether a schema, or one that it refers to, has another type in another view.
  #differs(node: SchemaNode): boolean {
    return findReachable(node, this.#differing, ({ schema }) => {
      const { readOnly, writeOnly, type } = schema;
      return readOnly === true || writeOnly === true || ([type].flat().includes("string") && isBinarySchema(schema));
    });
  }

  #reach(pointers: readonly string[]): Set<unknown> {
    const starts = pointers.map((pointer) => this.#schemas.at(pointer));
    return new Set(listReachable(starts).map(({ raw }) => raw));
  }
}

/**
 * Returns whether a schema, or one that it has or refers to, at any depth, is one of those that are searched. `known` has the results of
 * earlier calls.
 */
export function findReachable(
  node: SchemaNode,
  known: Map<unknown, boolean>,
  isSearched: (node: SchemaNode) => boolean,
): boolean {
  const result = known.get(node.raw);
  if (result !== undefined) return result;
  const reached: unknown[] = [];
  for (const part of listReachable([node])) {
    if (isSearched(part)) {
      known.set(node.raw, true);
      return true;
    }
    reached.push(part.raw);
  }
  for (const raw of reached) known.set(raw, false);
  return false;
}
