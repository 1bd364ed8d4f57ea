// The names of operations, of their paths, parameters and headers, and what their descriptions say.
import type { Row } from "./meaning.ts";

/** The description of a PUT that keeps the members that a request does not have. */
export const spokenPartial =
  /\b(?:unspecified|omitted|not\s(?:specified|included|provided|sent|passed))\b[^.]{0,40}\bunchanged\b|\bany\s(?:fields|properties|attributes|parameters|members|values)\sincluded\sin\sthe\srequest\sare\soverwritten\b|\bsupports\spartial\supdates\b|\bonly\sthe\s(?:fields|properties|attributes|parameters|members|values)\s(?:that\sare\s|you\s)?(?:provided|specified|submitted|sent|included|given|passed)\b/i;

/** The ends of paths below a collection that list the records which their parameters select. */
export const searchPaths: readonly Row<true>[] = [
  [/^(find|search|filter|query|lookup)(_by_\w+|_all)?$/, true, "Swagger's pet store, Spring"],
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

/** The last words of paths at which a POST does something else than create a record. */
export const actionNames = new Set(
  "approve archive authenticate batch bulk calculate cancel check clone complete convert enqueue estimate execute export import login logout merge preview publish query queue refresh register reject render reset restore retry run search send start stop submit sync test trigger upload upsert validate verify".split(
    " ",
  ),
);

/** The words of paths whose GET computes what it returns. */
export const computedNames =
  /(^|_)(search|stats?|statistics|export|reports?|count|calculate|preview|validate|check|lookup|suggest|autocomplete|nearby|random|download|metrics)(_|$)/;

/** The beginning of what is said of a GET that returns several records. */
export const spokenList = /^(?:get|list|returns?|retrieves?|fetch|fetches) (?:all|a list)\b/i;

/** The first word of the name of a GET that changes something. */
export const actNames = /^(cancel|clear|create|delete|refresh|reload|remove|reset|restart|send|share|trigger|update)$/;

/** The words of the name of an operation that reads. */
export const readNames = /^(get|list|read|retrieve|find|show|fetch)$/;

/** The beginning of what is said of a GET that changes something: "Refreshes", "Reload the …". */
export const spokenAct =
  /^[\s;.]*(?:clean|flush|rebuild|refresh|regenerate|reindex|reload|reset|restart|trigger)(?:e?s\b|\s(?:an?|all|the|your)\b)/i;

/** The words of lists that a service makes of what it has: their records are none of their own. */
export const derivedNames =
  /(^|_)(test|similar|related|recommend(ed|ations?)|impacts?|trending|popular|resume|summar(y|ies))(_|$)/;

/** The ends of paths of what a service has once. */
export const settingsNames = /(settings?|config|configuration|preferences|profile|account)$/;

/** The ends of paths of what a caller or a service has once. */
export const singleNames: readonly Row<true>[] = [
  [/^(me|self|whoami|current_user)$/, true, "GitHub, Spotify, FastAPI"],
];

/** The first words of operations that change a record. */
export const changeNames = /^(update|change|modify|edit|set)(_|$)/;

/** The words about a PUT that changes a record which exists, unless others say that it creates or replaces one. */
export const spokenChange = /\b(updat|edit|chang|modif)(e|es|ed|ing|y|ies|s)?\b/i;
export const spokenCreation = /\b(creat(e|es|ed|ing)|adds?|upserts?|replac(e|es|ed|ing)|sets?)\b/i;

/** The words of operations that delete all records, and not those that a request selects. */
export const wholeNames = /(^|_)(all|clear|purge|reset|flush|truncate|wipe)(_|$)/;

/** The sentences about a DELETE that only changes a state of a record, that say that it deletes it. */
export const spokenEnding = /^(?:<p>)?(cancel|deactivat|disabl|archiv|soft-?delet)/i;
export const spokenKeeping = /\bnot (?:physically |actually )?deleted\b/i;
export const spokenDeletion = /(?<!soft-)\b(?:delet|remov)(?:e|es|ing)\b/i;

/** The query parameters that change how a response looks, and not what is deleted. */
export const neutralParameters =
  /^(force|pretty|human|error_trace|(master_)?timeout|dry_?run|expand|fields|include|version)$/;

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
