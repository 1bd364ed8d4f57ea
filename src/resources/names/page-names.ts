// The names of what selects and describes the page of a list.
import type { Row } from "./meaning.ts";

/** The description of a parameter with the number of a page that says that the first one is 1. */
export const spokenFirstPage = /\b(page|start(s|ing)?|begin(s|ning)?|first)\b[^.]{0,20}[ `]1\b/i;

/** The description of a limit that says its default. */
export const spokenLimit = /\bdefault\b[^.\d]{0,40}?\b(\d{1,5})\b/i;

/** The description of a limit that says its range. */
export const spokenRange = /\b(?:between|from) 0?1 (?:and|to) (\d{1,6})\b/i;

/** The phrase about a limit that says its maximum, and not that of a page without it. */
export const spokenMaximum =
  /^(?!.*\b(?:default|omitted|specified|returned)\b).*\bmax(?:imum)?(?: (?:value|allowed|page[_ ]?size|limit|count)){0,2}(?: is| are| of|:|=)? ?[`*]{0,2}(\d{1,6}(?:,\d{3})?)\b(?!-)/i;

/** The description of a limit of which -1 selects all records. */
export const spokenAll = /(?:^|[^\w-])-1\b[^.\d]{0,40}\b(?:all|everything|unlimited)\b/i;

export type PageRole = "limit" | "offset" | "page" | "cursor" | "before";

/** The query parameters that select a page. */
export const pageParameterNames: readonly Row<PageRole>[] = [
  [/^(_?limit|max_results|max_items|rows)$/, "limit", "Stripe, Google, AWS, Solr"],
  [
    /^(_?per_page|page_size_?|page_limit_|size|items|items_per_page)$/,
    "limit",
    "GitHub, Django, Spring, JSON:API, pagy",
  ],
  [/^(_?top|take|max)$/, "limit", "OData, .NET, Keycloak"],
  [/^(offset|_?skip|page_offset_|start_(at|index))$/, "offset", "FastAPI, OData, JSON:API, Jira, SCIM"],
  [/^(_?page|page_number_?|page_no|page_index|current_page)$/, "page", "GitHub, Django, Laravel, JSON:API, .NET"],
  [/^(cursor|after|starting_after|page_(cursor|after)_)$/, "cursor", "Slack, GitHub, Stripe, JSON:API"],
  [/^(page_token|next_token|marker)$/, "cursor", "Google, AWS, Box"],
  [/^continue$/, "cursor", "Kubernetes"],
  [/^(before|ending_before|page_before_)$/, "before", "GitHub, Stripe, JSON:API"],
];

/** The query parameters that select a page beside another one, and else mean something else. */
export const pairedPageNames: readonly (readonly [name: string, beside: RegExp, role: PageRole, usedBy: string])[] = [
  ["first", /^max$/, "offset", "Keycloak"],
  ["first", /^(after|before)$/, "limit", "Relay"],
  ["from", /^size$/, "offset", "Elasticsearch"],
  ["start", /^(limit|rows|count|length|size|max_results)$/, "offset", "Solr, WordPress"],
  ["amount", /^after$/, "limit", "lakeFS"],
  ["count", /^(offset|skip|start|start_index|page|cursor)$/, "limit", "SCIM, Mailchimp"],
];

/** The objects around a list, in which it is not the only member of its kind. */
export const envelopeNames: readonly Row<true>[] = [
  [/^_?embedded$/, true, "HAL"],
  [/^(data|result|response|payload)$/, true, "Laravel, Cloudflare"],
];

/** The arrays beside a list that have no records. */
export const pageArrayNames: readonly Row<true>[] = [
  [/^(order|sort|facets|filters|errors|warnings)$/, true, "Box"],
  [/^(links|included)$/, true, "JSON:API, HATEOAS"],
];

/** The other members beside a list that say something of the response, and not of a thing that has the list. */
export const responseNames: readonly Row<true>[] = [
  [
    /^_?(links?|meta|metadata|response_metadata|pag(ing|ination|es?)(_info)?|embedded)$/,
    true,
    "HAL, JSON:API, HubSpot",
  ],
  [
    /^(object|type|kind|etag|api_version|expand|request_id|privileges|extras)$/,
    true,
    "Stripe, Google, Jira, Discourse",
  ],
  [/^(success|status|code|messages?|errors?|warnings?|(error|return|status)_[a-z]+)$/, true, "Apigee, Billbee"],
  [/(^|_)(total|count|size|limit)(_|$)|^num_/, true, "Airflow, Alma"],
  [/^(list_title|(list|label|description)_columns)$/, true, "Superset"],
];

/** The integers in a response with its status, if their description says so. */
export const statusNames: readonly Row<true>[] = [
  [/^((http|response)_)*(status|code|status_code|response_code)$/, true, "ExaVault, Apacta"],
];

/** The description of a member with the status of its response, and not of an error or another response. */
export const spokenStatus = /^(?!.*error).*(\bhttp\b.{0,20}\b(status|code)\b|\bstatus code of the response\b)/i;

export type PageFact =
  | "total"
  | "count"
  | "more"
  | "self"
  | "href"
  | "next"
  | "previous"
  | "first"
  | "last"
  | "path"
  | "pageLinks"
  | "range"
  | "from"
  | "to"
  | "isSuccess"
  | "limit"
  | "maxLimit"
  | "offset"
  | "page"
  | "nextCursor"
  | "hasPrevious"
  | "pages"
  | "lastPage"
  | "nextPage"
  | "previousPage"
  | "isFirst"
  | "isLast"
  | "isEmpty";

/** The members beside the records of a list, by their type, and its headers, which are integers. */
export const pageFactNames: Readonly<Record<string, readonly Row<PageFact>[]>> = {
  integer: [
    [/^_odata_count$/, "total", "OData"],
    [/^(total|total_(count|items|results|records|rows|elements|size)|item_count)$/, "total", "GitHub, Spring, Google"],
    [/^(items|records|results)_total$/, "total", "Adyen"],
    [/^(count|results)$/, "total", "Django, FastAPI, Azure, Linode"], // of a list with pages by number, and without another total
    [/^(result_count|number_of_elements)$/, "count", "Spring"],
    [/^(limit|per_page|page_size|size)$/, "limit", "PagerDuty, Laravel, Spring"],
    [/^max_per_page$/, "maxLimit", "lakeFS"],
    [/^(pages|(total|num)_pages|pages_total|page_count)$/, "pages", "Linode, Spring, Adyen"],
    [/^last_page$/, "lastPage", "Laravel"],
    [/^from$/, "from", "Laravel"],
    [/^(to|end_index)$/, "to", "Laravel, Django"],
    [/^(next|next_page|next_page_number)$/, "nextPage", "Kaminari"],
    [/^(prev|previous|(prev|previous)_page(_number)?)$/, "previousPage", "Kaminari"],
    [/^(offset|skip|start_(at|index))$/, "offset", "PagerDuty, Jira, SCIM"],
    [/^(page|current(_page)?|page_number|number)$/, "page", "Linode, Laravel, Spring, MyBatis"],
  ],
  number: [[/^total_count$/, "total", "GitHub"]],
  boolean: [
    [/^(has_more|has_next|has_next_page|more)$/, "more", "Stripe, Relay, PagerDuty"],
    [/^(has_(prev|previous)(_page)?)$/, "hasPrevious", "Relay"],
    [/^((is_)?first(_page)?)$/, "isFirst", "Spring"],
    [/^((is_)?last(_page)?)$/, "isLast", "Spring"],
    [/^((is_)?empty)$/, "isEmpty", "Spring"],
    [/^(success|ok)$/, "isSuccess", "Laravel, Slack"],
  ],
  string: [
    [/^(cursor|offset|(next|end)_(cursor|token|marker|offset))$/, "nextCursor", "Square, Relay, lakeFS"],
    [/^((next|end)_page_token)$/, "nextCursor", "Google"],
    [/^continue$/, "nextCursor", "Kubernetes"],
    [/^(self|self_(url|link))$/, "self", "HAL"],
    [/^href$/, "href", "Spotify"],
    [/^(next|next_(url|link|page|page_url)|_odata_next_link)$/, "next", "Django, HAL, Laravel"],
    [/^(prev|previous|(prev|previous)_(url|link|page|page_url))$/, "previous", "Django, HAL, Laravel"],
    [/^(first|first_(url|link|page_url))$/, "first", "JSON:API, Laravel"],
    [/^(last|last_(url|link|page_url))$/, "last", "JSON:API, Laravel"],
    [/^(path|url)$/, "path", "Laravel, Stripe"],
  ],
  array: [[/^links$/, "pageLinks", "Laravel"]],
};
