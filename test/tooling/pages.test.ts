// The checks of the pages in `npm run lint`: Markdown, links and spelling.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { folder, root } from "../support/files.ts";

const place = folder(t);
for (const name of [".markdownlint-cli2.jsonc", "cspell.json"]) cpSync(join(root, name), join(place, name));
symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
mkdirSync(join(place, "docs"));
writeFileSync(join(place, "docs/other.md"), "# Other\n\n## Section\n");

/** Runs a program over a page, and returns its exit code and its output. */
function lint(program: string, text: string) {
  writeFileSync(join(place, "docs/page.md"), `# Page\n\n${text}\n`);
  const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin", program), {
    cwd: place,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

t.test("Accepts links to pages and to their sections", async (t) => {
  t.match(lint("markdownlint-cli2", "[Other](other.md), [section](other.md#section), [page](#page)"), { status: 0 });
});

t.test("Reports links to missing pages and sections", async (t) => {
  for (const target of ["missing.md", "other.md#missing", "#missing"])
    t.match(lint("markdownlint-cli2", `[Link](${target})`), { status: 1, output: /docs\/page\.md:3/ }, target);
});

t.test("Reports unknown words", async (t) => {
  t.match(lint("cspell", "You receive a response."), { status: 0 });
  t.match(lint("cspell", "You recieve a response."), { status: 1, output: /docs\/page\.md:3.*recieve/ });
});
