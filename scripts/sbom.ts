// Prints a software bill of materials (CycloneDX) of the service: `npm run --silent sbom`.
// Runs `npm sbom` in a copy without development dependencies, because `--omit=dev` also omits packages that both
// production and development need.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("..", import.meta.url).pathname;
const temporary = mkdtempSync(join(tmpdir(), "petstore-sbom-"));
const copy = join(temporary, "petstore"); // npm takes the name of the root component from the folder
try {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));
  const write = (name: string, value: object) => writeFileSync(join(copy, name), JSON.stringify(value));
  const { devDependencies: _, ...project } = read("package.json");
  const lock = read("package-lock.json");
  const production = Object.entries<{ dev?: boolean; devDependencies?: object }>(lock.packages)
    .filter(([, { dev }]) => !dev)
    .map(([name, { devDependencies: _, ...entry }]) => [name, entry]);
  mkdirSync(copy);
  write("package.json", project);
  write("package-lock.json", { ...lock, packages: Object.fromEntries(production) });
  cpSync(join(root, "openapi/client/package.json"), join(copy, "openapi/client/package.json"));
  const options = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  console.log(execFileSync("npm", options, { cwd: copy, encoding: "utf8" }));
} finally {
  rmSync(temporary, { recursive: true });
}
