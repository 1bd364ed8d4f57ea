// The hash of a schema: equal for documents that differ only in texts, examples and order.
import { hash } from "node:crypto";
import { canonicalJson } from "../../lib/index.ts";
import type { SchemaNode } from "../../openapi/index.ts";

const annotation = /^(title|description|default|examples?|deprecated|\$comment|externalDocs|xml)$/;

/** Returns the hash of a schema with all that it has and refers to. */
export function hashSchema(schema: SchemaNode): string {
  const reached = new Map<unknown, SchemaNode>([[schema.raw, schema]]); // grows while it is read
  const parts: unknown[] = [];
  for (const node of reached.values()) {
    const all = node.children();
    const children = all.filter((child) => typeof child.node.raw === "object");
    for (const next of [...node.references(), ...children.map((child) => child.node)])
      if (typeof next.raw === "object" && !reached.has(next.raw)) reached.set(next.raw, next);
    const listed = new Set(children.map(({ keyword }) => keyword));
    const own = Object.entries(node.schema).filter(([name]) => !listed.has(name) && !annotation.test(name));
    parts.push([node.pointer, Object.fromEntries(own)]);
    // Beside others, such as `additionalProperties: false`.
    for (const { keyword, key, node: child } of all)
      if (typeof child.raw !== "object") parts.push([`${node.pointer}/${keyword}/${key}`, child.raw]);
  }
  const texts = parts.map((part) => canonicalJson(part)).sort();
  return hash("sha256", texts.join("\n"), "hex").slice(0, 32);
}
