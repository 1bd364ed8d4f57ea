// The gate between the contract and those who build on it. "diff" holds the document to what was
// released last; "release" makes it the next baseline and writes the changelog.
import { readdir, readFile, writeFile } from "node:fs/promises";
import semver from "semver";
import { parse } from "yaml";
import { readBasePath } from "../src/document.ts";
import { compare } from "./contract/compare.ts";
import type { Change, Impact } from "./contract/rate.ts";

const document = new URL("../openapi/petstore.yaml", import.meta.url);
const baselines = new URL("../openapi/released/", import.meta.url);
const changelog = new URL("../openapi/CHANGELOG.md", import.meta.url);
const heading = `# Changelog of the contract

What changed for those who build on it. Written by \`npm run contract:release\`.
`;
const titles = { major: "Breaking", minor: "New", patch: "Text" };
const today = new Date().toISOString().slice(0, 10);

interface Version {
  readonly text: string;
  readonly version: string;
  /** When it was released, such as 2026-11-20. */
  readonly day: string;
  readonly basePath: string;
}

async function diff(): Promise<void> {
  const [present, last] = [await readPresent(), await readLast()];
  if (last === undefined) throw new Error("Nothing is released yet: npm run contract:release makes this the first.");
  const changes = await compare(last.text, present.text, today);
  for (const line of say(changes)) console.log(line);
  judge(changes, last, present);
  console.log(`The contract ${present.version} keeps what ${last.version} promised.`);
}

async function release(): Promise<void> {
  const [present, last] = [await readPresent(), await readLast()];
  const changes = last ? await compare(last.text, present.text, today) : [];
  if (last) judge(changes, last, present);
  if (last?.version === present.version) return console.log(`${present.version} is released already.`);

  // A day that was left as it was is the last release's: this one is of today.
  const text = present.day === last?.day ? present.text.replace(/^( {2}x-released: ).*$/m, `$1${today}`) : present.text;
  const { version, day } = read(text);
  const entry = [`## ${version}, ${day}`, ...(last ? sections(changes) : ["The first release."])].join("\n\n");
  const [title = "", ...entries] = (await readFile(changelog, "utf8").catch(() => heading)).split(/\n+(?=## )/);
  await writeFile(document, text);
  await writeFile(new URL(`${version}.yaml`, baselines), text);
  await writeFile(changelog, `${[title, entry, ...entries].map((part) => part.trimEnd()).join("\n\n")}\n`);
  console.log(`${version} of ${day} is the baseline: openapi/released/${version}.yaml, openapi/CHANGELOG.md.`);
}

// Throws what stands between the document and a release.
function judge([first]: readonly Change[], last: Version, present: Version): void {
  const impact = first?.impact; // what breaks comes first
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

// One line for each change, with all the places where it is the same.
function say(changes: readonly Change[]): string[] {
  const groups = Map.groupBy(changes, ({ impact, what }) => `${titles[impact].toLowerCase()}: ${what}`);
  return [...groups.values()].map((group) => {
    const [{ impact, where, what }, ...others] = group as [Change, ...Change[]];
    const also = others.length > 0 ? ` The same holds for ${others.map((other) => other.where).join("; ")}.` : "";
    return `${titles[impact].toLowerCase()}: ${where}: ${what}${also}`;
  });
}

function sections(changes: readonly Change[]): string[] {
  return Object.entries(titles).flatMap(([impact, title]) => {
    const lines = say(changes.filter((change) => change.impact === (impact as Impact)));
    return lines.length > 0 ? [`### ${title}`, lines.map((line) => line.replace(/^\w+: /, "- ")).join("\n")] : [];
  });
}

async function readPresent(): Promise<Version> {
  return read(await readFile(document, "utf8"));
}

async function readLast(): Promise<Version | undefined> {
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

const commands: Record<string, () => Promise<void>> = { diff, release };
const command = commands[process.argv[2] ?? ""];
try {
  if (command === undefined) throw new Error("usage: node scripts/contract.ts diff|release");
  await command();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = command ? 1 : 2;
}
