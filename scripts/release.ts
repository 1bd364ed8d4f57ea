// Builds the files of a release in dist/: the packages, the service with its packages for systemd, the list of its
// packages, the changelog of the version, and the checksums.
// usage: node scripts/release.ts TAG [CPU...], in the folder of the project, with the tag checked out
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const dist = resolve("dist");

const run = (program: string, args: readonly string[], cwd = process.cwd()) =>
  execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "inherit"] });

const [tag = "", ...cpus] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

// Returns the section of the version, without its heading: "## 1.0.0, 2026-11-23".
function readChanges(): string {
  const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version}, `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}, DATE".`);
  return section.slice(section.indexOf("\n")).trim();
}

// Installs the packages of the service next to its source. They contain no machine code, except for Node.
function buildService(cpu: string): void {
  const place = mkdtempSync(join(tmpdir(), "petstore-release-"));
  try {
    const name = `petstore-${version}`;
    const source = join(place, "source.tar");
    run("git", ["archive", `--prefix=${name}/`, `--output=${source}`, "HEAD"]);
    run("tar", ["-xf", source], place);
    run(process.execPath, ["scripts/bundle.ts", join(place, name)]);
    const options = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--os=linux", `--cpu=${cpu}`];
    run("npm", ["ci", ...options], join(place, name));
    run("tar", ["-czf", join(dist, `${name}-linux-${cpu}.tar.gz`), "--owner=0", "--group=0", name], place);
  } finally {
    rmSync(place, { recursive: true });
  }
}

function writeChecksums(): void {
  const lines = readdirSync(dist)
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(dist, name)))
          .digest("hex")}  ${name}\n`,
    );
  writeFileSync(join(dist, "SHA256SUMS"), lines.join(""));
}

try {
  if (tag !== `v${version}`) throw new Error(`The tag must be v${version}, the version in package.json, not "${tag}".`);
  const changes = readChanges();
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  run("npm", ["pack", "--workspaces", `--pack-destination=${dist}`]);
  for (const cpu of cpus.length > 0 ? cpus : ["x64", "arm64"]) buildService(cpu);
  writeFileSync(join(dist, "petstore.cdx.json"), run("npm", ["run", "--silent", "sbom"]));
  cpSync("openapi/petstore.yaml", join(dist, "petstore.yaml"));
  writeChecksums();
  writeFileSync(join(dist, "CHANGES.md"), `${changes}\n`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
