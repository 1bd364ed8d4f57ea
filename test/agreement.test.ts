// What is written in two places says the same in both: tables, directions, scripts.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { settings } from "../src/config.ts";
import { codes, fail } from "../src/errors.ts";
import { documentText } from "./support/files.ts";
import { petstoreProcess as petstore } from "./support/processes.ts";

const root = new URL("..", import.meta.url).pathname;
const read = (name: string) => readFileSync(join(root, name), "utf8");
const readme = read("README.md");
const packageJson = JSON.parse(read("package.json"));

/** The rows of the table of a section of the README, as cells. */
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

t.test("the codes: source, document and README", async (t) => {
  t.same(parse(documentText).components.schemas.Error.properties.code["x-extensible-enum"], codes);
  t.same(
    table("Failures").map(([code, status]) => [code, status]),
    codes.map((code) => [code, String(fail(code, "").status)]),
  );
});

t.test("the settings: source and README", async (t) => {
  const rows = Object.entries(settings).map(([name, setting]) => [
    name,
    setting.default,
    setting.meaning,
    setting.allowed,
  ]);
  t.same(table("Settings"), rows);
  const readers = sources().filter((name) => /process\.env\b/.test(read(name)));
  t.same(readers, ["src/config.ts"], "one reader of the environment");
});

t.test("the exit codes: help and README", async (t) => {
  const rows = table("The command").filter(([code]) => /^\d$/.test(code as string));
  for (const [code] of rows) t.match(petstore({}, "--help").stdout, new RegExp(`^ {2}${code} {2}\\w`, "m"));
  t.equal(rows.length, 3);
});

t.test("the commands: help and README", async (t) => {
  const named = table("The command").flatMap(([call]) => /^petstore ([a-z]+)/.exec(call as string)?.[1] ?? []);
  const help = petstore({}, "--help").stdout.split("Examples:")[0] as string;
  const there = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  t.same(new Set(named), new Set(there.filter((name) => name !== "help")));
});

t.test("imports run in one direction", async (t) => {
  const rows = table("Reading the source").map(([files]) => (files ?? "").split(", "));
  const handlers = sources().filter((name) => name.startsWith("src/handlers/"));
  const files = rows.map((names) => names.flatMap((name) => (name === "src/handlers/*.ts" ? handlers : name)));
  t.same(files.flat().sort(), sources(), "the README names each file");
  const rank = (name: string) => files.findIndex((names) => names.includes(name));
  for (const name of sources()) {
    const imports = [...read(name).matchAll(/from "(\.[^"]*)"/g)].map(([, target]) =>
      normalize(join(dirname(name), target as string)),
    );
    for (const target of imports) t.ok(rank(target) <= rank(name), `${name} may import ${target}`);
  }
});

t.test("the scripts and dependencies of package.json are in the README", async (t) => {
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
    t.ok(name.startsWith("@types/") || named.includes(name), `${name} is said in the README`);
});

function sources(): string[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|js)$/.test(name))
    .map((name) => `src/${name}`)
    .sort();
}
