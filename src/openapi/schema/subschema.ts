// The schemas in the values of keywords.
import type { Schema, SchemaObject } from "../source/document-types.ts";

/**
 * What the subschemas of a keyword apply to:
 * - `whole`: to the value itself
 * - `reference`: to the value itself; the value of the keyword leads to the schema
 * - `alternative`: to the value itself, which need not match each of them
 * - `branch`: to the value itself, under a condition
 * - `test`: to the value itself, which need not match
 * - `member`: to the members of an object or array
 * - `name`: to the names of an object
 * - `nothing`: only to what refers to them
 */
export type Application = "whole" | "reference" | "alternative" | "branch" | "test" | "member" | "name" | "nothing";

/** A schema in the value of a keyword. */
export interface Subschema {
  readonly keyword: string;
  /** The name or index behind the keyword; undefined if the keyword has one schema. */
  readonly key: string | undefined;
  readonly schema: Schema;
}

/** Returns the schemas that are direct parts of a schema: all, or those that apply to something. Ignores invalid keywords. */
export type ListSubschemas = (schema: SchemaObject, applications?: ReadonlySet<Application>) => Subschema[];
