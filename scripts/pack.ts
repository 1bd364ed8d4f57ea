// What the package of the contract has beyond the files of openapi/: the client and the types as
// JavaScript and declarations, the document as JSON, the license. npm runs it before it packs.
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = new URL("../", import.meta.url);
const dist = new URL("openapi/dist/", root);
const path = (name: string) => fileURLToPath(new URL(name, root));

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
execFileSync(process.execPath, [path("node_modules/typescript/bin/tsc"), "--project", path("openapi/tsconfig.json")], {
  stdio: "inherit",
});
const document = parse(await readFile(path("openapi/petstore.yaml"), "utf8"));
await writeFile(new URL("petstore.json", dist), `${JSON.stringify(document, null, 2)}\n`);
await copyFile(path("LICENSE"), path("openapi/LICENSE"));
