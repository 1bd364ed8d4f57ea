// Writes measurements into the README, with the date and the machine.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

const file = new URL("../README.md", import.meta.url);

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. `conditions` ends the line above `text`. */
export function writeMeasurements(name: string, text: string, conditions: string): void {
  const date = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const machine = `${cpus()[0]?.model}; Node ${process.versions.node}; ${date}; ${conditions}.`;
  const readme = readFileSync(file, "utf8");
  const [before, after] = [new RegExp(`^.*<!-- ${name} -->\n`, "s"), new RegExp(`<!-- /${name} -->.*$`, "s")].map(
    (part) => part.exec(readme)?.[0],
  );
  writeFileSync(file, `${before}\n${machine}\n\n${text}\n\n${after}`);
}
