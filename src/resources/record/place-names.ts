// The names under which an export has what a record does not say: where it is. They are names of no property.
import type { RecordSchema } from "./record-schema.ts";

const reservedName = /^@+(scope|id)$/;

/** The names of the members of an exported record that are not its own. */
export class PlaceNames {
  /** The name of the member with the scope, such as `acme/7`; undefined for a collection without scopes. */
  readonly scope: string | undefined;
  /** The name of the member with an id that only the path has; undefined if a record has its id. */
  readonly id: string | undefined;
  /** Those that are not undefined. */
  readonly all: readonly string[];
  readonly #record: RecordSchema;

  constructor(
    record: RecordSchema,
    newRecord: RecordSchema,
    { isScoped, hasId }: { readonly isScoped: boolean; readonly hasId: boolean },
  ) {
    const nameOf = (name: string): string =>
      [record, newRecord].some(({ propertyNames }) => propertyNames.includes(name)) ? nameOf(`@${name}`) : name;
    this.scope = isScoped ? nameOf("@scope") : undefined;
    this.id = hasId ? undefined : nameOf("@id");
    this.all = [this.scope, this.id].filter((name) => name !== undefined);
    this.#record = record;
  }

  /** Escapes the name of a member for an export, so that it differs from these. */
  escape(name: string): string {
    const isTaken = reservedName.test(name) && !this.#record.propertyNames.includes(name);
    return isTaken && this.all.length > 0 ? `@${name}` : name;
  }

  /** Reverses `escape`. */
  unescape(name: string): string {
    const own = name.slice(1);
    const isEscaped = reservedName.test(own) && !this.#record.propertyNames.includes(name);
    return isEscaped && this.all.length > 0 ? own : name;
  }
}
