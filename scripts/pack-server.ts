// Builds the package of the spec-first server: the folders lib, http and openapi as JavaScript and declarations, the guide,
// and the license. npm runs this script before it packs openapi/server, and with --clean afterwards.
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const resolve = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const target = resolve("openapi/server/dist");
const copies = { "docs/your-own-document.md": "README.md", LICENSE: "LICENSE" };

async function clean(): Promise<void> {
  for (const name of ["dist", ...Object.values(copies)])
    await rm(resolve(`openapi/server/${name}`), { recursive: true, force: true });
}

async function build(): Promise<void> {
  await mkdir(target);
  const project = `${target}/tsconfig.json`;
  const compilerOptions = { noEmit: false, declaration: true, rootDir: resolve("src"), outDir: target };
  const files = ["src/openapi/index.ts", "src/openapi/bin.js"].map(resolve);
  await writeFile(project, JSON.stringify({ extends: resolve("tsconfig.json"), compilerOptions, files, include: [] }));
  const tsc = resolve("node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "--project", project], { stdio: "inherit" });
  await rm(project);
  for (const [from, to] of Object.entries(copies)) await copyFile(resolve(from), resolve(`openapi/server/${to}`));
}

await clean();
if (!process.argv.includes("--clean")) await build();
