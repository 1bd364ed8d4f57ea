// Members that a schema requires, and forbids by additionalProperties: false.
import type { SchemaNode } from "../node.ts";

/** Returns whether `findForbiddenMember` can find one of this schema itself, and not only of one that it refers to. */
export function canForbidMembers({ schema }: SchemaNode): boolean {
  return schema.additionalProperties === false || Array.isArray(schema.required) || Array.isArray(schema.allOf);
}

/**
 * Returns a member that no object can have, although the schema requires it: `additionalProperties: false` applies besides, in the
 * same schema or one of `allOf` or `$ref`, without knowing it. Returns undefined if there is none.
 */
export function findForbiddenMember(node: SchemaNode): string | undefined {
  const parts = node.parts();
  const closed = parts.filter(({ schema }) => schema.additionalProperties === false);
  if (closed.length === 0) return undefined;
  const required = parts.flatMap(({ schema }) => (schema.required as readonly string[] | undefined) ?? []);
  return required.find((name) => closed.some((part) => part.property(name).length === 0));
}
