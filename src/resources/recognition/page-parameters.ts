// The parameters of a list that select a page, by their usual names.
import type { Operation } from "../../openapi/index.ts";
import { meaningOf, type PageRole, pageParameterNames } from "../record/name-tables.ts";
import type { RecordSchema } from "../record/record-schema.ts";
import { createArgumentCheck, queryOf } from "./bodies-and-parameters.ts";

// Like those of the server, whose form the schema of a cursor must allow.
const exampleCursor = Buffer.alloc(16, 5).toString("base64url");

/**
 * Returns what a parameter of a list selects; undefined if it selects no page. A property with its name is a filter, and a cursor must be
 * a text of any form, or an id like `exampleId`.
 */
export function pageRoleOf(
  parameter: Operation["parameterParts"][number],
  record: RecordSchema,
  exampleId: unknown,
  list: Operation,
): PageRole | undefined {
  const { name } = parameter.value;
  if (name === "limit") return "limit";
  if (name !== "cursor" && record.propertyNames.includes(name)) return undefined;
  const role = name === "first" ? roleOfFirst(list) : meaningOf(pageParameterNames, name);
  if (role !== "cursor" && role !== "before") return role;
  return [exampleCursor, exampleId].some((one) => createArgumentCheck(parameter, record.document)(one))
    ? role
    : undefined;
}

// The offset of Keycloak, beside `max`; or the limit of Relay, beside `after`.
function roleOfFirst(list: Operation): PageRole | undefined {
  const has = (name: string) => queryOf(list).some(({ value }) => value.name === name);
  return has("max") ? "offset" : has("after") || has("before") ? "limit" : undefined;
}

/** The parameters of a list that select a page. Of each role, the first. */
export interface PageParameters extends Readonly<Partial<Record<PageRole, string>>> {
  /** Whether the cursor is the id of the last record of a page. */
  readonly isIdCursor: boolean;
  /** The number of the first page. */
  readonly firstPage: number;
  /** The default of the limit if it is no number of records, such as -1: the server chooses the limit. */
  readonly anyLimit?: number;
}

/** Reads the parameters of a list that select a page. */
export function readPageParameters(list: Operation, record: RecordSchema, exampleId: unknown): PageParameters {
  const found: Partial<Record<PageRole, string>> = {};
  let firstPage = 1;
  let isIdCursor = false;
  let anyLimit: number | undefined;
  for (const part of list.parameterParts) {
    const { in: location, name } = part.value;
    const role = location === "query" ? pageRoleOf(part, record, exampleId, list) : undefined;
    if (role === undefined || found[role] !== undefined) continue;
    found[role] = name;
    if (role === "page") firstPage = firstPageOf(part);
    if (role === "limit") anyLimit = [schemaOf(part).default].find((one) => Number(one) < 0) as number | undefined;
    if (role === "cursor")
      isIdCursor = name === "starting_after" || !createArgumentCheck(part, record.document)(exampleCursor);
  }
  return { ...found, isIdCursor, firstPage, ...(anyLimit !== undefined && { anyLimit }) };
}

function schemaOf(parameter: Operation["parameterParts"][number]): Readonly<Record<string, unknown>> {
  return Object(parameter.at("schema")?.value);
}

// A default or minimum of 0 tells that pages are counted from 0.
function firstPageOf(parameter: Operation["parameterParts"][number]): number {
  const { default: first, minimum } = schemaOf(parameter);
  return first === 0 || minimum === 0 ? 0 : 1;
}
