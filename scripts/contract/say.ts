// A change in a reviewer's words: where it is, and what it is.
import { type Json, toSteps } from "../pointer.ts";
import { place } from "./place.ts";

/** A change as `redocly diff --format=json` reports it. */
export interface Reported {
  readonly path: string;
  readonly typeName: string;
  readonly kind: "added" | "removed" | "modified";
  /** The part of the version that Redocly asks for. */
  readonly impact: "major" | "minor" | "patch";
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

/** The words of a text. */
export const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Properties that hold text for people: no program acts on them. */
export const textual = words(`
  $comment contact description example examples externalDocs license summary termsOfService title value
`);

/** Where a change is. What several places refer to is said by its own name. */
export function locate({ kind, path, property, base, revision }: Reported, pair: Pair): string {
  const [document, source] = kind === "removed" ? [pair.base, base] : [pair.revision, revision ?? base];
  const shared = source?.pointer.startsWith("#/components/") ? source.pointer : path;
  const steps = toSteps(shared);
  return place(document, steps.at(-1) === property && shared !== path ? steps.slice(0, -1) : steps);
}

/** What a change is. */
export function say({ kind, path, property, typeName, verdicts }: Reported, before: unknown, after: unknown): string {
  if (verdicts.length > 0) return verdicts.map(({ message }) => message).join(" ");
  if (kind !== "modified") return `${name(path, typeName)} was ${kind}.`;
  if (textual.has(property ?? "")) return `Its \`${property}\` was written anew.`;
  if (before === undefined) return `\`${property}\` was added: ${show(after)}.`;
  if (after === undefined) return `\`${property}\` was removed: it was ${show(before)}.`;
  if (!Array.isArray(before) || !Array.isArray(after))
    return `\`${property}\` changed from ${show(before)} to ${show(after)}.`;
  return `\`${property}\` ${sayDifference(before, after)}.`;
}

// "It", where the place ends with its name.
function name(path: string, typeName: string): string {
  if (/^(Header|Operation|Parameter|PathItem|RequestBody|Response|SecurityScheme|Tag)$/.test(typeName)) return "It";
  const steps = toSteps(path);
  if (typeName === "Schema" && /^(properties|schemas)$/.test(steps.at(-2) ?? "")) return "It";
  return /^\d*$/.test(steps.at(-1) ?? "") ? `A ${typeName}` : `\`${steps.at(-1)}\``;
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

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
