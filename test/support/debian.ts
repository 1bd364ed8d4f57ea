// Downloads programs that npm does not have from Debian's packages, without changes to the system.
// Unpacked packages and the package lists of apt are below node_modules/.cache.
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, globSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** A program, and the environment to run it in. */
export interface Program {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

const cache = new URL("../../node_modules/.cache/debian", import.meta.url).pathname;
const timeout = 120; // seconds for the download of all packages, including the wait for a download by another process

// Uses the sources and keys of the machine with separate package lists, and runs none of its update hooks.
const apt = `Dir::State "${cache}/state";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "${cache}/cache";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "10";
Acquire::https::Timeout "10";
APT::Sandbox::User "";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`;

// Runs under a lock and renames the complete folder at the end. A process that waited for the lock finds the folder.
const downloadScript = `set -eu
printf %s "$1" > apt.conf
target=$2; shift 2
test ! -e "$target" || exit 0
rm -rf new; mkdir -p new/root state cache
apt-get -qq -c apt.conf update
cd new
apt-get -qq -c ../apt.conf download "$@"
for package in *.deb; do dpkg-deb -x "$package" root; done
mv root "../$target"
cd ..; rm -rf new`;

/**
 * Finds a program on PATH. If it is not installed, downloads and unpacks the packages, and caches them. The first
 * package has the program, and the others have the libraries that it needs. Returns the reason if the program is not
 * available: no Linux with apt, no network, or no such package. Takes up to 2 minutes. Concurrent calls are safe.
 */
export async function findProgram(name: string, ...packages: string[]): Promise<Program | { reason: string }> {
  const installed = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  const found = installed.find(isProgram);
  if (found !== undefined) return { path: found, env: process.env };

  const target = packages.join("+");
  try {
    mkdirSync(cache, { recursive: true });
    const command = [
      "-k",
      "5",
      String(timeout),
      "flock",
      "lock",
      "sh",
      "-c",
      downloadScript,
      "download",
      apt,
      target,
      ...packages,
    ];
    if (!existsSync(join(cache, target))) await promisify(execFile)("timeout", command, { cwd: cache });
  } catch (error) {
    const { code, stderr = "", message } = error as Error & { code?: unknown; stderr?: string };
    const lines = stderr
      .replace(/\w+:\/\/\S+/g, "…")
      .trim()
      .split("\n"); // the first line has the error, the last one its consequence
    const cause = code === 124 ? `it took over ${timeout} seconds` : [...new Set([lines[0], lines.at(-1)])].join(" ");
    return {
      reason: `${name} is not installed, and ${packages.join(", ")} can't be downloaded from Debian: ${cause || message}`,
    };
  }
  const root = join(cache, target);
  const path = ["usr/bin", "usr/sbin", "bin", "sbin"].map((folder) => join(root, folder, name)).find(isProgram);
  if (path === undefined) return { reason: `${name} is not in ${packages.join(", ")} of Debian` };
  const libraries = new Set(globSync("{usr/,}lib/**/*.so{,.*}", { cwd: root }).map((file) => join(root, file, "..")));
  return { path, env: { ...process.env, LD_LIBRARY_PATH: [...libraries].join(":") } };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
