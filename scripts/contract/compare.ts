// What changed between two versions of the contract, and what each change asks of the version. The
// rating is Redocly's; the rules here are for what it passes over or rates otherwise than we promise.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { parse } from "yaml";
import { readBasePath } from "../../src/document.ts";
import type { OpenApi } from "../../src/operation.ts";
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
interface Reported {
  readonly path: string;
  readonly typeName: string;
  readonly kind: "added" | "removed" | "modified";
  readonly impact: Impact;
  readonly property?: string;
  readonly verdicts: readonly { readonly ruleId: string; readonly message: string }[];
  readonly base?: { readonly value?: unknown };
  readonly revision?: { readonly value?: unknown };
}

/** The documents' contents. */
interface Pair {
  readonly base: Json;
  readonly revision: Json;
}

/** Gives the changes from one version of the contract to another, both YAML, what breaks first. `today` is like 2030-12-05. */
export async function compare(base: string, revision: string, today: string): Promise<Change[]> {
  const pair: Pair = { base: parse(base), revision: parse(revision) };
  const changes = (await report(pair)).flatMap((change) => {
    // Versions are compared by whoever asks; credentials below, for each operation.
    if (/^(version|x-released)$/.test(change.property ?? "") && change.typeName === "Info") return [];
    if (change.typeName.startsWith("SecurityRequirement")) return [];
    const where = place(change.kind === "removed" ? pair.base : pair.revision, toSteps(change.path));
    return { ...rate(change, pair, today), where };
  });
  const order = ["major", "minor", "patch"];
  const all = [...changes, ...compareCredentials(pair), ...compareAddresses(pair)];
  if (all.length === 0) all.push(...compareTheRest(pair));
  return all.sort((one, other) => order.indexOf(one.impact) - order.indexOf(other.impact));
}

const redocly = fileURLToPath(new URL("../../node_modules/.bin/redocly", import.meta.url));

async function report({ base, revision }: Pair): Promise<Reported[]> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    // As JSON: what YAML says once by an anchor is rated in each of its places. An open list of
    // values is compared as the list that it is; how it is rated is said below.
    const files = [base, revision].map((content) =>
      JSON.stringify(content).replaceAll('"x-extensible-enum"', '"enum"'),
    );
    await writeFile(join(folder, "base.json"), files[0] as string);
    await writeFile(join(folder, "revision.json"), files[1] as string);
    const { stdout } = await promisify(execFile)(
      redocly,
      ["diff", "base.json", "revision.json", "--format=json", "--fail-on=none"],
      {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
        maxBuffer: 2 ** 26,
      },
    );
    return JSON.parse(stdout).changes;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const textual =
  /^(\$self|contact|description|example|examples|externalDocs|license|summary|tags|termsOfService|title|x-internal|x-tagGroups)$/;

// Rules of ours, the first that applies. `before` and `after` are the values of the changed property.
const rules: ((
  change: Reported & { before: unknown; after: unknown },
  pair: Pair,
  today: string,
) => Impact | undefined)[] = [
  // Whoever leaves the parameter out gets another answer.
  ({ property, before }) => (property === "default" ? (before === undefined ? "minor" : "major") : undefined),
  // Clients that are generated from the document call it by its name.
  ({ typeName, property }) => (typeName === "Parameter" && property === "name" ? "major" : undefined),
  // Whoever relies on a header of an answer must not find it missing.
  ({ typeName, property, after }) =>
    typeName === "Header" && property === "required" ? (after === true ? "minor" : "major") : undefined,
  ({ property, before, after }) => {
    if (property !== "x-max-bytes") return undefined;
    return (before ?? Number.POSITIVE_INFINITY) > (after ?? Number.POSITIVE_INFINITY) ? "major" : "minor";
  },
  // A sunset is a promise that the operation stays until then; when it has passed, it is kept.
  ({ property, before, after }) =>
    property === "x-sunset" && before !== undefined && after !== undefined && String(after) < String(before)
      ? "major"
      : undefined,
  ({ typeName, kind, path }, { base }, today) => {
    if (kind !== "removed" || !/^(PathItem|Operation)$/.test(typeName)) return undefined;
    const removed = find(base, toSteps(path));
    const operations = typeName === "Operation" ? [removed] : Object.values(removed as object);
    return operations.every((operation) => (operation["x-sunset"] ?? "9999") < today) ? "minor" : undefined;
  },
  // x-extensible-enum says that values may be added; programs branch on those that are there.
  ({ property, before, after, path }, { base }) => {
    if (property !== "enum" || find(base, toSteps(path))?.["x-extensible-enum"] === undefined) return undefined;
    return without(before as unknown[], after as unknown[]).length > 0 ? "major" : "minor";
  },
  // Semver asks for a minor version where something can be used that could not before, and where
  // something is deprecated (section 7). What is left for a patch is text.
  ({ impact, typeName, property }) =>
    impact === "patch" ? (textual.test(property ?? "") || typeName === "Tag" ? "patch" : "minor") : undefined,
];

function without(values: unknown[], others: unknown[]): unknown[] {
  return values.filter((value) => !others.includes(value));
}

function rate(change: Reported, pair: Pair, today: string): Omit<Change, "where"> {
  const { base, revision, property, kind, verdicts } = change;
  const [before, after] = [base?.value, revision?.value];
  const ratings = rules.map((rule) => rule({ ...change, before, after }, pair, today));
  const impact = ratings.find((rating) => rating !== undefined) ?? change.impact;
  if (verdicts.length > 0) return { impact, what: verdicts.map(({ message }) => message).join(" ") };
  if (property === undefined || kind !== "modified") return { impact, what: `It was ${kind}.` };
  if (textual.test(property)) return { impact, what: `Its \`${property}\` was written anew.` };
  if (before === undefined) return { impact, what: `\`${property}\` was added: ${say(after)}.` };
  if (after === undefined) return { impact, what: `\`${property}\` was removed: it was ${say(before)}.` };
  if (!Array.isArray(before) || !Array.isArray(after))
    return { impact, what: `\`${property}\` changed from ${say(before)} to ${say(after)}.` };
  const steps = { lost: without(before, after), gained: without(after, before) };
  const said = Object.entries(steps).flatMap(([verb, values]) =>
    values.length > 0 ? `${verb} ${values.map(say)}` : [],
  );
  return { impact, what: `\`${property}\` ${said.join(" and ") || "changed its order"}.` };
}

function say(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

// Which callers an operation lets in, by the alternatives of security schemes of which one must be met.
function compareCredentials({ base, revision }: Pair): Change[] {
  return Object.entries(base.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).flatMap(([method, operation]) => {
      const present = find(revision, ["paths", path, method]);
      if (present === undefined) return [];
      const [before, after] = [alternatives(base, operation as Json), alternatives(revision, present as Json)];
      const lets = (all: string[][], one: string[]) => all.some((names) => names.every((name) => one.includes(name)));
      const where = place(revision, ["paths", path, method]);
      const needs = (all: string[][]) => all.map((names) => names.join(" and ") || "none").join(", or ");
      const what = `The credential that it needs changed from ${needs(before)} to ${needs(after)}.`;
      if (before.some((one) => !lets(after, one))) return { impact: "major" as const, where, what };
      return after.some((one) => !lets(before, one)) ? { impact: "minor" as const, where, what } : [];
    }),
  );
}

function alternatives(document: Json, operation: Json): string[][] {
  const requirements = (operation.security ?? document.security ?? []) as Json[];
  return requirements.length === 0 ? [[]] : requirements.map((requirement) => Object.keys(requirement));
}

// A consumer appends the paths to the address: another path there is another service.
function compareAddresses({ base, revision }: Pair): Change[] {
  const [before, after] = [base, revision].map((content) => readBasePath(content as unknown as OpenApi));
  if (before === after) return [];
  return [{ impact: "major", where: "the first server", what: `Its path changed from ${before} to ${after}.` }];
}

// What nothing above looks at, such as examples: whoever installs the package gets another document.
function compareTheRest({ base, revision }: Pair): Change[] {
  const { info: _, ...was } = base;
  const { info: __, ...is } = revision;
  const same = isDeepStrictEqual(was, is);
  return same
    ? []
    : [{ impact: "patch", where: "the document", what: "Its examples or extensions were written anew." }];
}
