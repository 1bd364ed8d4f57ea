// Names that openapi-typescript can't read: it finds `valueOf` in the prototype of objects, and decodes `%` twice.
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Replaces such names by others while a document is read, and puts them back into the text that was made of it. */
export class SafeNames {
  readonly #names: string[] = [];

  /** Returns a document with replaced names: of members, parameters, operations and in references. */
  replaceIn(value: Json, key = ""): Json {
    if (Array.isArray(value)) return value.map((item) => this.replaceIn(item, key === "required" ? "name" : ""));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [this.#replace(name), this.replaceIn(member, name)]),
      );
    if (typeof value !== "string") return value;
    if (key === "$ref")
      return value
        .split("/")
        .map((part) => this.#replacePart(part))
        .join("/");
    return key === "name" || key === "operationId" ? this.#replace(value) : value;
  }

  /** Returns a text with the original names. */
  restoreIn(text: string): string {
    return text.replace(/name-(\d+)-(?=")/g, (found, index) => {
      const name = this.#names[index];
      return name === undefined ? found : JSON.stringify(name).slice(1, -1);
    });
  }

  // A part of a JSON pointer in a URI.
  #replacePart(part: string): string {
    const name = decodeURIComponent(part);
    const safe = this.#replace(name);
    return safe === name ? part : safe;
  }

  // With a character that needs quotes in TypeScript, because the name can need them.
  #replace(name: string): string {
    if (!(name in Object.prototype || name.includes("%"))) return name;
    const index = this.#names.indexOf(name);
    return `name-${index < 0 ? this.#names.push(name) - 1 : index}-`;
  }
}
