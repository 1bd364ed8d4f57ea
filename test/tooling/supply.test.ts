// The supply chain: versions, hashes, install scripts, known vulnerabilities. The claims of
// docs/security-tests.md have tests, and the limits of docs/operations.md have metrics and settings.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readSection } from "../../scripts/measurements.ts";
import { settings } from "../../src/settings/index.ts";
import { root } from "../support/files.ts";

const read = (name: string) => readFileSync(join(root, name), "utf8");
const project = JSON.parse(read("package.json"));
const packages: Record<
  string,
  { version?: string; hasInstallScript?: boolean; integrity?: string; link?: boolean; dev?: boolean }
> = JSON.parse(read("package-lock.json")).packages;
const npm = (...args: string[]) => spawnSync("npm", args, { cwd: root, encoding: "utf8", timeout: 60_000 });

t.test("Every version is exact, and the lock file has the hash of each package", async (t) => {
  const { dependencies, devDependencies, optionalDependencies } = project;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
    t.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  const unsure = Object.entries(packages).filter(
    ([name, { integrity, link }]) => name.includes("node_modules/") && !link && !integrity,
  );
  t.same(unsure, []);
});

t.test("No package runs an install script that allowScripts does not name", async (t) => {
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  t.ok(scripted.length > 0);
  for (const [path] of scripted) {
    const name = path.split("node_modules/").at(-1) as string;
    t.type(project.allowScripts[name], "boolean", name);
  }
  for (const name of Object.keys(project.dependencies))
    t.notOk(packages[`node_modules/${name}`]?.hasInstallScript, `${name}, a dependency of production, has none`);
});

t.test("No dependency of production has a known vulnerability", async (t) => {
  const { stdout } = npm("audit", "--omit=dev", "--json");
  const report = JSON.parse(stdout);
  if (report.metadata === undefined)
    t.pass(`not known: this registry has no audit (${report.message})`, { skip: "the registry has no audit" });
  else t.same(report.vulnerabilities, {});
});

t.test("npm run sbom lists all dependencies of production", async (t) => {
  const { status, stdout } = npm("run", "--silent", "sbom");
  t.equal(status, 0);
  const { bomFormat, components } = JSON.parse(stdout);
  t.equal(bomFormat, "CycloneDX");
  const listed = components.map(({ name, version }: { name: string; version: string }) => `${name} ${version}`);
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.includes("node_modules/") && !dev && !link,
  );
  t.ok(installed.length > 80);
  for (const [path, { version }] of installed) {
    const one = `${path.split("node_modules/").at(-1)} ${version}`;
    t.ok(listed.includes(one), one);
  }
  const tap = components.find(({ name }: { name: string }) => name === "tap");
  t.equal(tap, undefined, "dependencies of development are not listed");
});

const claims = read("docs/security-tests.md");
const operations = read("docs/operations.md");

/** Returns the cells of a column, of all tables of a page that have it. */
function cellsOf(page: string, column: string): string[] {
  const tables = page.split("\n\n").map((block) =>
    block
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.split("|").map((cell) => cell.trim())),
  );
  return tables.flatMap(([head, , ...rows]) => {
    const index = head?.indexOf(column) ?? -1;
    return index < 0 ? [] : rows.map((row) => row[index] as string);
  });
}

t.test("Each claim of the security tests names tests, which exist", async (t) => {
  const cells = cellsOf(claims, "Test");
  t.ok(cells.length > 50, `${cells.length} claims`);
  for (const cell of cells) {
    const named = [...cell.matchAll(/`([\w/-]+\.test\.ts)`: ([^;]+)/g)];
    t.not(named.length, 0, cell);
    for (const [, file = "", sentence = ""] of named) {
      const source = existsSync(join(root, "test", file)) ? read(`test/${file}`) : "";
      const titles = source.match(/(?<=(?:test|testStores|testLimit|fault)\(\s*["'`]).*?(?=["'`],)/gs) ?? [];
      t.ok(
        titles.some((title) => title.includes(sentence.trim())),
        `${file}: ${sentence.trim()}`,
      );
    }
  }
  const risks = claims.match(/^\| API\d+ /gm) ?? [];
  t.equal(risks.length, 10, "a row for each of OWASP's ten");
});

t.test("The metrics and settings in the table of limits exist", async (t) => {
  const generated = readSection(operations, "metrics");
  const metrics = cellsOf(operations, "Metric").flatMap((cell) => cell.match(/\bpetstore_\w+/g) ?? []);
  t.ok(metrics.length > 8, `${metrics.length} metrics`);
  for (const name of metrics) t.ok(generated.includes(`| \`${name}\` |`), name);
  const named = cellsOf(operations, "Setting").flatMap((cell) => cell.match(/\w+/g) ?? []);
  t.ok(named.length > 5, `${named.length} settings`);
  const variables = Object.values(settings).map(({ variable }) => variable as string);
  for (const name of named) t.ok(variables.includes(name), name);
});
