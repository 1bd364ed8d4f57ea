// What changed between two versions of the contract. Redocly compares; what it does not look at, or
// not for each operation, is compared here: credentials, addresses, open lists of values.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { parse } from "yaml";
import { readServerUrl } from "../../src/spec/document.ts";
import { methods, type OpenApi } from "../../src/spec/openapi.ts";
import { find, type Json, type Steps } from "../pointer.ts";
import { place } from "./place.ts";
import { type Change, type Impact, rate } from "./rate.ts";
import { type Pair, type Reported, sayDifference, textual, without } from "./say.ts";

/** Gives the changes from one version of the contract to another, both YAML, what breaks first. `today` is like 2030-12-05. */
export async function compare(base: string, revision: string, today: string): Promise<Change[]> {
  const pair: Pair = { base: parse(base), revision: parse(revision) };
  const changes = [
    ...(await report(pair)).filter(isMeant).map((change) => rate(change, pair, today)),
    ...compareCredentials(pair),
    ...compareAddresses(pair),
    ...compareOpenLists(pair),
  ];
  const order: Impact[] = ["major", "minor", "patch"];
  const all = changes.length > 0 ? changes : compareTheRest(pair);
  return all.sort((one, other) => order.indexOf(one.impact) - order.indexOf(other.impact));
}

// The caller compares versions, and compareCredentials compares credentials. The key of a path has its parameters' names.
function isMeant({ typeName, property = "", impact }: Reported): boolean {
  if (typeName === "Info" && /^(version|x-released)$/.test(property)) return false;
  if (typeName === "PathItem" && property === "key" && impact !== "major") return false;
  return !typeName.startsWith("SecurityRequirement");
}

const redocly = fileURLToPath(new URL("../../node_modules/.bin/redocly", import.meta.url));

async function report({ base, revision }: Pair): Promise<Reported[]> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    // As JSON, so that each use of a YAML anchor is rated in its own place.
    await writeFile(join(folder, "base.json"), JSON.stringify(base));
    await writeFile(join(folder, "revision.json"), JSON.stringify(revision));
    const args = ["diff", "base.json", "revision.json", "--format=json", "--fail-on=none"];
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
    const { stdout } = await promisify(execFile)(redocly, args, { cwd: folder, env, maxBuffer: 2 ** 26 }).catch(
      ({ stderr, message }) => {
        throw new Error(`The document can't be compared: ${(stderr || message).replace(/\s+/g, " ").slice(0, 500)}`);
      },
    );
    return JSON.parse(stdout).changes;
  } finally {
    await rm(folder, { recursive: true });
  }
}

// Which callers an operation lets in, by the alternatives of security schemes of which one must be met.
function compareCredentials({ base, revision }: Pair): Change[] {
  return Object.keys(base.paths as Json).flatMap((path) =>
    methods.flatMap((method) => {
      const steps = ["paths", path, method];
      const [was, is] = [find(base, steps), find(revision, steps)];
      if (was === undefined || is === undefined) return [];
      const [before, after] = [alternatives(base, was), alternatives(revision, is)];
      const lets = (all: string[][], one: string[]) => all.some((names) => names.every((name) => one.includes(name)));
      const needs = (all: string[][]) => all.map((names) => names.join(" and ") || "none").join(", or ");
      const where = place(revision, steps);
      const what = `The credential that it needs changed from ${needs(before)} to ${needs(after)}.`;
      if (before.some((one) => !lets(after, one))) return { impact: "major" as const, where, what };
      return after.some((one) => !lets(before, one)) ? { impact: "minor" as const, where, what } : [];
    }),
  );
}

function alternatives(document: Json, operation: Json): string[][] {
  const requirements = (operation.security ?? document.security ?? []) as Record<string, string[]>[];
  if (requirements.length === 0) return [[]];
  return requirements.map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) => [name, ...scopes.map((scope) => `${name}'s ${scope}`)]),
  );
}

// A consumer appends the paths to the address: another one is another service.
function compareAddresses({ base, revision }: Pair): Change[] {
  const [before, after] = [base, revision].map((content) => readServerUrl(content as unknown as OpenApi));
  if (before === after) return [];
  return [{ impact: "major", where: "the first server", what: `It changed from ${before} to ${after}.` }];
}

// x-extensible-enum says that values may be added; programs branch on those that are there.
function compareOpenLists({ base, revision }: Pair): Change[] {
  return [...openLists(base)].flatMap(([pointer, { steps, values }]) => {
    if (find(revision, steps) === undefined) return []; // its schema went, which is a change by itself
    const after = openLists(revision).get(pointer)?.values;
    const where = place(revision, steps);
    if (after === undefined) return { impact: "major" as const, where, what: "`x-extensible-enum` was removed." };
    if (isDeepStrictEqual(values, after)) return [];
    const impact: Impact = without(values, after).length > 0 ? "major" : "minor";
    return { impact, where, what: `\`x-extensible-enum\` ${sayDifference(values, after)}.` };
  });
}

type OpenLists = Map<string, { steps: Steps; values: unknown[] }>;

function openLists(part: unknown, steps: Steps = [], names: Steps = [], found: OpenLists = new Map()): OpenLists {
  if (part === null || typeof part !== "object") return found;
  if ("x-extensible-enum" in part && Array.isArray(part["x-extensible-enum"]))
    found.set(JSON.stringify(names), { steps, values: part["x-extensible-enum"] });
  for (const [step, child] of Object.entries(part)) {
    // A parameter is the same wherever in its list it stands.
    const name = names.at(-1) === "parameters" && Array.isArray(part) ? `${child.in} ${child.name}` : step;
    openLists(child, [...steps, step], [...names, name], found);
  }
  return found;
}

// Finds changes that no other comparison finds, since every change of the document changes the package.
function compareTheRest({ base, revision }: Pair): Change[] {
  const { info: _, ...was } = base;
  const { info: __, ...is } = revision;
  if (isDeepStrictEqual(was, is)) return [];
  const where = "the document";
  if (isDeepStrictEqual(withoutText(was), withoutText(is)))
    return [{ impact: "patch", where, what: "Its examples, extensions or order were written anew." }];
  return [{ impact: "major", where, what: "Something changed that no rule looks at. Not known to be harmless." }];
}

function withoutText(document: Json): unknown {
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (textual.has(key) || key.startsWith("x-")) return undefined;
    return key === "parameters" && Array.isArray(value)
      ? value.toSorted((one, other) => (`${one.in} ${one.name}` < `${other.in} ${other.name}` ? -1 : 1))
      : value;
  });
}
