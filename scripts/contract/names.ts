// The names that generated clients have, and that callers do not send: of schemas and path parameters.
import type { Document } from "../../src/openapi/index.ts";
import { find, type Json, parsePointer } from "../json-pointer.ts";
import type { Change } from "./compare.ts";

/** Returns the names of the earlier version that are gone. */
export function compareNames(old: Document, revised: Document): Change[] {
  const remaining = old.operations.flatMap((operation) => {
    const { method, template } = operation;
    const after = revised.operations.find((one) => one.method === method && one.template.key === template.key);
    return after ? [{ operation, after }] : [];
  });
  const renamed = remaining.flatMap(({ operation, after }) =>
    operation.template.names.flatMap((name, index): Change[] => {
      const other = after.template.names[index] as string;
      const location = `${after.id}, path parameter \`${other}\``;
      const description = `\`name\` changed from "${name}" to "${other}".`;
      return name === other ? [] : [{ impact: "major", location, description }];
    }),
  );
  const used = findUsed(
    old.content as unknown as Json,
    remaining.map(({ operation }) => operation.part.value),
  );
  const schemas = Object.keys(old.content.components?.schemas ?? {}).flatMap((name): Change[] => {
    const isGone = used.has(`#/components/schemas/${name}`) && !revised.content.components?.schemas?.[name];
    return isGone ? [{ impact: "major", location: `schema \`${name}\``, description: "Removed." }] : [];
  });
  return [...renamed, ...schemas];
}

// Returns the references of these parts, direct and indirect ones.
function findUsed(document: Json, parts: readonly unknown[]): ReadonlySet<string> {
  const used = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, reference = ""] of JSON.stringify(part ?? null).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (used.has(reference)) continue;
      used.add(reference);
      follow(find(document, parsePointer(reference)));
    }
  };
  follow(parts);
  return used;
}
