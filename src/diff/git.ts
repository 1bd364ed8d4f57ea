// Documents of a Git revision: git:REF:PATH.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, posix, relative, resolve } from "node:path";
import { UsageError } from "../lib/index.ts";
import { listDocumentFiles } from "../openapi/tools.ts";

/** A document on this machine. */
export interface LocalDocument {
  /** The path of its file. */
  readonly path: string;
  /** Folders with files to which it may refer. */
  readonly folders: readonly string[];
  /** Returns a text with the files as the caller named them. */
  readonly rename: (text: string) => string;
  readonly remove: () => void;
}

const maxSize = 2 ** 28; // bytes of all files that are read at once

/**
 * Returns the document that an argument of the command names: a path, or git:REF:PATH, whose files it writes to a temporary folder.
 * `allowed` are the paths of folders with files to which it may refer, besides its own.
 */
export async function openSource(source: string, allowed: readonly string[]): Promise<LocalDocument> {
  const [, ref = "", path = ""] = /^git:([^:]+):(.+)$/.exec(source) ?? [];
  if (path === "" && source.startsWith("git:"))
    throw new UsageError(`${source} must have the form git:REF:PATH, such as git:main:api.yaml.`);
  if (path === "") return { path: source, folders: allowed, rename: (text) => text, remove: () => {} };
  const root = git(source, ["rev-parse", "--show-toplevel"]).toString().trim();
  const [, prefix = ""] = /^(.*)\n/.exec(git(source, ["rev-parse", "--show-prefix"]).toString()) ?? [];
  const commit = git(source, ["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`])
    .toString()
    .trim();
  const folder = mkdtempSync(join(tmpdir(), "openapi-git-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const isLocal = new RegExp(`[^\\s"'[]*${basename(folder)}[\\\\/]`, "g");
  const folders = allowed.map((one) => join(folder, relative(root, resolve(one))));
  const file = posix.normalize(`${prefix}${path.replaceAll("\\", "/")}`);
  try {
    const known = new Set<string>();
    // A file refers to others, which refer to others.
    for (let waiting = [file]; waiting.length > 0; ) {
      for (const name of waiting) known.add(name);
      writeBlobs(source, folder, commit, waiting);
      const found = await listDocumentFiles(join(folder, file), folders);
      waiting = found
        .map((one) => relative(folder, one).replaceAll("\\", "/"))
        .filter((name) => !/^\.\./.test(name) && !known.has(name));
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { path: join(folder, file), folders, rename: (text) => text.replaceAll(isLocal, `git:${ref}:`), remove };
}

// Writes files of a commit into a folder. One that does not exist is reported when the document is read.
function writeBlobs(source: string, folder: string, commit: string, names: readonly string[]): void {
  const output = git(source, ["cat-file", "--batch"], names.map((name) => `${commit}:${name}\n`).join(""));
  let position = 0;
  for (const name of names) {
    const end = output.indexOf("\n", position);
    const [, size] = / blob (\d+)$/.exec(output.toString("utf8", position, end)) ?? [];
    position = end + 1;
    if (size === undefined) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), output.subarray(position, position + Number(size)));
    position += Number(size) + 1;
  }
}

function git(source: string, args: readonly string[], input = ""): Buffer {
  const { stdout, stderr, error, status } = spawnSync("git", args, { input, maxBuffer: maxSize });
  if (status === 0) return stdout;
  const reason = error?.message ?? `${stderr}`.trim().replace(/^fatal: /, "");
  throw new Error(`The document ${source} can't be read: ${reason.split("\n", 1)[0]}`);
}
