// Writes measurements into a Markdown file, with the date and the machine.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

/**
 * Replaces the text between `<!-- name -->` and `<!-- /name -->` in a file of the project. `conditions` ends the line
 * above `text`. Throws if the file does not have both markers.
 */
export function writeMeasurements(file: string, name: string, text: string, conditions: string): void {
  const path = join(import.meta.dirname, "..", file);
  const date = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const machine = `${cpus()[0]?.model}; Node ${process.versions.node}; ${date}; ${conditions}.`;
  const pattern = new RegExp(`^(.*<!-- ${name} -->\n).*(<!-- /${name} -->.*)$`, "s");
  const [, before, after] = pattern.exec(readFileSync(path, "utf8")) ?? [];
  if (before === undefined) throw new Error(`${file} has no markers <!-- ${name} --> and <!-- /${name} -->.`);
  writeFileSync(path, `${before}\n${machine}\n\n${text}\n\n${after}`);
}
