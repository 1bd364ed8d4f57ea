// Runs test files in one process, one after the other: most need less time than the start of a process and the imports of src.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import { root } from "./files.ts";
import { type Group, listTests } from "./test-groups.ts";

const timeout = 240_000; // of a file, as in .taprc

let current: Test = t;

/** Returns the test of the file that is imported. */
export const currentFile = (): Test => current;

// A test file that imports "tap" gets the test of the file. Its teardowns run before the next file starts.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "tap" && context.parentURL?.endsWith(".test.ts")
      ? { url: `${new URL("file-test.ts", import.meta.url)}?of=${context.parentURL}`, shortCircuit: true }
      : next(specifier, context),
});

/** Runs the test files of a group. Each is a test with the path of the file as its title. */
export async function importTests(group: Group): Promise<void> {
  const files = listTests(group);
  t.setTimeout(timeout * files.length);
  for (const file of files)
    await t.test(file, { timeout }, async (t) => {
      current = t;
      await import(pathToFileURL(join(root, file)).href);
    });
}
