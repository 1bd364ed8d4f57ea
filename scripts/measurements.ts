// Writes measurements and generated tables into Markdown files, between markers.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

/**
 * Returns `page` with `text` between `<!-- name -->` and `<!-- /name -->`. Throws an Error if it does not have both
 * markers.
 */
export function replaceSection(page: string, name: string, text: string): string {
  const { before, after } = splitSection(page, name);
  return `${before}\n${text}\n\n${after}`;
}

/** Returns the text between `<!-- name -->` and `<!-- /name -->`. Throws like `replaceSection`. */
export function readSection(page: string, name: string): string {
  return splitSection(page, name).text;
}

function splitSection(page: string, name: string) {
  const pattern = new RegExp(`^(.*<!-- ${name} -->\n)(.*)(<!-- /${name} -->.*)$`, "s");
  const [, before, text = "", after] = pattern.exec(page) ?? [];
  if (before === undefined) throw new Error(`The markers <!-- ${name} --> and <!-- /${name} --> are missing.`);
  return { before, text, after };
}

/**
 * Replaces the text between `<!-- name -->` and `<!-- /name -->` in a file of the project. `conditions` ends the line
 * above `text`. Throws like `replaceSection`.
 */
export function writeMeasurements(file: string, name: string, text: string, conditions: string): void {
  const path = join(import.meta.dirname, "..", file);
  const date = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const machine = `${cpus()[0]?.model}; Node ${process.versions.node}; ${date}; ${conditions}.`;
  writeFileSync(path, replaceSection(readFileSync(path, "utf8"), name, `${machine}\n\n${text}`));
}
