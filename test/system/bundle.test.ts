// The bundles of the service, which containers and systemd run, pass the tests of the sources.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";
import t from "tap";
import { root } from "../support/files.ts";

t.setTimeout(600_000); // milliseconds

const bundles = join(root, "dist");
execFileSync("npm", ["run", "--silent", "build"], { cwd: root });

t.test("The source maps lead from each bundle to the lines of the sources", (t) => {
  const files = globSync("**/*.js", { cwd: bundles });
  t.ok(files.length > 10, `${files.length} files`);
  for (const name of files) {
    const { sources } = JSON.parse(readFileSync(join(bundles, `${name}.map`), "utf8"));
    const lost = sources.filter((source: string) => !existsSync(join(dirname(join(bundles, name)), source)));
    t.same(lost, [], name);
  }
  const mark = "class Shutdown ";
  const lineOf = (path: string) =>
    readFileSync(path, "utf8")
      .split("\n")
      .findIndex((line) => line.includes(mark));
  const map = new SourceMap(JSON.parse(readFileSync(join(bundles, "server.js.map"), "utf8")));
  const { originalSource, originalLine } = map.findEntry(lineOf(join(bundles, "server.js")), 0) as never;
  t.same([originalSource, originalLine], ["../src/server.ts", lineOf(join(root, "src/server.ts"))]);
  t.end();
});

t.test("The bundles pass the tests of the service as a process", async (t) => {
  const env = { ...process.env, PROGRAMS: "dist" };
  for (const name of ["serve", "command", "loaded-packages", "signals", "workers", "rolling-update", "import"])
    await t.spawn(process.execPath, [join(root, `test/system/${name}.test.ts`)], { cwd: root, env }, name);
});
