// The step of docs/changing-the-contract.md for a field that becomes required, in a copy of the project.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { newDatabase } from "../support/databases.ts";
import { edit } from "../support/files.ts";
import { blockWith, guide, ProjectCopy } from "../support/project-copy.ts";

t.test("A field that becomes required needs a function for the records without it", async (t) => {
  const copy = new ProjectCopy(t);
  const status = '        status:\n          $ref: "#/components/schemas/PetStatus"\n      examples:\n        - ';
  copy.editDocument(
    [`${status}{ name`, `${blockWith("&breed")}${status}{ name`],
    [`${status}{ id`, `${blockWith("*breed")}${status}{ id`],
  );
  t.match(copy.run(["npm", "run", "generate"]), { status: 0, stderr: "" });
  const urls = [`sqlite:${join(copy.place, "pets.db")}`, await newDatabase(t)];
  for (const url of urls)
    for (const members of ['"name":"Rex","breed":"Beagle"', '"name":"One"', '"name":"Two"'])
      t.match(copy.importPets(url, `{${members},"categoryId":1}\n`), { status: 0 });
  copy.editDocument(
    ["required: [name, categoryId]", "required: [name, categoryId, breed]"],
    ["required: [id, name, categoryId]", "required: [id, name, categoryId, breed]"],
  );
  t.match(copy.run(["npm", "run", "generate"]), { status: 0, stderr: "" });
  const refused =
    /^petstore: 2 records of pets do not match the document\. Nothing was changed\. .*\n(petstore: - pets \d+ does not match the schema: It must have the field 'breed'\.\n){2}$/m;
  for (const url of urls) {
    t.match(copy.petstore(url, "migrate"), { status: 1, stderr: refused });
    t.match(copy.petstore(url, "serve"), {
      status: 1,
      stderr: /^petstore: 2 records of pets .* petstore migrate applies it\.\n(- pets \d .*\n){2}$/,
    });
  }
  t.match(copy.run(["npm", "run", "scaffold", "--", "--upgrade", "pets"]), {
    status: 0,
    stdout: /src\/pets\/upgrades\.ts/,
  });
  t.match(copy.run(["npm", "run", "scaffold", "--", "--upgrade", "pets"]), {
    status: 1,
    stderr: /has a function of pets/,
  });
  for (const url of urls) t.match(copy.petstore(url, "migrate"), { status: 1, stderr: /also after the function/ });
  const upgrades = join(copy.place, "src/pets/upgrades.ts");
  const [line] = guide.split("\n").filter((text) => text.includes("upgrade: (record) =>"));
  writeFileSync(
    upgrades,
    edit(readFileSync(upgrades, "utf8"), ["    upgrade: (record) => ({ ...record }),", `${line?.trim()}`]),
  );
  t.notMatch(copy.run(["npm", "run", "types"]).stdout, /^src\//m, "only tests create pets without the field");
  for (const url of urls) {
    t.match(copy.petstore(url, "serve"), { status: 1, stderr: /must be changed by a function first/ });
    t.match(copy.petstore(url, "migrate"), { status: 0, stdout: "The database is up to date.\n" });
    const call = await copy.serve(t, url);
    const { text } = await call("/pets");
    t.match(text, /"name":"One","categoryId":1,"breed":"unknown"/);
    t.match(text, /"breed":"Beagle"/, "a record that has the field keeps it");
    t.match(copy.petstore(url, "check"), { status: 0, stdout: /no problems found/ });
  }
});
