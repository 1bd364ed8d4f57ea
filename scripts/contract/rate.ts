// What one change asks of the version. What Redocly rates as breaking is. The rest is breaking too,
// unless it is known not to be: by the tables and rules here.

import { methods } from "../../src/spec/openapi.ts";
import { find, type Json, toSteps } from "../pointer.ts";
import { locate, type Pair, type Reported, say, textual, without, words } from "./say.ts";

/** The part of a version (semver.org) that a change asks to grow: major breaks a consumer, minor adds, patch is text. */
export type Impact = "major" | "minor" | "patch";

/** One change, in words: where, and what. */
export interface Change {
  readonly impact: Impact;
  readonly where: string;
  readonly what: string;
}

/** What is text as a whole. */
const textualTypes = words("Contact Example ExamplesMap ExternalDocs License Tag TagList");

/** Properties that Redocly rates by their direction: what it leaves narrows an answer or widens a request. */
const directed = words(`
  additionalProperties const contentEncoding enum exclusiveMaximum exclusiveMinimum format maximum maxItems maxLength
  maxProperties minimum minItems minLength minProperties multipleOf pattern required type unevaluatedProperties uniqueItems
`);

/** Properties that say more of an operation, or allow more. */
const harmless = words(`
  allowEmptyValue allowReserved deprecated openapi tags x-deprecated-since x-internal x-released x-successor x-sunset
`);

/** What can be there in addition; a required parameter and a stricter schema Redocly has found before. */
const additive = words(`
  AllOf AnyOf Callback CallbacksMap Components Header HeadersMap Link LinksMap MediaType NamedExamples NamedHeaders
  NamedLinks NamedParameters NamedPathItems NamedRequestBodies NamedResponses NamedSchemas NamedSecuritySchemes OneOf
  Operation Parameter ParameterList PathItem Response SecurityScheme Server WebhooksMap
`);

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
  // A sunset is a promise that the operation stays until then, and one that has passed promises nothing …
  ({ property, before, after }, _, today) => {
    if (property !== "x-sunset" || after === undefined) return undefined;
    const earlier = before !== undefined && String(after) < String(before);
    return earlier || String(after) < today ? "major" : "minor";
  },
  // … and which is kept when it has passed.
  ({ typeName, kind, path }, { base }, today) => {
    if (kind !== "removed" || !/^(PathItem|Operation)$/.test(typeName)) return undefined;
    const removed = find(base, toSteps(path)) as Json;
    const operations =
      typeName === "Operation" ? [removed] : methods.map((method) => removed[method] as Json | undefined);
    return operations.every((operation) => String(operation?.["x-sunset"] ?? (operation ? "9999" : "")) < today)
      ? "minor"
      : undefined;
  },
  // What nothing refers to any more but what went with it.
  ({ kind, path }, pair) =>
    kind === "removed" && path.startsWith("#/components/") && !isStillUsed(path, pair) ? "minor" : undefined,
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
  ({ property = "", before, after }) =>
    /^(enum|required|tags|type)$/.test(property) && isSameSet(before, after) ? "patch" : undefined,
  // What Redocly calls breaking.
  ({ impact }) => (impact === "major" ? "major" : undefined),
  ({ property = "", typeName }) => (textual.has(property) || textualTypes.has(typeName) ? "patch" : undefined),
  // Semver asks for a minor version where something can be used that could not before, and where
  // something is deprecated (section 7).
  ({ kind, property = "", typeName, path }) => {
    if (kind === "modified") return directed.has(property) || harmless.has(property) ? "minor" : undefined;
    if (kind === "removed") return typeName === "SecurityScheme" ? "minor" : undefined;
    const isField = typeName === "Schema" && /\/(properties|schemas)\/[^/]+$/.test(path);
    return isField || additive.has(typeName) ? "minor" : undefined;
  },
  // An extension that has no rule here is a word to people.
  ({ property = "" }) => (property.startsWith("x-") ? "patch" : undefined),
];

// Whether a component is referred to from an operation that the later version still has.
function isStillUsed(pointer: string, { base, revision }: Pair): boolean {
  const paths = Object.entries(base.paths as Json).filter(([path]) => find(revision, ["paths", path]) !== undefined);
  const seen = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, reference = ""] of JSON.stringify(part ?? null).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (seen.has(reference)) continue;
      seen.add(reference);
      follow(find(base, toSteps(reference)));
    }
  };
  for (const [path, item] of paths)
    for (const method of methods)
      if (find(revision, ["paths", path, method]) !== undefined) follow((item as Json)[method]);
  return seen.has(pointer);
}

/** Rates a change. `today` is like 2030-12-05. */
export function rate(change: Reported, pair: Pair, today: string): Change {
  const [before, after] = [change.base?.value, change.revision?.value];
  const known = rules.map((rule) => rule({ ...change, before, after }, pair, today)).find((impact) => impact);
  const impact = known ?? "major";
  const what = say(change, before, after);
  return { impact, where: locate(change, pair), what: known ? what : `${what} Not known to be harmless.` };
}

function isSameSet(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return false;
  return without(one, other).length === 0 && without(other, one).length === 0;
}
