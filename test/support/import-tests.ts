// Runs test files in one process, for those that need less time than the start of a process.
import { globSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { root } from "./files.ts";
import { folders } from "./test-folders.ts";

/** Imports the tests of folders, one after the other. A failure names its file. */
export async function importTests(name: keyof typeof folders): Promise<void> {
  const patterns = folders[name].map((folder) => `test/${folder}/**/*.test.ts`);
  for (const file of globSync(patterns, { cwd: root }).sort()) {
    t.comment(file);
    await import(join(root, file));
  }
}
