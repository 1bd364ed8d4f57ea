// The tables of docs/contributing.md agree with package.json, and the error codes of the document with the code.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { errors } from "../src/pets/errors.ts";
import { documentText, root } from "./support/files.ts";

const read = (name: string) => readFileSync(join(root, name), "utf8");
const page = read("docs/contributing.md");
const packageJson = JSON.parse(read("package.json"));

/** Reads the tables of a section of the page, as rows of cells. */
function table(section: string): string[][] {
  const text = page.split(`## ${section}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

t.test("The document lists the error codes of the code", async (t) => {
  const listed = parse(documentText).components.schemas.Error.properties.code["x-extensible-enum"];
  t.same(
    Object.keys(errors).filter((code) => !listed.includes(code)),
    [],
  );
});

t.test("The document has an example of each error code, except those that no operation returns", async (t) => {
  const codes = new Set<unknown>();
  parse(documentText, (_, value) => {
    const { code, message, status } = Object(value);
    if (code && message && Number.isInteger(status)) codes.add(code);
    return value;
  });
  const others = Object.keys(errors).filter((code) => !codes.has(code));
  t.same(others.sort(), ["insufficient_scope", "path_not_found"]);
});

t.test("The page lists the scripts and dependencies of package.json", async (t) => {
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
    t.ok(name.startsWith("@types/") || named.includes(name), `${name} is in the page`);
});
