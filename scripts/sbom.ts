// What the service carries of others, as a bill of materials (CycloneDX) on standard output: `npm run --silent sbom`.
// By npm sbom, in a copy without what development needs: with --omit=dev it also leaves out what both need.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("..", import.meta.url).pathname;
const place = mkdtempSync(join(tmpdir(), "petstore-sbom-"));
const folder = join(place, "petstore"); // npm names what it lists after it
try {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));
  const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value));
  const { devDependencies, ...project } = read("package.json");
  const lock = read("package-lock.json");
  const carried = Object.entries<{ dev?: boolean; devDependencies?: object }>(lock.packages).filter(
    ([, { dev }]) => !dev,
  );
  mkdirSync(folder);
  write("package.json", project);
  write("package-lock.json", {
    ...lock,
    packages: Object.fromEntries(carried.map(([name, { devDependencies, ...one }]) => [name, one])),
  });
  cpSync(join(root, "openapi/package.json"), join(folder, "openapi/package.json"));
  const options = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  console.log(execFileSync("npm", options, { cwd: folder, encoding: "utf8" }));
} finally {
  rmSync(place, { recursive: true });
}
