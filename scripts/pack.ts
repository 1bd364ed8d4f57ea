// Builds the files of the client's package that are not in openapi/client: the client and its types as JavaScript and
// declarations, the document, its changelog, and the license. npm runs this script before it packs.
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const resolve = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

await rm(resolve("openapi/client/dist"), { recursive: true, force: true });
await mkdir(resolve("openapi/client/dist"));
const tsc = resolve("node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "--project", resolve("openapi/client/tsconfig.json")], { stdio: "inherit" });
const document = parse(await readFile(resolve("openapi/petstore.yaml"), "utf8"));
await writeFile(resolve("openapi/client/dist/petstore.json"), `${JSON.stringify(document, null, 2)}\n`);
for (const file of ["openapi/petstore.yaml", "openapi/CHANGELOG.md", "LICENSE"])
  await copyFile(resolve(file), resolve(`openapi/client/${file.split("/").at(-1)}`));
