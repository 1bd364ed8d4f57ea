// The way that the README shows from an edited document to a new operation, gone in a copy of the project.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { documentText, edit, folder } from "./fixture.ts";

const root = new URL("..", import.meta.url).pathname;
const readme = readFileSync(join(root, "README.md"), "utf8").split("### A new operation")[1] as string;

/** A block of code of that part of the README. */
function block(language: string, about: string): string {
  const blocks = readme.split("```").filter((text) => text.startsWith(`${language}\n`) && text.includes(about));
  if (blocks.length !== 1) throw new Error(`the README shows ${about} ${blocks.length} times`);
  return (blocks[0] as string).slice(language.length + 1).replace(/^ {3}/gm, "");
}

t.test("a new operation, as the README has it", async (t) => {
  const place = folder(t);
  const names = [
    "src",
    "scripts",
    "openapi",
    "test",
    "package.json",
    "tsconfig.json",
    "biome.json",
    ".spectral.yaml",
    ".gitignore",
    "README.md",
  ];
  for (const name of names) cpSync(join(root, name), join(place, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(args[0] as string, args.slice(1), { cwd: place, encoding: "utf8" });
    return { status, output: stdout + stderr };
  };
  const npm = (...args: string[]) => run("npm", "run", ...args);
  const write = (name: string, text: string) => writeFileSync(join(place, name), text);
  const read = (name: string) => readFileSync(join(place, name), "utf8");

  t.match(npm("scaffold"), { status: 0, output: /Every operation has its handler/ });
  const operation = block("yaml", "getOldestPet");
  write(
    "openapi/petstore.yaml",
    edit(documentText, ["\ncomponents:\n", `${operation}\ncomponents:\n`], [/(?<=\n {2}version: ).*/, "1.1.0"]),
  );
  t.match(npm("generate"), { status: 0 });
  t.match(
    npm("types"),
    { status: 2, output: /src\/handlers\.ts.*getOldestPet/s },
    "the compiler names what is missing",
  );

  t.match(npm("scaffold"), {
    status: 0,
    output: /^GET \/store\/oldest-pet: write src\/handlers\/getOldestPet\.ts and test/m,
  });
  t.match(read("src/handlers.ts"), /import \{ getOldestPet \}[\s\S]*\{ listPets, createPet, getPet, getOldestPet \}/);
  t.match(npm("types"), { status: 0 }, "it compiles as it is");
  t.match(
    run(process.execPath, "test/getOldestPet.test.ts"),
    { status: 1, output: /"status": 501/ },
    "its test is red until the handler is written",
  );
  t.match(npm("scaffold"), { status: 0, output: /Every operation has its handler/ }, "nothing is written over");

  write("src/handlers/getOldestPet.ts", block("ts", "Handler<"));
  const imports = read("test/getOldestPet.test.ts").split("\nt.test(")[0] as string;
  write("test/getOldestPet.test.ts", `${imports}\n${block("ts", "t.test(")}`);
  t.match(run(process.execPath, "test/getOldestPet.test.ts"), { status: 0, output: /ok 2 - / });
  t.match(npm("types"), { status: 0 });
  t.match(npm("lint"), { status: 0 });
  t.match(npm("generate", "--", "--check"), { status: 0 });
  t.match(npm("contract:diff"), { status: 0, output: /^new: the path \/store\/oldest-pet: It was added\.$/m });
  t.match(run(process.execPath, "test/agreement.test.ts"), { status: 0 }, "the README needs no new row");
});
