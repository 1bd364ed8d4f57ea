// What one change asks of the version, and in which words it is said. What Redocly rates as breaking
// is. The rest is breaking too, unless it is known not to be: by the tables and rules here.
import { find, type Json, place, toSteps } from "./place.ts";

/** The part of a version (semver.org) that a change asks to grow: major breaks a consumer, minor adds, patch is text. */
export type Impact = "major" | "minor" | "patch";

/** One change, in words: where, and what. */
export interface Change {
  readonly impact: Impact;
  readonly where: string;
  readonly what: string;
}

/** A change as `redocly diff --format=json` reports it. */
export interface Reported {
  readonly path: string;
  readonly typeName: string;
  readonly kind: "added" | "removed" | "modified";
  readonly impact: Impact;
  readonly property?: string;
  readonly verdicts: readonly { readonly message: string }[];
  readonly base?: { readonly pointer: string; readonly value?: unknown };
  readonly revision?: { readonly pointer: string; readonly value?: unknown };
}

/** The contents of two documents. */
export interface Pair {
  readonly base: Json;
  readonly revision: Json;
}

/** Text for people; no program acts on it. */
const textual =
  /^(\$comment|contact|description|example|examples|externalDocs|license|summary|termsOfService|title|value|(Tag|TagList|Example|ExamplesMap|ExternalDocs))$/;

/** Properties that Redocly rates by their direction; those of the others that let a caller do more, or say more. */
const looser =
  /^(additionalProperties|const|contentEncoding|enum|exclusiveM\w+|format|m(in|ax)(imum|Items|Length|Properties)|multipleOf|nullable|pattern|required|type|unevaluatedProperties|uniqueItems|(allowEmptyValue|allowReserved|deprecated|openapi|tags|x-deprecated-since|x-internal|x-released|x-successor|x-sunset))$/;

/** What can be there in addition; a required parameter and a stricter schema Redocly has found before. */
const additive =
  /^(AllOf|AnyOf|Callback|CallbacksMap|Components|Header|HeadersMap|Link|LinksMap|MediaType|Named\w+|OneOf|Operation|Parameter|ParameterList|PathItem|Response|SecurityScheme|Server|WebhooksMap)$/;

type Rule = (change: Reported & { before: unknown; after: unknown }, pair: Pair, today: string) => Impact | undefined;

// The first that applies holds.
const rules: Rule[] = [
  // Whoever leaves the parameter out gets another answer. Before there was a default none was promised.
  ({ property, before }) => (property === "default" ? (before === undefined ? "minor" : "major") : undefined),
  // Clients that are generated from the document call it by its name.
  ({ typeName, property }) => (typeName === "Parameter" && property === "name" ? "major" : undefined),
  // Whoever relies on a header of an answer must not find it missing.
  ({ typeName, property, after }) =>
    typeName === "Header" && property === "required" ? (after === true ? "minor" : "major") : undefined,
  // The sizes of bodies.
  ({ property, before, after }) => {
    if (property !== "x-max-bytes") return undefined;
    return (before ?? Number.POSITIVE_INFINITY) > (after ?? Number.POSITIVE_INFINITY) ? "major" : "minor";
  },
  // A sunset is a promise that the operation stays until then …
  ({ property, before = "9999", after = "9999" }) =>
    property === "x-sunset" && before !== "9999" && String(after) < String(before) ? "major" : undefined,
  // … which is kept when it has passed.
  ({ typeName, kind, path }, { base }, today) => {
    if (kind !== "removed" || !/^(PathItem|Operation)$/.test(typeName)) return undefined;
    const removed = find(base, toSteps(path)) as Json;
    const operations = (typeName === "Operation" ? [removed] : Object.values(removed)) as Json[];
    return operations.every((operation) => String(operation["x-sunset"] ?? "9999") < today) ? "minor" : undefined;
  },
  // What was stable may change no more freely than before.
  ({ property, before, after }) => {
    if (property !== "x-stability") return undefined;
    const order = ["experimental", "beta", undefined] as unknown[];
    return order.indexOf(after) < order.indexOf(before) ? "major" : "minor";
  },
  ({ typeName, kind, revision }) => {
    if (typeName !== "RequestBody" || kind !== "added") return undefined;
    return (revision?.value as Json | undefined)?.required === true ? "major" : "minor";
  },
  ({ before, after }) => (isSameSet(before, after) ? "patch" : undefined),
  // What Redocly calls breaking.
  ({ impact }) => (impact === "major" ? "major" : undefined),
  ({ property, typeName }) => (textual.test(property ?? typeName) ? "patch" : undefined),
  // Semver asks for a minor version where something can be used that could not before, and where
  // something is deprecated (section 7).
  ({ kind, property, typeName, path }) => {
    if (kind === "modified") return looser.test(property ?? "") ? "minor" : undefined;
    if (kind === "removed") return typeName === "SecurityScheme" ? "minor" : undefined;
    const isField = typeName === "Schema" && /\/(properties|schemas)\/[^/]+$/.test(path);
    return isField || additive.test(typeName) ? "minor" : undefined;
  },
];

/** Rates a change. `today` is like 2030-12-05. */
export function rate(change: Reported, pair: Pair, today: string): Change {
  const [before, after] = [change.base?.value, change.revision?.value];
  const known = rules.map((rule) => rule({ ...change, before, after }, pair, today)).find((impact) => impact);
  const impact = known ?? "major";
  const what = say(change, before, after);
  return { impact, where: locate(change, pair), what: known ? what : `${what} Not known to be harmless.` };
}

// What several places refer to is said by its own name.
function locate({ kind, path, property, base, revision }: Reported, pair: Pair): string {
  const [document, source] = kind === "removed" ? [pair.base, base] : [pair.revision, revision ?? base];
  const shared = source?.pointer.startsWith("#/components/") ? source.pointer : path;
  const steps = toSteps(shared);
  return place(document, steps.at(-1) === property && shared !== path ? steps.slice(0, -1) : steps);
}

function say({ kind, path, property, typeName, verdicts }: Reported, before: unknown, after: unknown): string {
  if (verdicts.length > 0) return verdicts.map(({ message }) => message).join(" ");
  if (kind !== "modified") return `${name(path, typeName)} was ${kind}.`;
  if (textual.test(property ?? "")) return `Its \`${property}\` was written anew.`;
  if (before === undefined) return `\`${property}\` was added: ${show(after)}.`;
  if (after === undefined) return `\`${property}\` was removed: it was ${show(before)}.`;
  if (!Array.isArray(before) || !Array.isArray(after))
    return `\`${property}\` changed from ${show(before)} to ${show(after)}.`;
  return `\`${property}\` ${sayDifference(before, after)}.`;
}

// "It", where the place ends with its name.
function name(path: string, typeName: string): string {
  if (/^(Header|Operation|Parameter|PathItem|RequestBody|Response|SecurityScheme|Tag)$/.test(typeName)) return "It";
  const [parent, last] = toSteps(path).slice(-2);
  if (typeName === "Schema" && /^(properties|schemas)$/.test(parent ?? "")) return "It";
  return /^\d+$/.test(last ?? "") ? `A ${typeName}` : `\`${last}\``;
}

/** Says what a list lost and gained. */
export function sayDifference(before: readonly unknown[], after: readonly unknown[]): string {
  const steps = { lost: without(before, after), gained: without(after, before) };
  const said = Object.entries(steps).flatMap(([verb, values]) =>
    values.length > 0 ? `${verb} ${values.map(show).join(", ")}` : [],
  );
  return said.join(" and ") || "changed its order";
}

/** The values that others don't have. */
export function without(values: readonly unknown[], others: readonly unknown[]): unknown[] {
  return values.filter((value) => !others.includes(value));
}

function isSameSet(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return false;
  return without(one, other).length === 0 && without(other, one).length === 0;
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
