// Paths of the project, edits of texts, and temporary folders for tests.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";

/** The root of the project, with a slash at its end. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

// PROGRAMS=dist tests the bundles that `npm run build` writes.
const isBundled = process.env.PROGRAMS === "dist";

/** The executable of the command line. */
export const bin = join(root, isBundled ? "dist/bin.js" : "src/bin.js");

/** The program of the service, which a container runs. */
export const service = join(root, isBundled ? "dist/server.js" : "src/server.ts");

/** The text of `openapi/petstore.yaml`. */
export const documentText = readFileSync(join(root, "openapi/petstore.yaml"), "utf8");

/** The text of the first released document. It never changes. */
export const released = readFileSync(join(root, "openapi/released/1.0.0.yaml"), "utf8");

/**
 * Applies edits to a text, one after the other. Throws an Error if an edit changes nothing. For the document, use
 * `editDocument`, which does not depend on its text.
 */
export function edit(text: string, ...edits: [string | RegExp, string][]): string {
  return edits.reduce((before, [from, to]) => {
    // A text is literal, also with `$`. One for a pattern can refer to its groups.
    const after = typeof from === "string" ? before.replace(from, () => to) : before.replace(from, to);
    if (after === before) throw new Error(`this edit of the text does not apply: ${from}`);
    return after;
  }, text);
}

// Installed files, data, and what packing the packages writes.
const derived =
  /^(node_modules|\.git|\.tap|data)(\/|$)|(^|\/)dist(\/|$)|^openapi\/(client\/(CHANGELOG\.md|LICENSE|petstore\.yaml)|server\/(LICENSE|README\.md))$|\.tgz$/;

/** Copies the project to a folder, without derived files, which other tests write and remove meanwhile. */
export function copyProject(place: string): void {
  cpSync(root, place, { recursive: true, filter: (path) => !derived.test(relative(root, path)) });
}

/** Creates a temporary folder, and removes it when the test ends. */
export function folder(t: Pick<Test, "teardown">): string {
  const path = mkdtempSync(join(tmpdir(), "petstore-"));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes files to a temporary folder, and returns the path of the first. */
export function writeFiles(t: Pick<Test, "teardown">, files: Readonly<Record<string, string | Buffer>>): string {
  const path = folder(t);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return join(path, Object.keys(files)[0] as string);
}
