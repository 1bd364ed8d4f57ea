// The schemas of a document as JSON Schema 2020-12 of their own: what they refer to is in $defs, and recursion is kept.
import { getOrAdd, isObject, setOwn, shorten, toJson } from "../lib/index.ts";
import type { SchemaNode } from "../openapi/index.ts";

export type JsonSchema = Record<string, unknown>;

/** Who sends a value. Members that only the other side sends are left out. */
export type Sender = "client" | "server";

const hiddenMarks = { client: "readOnly", server: "writeOnly" } as const;
const maxDefinitions = 200; // those of some documents would be most of them
const maxNote = 500; // characters
const rules =
  /^(type|enum|const|format|pattern|multipleOf|required|dependentRequired|uniqueItems|contentEncoding|(min|max)\w+|exclusiveM(in|ax)imum)$/;
const notes = /^(description|default|deprecated)$/;
const unused = /^(\$defs|contentSchema)$/; // $defs has what references lead to
const inPlace = /^(allOf|anyOf|oneOf|not|if|then|else)$/;

/** How much of a schema is written: with descriptions, and down to a depth, below which any value is described. */
const details = [
  { hasNotes: true, depth: Number.POSITIVE_INFINITY },
  ...[Number.POSITIVE_INFINITY, 4, 2, 1, 0].map((depth) => ({ hasNotes: false, depth })),
];

/** Returns a text of the document for a model: without characters that nobody sees, and not longer than `length`. */
export function toNote(text: unknown, length = maxNote): string {
  return shorten(`${text}`.replace(/[^\P{C}\n\t]/gu, "").trim(), length);
}

/** Returns the schema that `write` creates, with $defs, and with as many details as `maxLength` characters of JSON can have. */
export function writeSchema(
  sender: Sender,
  maxLength: number,
  write: (writer: SchemaWriter) => JsonSchema | boolean,
): JsonSchema {
  let schema: JsonSchema = {};
  for (const detail of details) {
    const writer = new SchemaWriter(sender, detail);
    const written = write(writer);
    schema = { type: "object", ...(isObject(written) && written), ...writer.finish() };
    if (!writer.isCut && toJson(schema).length <= maxLength) break;
  }
  return schema;
}

/** Writes schemas that share their $defs. */
export class SchemaWriter {
  /** Whether it has more definitions than it writes. */
  isCut = false;
  readonly #sender: Sender;
  readonly #detail: (typeof details)[number];
  readonly #names = new Map<unknown, string>();
  readonly #waiting: { readonly name: string; readonly node: SchemaNode; readonly depth: number }[] = [];

  constructor(sender: Sender, detail: (typeof details)[number]) {
    this.#sender = sender;
    this.#detail = detail;
  }

  get hasNotes(): boolean {
    return this.#detail.hasNotes;
  }

  /** Returns the schema at a place, or with `isOwn`, without what it refers to and combines. */
  write(node: SchemaNode, depth = 0, isOwn = false): JsonSchema | boolean {
    const { schema } = node;
    if (depth > this.#detail.depth) return {};
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    const written: JsonSchema = {};
    for (const [keyword, value] of Object.entries(schema))
      if (rules.test(keyword) && (keyword !== "pattern" || isPattern(value))) written[keyword] = value;
      else if (this.#detail.hasNotes && notes.test(keyword))
        written[keyword] = keyword === "description" ? toNote(value) : value;
    if (schema.format === "binary") Object.assign(written, { format: undefined, contentEncoding: "base64" });
    const hidden = this.hiddenMembers(node);
    const required = [schema.required ?? []].flat().filter((name) => !hidden.has(`${name}`));
    written.required = required.length > 0 ? required : undefined;
    for (const { keyword, key, node: child } of node.children()) {
      if (unused.test(keyword) || (keyword === "properties" && hidden.has(key))) continue;
      if (isOwn && keyword === "allOf") continue;
      const part = this.write(child, inPlace.test(keyword) ? depth : depth + 1);
      if (Array.isArray(schema[keyword])) written[keyword] = [...((written[keyword] as unknown[]) ?? []), part];
      else if (schema[keyword] === child.raw) written[keyword] = part;
      else {
        written[keyword] ??= {};
        setOwn(written[keyword] as object, key, part);
      }
    }
    const references = (isOwn ? [] : node.references()).map((target) => this.#refer(target, depth));
    if (references.length > 1) written.allOf = [...((written.allOf as unknown[]) ?? []), ...references];
    return Object.fromEntries(
      Object.entries({ ...written, ...(references.length === 1 && references[0]) }).filter(
        ([, value]) => value !== undefined,
      ),
    );
  }

  /** Returns the names of the members of an object that its sender must not send. */
  hiddenMembers(node: SchemaNode): ReadonlySet<string> {
    if (!node.hasMarkers) return new Set();
    const mark = hiddenMarks[this.#sender];
    const members = node.parts().flatMap((part) => part.childrenOf("properties"));
    const hidden = members.filter(({ node: member }) => member.parts().some(({ schema }) => schema[mark] === true));
    return new Set(hidden.map(({ key }) => key));
  }

  #refer(node: SchemaNode, depth: number): JsonSchema {
    const name = getOrAdd(this.#names, node.identity, () => {
      const word = (node.pointer.split("/").at(-1) as string).replace(/\W+/g, "_") || "root";
      let free = word;
      const taken = new Set(this.#names.values());
      for (let number = 2; taken.has(free); number++) free = `${word}${number}`;
      this.#waiting.push({ name: free, node, depth });
      return free;
    });
    return { $ref: `#/$defs/${name}` };
  }

  /** Returns the definitions. */
  finish(): { readonly $defs?: JsonSchema } {
    const definitions: JsonSchema = {};
    // The list grows while it is read.
    for (const { name, node, depth } of this.#waiting) {
      this.isCut ||= this.#waiting.length > maxDefinitions;
      definitions[name] = this.isCut ? {} : this.write(node, depth);
    }
    return this.#waiting.length > 0 ? { $defs: definitions } : {};
  }
}

// Clients compile it without the extensions that the server knows.
function isPattern(value: unknown): boolean {
  try {
    return Boolean(new RegExp(`${value}`, "u"));
  } catch {
    return false;
  }
}
