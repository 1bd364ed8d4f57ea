// Builds the package of the spec-first server: its modules as bundles, their declarations, the pages about it, and the
// license. npm runs this script before it packs openapi/server, and with --clean afterwards.
import { execFileSync } from "node:child_process";
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";

const resolve = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const target = resolve("openapi/server/dist");

async function clean(): Promise<void> {
  for (const name of ["dist", "docs", "README.md", "LICENSE"])
    await rm(resolve(`openapi/server/${name}`), { recursive: true, force: true });
}

async function build(): Promise<void> {
  await mkdir(target);
  const project = `${target}/tsconfig.json`;
  const entries = {
    index: resolve("src/index.ts"),
    "openapi/client/exact-integers": resolve("src/openapi/client/exact-integers.ts"),
    "resources/store": resolve("src/resources/store.ts"),
    "command/bin": resolve("src/command/bin.js"),
  };
  await bundle(entries, target);
  const files = Object.values(entries).filter((name) => name.endsWith(".ts"));
  const options = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: resolve("src"),
    outDir: target,
  };
  await writeFile(
    project,
    JSON.stringify({ extends: resolve("tsconfig.json"), compilerOptions: options, files, include: [] }),
  );
  const tsc = resolve("node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "--project", project], { stdio: "inherit" });
  await rm(project);
  await copyFile(resolve("LICENSE"), resolve("openapi/server/LICENSE"));
  const guide = await readFile(resolve("docs/your-own-document.md"), "utf8");
  await writeFile(resolve("openapi/server/README.md"), withoutLinks(guide.replaceAll("](server/", "](docs/")));
  await cp(resolve("docs/server"), resolve("openapi/server/docs"), { recursive: true });
  for (const name of await readdir(resolve("openapi/server/docs"))) {
    const file = resolve(`openapi/server/docs/${name}`);
    if (name.endsWith(".md")) await writeFile(file, withoutLinks(await readFile(file, "utf8")));
  }
  await cp(resolve("examples/deploy"), resolve("openapi/server/docs/deploy"), { recursive: true });
}

// Without links to files of the repository that are not in the package.
function withoutLinks(page: string): string {
  return page.replaceAll("`examples/deploy/`", "`docs/deploy/`").replace(/\[([^\]]*)\]\(\.\.\/[^)]+\)/g, "$1");
}

await clean();
if (!process.argv.includes("--clean")) await build();
