// The way that the README shows from an edited document to a new operation, gone in a copy of the project.

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { documentText, edit, folder } from "./support/files.ts";

const root = new URL("..", import.meta.url).pathname;
const readme = readFileSync(join(root, "README.md"), "utf8").split("### A new operation")[1] as string;

/** A block of code of that part of the README. */
function block(language: string, about: string): string {
  const blocks = readme.split("```").filter((text) => text.startsWith(`${language}\n`) && text.includes(about));
  if (blocks.length !== 1) throw new Error(`the README shows ${about} ${blocks.length} times`);
  const text = (blocks[0] as string).slice(language.length + 1).replace(/^ {3}/gm, "");
  // Under another name: the project may have gone the way already.
  return text.replaceAll("getOldestPet", "getEldestPet").replaceAll("oldest-pet", "eldest-pet");
}

/** A copy of the project to work in. */
function project(t: Test) {
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
  return { run, npm, write, read };
}

t.test("a new operation, as the README has it", async (t) => {
  const { run, npm, write, read } = project(t);
  t.match(npm("scaffold"), { status: 0, output: /Every operation has its handler/ });
  const next = semver.inc(parse(documentText).info.version, "minor") as string;
  const operation = block("yaml", "getOldestPet");
  write(
    "openapi/petstore.yaml",
    edit(documentText, ["\ncomponents:\n", `${operation}\ncomponents:\n`], [/(?<=\n {2}version: ).*/, next]),
  );
  t.match(npm("generate"), { status: 0 });
  t.match(
    npm("types"),
    { status: 2, output: /src\/handlers\.ts.*getEldestPet/s },
    "the compiler names what is missing",
  );

  t.match(npm("scaffold"), {
    status: 0,
    output: /^GET \/store\/eldest-pet: write src\/handlers\/getEldestPet\.ts and test/m,
  });
  t.match(read("src/handlers.ts"), /import \{ getEldestPet \}[\s\S]*\{[^}]*, getEldestPet \}/);
  t.match(npm("types"), { status: 0 }, "it compiles as it is");
  t.match(
    run(process.execPath, "test/getEldestPet.test.ts"),
    { status: 1, output: /"status": 501/ },
    "its test is red until the handler is written",
  );
  t.match(npm("scaffold"), { status: 0, output: /Every operation has its handler/ }, "nothing is written over");

  write("src/handlers/getEldestPet.ts", block("ts", "Handler<"));
  const imports = read("test/getEldestPet.test.ts").split("\nt.test(")[0] as string;
  write("test/getEldestPet.test.ts", `${imports}\n${block("ts", "t.test(")}`);
  t.match(run(process.execPath, "test/getEldestPet.test.ts"), { status: 0, output: /ok 2 - / });
  t.match(npm("types"), { status: 0 });
  t.match(npm("lint"), { status: 0 });
  t.match(npm("generate", "--", "--check"), { status: 0 });
  t.match(npm("contract:diff"), { status: 0, output: /^new: the path .*\/store\/eldest-pet/m });
  t.match(run(process.execPath, "test/agreement.test.ts"), { status: 0 }, "the README needs no new row");
});

t.test("operations with all that there is, several at once", async (t) => {
  const { run, npm, write, read } = project(t);
  const answers = `
      responses:
        "200": { description: Done., content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }
        default: { $ref: "#/components/responses/Failure" }
`;
  const operations = `  /shops/{shop}/pets/{petId}:
    put:
      operationId: putPet
      tags: [Store]
      parameters:
        - { name: shop, in: path, required: true, schema: { type: string, pattern: "^[a-z]+$" }, examples: { one: { value: north } } }
        - { $ref: "#/components/parameters/PetId" }
        - { name: by, in: query, required: true, schema: { type: string, enum: [name, id] } }
        - { name: X-Reason, in: header, required: true, schema: { type: string } }
        - { name: dry, in: query, schema: { type: boolean } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewPet" } } } }${answers}
  /shops:
    get:
      operationId: listShops
      tags: [Store]${answers}`;
  const parameter =
    "  parameters:\n    PetId: { name: petId, in: path, required: true, schema: { type: integer, format: int64 } }\n";
  write("openapi/petstore.yaml", edit(documentText, ["\ncomponents:\n", `\n${operations}\ncomponents:\n${parameter}`]));
  t.match(npm("generate"), { status: 0 });
  t.match(npm("scaffold"), { status: 0, output: /putPet\.ts[\s\S]*listShops\.ts/ });
  t.match(npm("types"), { status: 0 });
  t.match(
    read("src/handlers/putPet.ts"),
    /The call has: params\["shop"\], params\["petId"\], query\["by"\], headers\["X-Reason"\]/,
  );
  for (const id of ["putPet", "listShops"])
    t.match(
      run(process.execPath, `test/${id}.test.ts`),
      { status: 1, output: /"status": 501/ },
      `the request of the test of ${id} is good: nothing but the handler is missing`,
    );

  write("openapi/petstore.yaml", edit(documentText, ["operationId: createPet", "operationId: class"]));
  const before = read("src/handlers.ts");
  t.match(npm("scaffold"), {
    status: 1,
    output: /^The operationId class can't be the name of a function: choose another\.$/m,
  });
  t.equal(read("src/handlers.ts"), before, "and nothing is written");
  write("openapi/petstore.yaml", "openapi: [");
  for (const script of ["scaffold", "generate", "contract:diff"])
    t.match(
      npm(script),
      { status: 1, output: /^((?!\n {4}at )[\s\S])*flow((?!\n {4}at )[\s\S])*$/i },
      `${script} says what is wrong with a document that is no YAML`,
    );
});
