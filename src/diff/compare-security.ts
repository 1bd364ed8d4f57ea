// Compares the security requirements of operations. A caller must satisfy one alternative.
import type { OpenApi, Part } from "../openapi/index.ts";
import type { Places, Step } from "./steps.ts";

type Json = Readonly<Record<string, unknown>>;
type Pair<T> = readonly [old: T, revised: T];

/** The parts of an alternative: its schemes and their scopes, by what identifies them to a caller. */
type Alternative = ReadonlyMap<string, string>;

/** Compares the requirements of an operation of both documents. */
export function compareSecurity(step: Step, roots: Pair<Part<OpenApi>>, operations: Pair<Json>, places: Places): void {
  const [before, after] = [readAlternatives(roots[0], operations[0]), readAlternatives(roots[1], operations[1])];
  const accepts = (alternatives: readonly Alternative[], credentials: Alternative) =>
    alternatives.some((one) => [...one.keys()].every((key) => credentials.has(key)));
  const isBreaking = before.some((one) => !accepts(after, one));
  if (!isBreaking && !after.some((one) => !accepts(before, one))) return;
  const [names, newNames] = [formatAll(before, ([, name]) => name), formatAll(after, ([, name]) => name)];
  const [text, newText] =
    names === newNames ? [before, after].map((one) => formatAll(one, ([key]) => key)) : [names, newNames];
  step.add(
    isBreaking ? "breaking" : "compatible",
    "security",
    places,
    `Security requirement changed from ${text} to ${newText}.`,
  );
}

function readAlternatives(root: Part<OpenApi>, operation: Json): Alternative[] {
  const requirements = (operation.security ?? root.value.security ?? []) as Record<string, string[]>[];
  if (requirements.length === 0) return [new Map()];
  const schemes = root.at("components")?.at("securitySchemes");
  return requirements.map((requirement) => {
    const parts = Object.entries(Object(requirement) as typeof requirement).flatMap(([name, scopes]) => {
      const key = describeScheme(name, (schemes?.at(name)?.value ?? {}) as unknown as Json);
      return [
        [key, name] as const,
        ...[scopes ?? []].flat().map((scope) => [`${key}'s ${scope}`, `${name}'s ${scope}`] as const),
      ];
    });
    return new Map(parts);
  });
}

// What callers send, whatever the name of the scheme is.
function describeScheme(name: string, scheme: Json): string {
  const { type, in: location, name: own, scheme: http, openIdConnectUrl, flows } = scheme;
  if (type === undefined) return name;
  const urls = Object.values(Object(flows) as Json).flatMap((flow) => [
    Object(flow).authorizationUrl,
    Object(flow).tokenUrl,
  ]);
  const parts = [type, location, own, typeof http === "string" ? http.toLowerCase() : http, openIdConnectUrl, ...urls];
  return parts.filter((part) => part !== undefined).join(" ");
}

function formatAll(alternatives: readonly Alternative[], toText: (part: [string, string]) => string): string {
  return alternatives.map((one) => [...one].map(toText).join(" and ") || "none").join(", or ");
}
