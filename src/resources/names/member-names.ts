// The names of the members of records, and of their values.
import { toSnakeCase } from "../../lib/index.ts";
import { type Row, singularOf } from "./meaning.ts";

/** The properties that have an id, beside those that are named like the parameter of the path. The first that a record has is its id. */
export const idNames = ["uuid", "pk", "key", "slug", "number", "name", "code"];

/** The members with a text for people, which is no id. */
export const contentNames =
  /^(answer|comment|content|description|message|note|question|quote|reply|review|summary|text|title)$/;

/** The properties with the id of a record whose path has a name, such as `/users/{username}`. */
export const nameIds = ["login", "user_name", "username", "slug", "name"];

/** The parameters of a path with a name, and the descriptions of others that have one. */
export const namedParameters = /(^|_)(user_?name|name|login|slug)$/;
export const spokenNames = /^(?!.*\b(id|identifier|uuid)\b)(the )?([\w'-]+ ){0,3}(user)?name\b/i;

/** The description of a parameter that says in which property its value is: "This is the `id` field". */
export const spokenIds =
  /\bthis is (?:the |its )?(?:\w+ )?`(\w+)` (?:field|property|attribute)\b(?! of (?:an?|its|the other)\b)/i;

/** The words that can be in place of an id, in the description of a parameter of a path, and not as an example of one. */
export const spokenIdWords =
  /(?<!\b(?:e\.g\.|i\.e\.|example|such as|like),? )[`'"](@?me|self|current|first|last(?:-used)?|latest|newest|oldest|recommended|default|primary)[`'"]/g;

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

/** The members with the number of items of an array. */
export const countNames = /^(?:(.+)_count|(?:num|number_of)_(.+))$/;

/** The members with a part of what another one refers to, such as `parent_name` and `users_obj`. */
export const partNames = /^(.+)_(name|title|label|obj|object|details?)$/;

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
  [/^changed(_(at|on|date|time))?$/, "updated", "Probely, Drupal"],
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

/** The members that a service does not keep as they are sent, but as a hash, or makes itself. */
export const secretNames = /(^|_)(password|passphrase|passcode|pin|secret|token)$/;

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

// The words of a description that say a default, for all records: "true if …" is of some, and "30 days" has a unit.
const spokenDefault =
  /\bdefaults?(?:\s(?:to|is|value\sis|value:)|:)\s?(?:[`'"](?<quoted>[^`'"]{1,40})[`'"]|(?<word>[\w-]+\b))(?![\w%-]|[.,:/]\d|\s?(?:[kmgt]i?b|ms|s|\(|or)\b|\s?\(|,?\s(?:for|if|when|unless|where|depending|(?:milli)?sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|months?|years?|bytes|percent)\b)(?<end>\))?/i;

/** Returns the default that a description says, and whether it is certainly a value: in quotes, or as "(default: 22)". Undefined for none. */
export function findSpokenDefault(description: unknown): { text: string; isValue: boolean } | undefined {
  const [, marked] = /[`'"]([^`'"]{1,40})[`'"] \(default\)/i.exec(`${description}`) ?? [];
  if (marked !== undefined) return { text: marked, isValue: true };
  const { quoted, word, end } = spokenDefault.exec(`${description}`)?.groups ?? {};
  const text = quoted ?? word;
  return text === undefined ? undefined : { text, isValue: quoted !== undefined || end !== undefined };
}

/** The description of a map of which an empty text removes a key. */
export const spokenUnset = /\bunset by posting an empty value\b/i; // Stripe

/** The members with the URL of the record. */
export const urlNames: readonly Row<true>[] = [
  [/^(url|uri|self|href|resource_url)$/, true, "Django, Twilio, GitHub, HAL"],
  [/^self_(url|link|href)$/, true, "HAL, Kubernetes"],
  [/^(html|web|api)_url$/, true, "GitHub, GitLab"],
];

/** The members of a body that have its Idempotency-Key, as Square's have. */
export const keyMembers: readonly string[] = ["idempotency_key", "idempotencyKey"];

/** The texts for people beside a record, which can be empty. */
export const messageNames: readonly Row<true>[] = [[/^(message|msg)$/, true, "GitHub, Laravel"]];

/** The members of a response with the id of the record that was deleted. */
export const deletedIdNames = /^(deleted|removed)_([a-z]+_)?id$/;

/** The members that say how far a job is. */
export const progressNames = /^(status|state|progress)$/;

/** The members in which a search does not look, unless it names them: ids, hashes and URLs. */
export const technicalNames = /(^|_)(id|uuid|gid|guid|sha\d*|md5|hash|etag|token|url|uri|href|cursor)$/;

/** The property that an action changes, before others. */
export const stateNames = /^(status|state|phase|stage)$/i;

/** The ids of records that are only listed, such as those of countries. */
export const codeNames: readonly Row<true>[] = [
  [/^(code|key|slug|symbol|iso\d?(_code)?|abbreviation)$/, true, "lookups"],
];

/** The members with the state that a DELETE changes which deletes no record. */
export const endingStates =
  /^(status|state|(in)?active|enabled|disabled|(archived|cancell?ed|deactivated|deleted)(_at)?)$/;

/** The members of a body that say what a response has, or that nothing is changed. */
export const controlNames = /^(expand|fields|include|embed|dry_?run|validate_?only)$/;
