// Writes measurements into the README: each script its own section, with the date and the machine.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

const file = new URL("../README.md", import.meta.url);

/** Writes `text` between `<!-- name -->` and `<!-- /name -->`, below a line of what it was measured on. */
export function writeReadme(name: string, text: string, more: string): void {
  const day = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const machine = `${cpus()[0]?.model}; Node ${process.versions.node}; ${day}; ${more}.`;
  const readme = readFileSync(file, "utf8");
  const [before, after] = [new RegExp(`^.*<!-- ${name} -->\n`, "s"), new RegExp(`<!-- /${name} -->.*$`, "s")].map(
    (part) => part.exec(readme)?.[0],
  );
  writeFileSync(file, `${before}\n${machine}\n\n${text}\n\n${after}`);
}
