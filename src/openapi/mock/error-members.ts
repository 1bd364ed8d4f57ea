// What the members of an error say, as most documents name them, and how a body of the declared shape says what has failed.
import type { ErrorBody, ErrorDetail } from "../../http/index.ts";
import { STATUS_CODES, toSnakeCase } from "../../lib/index.ts";
import type { FailureContext } from "../operation/error-format.ts";

type Members = Record<string, unknown>;

/** What an object of an error is about. */
interface About {
  readonly failure: ErrorBody;
  readonly context: FailureContext;
  /** The invalid part of the request, or the first of several. */
  readonly detail: ErrorDetail | undefined;
  /** Whether the object is about one invalid part. */
  readonly isPart: boolean;
}

/** Names in snake case, the type of the member, its values, the best first, and an API or a framework that uses them. */
type Row = readonly [
  names: RegExp,
  type: string,
  values: (about: About, members: Members) => readonly unknown[],
  usedBy: string,
];

const blank = "about:blank";

/** The members with the reason, the best first. */
const reasonNames = [
  ...["message", "detail", "details", "description", "error_description", "errormessage", "error_message", "msg"],
  ...["error_summary", "default_message", "reason", "issue", "error", "err", "title"],
];

/** The members with one entry, text or member for each invalid part. */
const partsNames =
  /(^|_)(errors|details?|violations|issues|problems|messages|reasons|causes|params|parameters|fields|faults)$/;

const statusRow: Row = [
  /^(status|status_?code|http_?status|code)$/,
  "number",
  ({ failure }) => [failure.status],
  "Spring, Google",
];

// What the server knows better than an example of the document.
const certainRows: readonly Row[] = [
  statusRow,
  [/^pointer$/, "string", ({ detail }) => (detail?.location === "body" ? [pointerOf(detail)] : []), "JSON:API"],
  [
    /^(param|parameter|field|field_name)$/,
    "string",
    ({ detail }, { pointer }) => (pointer !== undefined && detail?.location === "body" ? [] : nameOf(detail)),
    "Stripe, GitHub, Spring",
  ],
];

const partRows: readonly Row[] = [
  [/^loc$/, "array", ({ detail }) => (detail ? [[detail.location, ...stepsOf(detail)]] : []), "FastAPI"],
  [/^(path|property|property_path|property_name|attribute|name|key)$/, "string", byName, "express-validator, Symfony"],
  [/^(path|property_path)$/, "array", ({ detail }) => (detail ? stepLists(detail) : []), "Zod, GraphQL"],
  [/^(location|in)$/, "string", ({ detail }) => (detail ? [detail.location] : []), "express-validator"],
];

const ownRows: readonly Row[] = [
  // The type of problem details is a URI (RFC 9457, section 4.2.1).
  [/^type$/, "string", (about, { title }) => [...(title === undefined ? [] : [blank]), ...codesOf(about)], "RFC 9457"],
  [/^(code|error_?code|error_?type)$/, "string", codesOf, "Stripe, Google"],
  [/^status$/, "string", statusTexts, "JSON:API, Google"],
  [/^(title|error)$/, "string", ({ failure }) => [STATUS_CODES[failure.status]], "RFC 9457, Spring"], // beside the reason
  [/^(success|ok)$/, "boolean", () => [false], "Laravel, Slack"],
  [/^(error|is_error)$/, "boolean", () => [true], "Express"],
  [/^(instance|path)$/, "string", ({ context }) => context.request?.url.split("?", 1) ?? [], "RFC 9457, Spring"],
  [/^(request|trace|correlation)_id$/, "string", ({ context }) => [context.requestId], "AWS, ASP.NET"],
  [/^(timestamp|time)$/, "string", () => [new Date().toISOString()], "Spring"],
];

const neutralValues = [null, "", []]; // of a required member that the failure knows nothing of

/** How deep the objects are that say more than the invalid parts. */
export const maxDepth = 3;

/** What a body says. */
export interface Explained {
  /** The names of the members that say something of the failure, by object. */
  readonly filled: ReadonlyMap<object, ReadonlySet<string>>;
  readonly hasReason: boolean;
  /** Whether an entry about an invalid part must have its place, which the failure has not. */
  readonly lacksPlace: boolean;
  /** Whether it must have the status of another failure. */
  readonly hasOtherStatus: boolean;
}

/** What has failed, and which bodies are allowed. */
export interface Told {
  readonly failure: ErrorBody;
  readonly context: FailureContext;
  readonly isValid: (value: unknown) => boolean;
}

/** How a body is filled. */
interface ExplainOptions {
  /** How deep the objects are that have more than the invalid parts. */
  readonly deepest?: number;
  /** Whether it is an example of the document, whose codes are kept. */
  readonly isDeclared?: boolean | undefined;
}

/** Puts what has failed into a body, where its schema allows it. */
export function explain(
  body: unknown,
  { failure, context, isValid }: Told,
  { deepest = maxDepth, isDeclared = false }: ExplainOptions,
): Explained {
  const { details } = failure;
  const filled = new Map<object, Set<string>>();
  let [hasReason, lacksPlace, hasOtherStatus] = [false, false, false];
  const set = (holder: Members, name: string, member: unknown) => {
    const before = holder[name];
    holder[name] = member;
    if (!isValid(body)) holder[name] = before;
    return holder[name] === member;
  };
  const fill = (holder: Members, name: string, member: unknown) => {
    const isSet = set(holder, name, member);
    if (isSet) filled.set(holder, (filled.get(holder) ?? new Set()).add(name));
    return isSet;
  };
  const fillRow = (row: Row, holder: Members, name: string, about: About) => {
    const [, , values] = row;
    if (values(about, holder).some((value) => fill(holder, name, value)) || isDeclared) return;
    hasOtherStatus ||= row === statusRow && holder[name] !== about.failure.status;
    neutralValues.some((value) => set(holder, name, value));
    lacksPlace ||= about.isPart && about.detail === undefined;
  };
  // Returns whether the member has a text, an entry or a member for each invalid part.
  const fillParts = (holder: Members, name: string, depth: number): boolean => {
    const member = holder[name] as object;
    if (!partsNames.test(toSnakeCase(name))) return false;
    const isTold = details === undefined && hasReason;
    if (isMap(member)) {
      if (details) fill(holder, name, mapOf(details, member));
      else if (!isDeclared) set(holder, name, {});
      return true;
    }
    if (!Array.isArray(member) || member.length === 0) return false;
    if (isTold) return !isDeclared && set(holder, name, []);
    const about: readonly (ErrorBody | ErrorDetail)[] = details ?? [failure];
    if (typeof member[0] === "string") {
      const texts = about.map(({ message }) => message);
      hasReason ||= (fill(holder, name, texts) || fill(holder, name, [failure.message])) && depth < deepest;
      return true;
    }
    const create = (count: number) => Array.from({ length: count }, () => structuredClone(member[0]));
    const entries = create(about.length);
    holder[name] = entries;
    if (!isValid(body)) entries.length = 1;
    for (const [index, entry] of entries.entries())
      visit(entry, depth + 2, { failure, context, detail: details?.[index], isPart: true });
    const areParts = entries.some((entry) => filled.has(entry));
    if (!areParts) holder[name] = member; // a list in them may have the parts
    return areParts;
  };
  const visit = (part: unknown, depth: number, about: About): void => {
    if (typeof part !== "object" || part === null) return;
    if (Array.isArray(part)) {
      visit(part[0], depth + 1, about);
      return;
    }
    const isShown = depth <= deepest || (about.isPart && about.detail !== undefined);
    if (!isShown && (details === undefined || depth > maxDepth)) return;
    const members = part as Members;
    const rankOf = (name: string) => reasonNames.indexOf(toSnakeCase(name));
    const texts = Object.keys(members).filter((name) => typeof members[name] === "string" && rankOf(name) >= 0);
    const message = (about.isPart && about.detail?.message) || failure.message;
    const places = isShown ? texts.sort((one, other) => rankOf(one) - rankOf(other)) : [];
    const place = places.find((name) => fill(members, name, message));
    hasReason ||= place !== undefined && depth <= deepest;
    const rows = [...(about.isPart ? partRows : []), ...certainRows, ...(isDeclared ? [] : ownRows)];
    for (const [name, member] of Object.entries(members)) {
      if (name === place) continue;
      const row = rows.find(([names, type]) => type === typeOf(member) && names.test(toSnakeCase(name)));
      if (row && isShown) fillRow(row, members, name, about);
      else if (typeof member === "object" && member !== null && !fillParts(members, name, depth))
        visit(member, depth + 1, about);
    }
  };
  visit(body, 0, { failure, context, detail: details?.[0], isPart: false });
  return { filled, hasReason, lacksPlace, hasOtherStatus };
}

/** Returns whether a part of a body says something of the failure. */
export function hasFilled(part: unknown, filled: Explained["filled"]): boolean {
  if (typeof part !== "object" || part === null) return false;
  return filled.has(part) || Object.values(part).some((member) => hasFilled(member, filled));
}

/** Returns whether a member has the reason by its name. */
export function isReasonName(name: string): boolean {
  return reasonNames.includes(toSnakeCase(name));
}

function typeOf(member: unknown): string {
  return Array.isArray(member) ? "array" : typeof member;
}

// From a field to a text, or to its texts.
function isMap(member: object): boolean {
  const all = Object.entries(member);
  if (Array.isArray(member) || all.length === 0) return false;
  const isTexts = all.every(([, texts]) => Array.isArray(texts) && texts.every((text) => typeof text === "string"));
  return isTexts || all.every(([name, text]) => typeof text === "string" && !isReasonName(name));
}

function mapOf(details: readonly ErrorDetail[], like: object): object {
  const hasTexts = Array.isArray(Object.values(like)[0]);
  const fields = Object.entries(Object.groupBy(details, ({ name }) => name)) as [string, ErrorDetail[]][];
  const toTexts = (all: readonly ErrorDetail[]) => all.map(({ message }) => message);
  return Object.fromEntries(fields.map(([name, all]) => [name, hasTexts ? toTexts(all) : toTexts(all).join(" ")]));
}

function byName({ detail }: About): readonly string[] {
  return nameOf(detail);
}

function nameOf(detail: ErrorDetail | undefined): readonly string[] {
  return detail && detail.name !== "" ? [detail.name] : [];
}

function stepsOf({ name }: ErrorDetail): readonly (string | number)[] {
  return name === "" ? [] : name.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function stepLists(detail: ErrorDetail): readonly unknown[] {
  const steps = stepsOf(detail);
  return [steps, steps.map(String)];
}

function pointerOf(detail: ErrorDetail): string {
  return stepsOf(detail)
    .map((step) => `/${step}`)
    .join("");
}

// A code of the server, or a usual one, if the schema lists the codes.
function codesOf({ failure: { code, status } }: About): readonly string[] {
  const usual = status < 500 ? ["invalid_request_error", "invalid_request"] : ["api_error", "server_error"];
  return [code, phraseCode(status) ?? code, ...usual].flatMap((one) => [one, one.toUpperCase()]).concat(blank);
}

// The name of the status, if another member has its number.
function statusTexts({ failure: { status } }: About, { code }: Members): readonly string[] {
  return typeof code === "number" ? [phraseCode(status)?.toUpperCase() ?? `${status}`] : [`${status}`];
}

function phraseCode(status: number): string | undefined {
  return STATUS_CODES[status]?.toLowerCase().replaceAll(/\W+/g, "_");
}
