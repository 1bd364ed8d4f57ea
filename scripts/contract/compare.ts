// Compares two versions of the contract. Redocly finds most changes. This file finds the others: changes of security
// requirements per operation, the server URL, and extensible enums.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { parse } from "yaml";
import { methods, type OpenApi } from "../../src/openapi/source/document-types.ts";
import { readServerUrl } from "../../src/openapi/source/servers.ts";
import { find, type Json, type Tokens } from "../json-pointer.ts";
import { describeDifference, type RedoclyChange, subtract, textProperties, type Versions } from "./describe.ts";
import { describeLocation } from "./location.ts";
import { type Change, type Impact, rateChange } from "./rate.ts";

/**
 * Returns the changes between two versions of the contract, both as YAML. Breaking changes come first. `today` is an
 * ISO 8601 date.
 */
export async function compare(base: string, revision: string, today: string): Promise<Change[]> {
  const versions: Versions = { base: parse(base), revision: parse(revision) };
  const reported = await runRedocly(versions);
  const changes = [
    ...reported.filter(isRelevant).map((change) => rateChange(change, versions, today)),
    ...compareSecurity(versions),
    ...compareServerUrls(versions),
    ...compareExtensibleEnums(versions),
  ];
  const order: Impact[] = ["major", "minor", "patch"];
  const all = changes.length > 0 ? changes : compareDocuments(versions);
  return all.sort((one, other) => order.indexOf(one.impact) - order.indexOf(other.impact));
}

// Excludes changes that the gate or compareSecurity compares, and renamed path parameters in the key of a path, which
// callers do not see.
function isRelevant({ typeName, property = "", impact }: RedoclyChange): boolean {
  if (typeName === "Info" && /^(version|x-released)$/.test(property)) return false;
  if (typeName === "PathItem" && property === "key" && impact !== "major") return false;
  return !typeName.startsWith("SecurityRequirement");
}

const redocly = fileURLToPath(new URL("../../node_modules/.bin/redocly", import.meta.url));

async function runRedocly({ base, revision }: Versions): Promise<RedoclyChange[]> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    // JSON has no YAML anchors, so that each use of an anchor is rated in its own place.
    await writeFile(join(folder, "base.json"), JSON.stringify(base));
    await writeFile(join(folder, "revision.json"), JSON.stringify(revision));
    const args = ["diff", "base.json", "revision.json", "--format=json", "--fail-on=none"];
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
    const { stdout } = await promisify(execFile)(redocly, args, { cwd: folder, env, maxBuffer: 2 ** 26 }).catch(
      ({ stderr, message }) => {
        throw new Error(`Can't compare the documents: ${(stderr || message).replace(/\s+/g, " ").slice(0, 500)}`);
      },
    );
    return JSON.parse(stdout).changes;
  } finally {
    await rm(folder, { recursive: true });
  }
}

// Compares the alternatives of security schemes of each operation. A caller must satisfy one alternative.
function compareSecurity({ base, revision }: Versions): Change[] {
  return Object.keys(base.paths as Json).flatMap((path) =>
    methods.flatMap((method) => {
      const tokens = ["paths", path, method];
      const [baseOperation, operation] = [find(base, tokens), find(revision, tokens)];
      if (baseOperation === undefined || operation === undefined) return [];
      const [before, after] = [readAlternatives(base, baseOperation), readAlternatives(revision, operation)];
      const accepts = (alternatives: string[][], credentials: string[]) =>
        alternatives.some((schemes) => schemes.every((scheme) => credentials.includes(scheme)));
      const format = (alternatives: string[][]) =>
        alternatives.map((schemes) => schemes.join(" and ") || "none").join(", or ");
      const location = describeLocation(revision, tokens);
      const description = `Security requirement changed from ${format(before)} to ${format(after)}.`;
      if (before.some((one) => !accepts(after, one))) return { impact: "major" as const, location, description };
      return after.some((one) => !accepts(before, one)) ? { impact: "minor" as const, location, description } : [];
    }),
  );
}

function readAlternatives(document: Json, operation: Json): string[][] {
  const requirements = (operation.security ?? document.security ?? []) as Record<string, string[]>[];
  if (requirements.length === 0) return [[]];
  return requirements.map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) => [name, ...scopes.map((scope) => `${name}'s ${scope}`)]),
  );
}

// Callers append the paths to the server URL.
function compareServerUrls({ base, revision }: Versions): Change[] {
  const [before, after] = [base, revision].map((content) => readServerUrl(content as unknown as OpenApi));
  if (before === after) return [];
  return [{ impact: "major", location: "first server", description: `URL changed from ${before} to ${after}.` }];
}

// An extensible enum (x-extensible-enum) can get new values. Callers branch on its existing values.
function compareExtensibleEnums({ base, revision }: Versions): Change[] {
  return [...findExtensibleEnums(base)].flatMap(([key, { tokens, values }]) => {
    if (find(revision, tokens) === undefined) return []; // Redocly reports the removal of the schema
    const after = findExtensibleEnums(revision).get(key)?.values;
    const location = describeLocation(revision, tokens);
    if (after === undefined)
      return { impact: "major" as const, location, description: "`x-extensible-enum` was removed." };
    if (isDeepStrictEqual(values, after)) return [];
    const impact: Impact = subtract(values, after).length > 0 ? "major" : "minor";
    return { impact, location, description: `\`x-extensible-enum\` ${describeDifference(values, after)}.` };
  });
}

type ExtensibleEnums = Map<string, { tokens: Tokens; values: unknown[] }>;

// `names` are the tokens with parameters by name, because a parameter can move within its list.
function findExtensibleEnums(
  part: unknown,
  tokens: Tokens = [],
  names: Tokens = [],
  found: ExtensibleEnums = new Map(),
): ExtensibleEnums {
  if (part === null || typeof part !== "object") return found;
  if ("x-extensible-enum" in part && Array.isArray(part["x-extensible-enum"]))
    found.set(JSON.stringify(names), { tokens, values: part["x-extensible-enum"] });
  for (const [token, child] of Object.entries(part)) {
    const name = names.at(-1) === "parameters" && Array.isArray(part) ? `${child.in} ${child.name}` : token;
    findExtensibleEnums(child, [...tokens, token], [...names, name], found);
  }
  return found;
}

// Finds changes that no other comparison finds. Every change of the document needs a new version of the package.
function compareDocuments({ base, revision }: Versions): Change[] {
  const { info: _, ...before } = base;
  const { info: __, ...after } = revision;
  if (isDeepStrictEqual(before, after)) return [];
  const location = "document";
  if (isDeepStrictEqual(withoutText(before), withoutText(after)))
    return [{ impact: "patch", location, description: "Examples, extensions or the order changed." }];
  return [{ impact: "major", location, description: "Changed. No rule rates this change as compatible." }];
}

function withoutText(document: Json): unknown {
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (textProperties.has(key) || key.startsWith("x-")) return undefined;
    return key === "parameters" && Array.isArray(value)
      ? value.toSorted((one, other) => (`${one.in} ${one.name}` < `${other.in} ${other.name}` ? -1 : 1))
      : value;
  });
}
