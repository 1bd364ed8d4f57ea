// How a client sends the arrays and objects of queries, as options of openapi-fetch.
import type { Document } from "../document/document.ts";

/**
 * Returns the option `querySerializer` of openapi-fetch, by method and path. It has one style for all arrays, and one for all objects:
 * operations whose parameters have several are left out.
 */
export function listQueryStyles({ operations, schemas }: Document): Readonly<Record<string, object>> {
  const entries = operations.flatMap(({ method, path, parameterParts }) => {
    const styles = parameterParts.flatMap((part) => {
      const { in: location, style = "form", explode = style === "form" } = part.value;
      const schema = location === "query" ? part.written("schema") : undefined;
      const types = schema && schemas.shapeAt(schema.pointer).types;
      return (["array", "object"] as const).flatMap((kind) => (types?.has(kind) ? [[kind, { style, explode }]] : []));
    });
    const { size } = new Set(styles.map((one) => JSON.stringify(one)));
    const options = Object.fromEntries(styles);
    return size > 0 && size === Object.keys(options).length ? [[`${method} ${path}`, options] as const] : [];
  });
  return Object.fromEntries(entries);
}
