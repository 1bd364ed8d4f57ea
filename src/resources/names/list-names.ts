// The names of the parameters that select and order the records of a list.
import type { Condition } from "../../store/index.ts";
import type { Row } from "./meaning.ts";

/** The description of a list that has the records of a period only. */
export const spokenPeriod =
  /\b(?:(?:last|past|previous) \d+ (?:minute|hour|day|week|month|year)s?|current (?:calendar |billing )?(?:month|quarter|year))\b/i;

/** The description of a filter with a default that no document says: "defaults to the primary location". */
export const spokenSelection = /\bdefaults? to (?:the|your|its|(?:the )?current) (?!value|same|[`'"])/i;

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
  [
    /(?<!\bonly )\b(contain(s|ed|ing)?|partial(ly)?|substring|fuzzy|is like)\b/i,
    { operator: "contains", ignoresCase: true },
  ],
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
  /\b(are|will be) rendered\b/i, // PagerDuty
  /\blevel of detail/i, // Browshot
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

/** The values of a filter that select all records. They are no values of a record. */
export const wildcards = /^(all|any|\*)$/i;

/** The defaults of a filter that select all records. */
export const wildcardDefaults = /^(all|any|none|\*|)$/i;
