// The tables of the README agree with the code, the document and package.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { settings } from "../src/config.ts";
import { errors } from "../src/pets/errors.ts";
import { petstore } from "./support/command.ts";
import { documentText, root } from "./support/files.ts";
import { openMetrics } from "./support/series.ts";
import { start } from "./support/service.ts";

const read = (name: string) => readFileSync(join(root, name), "utf8");
const readme = read("README.md");
const packageJson = JSON.parse(read("package.json"));

/** Reads the table of a section of the README, as rows of cells. */
function table(section: string): string[][] {
  const text = readme.split(`## ${section}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

t.test("The document and the README list the error codes of the code", async (t) => {
  const listed = parse(documentText).components.schemas.Error.properties.code["x-extensible-enum"];
  t.same(listed.toSorted(), Object.keys(errors).sort());
  const rows = table("Failures").map(([code, status]) => `${code} ${status}`);
  t.same(
    rows.sort(),
    Object.entries(errors)
      .map((row) => row.join(" "))
      .sort(),
  );
});

t.test("The README lists the settings", async (t) => {
  const rows = Object.entries(settings).map(([name, setting]) => [
    name,
    setting.default,
    setting.description,
    setting.allowed,
  ]);
  t.same(table("Settings"), rows);
});

t.test("The README lists the metrics", async (t) => {
  const { call } = await start(t, { settings: openMetrics });
  const { text } = await call("GET", "/metrics");
  const names = [...text.matchAll(/^# TYPE (petstore_\w+)/gm)].map(([, name]) => name);
  const listed = table("Watching it").flatMap(([names]) => names?.match(/petstore_\w+/g) ?? []);
  t.same(listed.filter((name) => !name.startsWith("petstore_store_pool_")).sort(), names.sort());
});

t.test("The README and the help list the exit codes", async (t) => {
  const rows = table("The command").filter(([code]) => /^\d$/.test(code as string));
  const { stdout } = await petstore({}, ["--help"]);
  for (const [code] of rows) t.match(stdout, new RegExp(`^ {2}${code} {2}\\w`, "m"));
  t.equal(rows.length, 3);
});

t.test("The README lists the commands of the help", async (t) => {
  const named = table("The command").flatMap(([call]) => /^petstore ([a-z]+)/.exec(call as string)?.[1] ?? []);
  const { stdout } = await petstore({}, ["--help"]);
  const [help = ""] = stdout.split("Examples:");
  const listed = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  t.same(new Set(named), new Set(listed.filter((name) => name !== "help")));
});

t.test("The README lists the scripts and dependencies of package.json", async (t) => {
  const scripts = Object.keys(packageJson.scripts).map((name) =>
    ["start", "test"].includes(name) ? `npm ${name}` : `npm run ${name}`,
  );
  t.same(
    table("Scripts")
      .map(([name]) => name)
      .sort(),
    scripts.sort(),
  );
  const named = table("Dependencies").flatMap(([names]) => (names ?? "").split(", "));
  const { dependencies, devDependencies } = packageJson;
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    t.ok(name.startsWith("@types/") || named.includes(name), `${name} is in the README`);
});
