// Rates a change of the document. A change is breaking if Redocly rates it as breaking, or if no table and no rule of
// this file rates it as compatible.
import { methods } from "../../src/openapi/source/document-types.ts";
import { find, type Json, parsePointer } from "../json-pointer.ts";
import { findClosedSchemas } from "./closed-schemas.ts";
import {
  describeChange,
  describeChangeLocation,
  type RedoclyChange,
  subtract,
  textProperties,
  type Versions,
  wordSet,
} from "./describe.ts";

/** The part of the version that must increase (semver.org): major for breaking changes, patch for documentation. */
export type Impact = "major" | "minor" | "patch";

/** A rated change. */
export interface Change {
  readonly impact: Impact;
  readonly location: string;
  readonly description: string;
}

/** Types that contain only documentation. */
const textTypes = wordSet("Contact Example ExamplesMap ExternalDocs License Tag TagList");

/** Properties that Redocly rates by direction: it accepts wider requests and narrower responses. */
const directionalProperties = wordSet(`
  additionalProperties const contentEncoding enum exclusiveMaximum exclusiveMinimum format maximum maxItems maxLength
  maxProperties minimum minItems minLength minProperties multipleOf pattern required type unevaluatedProperties uniqueItems
`);

/** Properties whose changes add information about an operation, or permit more. */
const compatibleProperties = wordSet(`
  allowEmptyValue allowReserved deprecated openapi tags x-deprecated-since x-internal x-released x-successor x-sunset
`);

/** Types whose additions are compatible. Earlier rules rate required parameters and stricter schemas as breaking. */
const additiveTypes = wordSet(`
  AllOf AnyOf Callback CallbacksMap Components Header HeadersMap Link LinksMap MediaType NamedExamples NamedHeaders
  NamedLinks NamedParameters NamedPathItems NamedRequestBodies NamedResponses NamedSchemas NamedSecuritySchemes OneOf
  Operation Parameter ParameterList PathItem Response SecurityScheme Server WebhooksMap
`);

type Rule = (
  change: RedoclyChange & { before: unknown; after: unknown },
  versions: Versions,
  today: string,
) => Impact | undefined;

// The first rule that returns an impact applies.
const rules: Rule[] = [
  // Another default changes the response to callers that omit the parameter. A first default specifies a response that
  // was unspecified.
  ({ property, before }) => (property === "default" ? (before === undefined ? "minor" : "major") : undefined),
  // Generated clients refer to a parameter by its name.
  ({ typeName, property }) => (typeName === "Parameter" && property === "name" ? "major" : undefined),
  // Callers may rely on a required response header.
  ({ typeName, property, after }) =>
    typeName === "Header" && property === "required" ? (after === true ? "minor" : "major") : undefined,
  // The maximum size of a body.
  ({ property, before, after }) => {
    if (property !== "x-max-bytes") return undefined;
    return (before ?? Number.POSITIVE_INFINITY) > (after ?? Number.POSITIVE_INFINITY) ? "major" : "minor";
  },
  // Consumers that validate a response reject a field that its released schema did not permit.
  ({ typeName, kind, revision }, { base }) => {
    const [, owner] = /^(#.*)\/properties\/[^/]+$/.exec(revision?.pointer ?? "") ?? [];
    if (typeName !== "Schema" || kind !== "added" || owner === undefined) return undefined;
    return findClosedSchemas(base).has(find(base, parsePointer(owner)) as Json) ? "major" : undefined;
  },
  // Until its sunset, an operation must remain. A new sunset must not be in the past.
  ({ property, before, after }, _, today) => {
    if (property !== "x-sunset" || after === undefined) return undefined;
    const isEarlier = before !== undefined && String(after) < String(before);
    return isEarlier || String(after) < today ? "major" : "minor";
  },
  // After its sunset, an operation may be removed.
  ({ typeName, kind, path }, { base }, today) => {
    if (kind !== "removed" || !/^(PathItem|Operation)$/.test(typeName)) return undefined;
    const removed = find(base, parsePointer(path)) as Json;
    const operations =
      typeName === "Operation" ? [removed] : methods.map((method) => removed[method] as Json | undefined);
    return operations.every((operation) => String(operation?.["x-sunset"] ?? (operation ? "9999" : "")) < today)
      ? "minor"
      : undefined;
  },
  // Components may be removed if only removed operations refer to them.
  ({ kind, path }, versions) =>
    kind === "removed" && path.startsWith("#/components/") && !isStillUsed(path, versions) ? "minor" : undefined,
  // Stability must not decrease.
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
  ({ impact }) => (impact === "major" ? "major" : undefined),
  ({ property = "", typeName }) => (textProperties.has(property) || textTypes.has(typeName) ? "patch" : undefined),
  // Additions and deprecations require a minor version (semver.org, section 7).
  ({ kind, property = "", typeName, path }) => {
    if (kind === "modified")
      return directionalProperties.has(property) || compatibleProperties.has(property) ? "minor" : undefined;
    if (kind === "removed") return typeName === "SecurityScheme" ? "minor" : undefined;
    const isField = typeName === "Schema" && /\/(properties|schemas)\/[^/]+$/.test(path);
    return isField || additiveTypes.has(typeName) ? "minor" : undefined;
  },
  // Extensions without a rule are documentation.
  ({ property = "" }) => (property.startsWith("x-") ? "patch" : undefined),
];

// Returns whether an operation that remains in the revision refers to a component, directly or indirectly.
function isStillUsed(pointer: string, { base, revision }: Versions): boolean {
  const seen = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, reference = ""] of JSON.stringify(part ?? null).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (seen.has(reference)) continue;
      seen.add(reference);
      follow(find(base, parsePointer(reference)));
    }
  };
  for (const [path, item] of Object.entries(base.paths as Json))
    for (const method of methods)
      if (find(revision, ["paths", path, method]) !== undefined) follow((item as Json)[method]);
  return seen.has(pointer);
}

/** Rates a change of Redocly's report. `today` is an ISO 8601 date. */
export function rateChange(change: RedoclyChange, versions: Versions, today: string): Change {
  const [before, after] = [change.base?.value, change.revision?.value];
  const input = { ...change, before, after };
  const known = rules.map((rule) => rule(input, versions, today)).find((impact) => impact);
  const description = describeChange(change, before, after);
  return {
    impact: known ?? "major",
    location: describeChangeLocation(change, versions),
    description: known ? description : `${description} No rule rates this change as compatible.`,
  };
}

function isSameSet(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return false;
  return subtract(one, other).length === 0 && subtract(other, one).length === 0;
}
