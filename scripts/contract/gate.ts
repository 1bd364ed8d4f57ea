// The contract gate: compares the document with its last release, rejects breaking changes, and releases the document.
import { readdir, readFile, writeFile } from "node:fs/promises";
import semver from "semver";
import { parse } from "yaml";
import { readBasePath } from "../../src/openapi/source/servers.ts";
import { type Change, compare } from "./compare.ts";

const heading = `# Changelog of the contract

Changes for clients of the API. \`npm run contract:release\` adds an entry for each release.
`;
const labels = { major: "Breaking", minor: "Compatible", patch: "Documentation" };

/** The files, the date and the output of a comparison or a release. */
export interface Context {
  /** The folder with `petstore.yaml`, `released/` and `CHANGELOG.md`; its URL ends with a slash. */
  readonly folder: URL;
  /** An ISO 8601 date, such as 2030-12-05. */
  readonly today: string;
  /** Receives each line of the report. */
  readonly print: (line: string) => void;
}

interface Version {
  readonly text: string;
  readonly version: string;
  /** The date of its release, such as 2026-11-20. */
  readonly date: string;
  readonly basePath: string;
}

/** Prints the changes since the last release. Rejects if info.version is too low for them. */
export async function diff({ folder, today, print }: Context): Promise<void> {
  const [current, last] = [await readCurrent(folder), await readLast(folder)];
  if (last === undefined) throw new Error("No version is released yet. Run npm run contract:release.");
  const changes = await compare(last.text, current.text, today);
  for (const { impact, location, description } of changes)
    print(`${labels[impact].toLowerCase()}: ${location}: ${description}`);
  checkVersion(changes, last, current);
  print(`info.version ${current.version} is valid for the changes since ${last.version}.`);
}

/** Writes the document as the next baseline, and the changelog. Rejects if info.version is too low for the changes. */
export async function release({ folder, today, print }: Context): Promise<void> {
  const [current, last] = [await readCurrent(folder), await readLast(folder)];
  const changes = last ? await compare(last.text, current.text, today) : [];
  if (last) checkVersion(changes, last, current);
  if (last?.version === current.version) return print(`${current.version} is already released.`);

  // An unchanged date is the date of the last release.
  const text =
    current.date === last?.date ? current.text.replace(/^( {2}x-released: ).*$/m, `$1${today}`) : current.text;
  const { version, date } = parseVersion(text);
  const entry = [`## ${version}, ${date}`, ...(last ? formatSections(changes) : ["The first release."])].join("\n\n");
  const changelog = new URL("CHANGELOG.md", folder);
  const [title = "", ...entries] = (await readFile(changelog, "utf8").catch(() => heading)).split(/\n+(?=## )/);
  await writeFile(new URL("petstore.yaml", folder), text);
  await writeFile(new URL(`released/${version}.yaml`, folder), text);
  await writeFile(changelog, `${[title, entry, ...entries].map((part) => part.trimEnd()).join("\n\n")}\n`);
  print(`Released ${version} (${date}): wrote openapi/released/${version}.yaml and openapi/CHANGELOG.md.`);
}

function checkVersion([first]: readonly Change[], last: Version, current: Version): void {
  const impact = first?.impact; // breaking changes come first
  const minimum = impact ? (semver.inc(last.version, impact) as string) : last.version;
  const isHighEnough = semver.gte(current.version, minimum);
  if (impact === "major" && !(isHighEnough && current.basePath !== last.basePath))
    throw new Error(
      `This breaks clients of ${last.version}. Revert it, or release ${minimum} at a base path other than ${last.basePath}.`,
    );
  if (isHighEnough) return;
  if (impact === undefined)
    throw new Error(`info.version is ${current.version}, but ${last.version} is already released.`);
  const kind = labels[impact].toLowerCase();
  throw new Error(`info.version is ${current.version}, but the ${kind} changes require at least ${minimum}.`);
}

// Returns a section for each operation and each shared component, with a line for each change.
function formatSections(changes: readonly Change[]): string[] {
  const groups = Map.groupBy(changes, ({ location }) => location.split(", ")[0] as string);
  return [...groups].map(([title, group]) => {
    const lines = group.map(({ impact, location, description }) => {
      const place = location.slice(title.length).replace(/^, (.*)/, " $1:");
      return `- ${labels[impact]}:${place} ${description}`;
    });
    // An operationId has no space.
    const heading = title.includes(" ") ? `${title.charAt(0).toUpperCase()}${title.slice(1)}` : title;
    return [`### ${heading}`, "", ...lines].join("\n");
  });
}

async function readCurrent(folder: URL): Promise<Version> {
  return parseVersion(await readFile(new URL("petstore.yaml", folder), "utf8"));
}

async function readLast(folder: URL): Promise<Version | undefined> {
  const baselines = new URL("released/", folder);
  const versions = (await readdir(baselines).catch(() => [])).map((name) => name.replace(/\.yaml$/, ""));
  const version = versions.sort(semver.rcompare)[0];
  if (version === undefined) return undefined;
  const last = parseVersion(await readFile(new URL(`${version}.yaml`, baselines), "utf8"));
  if (last.version !== version)
    throw new Error(`info.version in openapi/released/${version}.yaml is ${last.version}, but must be ${version}.`);
  return last;
}

function parseVersion(text: string): Version {
  const content = parse(text);
  const { version, "x-released": date } = content.info;
  if (!semver.valid(version)) throw new Error(`info.version is ${version}, but must have the form 1.2.3.`);
  return { text, version, date, basePath: readBasePath(content) };
}
