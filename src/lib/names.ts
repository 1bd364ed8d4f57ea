// Names in the forms of other conventions.

/** Returns a name in snake case: `perPage` and `per-page` are `per_page`. */
export function toSnakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/g, "_").toLowerCase();
}
