// Programs that npm does not have, from Debian's packages, without a change of the system: what a
// package needs beyond what is there, and nothing of the machine's own apt, is below node_modules/.cache.
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, globSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** A program and the environment that it takes. */
export interface Program {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

const cache = new URL("../../node_modules/.cache/debian", import.meta.url).pathname;
const timeout = 120; // seconds for all that is loaded, also where another process is at it

// The machine's sources and keys, but lists of our own; and none of the hooks that its updates run.
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

// One at a time, and all or nothing: whoever waited finds it there.
const load = `set -eu
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
 * Finds a program: on PATH, else in the first of these packages of Debian, which is loaded, unpacked
 * and kept; more packages have the libraries that it needs. Gives the reason where it can't be had:
 * no Linux with apt, no network, no such package. Takes up to 2 minutes; any number may ask at once.
 */
export async function findProgram(name: string, ...packages: string[]): Promise<Program | { reason: string }> {
  const installed = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  const found = installed.find(isProgram);
  if (found !== undefined) return { path: found, env: process.env };

  const target = packages.join("+");
  try {
    mkdirSync(cache, { recursive: true });
    const command = ["-k", "5", String(timeout), "flock", "lock", "sh", "-c", load, "load", apt, target, ...packages];
    if (!existsSync(join(cache, target))) await promisify(execFile)("timeout", command, { cwd: cache });
  } catch (error) {
    const { code, stderr = "", message } = error as Error & { code?: unknown; stderr?: string };
    const said = stderr
      .replace(/\w+:\/\/\S+/g, "…")
      .trim()
      .split("\n"); // the first error, and what came of it
    const why = code === 124 ? `it took over ${timeout} seconds` : [...new Set([said[0], said.at(-1)])].join(" ");
    return {
      reason: `${name} is not installed, and ${packages.join(", ")} can't be had from Debian: ${why || message}`,
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
