// The pages about the server as a library, docs/server: each program of a page compiles and starts, and the commands behind it have
// the output that the page shows.
import { execFile } from "node:child_process";
import { copyFileSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { FastifyInstance } from "fastify";
import t from "tap";
import { generateTypes } from "../../src/command/documents/generate.ts";
import * as server from "../../src/index.ts";
import { readDocument } from "../../src/openapi/index.ts";
import { compile } from "../support/compile.ts";
import { folder, root } from "../support/files.ts";

const run = promisify(execFile);
const pages = globSync("docs/server/*.md", { cwd: root }).sort();
const place = folder(t);
const source = join(root, "docs/server/tickets.yaml");
copyFileSync(source, join(place, "tickets.yaml"));
symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
writeFileSync(join(place, "package.json"), '{ "type": "module" }');
const document = await readDocument(source, { strict: true });
writeFileSync(join(place, "operations.ts"), await generateTypes(document));
process.chdir(place); // the programs read tickets.yaml
t.teardown(() => process.chdir(root));

const text = Object.fromEntries(pages.map((page) => [page, readFileSync(join(root, page), "utf8")]));
const blocksOf = (page: string) =>
  [...(text[page] as string).matchAll(/^```(\w+)[^\n]*\n(.*?)\n```$/gms)].map(([, language, content = ""]) => ({
    language,
    content,
  }));
const adapt = (program: string) =>
  program
    .replace('"@petstore/openapi-server"', JSON.stringify(join(root, "src/index.ts")))
    .replace('"@petstore/openapi-server/store"', JSON.stringify(join(root, "src/resources/store.ts")));

t.test("The programs of all pages compile", async (t) => {
  const files = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => language === "ts")
      .map(({ content }, index) => {
        const file = join(place, `${page.replace(/.*\/|\.md/g, "")}-${index}.ts`);
        writeFileSync(file, adapt(content));
        return file;
      }),
  );
  t.ok(files.length >= 8, `${files.length} programs`);
  t.same(compile(files, place), []);
});

for (const page of pages) {
  const blocks = blocksOf(page);
  if (!blocks.some(({ language }) => language === "ts")) continue;
  t.test(`The commands of ${page} have the output that it shows`, async (t) => {
    let app: FastifyInstance | undefined;
    let count = 0;
    t.teardown(() => app?.close());
    for (const [index, { language, content }] of blocks.entries()) {
      if (language === "ts") {
        await app?.close();
        const file = pathToFileURL(join(place, `${page.replace(/.*\/|\.md/g, "")}-${count++}.ts`));
        ({ app } = (await import(file.href)) as { app: FastifyInstance });
        app.log.level = "silent";
      } else if (language === "sh") {
        const origin = app?.server.listening
          ? `http://127.0.0.1:${(app.server.address() as { port: number }).port}`
          : await app?.listen({ port: 0, host: "127.0.0.1" });
        const command = content.replaceAll("http://127.0.0.1:3000", origin as string);
        const { stdout } = await run("bash", ["-ec", command], { cwd: place });
        const shown = blocks[index + 1]?.content as string;
        const escaped = shown.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*");
        t.match(stdout.trim(), new RegExp(`^${escaped}$`), content);
      }
    }
  });
}

t.test("The page of options and exports has each of them", async (t) => {
  const page = text["docs/server/options.md"] as string;
  const options = readFileSync(join(root, "src/server/options.ts"), "utf8");
  const door = readFileSync(join(root, "src/index.ts"), "utf8");
  const names = [
    ...[...options.matchAll(/^ {2}readonly (\w+)\?:|^ {2}readonly (document):/gm)].map(
      ([, one, other]) => (one ?? other) as string,
    ),
    ...Object.keys(server),
    ...[...door.matchAll(/\b(?:type )?([A-Z]\w+)(?=[,\n ]*[,}])/g)].map(([, name]) => name as string),
  ];
  t.ok(names.length > 40);
  t.same(
    names.filter((name) => !new RegExp(`\`${name}\\b|\\b${name}\``).test(page)),
    [],
  );
});
