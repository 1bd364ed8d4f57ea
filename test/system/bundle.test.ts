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
  // Files that only export the members of others have none.
  const maps = globSync("**/*.js.map", { cwd: bundles });
  t.ok(maps.length > 10, `${maps.length} files`);
  for (const name of maps) {
    const { sources } = JSON.parse(readFileSync(join(bundles, name), "utf8"));
    const lost = sources.filter((source: string) => !existsSync(join(dirname(join(bundles, name)), source)));
    t.same(lost, [], name);
  }
  const find = (path: string): [line: number, column: number] => {
    const lines = readFileSync(path, "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes("certificate reloaded"));
    return [line, lines[line]?.indexOf('"certificate reloaded') as number];
  };
  const source = "src/server/certificate.ts";
  const bundle = maps
    .map((name) => join(bundles, name.replace(/\.map$/, "")))
    .find((file) => readFileSync(file, "utf8").includes('"certificate reloaded"')) as string;
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, "utf8")));
  const [line] = find(join(root, source));
  t.match(map.findEntry(...find(bundle)), { originalSource: new RegExp(`${source}$`), originalLine: line });
  t.end();
});

t.test("The bundles pass the tests of the service as a process", async (t) => {
  const env = { ...process.env, PROGRAMS: "dist" };
  for (const name of ["serve", "command", "loaded-packages", "rolling-update"])
    await t.spawn(process.execPath, [join(root, `test/system/${name}.test.ts`)], { cwd: root, env }, name);
});
