// The options of `Schemas`.
import type { Formats } from "./ajv.ts";
import type { Upgrade } from "./dialect.ts";
import type { SchemaObject } from "./schema-keywords.ts";

/** Called with the place of a part that would not be enforced. The reason completes "The schema at /components/… …". */
export type ReportSchema = (pointer: string, reason: string) => void;

/** The options of `Schemas.add`. */
export interface CheckOptions {
  readonly report: ReportSchema;
  /** Called for each specification extension. */
  readonly onExtension?: ((name: string, schema: SchemaObject, pointer: string) => void) | undefined;
}

/** The options of `Schemas`. */
export interface SchemasOptions {
  /** Converts a schema of an earlier dialect. */
  readonly upgrade?: Upgrade | undefined;
  /** Formats of strings besides those of JSON Schema and OpenAPI. */
  readonly formats?: Formats | undefined;
  /** Skips the check of regular expressions, which can load RE2 (10 to 30 ms). Only for a document that was checked before. */
  readonly skipPatternCheck?: boolean;
}
