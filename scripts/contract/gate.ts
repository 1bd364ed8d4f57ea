// The gate between the contract and its consumers: compares the document with its last release, and releases it.
import { readdir, readFile, writeFile } from "node:fs/promises";
import semver from "semver";
import { parse } from "yaml";
import { readBasePath } from "../../src/spec/document.ts";
import { compare } from "./compare.ts";
import type { Change, Impact } from "./rate.ts";

const heading = `# Changelog of the contract

What changed for those who build on it. Written by \`npm run contract:release\`.
`;
const titles = { major: "Breaking", minor: "New", patch: "Text" };

/** The place and the time of a comparison or a release. */
export interface Context {
  /** The folder with `petstore.yaml`, `released/` and `CHANGELOG.md`; its URL ends with a slash. */
  readonly folder: URL;
  /** Such as 2030-12-05. */
  readonly today: string;
  /** Receives each line of the report. */
  readonly print: (line: string) => void;
}

interface Version {
  readonly text: string;
  readonly version: string;
  /** The day of its release, such as 2026-11-20. */
  readonly day: string;
  readonly basePath: string;
}

/** Reports the changes since the last release. Throws an Error if info.version does not allow them. */
export async function diff({ folder, today, print }: Context): Promise<void> {
  const [present, last] = [await readPresent(folder), await readLast(folder)];
  if (last === undefined) throw new Error("Nothing is released yet: npm run contract:release makes this the first.");
  const changes = await compare(last.text, present.text, today);
  for (const line of describe(changes)) print(line);
  checkVersion(changes, last, present);
  print(`The contract ${present.version} keeps what ${last.version} promised.`);
}

/** Makes the document the next baseline and writes the changelog. Throws an Error if info.version does not allow it. */
export async function release({ folder, today, print }: Context): Promise<void> {
  const [present, last] = [await readPresent(folder), await readLast(folder)];
  const changes = last ? await compare(last.text, present.text, today) : [];
  if (last) checkVersion(changes, last, present);
  if (last?.version === present.version) return print(`${present.version} is released already.`);

  // An unchanged day is that of the last release: this release is made today.
  const text = present.day === last?.day ? present.text.replace(/^( {2}x-released: ).*$/m, `$1${today}`) : present.text;
  const { version, day } = read(text);
  const entry = [`## ${version}, ${day}`, ...(last ? sections(changes) : ["The first release."])].join("\n\n");
  const changelog = new URL("CHANGELOG.md", folder);
  const [title = "", ...entries] = (await readFile(changelog, "utf8").catch(() => heading)).split(/\n+(?=## )/);
  await writeFile(new URL("petstore.yaml", folder), text);
  await writeFile(new URL(`released/${version}.yaml`, folder), text);
  await writeFile(changelog, `${[title, entry, ...entries].map((part) => part.trimEnd()).join("\n\n")}\n`);
  print(`${version} of ${day} is the baseline: openapi/released/${version}.yaml, openapi/CHANGELOG.md.`);
}

function checkVersion([first]: readonly Change[], last: Version, present: Version): void {
  const impact = first?.impact; // breaking changes come first
  const least = impact ? (semver.inc(last.version, impact) as string) : last.version;
  const grown = semver.gte(present.version, least);
  if (impact === "major" && !(grown && present.basePath !== last.basePath))
    throw new Error(
      `This breaks what ${last.version} promised: take it back, or make it ${least} at an address of its own, not ${last.basePath}.`,
    );
  if (grown) return;
  if (impact === undefined)
    throw new Error(`info.version ${present.version} is behind ${last.version}, which is released.`);
  const why = impact === "minor" ? "something is new or looser" : "its text changed";
  throw new Error(`info.version must be at least ${least}, since ${why}; it is ${present.version}.`);
}

// One line for each change, with all places that have the same change.
function describe(changes: readonly Change[]): string[] {
  const groups = Map.groupBy(changes, ({ impact, what }) => `${titles[impact].toLowerCase()}: ${what}`);
  return [...groups.values()].map((group) => {
    const [{ impact, where, what }, ...others] = group as [Change, ...Change[]];
    const also = others.length > 0 ? ` The same holds for ${others.map((other) => other.where).join("; ")}.` : "";
    return `${titles[impact].toLowerCase()}: ${where}: ${what}${also}`;
  });
}

function sections(changes: readonly Change[]): string[] {
  return Object.entries(titles).flatMap(([impact, title]) => {
    const lines = describe(changes.filter((change) => change.impact === (impact as Impact)));
    return lines.length > 0 ? [`### ${title}`, lines.map((line) => line.replace(/^\w+: /, "- ")).join("\n")] : [];
  });
}

async function readPresent(folder: URL): Promise<Version> {
  return read(await readFile(new URL("petstore.yaml", folder), "utf8"));
}

async function readLast(folder: URL): Promise<Version | undefined> {
  const baselines = new URL("released/", folder);
  const versions = (await readdir(baselines).catch(() => [])).map((name) => name.replace(/\.yaml$/, ""));
  const version = versions.sort(semver.rcompare)[0];
  if (version === undefined) return undefined;
  const last = read(await readFile(new URL(`${version}.yaml`, baselines), "utf8"));
  if (last.version !== version) throw new Error(`openapi/released/${version}.yaml says that it is ${last.version}.`);
  return last;
}

function read(text: string): Version {
  const content = parse(text);
  const { version, "x-released": day } = content.info;
  if (!semver.valid(version)) throw new Error(`info.version must be like 1.2.3, and is ${version}.`);
  return { text, version, day, basePath: readBasePath(content) };
}
