// The parameters of a list that select a page, by their usual names.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation } from "../../../openapi/index.ts";
import { meaningOf } from "../../names/meaning.ts";
import {
  type PageRole,
  pageParameterNames,
  pairedPageNames,
  spokenAll,
  spokenFirstPage,
  spokenLimit,
  spokenMaximum,
  spokenRange,
} from "../../names/page-names.ts";
import type { RecordSchema } from "../../record/record-schema.ts";
import { createArgumentCheck, descriptionOf, queryOf } from "../bodies-and-parameters.ts";

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
  const { type, description } = Object(parameter.at("schema")?.value) as Readonly<Record<string, unknown>>;
  if (type === "boolean") return undefined;
  const others = queryOf(list).map(({ value }) => toSnakeCase(value.name));
  const paired = pairedPageNames.find(
    ([one, beside, role]) =>
      one === name && others.some((other) => beside.test(other)) && !(role === "offset" && type === "string"), // such as a day
  );
  const isUnpaired = paired === undefined && pairedPageNames.some(([one]) => one === name);
  const named = isUnpaired ? undefined : (paired?.[2] ?? meaningOf(pageParameterNames, name));
  const words = `${description} ${(parameter.value as { readonly description?: unknown }).description}`;
  // Asana's is the token of the next page.
  const role = named === "offset" && type === "string" && /token|opaque/i.test(words) ? "cursor" : named;
  if (role !== "cursor" && role !== "before") return role;
  return [exampleCursor, exampleId].some((one) => createArgumentCheck(parameter, record.document)(one))
    ? role
    : undefined;
}

/** The parameters of a list that select a page. Of each role, the first. */
export interface PageParameters extends Readonly<Partial<Record<PageRole, string>>> {
  /** Whether the cursor is the id of the last record of a page. */
  readonly isIdCursor: boolean;
  /** The number of the first page. */
  readonly firstPage: number;
  /** The offset of the first record: 1 in SCIM (RFC 7644, section 3.4.2.4). */
  readonly firstOffset: number;
  /** The default of the limit if it is no number of records, such as -1: the server chooses the limit. */
  readonly anyLimit?: number;
  /** The limit that selects all records, as its description says. */
  readonly allLimit?: number;
  /** The lowest limit that the document declares, if it is negative. */
  readonly minLimit?: number;
  /** The default of the limit, if only its description says it. */
  readonly usualLimit?: number;
  /** The highest limit, if the document declares one, or its description says it. */
  readonly maxLimit?: number;
}

/** Reads the parameters of a list that select a page. */
export function readPageParameters(list: Operation, record: RecordSchema, exampleId: unknown): PageParameters {
  const found: Partial<Record<PageRole, string>> = {};
  let [firstPage, firstOffset] = [1, 0];
  let isIdCursor = false;
  let limits: Limits = {};
  for (const part of list.parameterParts) {
    const { in: location, name } = part.value;
    const role = location === "query" ? pageRoleOf(part, record, exampleId, list) : undefined;
    if (role === undefined || found[role] !== undefined) continue;
    found[role] = name;
    if (role === "page") firstPage = firstPageOf(part);
    if (role === "offset") firstOffset = firstOffsetOf(part, list);
    if (role === "limit") limits = readLimits(part);
    if (role === "cursor")
      isIdCursor = name === "starting_after" || !createArgumentCheck(part, record.document)(exampleCursor);
  }
  return { ...found, isIdCursor, firstPage, firstOffset, ...limits };
}

type Limits = Pick<PageParameters, "anyLimit" | "allLimit" | "minLimit" | "usualLimit" | "maxLimit">;

// What the document says of the values of a limit.
function readLimits(part: Operation["parameterParts"][number]): Limits {
  const { default: usual, minimum, maximum } = schemaOf(part);
  const words = descriptionOf(part);
  const phrases = words.split(/[.;,]\s|\(/);
  const spoken = (pattern: RegExp, texts = [words]) => {
    const numbers = texts.flatMap((text) => pattern.exec(text)?.[1] ?? []);
    return Number(numbers[0]?.replace(",", "")) || undefined;
  };
  const limits = {
    anyLimit: Number(usual) < 0 ? usual : undefined,
    allLimit: spokenAll.test(words) ? -1 : undefined,
    minLimit: Number(minimum) < 0 ? minimum : undefined,
    maxLimit: maximum ?? spoken(spokenMaximum, phrases) ?? spoken(spokenRange),
    usualLimit: spoken(spokenLimit),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, one]) => one !== undefined));
}

function schemaOf(parameter: Operation["parameterParts"][number]): Readonly<Record<string, unknown>> {
  return Object(parameter.at("schema")?.value);
}

// A default or minimum of 0 tells that pages are counted from 0.
function firstPageOf(parameter: Operation["parameterParts"][number]): number {
  const { default: first, minimum } = schemaOf(parameter);
  return first === 0 || (minimum === 0 && !spokenFirstPage.test(descriptionOf(parameter))) ? 0 : 1;
}

// A default or minimum of 1 tells that records are counted from 1, as in SCIM beside `count`.
function firstOffsetOf(parameter: Operation["parameterParts"][number], list: Operation): number {
  const { default: first, minimum } = schemaOf(parameter);
  const isOfScim = parameter.value.name === "startIndex" && queryOf(list).some(({ value }) => value.name === "count");
  return first === 1 || minimum === 1 || (isOfScim && first === undefined && minimum === undefined) ? 1 : 0;
}
