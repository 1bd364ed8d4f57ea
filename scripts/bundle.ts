// Bundles the modules of src, because a start then finds, reads and links a few files instead of some hundred. Packages
// stay in node_modules: their updates, their licenses and the list of packages are those of npm.
// usage: node scripts/bundle.ts [FOLDER]: writes dist/server.js, the service, and dist/bin.js, its command, to a checkout
import { cpSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { rolldown } from "rolldown";

/**
 * Writes a bundle of each entry, the chunks that they share, and their source maps to a folder. `entries` has the paths of
 * the modules by the names of the bundles. The modules refer to files of the project as from a folder of src, and the chunks as
 * from a folder of `folder`: both are in the project.
 */
export async function bundle(entries: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const isPackage = /^[\w@](?!:)/; // no path, also on Windows
  const build = await rolldown({ input: { ...entries }, platform: "node", external: isPackage });
  const [entryFileNames, chunkFileNames] = ["[name].js", "chunks/[name]-[hash].js"];
  await build.write({ dir: folder, sourcemap: true, entryFileNames, chunkFileNames });
  await build.close();
  // What browsers load is read as it is.
  const ofBrowser = "records-page/browser";
  const filter = (name: string) => !/\.(json|d\.ts)$/.test(name);
  cpSync(resolve(import.meta.dirname, "../src", ofBrowser), resolve(folder, ofBrowser), { recursive: true, filter });
}

if (import.meta.main) {
  const place = (name: string) => resolve(process.argv[2] ?? ".", name);
  rmSync(place("dist"), { recursive: true, force: true });
  await bundle({ server: place("src/server.ts"), bin: place("src/bin.js") }, place("dist"));
}
