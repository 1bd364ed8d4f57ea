// Describes a change that Redocly reports: its location, and a sentence for reviewers and the changelog.
import { type Json, parsePointer } from "../json-pointer.ts";
import { describeLocation } from "./location.ts";

/** A change as `redocly diff --format=json` reports it. */
export interface RedoclyChange {
  readonly path: string;
  readonly typeName: string;
  readonly kind: "added" | "removed" | "modified";
  /** The part of the version that must increase, by the rules of Redocly. */
  readonly impact: "major" | "minor" | "patch";
  readonly property?: string;
  readonly verdicts: readonly { readonly message: string }[];
  readonly base?: { readonly pointer: string; readonly value?: unknown };
  readonly revision?: { readonly pointer: string; readonly value?: unknown };
}

/** Two versions of the document, parsed. */
export interface Versions {
  readonly base: Json;
  readonly revision: Json;
}

/** Returns the words of a text as a set. */
export const wordSet = (text: string) => new Set(text.trim().split(/\s+/));

/** Properties with text for people, which programs do not interpret. */
export const textProperties = wordSet(`
  $comment contact description example examples externalDocs license summary termsOfService title value
`);

/** Describes the location of a change. A change in a shared component has the location of the component. */
export function describeChangeLocation(
  { kind, path, property, base, revision }: RedoclyChange,
  versions: Versions,
): string {
  const [document, source] = kind === "removed" ? [versions.base, base] : [versions.revision, revision ?? base];
  const pointer = source?.pointer.startsWith("#/components/") ? source.pointer : path;
  const tokens = parsePointer(pointer);
  return describeLocation(document, tokens.at(-1) === property && pointer !== path ? tokens.slice(0, -1) : tokens);
}

/** Describes a change in a sentence, which follows the location of the change. */
export function describeChange(
  { kind, path, property, typeName, verdicts }: RedoclyChange,
  before: unknown,
  after: unknown,
): string {
  if (verdicts.length > 0) return verdicts.map(({ message }) => message).join(" ");
  if (kind !== "modified") return describeExistence(kind, path, typeName);
  if (textProperties.has(property ?? "")) return `\`${property}\` changed.`;
  if (before === undefined) return `\`${property}\` was added with the value ${format(after)}.`;
  if (after === undefined) return `\`${property}\` was removed. Its value was ${format(before)}.`;
  if (!Array.isArray(before) || !Array.isArray(after))
    return `\`${property}\` changed from ${format(before)} to ${format(after)}.`;
  return `\`${property}\` ${describeDifference(before, after)}.`;
}

// Omits the name if the location already ends with it.
function describeExistence(kind: "added" | "removed", path: string, typeName: string): string {
  const tokens = parsePointer(path);
  const isNamed =
    /^(Header|Operation|Parameter|PathItem|RequestBody|Response|SecurityScheme|Tag)$/.test(typeName) ||
    (typeName === "Schema" && /^(properties|schemas)$/.test(tokens.at(-2) ?? ""));
  if (isNamed) return kind === "added" ? "Added." : "Removed.";
  return /^\d*$/.test(tokens.at(-1) ?? "") ? `A ${typeName} was ${kind}.` : `\`${tokens.at(-1)}\` was ${kind}.`;
}

/** Describes the values that a list lost and gained. */
export function describeDifference(before: readonly unknown[], after: readonly unknown[]): string {
  const differences = { lost: subtract(before, after), gained: subtract(after, before) };
  const parts = Object.entries(differences).flatMap(([verb, values]) =>
    values.length > 0 ? `${verb} ${values.map(format).join(", ")}` : [],
  );
  return parts.join(" and ") || "changed its order";
}

/** Returns the values that are not among the others. */
export function subtract(values: readonly unknown[], others: readonly unknown[]): unknown[] {
  return values.filter((value) => !others.includes(value));
}

function format(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
