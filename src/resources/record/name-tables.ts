// What names mean, as most documents use them: a table for each question. A row has the names in snake case, what they mean, and who
// writes so. The first row that matches applies; another style is another row.
import { toSnakeCase } from "../../lib/index.ts";
import type { Condition } from "../../store/index.ts";

/** Names, what they mean, and an API or a framework that uses them. */
export type Row<Meaning> = readonly [names: RegExp, means: Meaning, usedBy: string];

/** Returns the singular of a word: `companies` is `company`. */
export function singularOf(word: string): string {
  if (/(ss|us|series|species|news)$/.test(word)) return word;
  return /(movies|cookies)$/.test(word) ? word.slice(0, -1) : word.replace(/ies$/, "y").replace(/s$/, "");
}

/** Returns what a name means, in any case; undefined if no row has it. */
export function meaningOf<Meaning>(rows: readonly Row<Meaning>[], name: string): Meaning | undefined {
  const words = toSnakeCase(name);
  return rows.find(([names]) => names.test(words))?.[1];
}

/** The properties that have an id, beside those that are named like the parameter of the path. The first that a record has is its id. */
export const idNames = ["uuid", "pk", "key", "slug", "number", "name", "code"];

/** The properties by which a record refers to another one, if it has a part of it. */
export const referenceNames = ["id", "gid", "uuid", "key", "slug", "login", "name", "code", "ref", "sha"];

/** The members with the id of another record, or several, and the name of what they refer to: `author_id`, `tag_uuids`. */
export const foreignIdNames = /^(?<thing>.+)_(?<id>id|uuid|gid|key|slug)(?<many>s?)$/;

/** Returns the name of the id that a member is of another one: `id` for `author_id` and `author`, and for `tag_ids` and `tags`. */
export function foreignIdOf(name: string, other: string): string | undefined {
  const { thing, id, many } = foreignIdNames.exec(toSnakeCase(name))?.groups ?? {};
  const words = toSnakeCase(other);
  return thing === words || (many && thing === singularOf(words)) ? id : undefined;
}

/** Names that a record and its parent both have, with different values. */
export const ownNames = /^(id|uuid|key|slug|number|name|code)$/;

/** The members of a record with the name of its own user: a path of another user does not list by it. */
export const loginNames = /^(user_?name|login|email)$/i;

/** Names that are an id without a path that uses them. */
export const certainIdNames = /(^|_)(id|uuid|gid|guid)$/;

/** The times that the server knows. */
export const timeNames: readonly Row<"created" | "updated">[] = [
  [/^_?(created?|creation|inserted|registered)(_(at|on|date|time|timestamp))?$/, "created", "Stripe, GitHub, Appwrite"],
  [/^date_(created|added)$/, "created", "Twilio, Sentry"],
  [/^_?(updated?|modified)(_(at|on|date|time|timestamp))?$/, "updated", "GitHub, Rails, Appwrite"],
  [/^modif(y|ication)_(date|time|timestamp)$/, "updated", "PagerDuty"],
  [/^last_(updated|modified)(_(at|on|date|time|timestamp))?$/, "updated", "Okta, AWS, Django"],
  [/^date_(updated|modified)$/, "updated", "Twilio"],
];

/** The members with an id of a record beside that of its path, or with a secret that only those know to whom the server gives it. */
export const otherIdNames: readonly Row<true>[] = [
  [/^(id|uuid|guid|node_id|global_id)$/, true, "GitHub, whose path has a number or name"],
  [/^(client_)?secret$/, true, "Stripe"],
];

/** The members with the caller who has created a record. */
export const callerNames: readonly Row<true>[] = [
  [/^(created_by|creator|owner)(_(id|uuid))?$/, true, "FastAPI, Notion"],
];

/** The members that are objects with the members of a record. */
export const attributesName = "attributes"; // JSON:API

/** The member that has the type of the object, which is a constant. */
export const kindNames: readonly Row<true>[] = [
  [/^object$/, true, "Stripe"],
  [/^kind$/, true, "Kubernetes"],
  [/^(resource_type|object_type|type)$/, true, "Asana, JSON:API"],
];

/** The members for which an empty text means nothing: ids, times, URLs, states and credentials. Others have a format that says so. */
export const pointedNames =
  /(^|_)(id|uuid|gid|guid|url|uri|href|date|timestamp|slug|status|state|secret|token|password|email|user_?name|login)$|_(at|on|time|start|end)$|^(date|exp)_|^expires$/;

/** The values of an enum in which things begin, the likeliest first. */
export const beginnings = [
  ..."new open opened pending draft created queued todo unread requested submitted waiting scheduled initial".split(
    " ",
  ),
  ..."unpaid unverified requires_payment_method requires_input incomplete not_started not_configured issued".split(" "), // Stripe, PagerDuty
  ..."none active enabled ready processing in_progress not_applicable".split(" "),
];

/** The values of a text that its description has in quotes: "`enabled` or `disabled`". */
export const spokenValues = /(?<=[`'"])\w+(?=[`'"])/g;

/** The sentence that says the default of a value of an enum. */
export const spokenDefault = /\bdefaults? (?:to|is|value is|value:) ?[`'"]?([\w-]+)/i;

/** The description of a limit that says its default. */
export const spokenLimit = /\bdefault\b[^.\d]{0,40}?\b(\d{1,5})\b/i;

/** The description of a list that has the records of a period only. */
export const spokenPeriod = /\b(?:last|past|previous) \d+ (?:minute|hour|day|week|month|year)s?\b/i;

/** The description of a map of which an empty text removes a key. */
export const spokenUnset = /\bunset by posting an empty value\b/i; // Stripe

/** The description of a PUT that keeps the members that a request does not have. */
export const spokenPartial =
  /\b(?:unspecified|omitted|not\s(?:specified|included|provided|sent|passed))\b[^.]{0,40}\bunchanged\b|\bsupports\spartial\supdates\b|\bonly\sthe\s(?:fields|properties|attributes|parameters|members|values)\s(?:that\sare\s|you\s)?(?:provided|specified|submitted|sent|included|given|passed)\b/i;

/** The members with the URL of the record. */
export const urlNames: readonly Row<true>[] = [
  [/^(url|uri|self|href|resource_url)$/, true, "Django, Twilio, GitHub, HAL"],
  [/^self_(url|link|href)$/, true, "HAL, Kubernetes"],
  [/^(html|web|api)_url$/, true, "GitHub, GitLab"],
];

/** The members of a body that have its Idempotency-Key, as Square's have. */
export const keyMembers: readonly string[] = ["idempotency_key", "idempotencyKey"];

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

/** The texts for people beside a record, which can be empty. */
export const messageNames: readonly Row<true>[] = [[/^(message|msg)$/, true, "GitHub, Laravel"]];

/** The arrays beside a list that have no records. */
export const pageArrayNames: readonly Row<true>[] = [
  [/^(order|sort|facets|filters|errors|warnings)$/, true, "Box"],
  [/^(links|included)$/, true, "JSON:API, HATEOAS"],
];

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
    [/^(total|total_(count|items|results|records|elements|size)|item_count)$/, "total", "GitHub, Spring, Google"],
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

/** How a parameter of a list compares a member. */
export type Comparison = Pick<Condition, "operator" | "not" | "ignoresCase">;

/** The names of parameters of lists that compare a member, in which its name is a group. */
export const comparisonNames: readonly Row<Comparison>[] = [
  [/^(?<member>.+)_(gte|ge|min|from|since|start|on_or_after)$/, { operator: "gte" }, "Django, Stripe, .NET"],
  [/^(min|minimum|from|since|start)_(?<member>.+)$/, { operator: "gte" }, ".NET, Spring"],
  [/^(?<member>.+)_(lte|le|max|to|until|end|on_or_before)$/, { operator: "lte" }, "Django, Stripe, .NET"],
  [/^(max|maximum|to|until|end)_(?<member>.+)$/, { operator: "lte" }, ".NET, Spring"],
  [/^(?<member>.+)_(gt|after)$/, { operator: "gt" }, "Django, Stripe"],
  [/^after_(?<member>.+)$/, { operator: "gt" }, "Meilisearch"],
  [/^(?<member>.+)_(lt|before)$/, { operator: "lt" }, "Django, Stripe"],
  [/^before_(?<member>.+)$/, { operator: "lt" }, "Meilisearch"],
  [/^(?<member>.+)_(contains|cont|like)$/, { operator: "contains", ignoresCase: true }, "Rails, Strapi"],
  [/^(?<member>.+)_(icontains|ilike|ic)$/, { operator: "contains", ignoresCase: true }, "Django, NetBox"],
  [/^(?<member>.+)_(starts_?with|prefix|sw)$/, { operator: "startsWith" }, "Django, Rails"],
  [/^(?<member>.+)_(istartswith|isw)$/, { operator: "startsWith", ignoresCase: true }, "Django, NetBox"],
  [/^(?<member>.+)_(ends_?with|ew)$/, { operator: "endsWith" }, "Django, Rails"],
  [/^(?<member>.+)_(iendswith|iew)$/, { operator: "endsWith", ignoresCase: true }, "Django, NetBox"],
  [/^(?<member>.+)_(iexact|ie)$/, { operator: "eq", ignoresCase: true }, "Django, NetBox"],
  [/^(?<member>.+)_(in|any)$/, { operator: "in" }, "Django, Rails"],
  [/^(?<member>.+)_(n|ne|neq|not|not_eq|not_in|exclude)$/, { operator: "in", not: true }, "NetBox, Rails, Strapi"],
  [/^(not|exclude|exclude_by)_(?<member>.+)$/, { operator: "in", not: true }, "Laravel"],
  [/^(?<member>.+)_nic$/, { operator: "contains", not: true, ignoresCase: true }, "NetBox"],
  [/^(?<member>.+)_nisw$/, { operator: "startsWith", not: true, ignoresCase: true }, "NetBox"],
  [/^(?<member>.+)_niew$/, { operator: "endsWith", not: true, ignoresCase: true }, "NetBox"],
  [/^(?<member>.+)_nie$/, { operator: "eq", not: true, ignoresCase: true }, "NetBox"],
  [/^(?<member>.+)_(is_?null|null|empty|blank)$/, { operator: "isNull" }, "Django, Rails"],
  [/^(?<member>.+)_(exists|present)$/, { operator: "isNull", not: true }, "Rails"],
  [/^has_(?<member>.+)$/, { operator: "isNull", not: true }, "Django"],
];

/** How a parameter compares its member, if its description says so. */
export const spokenComparisons: readonly (readonly [RegExp, Comparison])[] = [
  [/\b(contain(s|ed|ing)?|partial(ly)?|substring|fuzzy|is like)\b/i, { operator: "contains", ignoresCase: true }],
  [/\b(prefix|(starts?|begins?|starting|beginning) with)\b/i, { operator: "startsWith", ignoresCase: true }],
  [/\bcase[- ]?insensitive/i, { operator: "eq", ignoresCase: true }],
];

/**
 * The parameters with a default that are on or off, and whether they are on if records are selected by a boolean, which must be true, or
 * must not. The other value selects all, if the name says so.
 */
export const switchNames: readonly Row<{ readonly on: boolean; readonly not?: boolean; readonly isSaid: boolean }>[] = [
  [/^(show|include|with)_not_(?<member>.+)$/, { on: false, isSaid: true }, "Pims"],
  [/^(show|include|with)_(?<member>.+)$/, { on: false, not: true, isSaid: true }, "Pims, PagerDuty"],
  [/^only_(?<member>.+)$/, { on: true, isSaid: true }, "Gitea"],
  [/^(?<member>.+)_only$/, { on: true, isSaid: true }, "Slack"],
  [/^(?<member>.+)$/, { on: true, isSaid: false }, "William Hill"],
];

/** The beginnings of the words for the opposite of a state, and what they replace: `disabled` of `enabled`. */
export const oppositeWords: readonly (readonly [string, RegExp])[] = [
  ["dis", /^en/],
  ["in", /^/],
  ["un", /^/],
  ["not_", /^/],
];

/** The states of records by which a default selects them: `include_archived=false` and `published=true`. Deleted ones do not exist. */
export const selectingStates =
  /(^|_)((in)?active|enabled|disabled|(un)?published|displayed|visible|hidden|approved|verified|available|archived|completed|closed|resolved|ignored|deprecated|expired|draft|private|suspended|deactivated|non_[a-z]+)$/;

/** The sentences that say of a parameter that it compares in a way that is not known, or only beside others. */
export const unclearComparisons: readonly RegExp[] = [
  /\b(value|parameter|filter|parameters) (is|are|will be) ignored\b|\bignored (if|when|unless)\b/i, // Box, Adyen, ExaVault
  /\bonly (be used|applies|applicable|valid) (if|when|with)\b/i, // Box
  /^(?!.*\b(no|not|cannot)\b).*(\bwildcards?\b|`\*`)/i, // ExaVault, GitHub, Stripe
  /\bin the format [`'"]*[a-z_]+:[a-z_{<]*id\b/i, // Sentry
];

/** The parameters that bound the time of the creation or change of records. */
export const boundNames: readonly Row<Comparison>[] = [
  [
    /^(since|from|after|start|begin|(from|start|begin)_(date|time|at|ts)|date_from|time_from)$/,
    { operator: "gte" },
    "GitHub, PagerDuty",
  ],
  [/^(until|to|end|(to|end|until)_(date|time|at|ts)|date_to|time_to)$/, { operator: "lte" }, "PagerDuty"],
  [/^before$/, { operator: "lt" }, "GitHub"],
];

/** The parameters that search in the texts of records. */
export const searchNames: readonly Row<true>[] = [
  [/^(q|query|search|term|keywords?|text|filter_term|query_string)$/, true, "GitHub, Django, NetBox"],
  [/^search_?(term|text|query|string|value|keyword)$/, true, ".NET, Spring"],
];

/** The ends of paths below a collection that list the records which their parameters select. */
export const searchPaths: readonly Row<true>[] = [
  [/^(find|search|filter|query|lookup)(_by_\w+|_all)?$/, true, "Swagger's pet store, Spring"],
];

/** The members in which a search does not look, unless it names them: ids, hashes and URLs. */
export const technicalNames = /(^|_)(id|uuid|gid|guid|sha\d*|md5|hash|etag|token|url|uri|href|cursor)$/;

/** The description of a list whose last record comes first. */
export const spokenNewestFirst =
  /\b(most recent(ly created)?|newest|latest)\b[^.]{0,60}\bfirst\b|\breverse chronological\b|\bnewest to oldest\b|\bdescending order of creation\b/i;

/** The description of a parameter that is ascending or descending, and names no member with it, such as `name,asc` or `-name`. */
export const spokenDirection = /^(?!.*\w[,:](asc|desc))(?!.*\B-[\w`'"]).*\b(asc|desc)(ending)?\b/is;

/** The sentence about a direction that says its default. */
export const spokenDescending =
  /\bdefault(s to| is| value)?:? ?[`'"]?desc|\bdesc(ending)?[`'"]?( - [a-z ]{1,40})? \(default\)/i;

/** The sentence about the member by which a list is ordered that says that it is descending. */
export const spokenReverse = /\breverse chronological\b/i;

/** The parameters with the members by which a list is ordered. */
export const orderNames: readonly Row<true>[] = [
  [/^(sort|sort_?by|sort_(field|column|key)|sorting)$/, true, "JSON:API, Spring, Laravel"],
  [/^(order|order_?by|order_(field|column|key)|ordering)$/, true, "Google, Django, OData"],
];

/** The description of a parameter with the name of a property, such as `order`, that orders the list, and does not compare it. */
export const spokenSort = /\bsort(s|ed|ing)?\b/i;

/** The parameters with the direction of an order: a word, or whether it is descending or ascending. */
export const directionNames: readonly Row<"word" | "descending" | "ascending">[] = [
  [/^(direction|dir|order|(sort|order)_?(direction|dir|order|type))$/, "word", "GitHub, Laravel"],
  [/^((is_|sort_|order_)?desc(ending)?|reverse|reversed)$/, "descending", ".NET"],
  [/^((is_|sort_|order_)?asc(ending)?)$/, "ascending", "Twilio"],
];

/** Whether a word means that an order is descending. */
export const directionWords: readonly Row<boolean>[] = [
  [/^(asc|ascending)$/, false, "SQL"],
  [/^(desc|descending)$/, true, "SQL"],
];

/** The values of an order that name no member. */
export const orderWords: readonly Row<{ readonly member: string; readonly descending: boolean }>[] = [
  [/^(newest|latest|recent|most_recent)$/, { member: "created", descending: true }, "GitHub"],
  [/^oldest$/, { member: "created", descending: false }, "GitHub"],
];

/** The parameters that select members of the records in a response. */
export const fieldsNames: readonly Row<true>[] = [
  [/^((opt_)?fields(_[a-z_]+)?|select|field|attributes|only)$/, true, "Google, JSON:API, OData, Asana"],
];

/** The parameters that name other records which a response has in place of their ids. */
export const expandNames: readonly Row<true>[] = [
  [/^(expand|include|embed|with|includes|expansions?)$/, true, "Stripe, JSON:API, OData, Laravel"],
];

export type QueryRole = "mask" | "id" | "none";

/** The query parameters of operations that are no lists. `id` is that of the record that is created. */
export const queryNames: readonly Row<QueryRole>[] = [
  [/^update_mask$/, "mask", "Google"],
  [/^(pretty|pretty_print|human|error_trace|request_id|quota_user)$/, "none", "Google, Elasticsearch"],
  [/^((master_)?timeout|timeout_seconds|field_manager)$/, "none", "Kubernetes, Elasticsearch"],
  [/^(total|_count|(include|with|return)_(totals?|count|total_count))$/, "none", "PagerDuty, OData, Auth0"], // a list has its total anyway
];

/** The values of a filter that select all records. They are no values of a record. */
export const wildcards = /^(all|any|\*)$/i;

/** The defaults of a filter that select all records. */
export const wildcardDefaults = /^(all|any|none|\*|)$/i;

/** The last words of paths at which a POST does something else than create a record. */
export const actionNames = new Set(
  "approve archive authenticate batch bulk calculate cancel check clone complete convert enqueue estimate execute export import login logout merge preview publish query queue refresh register reject render reset restore retry run search send start stop submit sync test trigger upload upsert validate verify".split(
    " ",
  ),
);

/** The property that an action changes, before others. */
export const stateNames = /^(status|state|phase|stage)$/i;

/** The words of paths whose GET computes what it returns. */
export const computedNames =
  /(^|_)(search|stats?|statistics|export|reports?|count|calculate|preview|validate|check|lookup|suggest|autocomplete|nearby|random|download|metrics)(_|$)/;

/** The words of lists that a service makes of what it has: their records are none of their own. */
export const derivedNames = /(^|_)(test|similar|related|recommend(ed|ations?)|impacts?|trending|popular|resume)(_|$)/;

/** The ends of paths of what a service has once. */
export const settingsNames = /(settings?|config|configuration|preferences|profile|account)$/;

/** The ends of paths of what a caller or a service has once. */
export const singleNames: readonly Row<true>[] = [
  [/^(me|self|whoami|current_user)$/, true, "GitHub, Spotify, FastAPI"],
];

/** The ids of records that are only listed, such as those of countries. */
export const codeNames: readonly Row<true>[] = [
  [/^(code|key|slug|symbol|iso\d?(_code)?|abbreviation)$/, true, "lookups"],
];

/** The first words of operations that change a record. */
export const changeNames = /^(update|change|modify|edit|set)(_|$)/;

/** The words about a PUT that changes a record which exists, unless others say that it creates or replaces one. */
export const spokenChange = /\b(updat|edit|chang|modif)(e|es|ed|ing|y|ies|s)?\b/i;
export const spokenCreation = /\b(creat(e|es|ed|ing)|adds?|upserts?|replac(e|es|ed|ing)|sets?)\b/i;

/** The words of operations that delete all records, and not those that a request selects. */
export const wholeNames = /(^|_)(all|clear|purge|reset|flush|truncate|wipe)(_|$)/;

/** The sentences about a DELETE that only changes a state of a record, that say that it deletes it, and the members with its state. */
export const spokenEnding = /^(?:<p>)?(cancel|deactivat|disabl|archiv|soft-?delet)/i;
export const spokenKeeping = /\bnot (?:physically |actually )?deleted\b/i;
export const spokenDeletion = /(?<!soft-)\b(?:delet|remov)(?:e|es|ing)\b/i;
export const endingStates =
  /^(status|state|(in)?active|enabled|disabled|(archived|cancell?ed|deactivated|deleted)(_at)?)$/;

/** The query parameters that change how a response looks, and not what is deleted. */
export const neutralParameters =
  /^(force|pretty|human|error_trace|(master_)?timeout|dry_?run|expand|fields|include|version)$/;

/** The members of a body that say what a response has, or that nothing is changed. */
export const controlNames = /^(expand|fields|include|embed|dry_?run|validate_?only)$/;

/** The required headers that select whose records are meant: those of others are not seen. */
export const tenantNames: readonly Row<true>[] = [
  [/(^|_)tenant(_(id|name|uuid))?$/, true, "Xero, SaaS frameworks"],
  [/^x_(organi[sz]ation|org|workspace)(_id)?$/, true, "SaaS frameworks"],
];

/**
 * The headers for caches, tracing, preferences, the sender, the version of the API, of which a document describes one, and credentials that
 * the document does not declare as such.
 */
export const neutralHeaders =
  /^(if_modified_since|from|prefer|accept_language|referer|origin|user_agent|x_requested_with|revision|traceparent|tracestate)$|(^|_)(version|(request|correlation|trace)_id|api_?(key|secret)|(access|auth|account|api|server)_token)$/;
