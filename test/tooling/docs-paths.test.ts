// Compares the paths of the project that README.md and docs/ name in code with its files. markdownlint checks links.
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { root } from "../support/files.ts";

const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).sort()];
// A page can name a file of src or test without the folder, and a module without its extension.
const bases = ["", "src", "test"];
const folders = new Set(
  bases.flatMap((base) =>
    readdirSync(join(root, base), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : [])),
  ),
);
const files = globSync(["**/*", ".github/**/*"], { cwd: root, exclude: ["**/node_modules"] });

// Paths that are not in the repository, with the reason.
const exceptions: Readonly<Record<string, string>> = {
  "data/petstore.db": "the default database, which the service creates",
  "dist/": "the files of a release, which are built",
  "deploy/.env": "the secrets of a deployment, which its owner creates",
  "notes.yaml": "the document of a reader, in an example",
  "service.yaml": "the document of a reader, in an example",
  "node_modules/.bin/openapi-server": "the command of the package in the project of a reader",
  "handlers.js": "the handlers of a reader, in an example",
  "static/": "a folder of another package",
  "src/pets/handlers/getOldestPet.ts": "an example of an operation that a reader adds",
  "test/pets/getOldestPet.test.ts": "an example of an operation that a reader adds",
};

/** Returns the paths that the code of a page names. `…` stands for any folders. */
function listPaths(text: string): string[] {
  const codes = [...text.matchAll(/```[^\n]*\n[\s\S]*?```|`[^`\n]+`/g)].map(([code]) => code);
  const paths = codes.flatMap((code) =>
    [...code.matchAll(/(?<![\w./@:~$%{}<>-])([\w-]+)\/[\w.…*/-]*[\w…*/]/g)]
      .filter(([, first = ""]) => folders.has(first))
      .map(([path]) => path),
  );
  const names = codes.flatMap((code) => /^`([\w-]+(\.[\w-]+)*\.(ts|js|yml|yaml)|[\w-]+\/)`$/.exec(code)?.[1] ?? []);
  return [...new Set([...paths, ...names])];
}

function exists(path: string): boolean {
  const plain = path.replace(/\/$/, "");
  if (!plain.includes("/")) return files.some((file) => `/${file}`.endsWith(`/${plain}`));
  const pattern = plain.replaceAll("…", "**");
  return bases.some((base) => globSync([join(base, pattern), join(base, `${pattern}.ts`)], { cwd: root }).length > 0);
}

t.test("Each path of the project that a page names exists", async (t) => {
  const used = new Set<string>();
  for (const page of pages)
    for (const path of listPaths(readFileSync(join(root, page), "utf8")))
      if (Object.hasOwn(exceptions, path)) used.add(path);
      else if (!exists(path)) t.fail(`${page} names ${path}, which does not exist: correct it, or add an exception`);
  t.same(Object.keys(exceptions).sort(), [...used].sort(), "each exception is used");
});

t.test("Finds a path that does not exist", async (t) => {
  const text =
    "`src/none.ts`, `http/…/none`, `none.ts` and `src/server/create-server.ts`\n```text\noperate/none  x\nhttp/…/cors\n```\n/src/a {id}/src/b";
  t.same(
    listPaths(text).filter((path) => !exists(path)),
    ["src/none.ts", "http/…/none", "operate/none", "none.ts"],
  );
});
