// What a list responds with beside its records: totals, numbers of pages, links and the like, by type and usual name.
import { RecordSchema } from "../record/record-schema.ts";
import { meaningOf, type PageFact, pageFactNames } from "../record/usual-names.ts";

/** What a list responds with about its page, beside the records. */
export interface PageFacts {
  readonly total: bigint | undefined;
  readonly count: number;
  readonly more: boolean;
  /** Whether there are records before the page. */
  readonly hasPrevious: boolean;
  /** The number of the first page. */
  readonly firstPage: number;
  /** The scheme and host of the request. */
  readonly origin: string;
  /** URLs of pages; undefined if there is none. */
  readonly links: { readonly self: string; readonly next: string | undefined; readonly previous: string | undefined };
  /** The cursor of the next page; undefined if there is none. */
  readonly nextCursor: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly page: number;
}

const readers: Readonly<Record<PageFact, (facts: PageFacts) => unknown>> = {
  total: ({ total }) => total,
  count: ({ count }) => count,
  more: ({ more }) => more,
  self: ({ links }) => links.self,
  next: ({ links }) => links.next,
  previous: ({ links }) => links.previous,
  limit: ({ limit }) => limit,
  offset: ({ offset }) => offset,
  page: ({ page }) => page,
  nextCursor: ({ nextCursor }) => nextCursor,
  hasPrevious: ({ hasPrevious }) => hasPrevious,
  pages: countPages,
  lastPage: (facts) => Math.max(countPages(facts), 1) - 1 + facts.firstPage,
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

const factsOfAll: readonly (PageFact | undefined)[] = ["total", "pages", "lastPage"];

function findFact(name: string, types: readonly string[]): PageFact | undefined {
  return types.flatMap((type) => meaningOf(pageFactNames[type] ?? [], name) ?? [])[0];
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

/** Returns whether a member needs the number of all records. */
export function readsTotal({ fact, nested = [] }: PageMember): boolean {
  return factsOfAll.includes(fact) || nested.some(readsTotal);
}

/**
 * Reads which members of an object beside its records say something about the page. `records` is the member with the records. `isNumbered`
 * tells that an offset or the number of a page selects it.
 */
export function readPageMembers(schema: RecordSchema, isNumbered: boolean, records?: string): PageMember[] {
  let example: Readonly<Record<string, unknown>> | undefined;
  const totals = schema.propertyNames.filter((name) => findFact(name, typesOf(schema, name)) === "total");
  return schema.propertyNames.flatMap((name): PageMember[] => {
    if (name === records) return [];
    const [node] = schema.property(name);
    const types = typesOf(schema, name);
    const isRequired = schema.required.includes(name);
    const base = { name, isRequired, isNullable: types.includes("null") };
    const fact = findFact(name, types);
    // The last page has no cursor.
    if (fact === "nextCursor" && isRequired && !base.isNullable) return [{ ...base, fact, fixed: "" }];
    if (fact === "total" && name === "count" && (totals.length > 1 || !isNumbered)) return [{ ...base, fact: "count" }];
    const isAbsolute = schema.property(name).some(({ schema: { format } }) => format === "uri" || format === "url");
    if (fact) return [{ ...base, fact, ...(isAbsolute && { isAbsolute }) }];
    if (node && types.includes("object")) {
      const nested = readPageMembers(RecordSchema.of(schema.document, node), isNumbered);
      if (nested.some((member) => member.fact || member.nested)) return [{ ...base, nested }];
    }
    if (!isRequired) return [];
    example ??= Object(schema.example) as Readonly<Record<string, unknown>>;
    return [{ ...base, fixed: example[name] ?? null }];
  });
}

function typesOf(schema: RecordSchema, name: string): string[] {
  return schema.property(name).flatMap(({ schema: { type } }) => (type === undefined ? [] : [type].flat())) as string[];
}

/** Returns what a header of a list says about the page; undefined if it says something else. */
export function readPageHeader(name: string, isRequired = false): PageMember | undefined {
  const fact = findFact(name.replace(/^(x|pagination)-/i, ""), ["integer"]);
  return fact && { name, isRequired, isNullable: false, fact };
}

/** Returns the members of an object beside its records. */
export function writePageMembers(members: readonly PageMember[], facts: PageFacts): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const { name, fact, nested, fixed, isNullable, isAbsolute } of members) {
    const found = (fact ? readers[fact](facts) : nested && writePageMembers(nested, facts)) ?? fixed;
    const value = isAbsolute && typeof found === "string" ? new URL(found, facts.origin).href : found;
    if (value !== undefined) written[name] = value;
    else if (isNullable) written[name] = null;
  }
  return written;
}
