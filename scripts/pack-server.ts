// Builds the package of the spec-first server: the folders lib, http and openapi as JavaScript and declarations, the guide,
// and the license. npm runs this script before it packs src/openapi.
import { execFileSync } from "node:child_process";
import { copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const resolve = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const target = resolve("src/openapi/dist");
const project = resolve("src/openapi/dist/tsconfig.json");

await rm(target, { recursive: true, force: true });
await mkdir(target);
const compilerOptions = { noEmit: false, declaration: true, rootDir: resolve("src"), outDir: target };
const files = ["src/openapi/index.ts", "src/openapi/bin.js"].map(resolve);
await writeFile(project, JSON.stringify({ extends: resolve("tsconfig.json"), compilerOptions, files, include: [] }));
execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "--project", project], {
  stdio: "inherit",
});
await rm(project);
await cp(resolve("docs/your-own-document.md"), resolve("src/openapi/README.md"));
await copyFile(resolve("LICENSE"), resolve("src/openapi/LICENSE"));
