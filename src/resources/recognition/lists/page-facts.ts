// What a list responds with beside its records: totals, numbers of pages, links and the like, by type and usual name.

import { meaningOf } from "../../names/meaning.ts";
import { type PageFact, pageFactNames, responseNames, spokenStatus, statusNames } from "../../names/page-names.ts";
import { chooseValues } from "../../record/member-values.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import { itemSchemas } from "../../record/schema-nodes.ts";
import type { PageParameters } from "./page-parameters.ts";

/** What a list responds with about its page, beside the records. */
export interface PageFacts {
  readonly total: bigint | undefined;
  readonly count: number;
  readonly more: boolean;
  /** Whether there are records before the page. */
  readonly hasPrevious: boolean;
  /** The number of the first page. */
  readonly firstPage: number;
  /** The offset of the first record. */
  readonly firstOffset: number;
  /** The scheme and host of the request. */
  readonly origin: string;
  readonly links: PageUrls;
  /** The cursor of the next page; undefined if there is none. */
  readonly nextCursor: string | undefined;
  readonly limit: number;
  /** The highest limit that a request can have. */
  readonly maxLimit: number;
  /** The number of records before the page. */
  readonly offset: number;
  readonly page: number;
}

/** URLs of pages; undefined if there is none. */
export interface PageUrls {
  readonly self: string;
  readonly next: string | undefined;
  readonly previous: string | undefined;
  readonly first: string;
  /** The URL of the list, without a query. */
  readonly path: string;
  /** Returns the URL of a page by its number; undefined if pages have none. */
  readonly at: (page: number) => string | undefined;
}

const readers: Readonly<Record<PageFact, (facts: PageFacts) => unknown>> = {
  total: ({ total }) => total,
  count: ({ count }) => count,
  more: ({ more }) => more,
  self: ({ links }) => links.self,
  href: ({ links }) => links.self,
  next: ({ links }) => links.next,
  previous: ({ links }) => links.previous,
  first: ({ links }) => links.first,
  last: (facts) => facts.links.at(lastPageOf(facts)),
  path: ({ links }) => links.path,
  pageLinks: listPageLinks,
  from: ({ count, offset }) => (count > 0 ? offset + 1 : undefined),
  to: ({ count, offset }) => (count > 0 ? offset + count : undefined),
  isSuccess: () => true,
  limit: ({ limit }) => limit,
  maxLimit: ({ maxLimit }) => maxLimit,
  offset: ({ offset, firstOffset }) => offset + firstOffset,
  range: ({ count, offset, total }) => `items ${count > 0 ? `${offset}-${offset + count - 1}` : "*"}/${total}`,
  page: ({ page }) => page,
  nextCursor: ({ nextCursor }) => nextCursor,
  hasPrevious: ({ hasPrevious }) => hasPrevious,
  pages: countPages,
  lastPage: lastPageOf,
  nextPage: ({ more, page }) => (more ? page + 1 : undefined),
  previousPage: ({ page, firstPage }) => (page > firstPage ? page - 1 : undefined),
  isFirst: ({ hasPrevious }) => !hasPrevious,
  isLast: ({ more }) => !more,
  isEmpty: ({ count }) => count === 0,
};

// With limit=0, the page has only the total.
function countPages({ total = 0n, limit }: PageFacts): number {
  return limit === 0 ? 0 : Math.ceil(Number(total) / limit);
}

function lastPageOf(facts: PageFacts): number {
  return Math.max(countPages(facts), 1) - 1 + facts.firstPage;
}

// The buttons between pages: those before and after, and of the pages around this one.
function listPageLinks(facts: PageFacts): object[] {
  const { page, firstPage, links } = facts;
  const around = Array.from({ length: 7 }, (_, index) => page - 3 + index);
  const numbers = around.filter((number) => number >= firstPage && number <= lastPageOf(facts));
  return [
    { url: links.previous ?? null, label: "&laquo; Previous", active: false },
    ...numbers.map((number) => ({ url: links.at(number) ?? null, label: `${number}`, active: number === page })),
    { url: links.next ?? null, label: "Next &raquo;", active: false },
  ];
}

const factsOfAll: readonly (PageFact | undefined)[] = ["total", "range", "pages", "lastPage", "last", "pageLinks"];

// Names that are about the page only if another member is, too.
const weakFacts: readonly (PageFact | undefined)[] = ["first", "last", "path", "href", "from", "to"];

const factsOfEach: readonly (PageFact | undefined)[] = [undefined, "isSuccess"]; // also of what is no page

// Facts that are undefined on the first or the last page.
const edgeFacts: readonly (PageFact | undefined)[] = [
  ...(["next", "previous", "nextPage", "previousPage", "nextCursor", "last", "from", "to"] as const),
];

function findFact(name: string, types: readonly string[]): PageFact | undefined {
  return types.flatMap((type) => meaningOf(pageFactNames[type] ?? [], name) ?? [])[0];
}

// What each property of an object says about the page; undefined for those that say something else.
function findFacts(schema: RecordSchema): readonly (PageFact | undefined)[] {
  const types = schema.propertyNames.map((name) => typesOf(schema, name));
  const own = schema.propertyNames.map((name, index) => findFact(name, types[index] ?? []));
  const asIntegers = types.map((all) => all.map((type) => (type === "number" ? "integer" : type)));
  const likely = schema.propertyNames.map((name, index) => own[index] ?? findFact(name, asIntegers[index] ?? []));
  // A number alone, or beside integers, can be a sum.
  const isCounted =
    !types.flat().includes("integer") && likely.filter((fact) => !factsOfEach.includes(fact)).length > 1;
  const found = isCounted ? likely : own;
  // Beside the index of the last record, that of the first one counts from 1.
  return found.map((fact, index) => {
    const isIndex = fact === "offset" && /^start/i.test(schema.propertyNames[index] ?? "");
    return isIndex && found.includes("to") ? "from" : fact;
  });
}

/** A member of an object beside the records. */
export interface PageMember {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly fact?: PageFact;
  /** Whether a URL has a scheme and host. */
  readonly isAbsolute?: boolean;
  readonly nested?: readonly PageMember[];
  /** The value of a required member that says nothing about this page. */
  readonly fixed?: unknown;
}

/** Returns whether a member is required, and its value is not known. */
export function isUnknown({ isRequired, fact, nested, fixed }: PageMember): boolean {
  return nested?.some(isUnknown) ?? (isRequired && fact === undefined && fixed === undefined);
}

/** Returns whether a member needs the number of all records. */
export function readsTotal({ fact, nested = [] }: PageMember): boolean {
  return factsOfAll.includes(fact) || nested.some(readsTotal);
}

/**
 * Reads which members of an object beside its records say something about the page that parameters select. `records` is the member with
 * the records. `outer` are the objects around it, because a schema can contain itself.
 */
export function readPageMembers(
  schema: RecordSchema,
  parameters: Partial<PageParameters>,
  records?: string,
  outer: readonly RecordSchema[] = [],
): readonly PageMember[] {
  const { limit, cursor, offset, page } = parameters;
  const isNumbered = (offset ?? page) !== undefined;
  const hasNumbers = page !== undefined || (limit ?? cursor ?? offset) === undefined;
  const all = findFacts(schema);
  const isPage = all.some((fact) => !weakFacts.includes(fact) && !factsOfEach.includes(fact));
  const hasTotals = all.filter((fact) => fact === "total").length > 1;
  return schema.propertyNames.flatMap((name, index): PageMember[] => {
    if (name === records) return [];
    const [node] = schema.property(name);
    const types = typesOf(schema, name);
    const isRequired = schema.required.includes(name);
    const base = { name, isRequired, isNullable: types.includes("null") };
    const fact = all[index];
    if (fact === "total" && /^(count|results)$/i.test(name) && (hasTotals || !isNumbered))
      return [{ ...base, fact: "count" }];
    const isAbsolute = schema
      .property(name)
      .some(({ schema: { format, example } }) => format === "uri" || format === "url" || /^https?:/.test(`${example}`));
    const isMeant = fact === "pageLinks" ? hasButtons(schema, name) : isPage || !weakFacts.includes(fact);
    // Such as a time, without a number that selects the page.
    if ((fact === "nextPage" || fact === "previousPage") && !hasNumbers) return [base];
    if (fact && isMeant) {
      const needsValue = isRequired && !base.isNullable && edgeFacts.includes(fact);
      const fixed = needsValue ? ["", 0].find((one) => schema.accepts(name, one)) : undefined;
      return [{ ...base, fact, ...(isAbsolute && { isAbsolute }), ...(fixed !== undefined && { fixed }) }];
    }
    // Also alternatives, such as those of the first and the last page.
    const inner =
      node && (types.length === 0 || types.includes("object")) ? RecordSchema.of(schema.document, node) : undefined;
    const around = [...outer, schema];
    if (inner && !around.includes(inner)) {
      const nested = readPageMembers(inner, parameters, undefined, around);
      if (nested.some((member) => member.fact || member.nested)) return [{ ...base, nested }];
    }
    const success = successValue(schema, name);
    if (success !== undefined) return [{ ...base, fixed: success }];
    if (!isRequired) return [];
    return [{ ...base, fixed: chooseValues(schema, [name], { isSaid: true })[name]?.value }];
  });
}

function hasButtons(schema: RecordSchema, name: string): boolean {
  const [items] = itemSchemas(schema.property(name)) ?? [];
  const names = items ? RecordSchema.of(schema.document, items).propertyNames : [];
  return ["url", "label", "active"].every((one) => names.includes(one));
}

function typesOf(schema: RecordSchema, name: string): string[] {
  return schema.property(name).flatMap(({ schema: { type } }) => (type === undefined ? [] : [type].flat())) as string[];
}

/** Returns the value of a member that says that the response is a success: true, or its status. Undefined for another member. */
export function successValue(schema: RecordSchema, name: string, status = 200): unknown {
  const isStatus =
    meaningOf(statusNames, name) &&
    schema.property(name).some(({ schema: { description } }) => spokenStatus.test(`${description}`));
  const isSuccess = findFact(name, typesOf(schema, name)) === "isSuccess";
  const value = isSuccess || (isStatus && status);
  return value && schema.accepts(name, value) ? value : undefined;
}

/** Returns whether an object has an id of its own, so that it is no list. */
export function hasOwnId({ propertyNames }: RecordSchema): boolean {
  return propertyNames.some((name) => /^[_$]?id$/i.test(name));
}

/** Returns whether an object with an array is one thing, such as a basket with its products, and no list: by what it has beside the array. */
export function isThing(schema: RecordSchema): boolean {
  const { propertyNames } = schema;
  if (hasOwnId(schema)) return true;
  const sizeOf = (name: string) => schema.member(name)?.propertyNames.length ?? 0;
  const isOfPage = ({ name, fact, nested }: PageMember) =>
    nested ? nested.filter((one) => one.fact).length * 2 >= sizeOf(name) : !factsOfEach.includes(fact);
  if (readPageMembers(schema, {}).some(isOfPage)) return false;
  const own = propertyNames.filter(
    (name) => itemSchemas(schema.property(name)) === undefined && !meaningOf(responseNames, name),
  );
  return own.length > 2 || own.some((name) => /^(name|uuid|uid)$/i.test(name) || sizeOf(name) > 0);
}

/** Returns what a header of a list says about the page; undefined if it says something else. */
export function readPageHeader(name: string, isRequired = false): PageMember | undefined {
  const isRange = /^content-range$/i.test(name); // RFC 9110, section 14.4, with the unit of react-admin
  const fact = isRange ? "range" : findFact(name.replace(/^(x|pagination)-/i, ""), ["integer"]);
  return fact && { name, isRequired, isNullable: false, fact };
}

/** Returns the members of an object beside its records. */
export function writePageMembers(members: readonly PageMember[], facts: PageFacts): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const { name, fact, nested, fixed, isNullable, isAbsolute } of members) {
    const inner = nested && writeNested(name, nested, facts);
    const found = (fact ? readers[fact](facts) : inner) ?? fixed;
    const value = isAbsolute && typeof found === "string" && found !== "" ? new URL(found, facts.origin).href : found;
    if (value !== undefined) written[name] = value;
    else if (isNullable) written[name] = null;
  }
  return written;
}

// An object about the next page has its URL as the path, and is there only if there is one.
function writeNested(name: string, nested: readonly PageMember[], facts: PageFacts): object | undefined {
  const { links } = facts;
  const [isNext, isPrevious] = [/^next/i.test(name), /^prev/i.test(name)];
  const url = isNext ? links.next : isPrevious ? links.previous : links.path;
  return url === undefined ? undefined : writePageMembers(nested, { ...facts, links: { ...links, path: url } });
}
