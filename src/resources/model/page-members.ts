// What a list responds with beside its records: totals, numbers of pages, links and the like, by type and usual name.
import { toSnakeCase } from "./page-parameters.ts";
import { RecordSchema } from "./record-schema.ts";

/** What a list responds with about its page, beside the records. */
export interface PageFacts {
  readonly total: bigint | undefined;
  readonly count: number;
  readonly more: boolean;
  /** Whether there are records before the page. */
  readonly hasPrevious: boolean;
  /** The number of the first page. */
  readonly firstPage: number;
  /** URLs of pages; undefined if there is none. */
  readonly links: { readonly self: string; readonly next: string | undefined; readonly previous: string | undefined };
  /** The cursor of the next page; undefined if there is none. */
  readonly nextCursor: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly page: number;
}

type Read = (facts: PageFacts) => unknown;

const readers = {
  total: ({ total }: PageFacts) => total,
  count: ({ count }: PageFacts) => count,
  more: ({ more }: PageFacts) => more,
  self: ({ links }: PageFacts) => links.self,
  next: ({ links }: PageFacts) => links.next,
  previous: ({ links }: PageFacts) => links.previous,
  limit: ({ limit }: PageFacts) => limit,
  offset: ({ offset }: PageFacts) => offset,
  page: ({ page }: PageFacts) => page,
  nextCursor: ({ nextCursor }: PageFacts) => nextCursor,
  previousExists: ({ hasPrevious }: PageFacts) => hasPrevious,
  pages: countPages,
  lastPage: (facts: PageFacts) => Math.max(countPages(facts), 1) - 1 + facts.firstPage,
  nextPage: ({ more, page }: PageFacts) => (more ? page + 1 : undefined),
  previousPage: ({ page, firstPage }: PageFacts) => (page > firstPage ? page - 1 : undefined),
  isFirst: ({ hasPrevious }: PageFacts) => !hasPrevious,
  isLast: ({ more }: PageFacts) => !more,
  isEmpty: ({ count }: PageFacts) => count === 0,
} as const satisfies Record<string, Read>;

// With limit=0, the page has only the total.
function countPages({ total = 0n, limit }: PageFacts): number {
  return limit === 0 ? 0 : Math.ceil(Number(total) / limit);
}

const totalReaders: readonly Read[] = [readers.total, readers.pages, readers.lastPage];

// By type, and by name in snake case.
const rules: readonly { readonly type: string; readonly pattern: RegExp; readonly read: Read }[] = [
  {
    type: "integer",
    pattern: /^(total|total_(count|items|results|records|elements|size)|item_count)$/,
    read: readers.total,
  },
  { type: "integer", pattern: /^(count|result_count|number_of_elements)$/, read: readers.count },
  { type: "integer", pattern: /^(limit|per_page|page_size|size)$/, read: readers.limit },
  { type: "integer", pattern: /^(pages|(total|num)_pages|page_count)$/, read: readers.pages },
  { type: "integer", pattern: /^last_page$/, read: readers.lastPage },
  { type: "integer", pattern: /^(next|next_page|next_page_number)$/, read: readers.nextPage },
  { type: "integer", pattern: /^(prev|previous|(prev|previous)_page(_number)?)$/, read: readers.previousPage },
  { type: "integer", pattern: /^(offset|skip)$/, read: readers.offset },
  { type: "integer", pattern: /^(page|current_page|page_number|number)$/, read: readers.page },
  { type: "boolean", pattern: /^(has_more|has_next|has_next_page|more)$/, read: readers.more },
  { type: "boolean", pattern: /^(has_(prev|previous)(_page)?)$/, read: readers.previousExists },
  { type: "boolean", pattern: /^((is_)?first(_page)?)$/, read: readers.isFirst },
  { type: "boolean", pattern: /^((is_)?last(_page)?)$/, read: readers.isLast },
  { type: "boolean", pattern: /^((is_)?empty)$/, read: readers.isEmpty },
  {
    type: "string",
    pattern: /^(cursor|continue|(next|end)_(cursor|page_token|token|marker))$/,
    read: readers.nextCursor,
  },
  { type: "string", pattern: /^(self|self_(url|link))$/, read: readers.self },
  { type: "string", pattern: /^(next|next_(url|link|page|page_url))$/, read: readers.next },
  { type: "string", pattern: /^(prev|previous|(prev|previous)_(url|link|page|page_url))$/, read: readers.previous },
];

/** A member of an object beside the records. */
export interface PageMember {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly read?: Read;
  readonly nested?: readonly PageMember[];
  /** The value of a required member that says nothing about the page. */
  readonly fixed?: unknown;
}

/** Returns whether a member needs the number of all records. */
export function readsTotal({ read, nested }: PageMember): boolean {
  return (read !== undefined && totalReaders.includes(read)) || (nested?.some(readsTotal) ?? false);
}

/** Reads which members of an object beside its records say something about the page. `records` is the member with the records. */
export function readPageMembers(schema: RecordSchema, records?: string): PageMember[] {
  let example: Readonly<Record<string, unknown>> | undefined;
  return schema.propertyNames.flatMap((name): PageMember[] => {
    if (name === records) return [];
    const [node] = schema.property(name);
    const parts = node?.parts() ?? [];
    const types = parts.flatMap(({ schema: { type } }) => (type === undefined ? [] : [type].flat())) as string[];
    const isRequired = schema.required.includes(name);
    const base = { name, isRequired, isNullable: types.includes("null") };
    const rule = rules.find(({ type, pattern }) => types.includes(type) && pattern.test(toSnakeCase(name)));
    if (rule?.read === readers.nextCursor && isRequired && !types.includes("null"))
      return [{ ...base, read: (facts) => rule.read(facts) ?? "" }]; // the last page has no cursor
    // Beside links to other pages, a count is that of all records.
    if (rule?.read === readers.count && schema.propertyNames.includes("next"))
      return [{ ...base, read: readers.total }];
    if (rule) return [{ ...base, read: rule.read }];
    if (node && types.includes("object")) {
      const nested = readPageMembers(RecordSchema.of(schema.document, node));
      if (nested.some((member) => member.read || member.nested)) return [{ ...base, nested }];
    }
    if (!isRequired) return [];
    example ??= Object(schema.example) as Readonly<Record<string, unknown>>;
    return [{ ...base, fixed: example[name] ?? null }];
  });
}

/** Returns what a header of a list says about the page; undefined if it says something else. */
export function readPageHeader(
  name: string,
  { required = false }: { readonly required?: boolean },
): PageMember | undefined {
  const plain = toSnakeCase(name.replace(/^(x|pagination)-/i, ""));
  const rule = rules.find(({ type, pattern }) => type === "integer" && pattern.test(plain));
  return rule && { name, isRequired: required, isNullable: false, read: rule.read };
}

/** Returns the members of an object beside its records. */
export function writePageMembers(members: readonly PageMember[], facts: PageFacts): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const { name, read, nested, fixed, isNullable } of members) {
    const value = read ? read(facts) : nested ? writePageMembers(nested, facts) : fixed;
    if (value !== undefined) written[name] = value;
    else if (isNullable) written[name] = null;
  }
  return written;
}
