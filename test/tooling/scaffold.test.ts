// The steps of docs/changing-the-contract.md, "Add an operation", in a copy of the project.

import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import t from "tap";
import { parse, parseDocument, stringify } from "yaml";
import { editDocument, setOperation } from "../support/document.ts";
import { documentText, edit, folder, root } from "../support/files.ts";

const page = readFileSync(join(root, "docs/changing-the-contract.md"), "utf8");
const section = page.split("## Add an operation")[1] as string;

/** Returns the code block of the section with this language that contains `about`. */
function block(language: string, about: string): string {
  const blocks = section.split("```").filter((text) => text.startsWith(`${language}\n`) && text.includes(about));
  if (blocks.length !== 1) throw new Error(`the page shows ${about} ${blocks.length} times`);
  const text = (blocks[0] as string).slice(language.length + 1).replace(/^ {3}/gm, "");
  // Another name, in case the project already has this operation.
  return text.replaceAll("getOldestPet", "getEldestPet").replaceAll("oldest-pet", "eldest-pet");
}

const place = folder(t);
const omitted = new Set(["node_modules", ".git", ".tap", "data"]);
for (const name of readdirSync(root).filter((name) => !omitted.has(name)))
  cpSync(join(root, name), join(place, name), { recursive: true });
symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
const write = (name: string, text: string) => writeFileSync(join(place, name), text);
const read = (name: string) => readFileSync(join(place, name), "utf8");
const run = (...args: string[]) => {
  const env = { ...process.env, DATABASE_URL: "sqlite::memory:", PORT: "0", TAP_TIMEOUT: "240" };
  const { status, stdout, stderr } = spawnSync(args[0] as string, args.slice(1), { cwd: place, encoding: "utf8", env });
  return { status, output: stdout + stderr };
};
const node = (...args: string[]) => run(process.execPath, ...args);
const npm = (...args: string[]) => run("npm", "run", ...args);

// The compiler caches the results of unchanged files.
write("tsconfig.json", edit(read("tsconfig.json"), ['"noEmit": true', '"noEmit": true,\n    "incremental": true']));

const next = semver.inc(parse(documentText).info.version, "minor") as string;
// The operation of the page has an alias of the document's text.
const withOldest = parseDocument(
  edit(documentText, ["\ncomponents:\n", `${block("yaml", "getOldestPet")}\ncomponents:\n`]),
);
withOldest.setIn(["info", "version"], next);

t.test("Without a handler, the service rejects an operation that a store can't answer, and says why", async (t) => {
  t.match(npm("scaffold"), { status: 0, output: /All operations have handlers/ });
  write("openapi/petstore.yaml", String(withOldest));
  t.match(npm("generate", "--", "--check"), { status: 1, output: /out of date\. Run npm run generate/ });
  t.match(npm("generate"), { status: 0 });
  t.match(npm("types"), { status: 0 });
  t.match(node("src/bin.js", "serve"), {
    status: 1,
    output:
      /^petstore: The operation getEldestPet has no handler, and needs one, because it returns nothing that another operation .*\. Add one to `handlers`/,
  });
});

t.test("npm run scaffold writes a handler that responds with 501, and a test that fails", async (t) => {
  t.match(npm("scaffold"), {
    status: 0,
    output: /^GET \/store\/eldest-pet: implement src\/pets\/handlers\/getEldestPet\.ts and complete test/m,
  });
  t.match(read("src/pets/handlers.ts"), /import \{ getEldestPet \}[\s\S]*\{[^}]*, getEldestPet \}/);
  t.match(node("test/pets/getEldestPet.test.ts"), { status: 1, output: /"status": 501/ });
  t.match(npm("scaffold"), { status: 0, output: /All operations have handlers/ }, "it overwrites nothing");
});

t.test("The handler and the test of the page pass, and no other check fails", async (t) => {
  write("src/pets/handlers/getEldestPet.ts", block("ts", "Handler<"));
  const imports = read("test/pets/getEldestPet.test.ts").split("\nt.test(")[0] as string;
  write("test/pets/getEldestPet.test.ts", `${imports}\n${block("ts", "t.test(")}`);
  t.match(node("test/pets/getEldestPet.test.ts"), { status: 0, output: /ok 2 - / });
  t.match(npm("lint"), { status: 0 });
  t.match(npm("generate", "--", "--check"), { status: 0 });
  t.match(npm("contract:diff"), { status: 0, output: /^compatible: getEldestPet: Added\./m });
  // Tests that read the operations and the version of the document.
  for (const name of [
    "agreement",
    "architecture",
    "openapi/document/document",
    "openapi/examples",
    "operate/telemetry/metrics",
    "operate/status",
  ]) {
    const { status, output } = node(`test/${name}.test.ts`);
    t.equal(status, 0, `test/${name}.test.ts`, { output });
  }
});

t.test("npm run scaffold reads every kind of parameter and body, and several operations at once", async (t) => {
  const toContent = (name: string) => ({ "application/json": { schema: { $ref: `#/components/schemas/${name}` } } });
  const responses = {
    200: { description: "Done.", content: toContent("Pet") },
    default: { $ref: "#/components/responses/Failure" },
  };
  const parameters = [
    {
      name: "shop",
      in: "path",
      required: true,
      schema: { type: "string", pattern: "^[a-z]+$" },
      examples: { one: { value: "north" } },
    },
    { $ref: "#/components/parameters/PetId" },
    { name: "by", in: "query", required: true, schema: { type: "string", enum: ["name", "id"] } },
    { name: "X-Reason", in: "header", required: true, schema: { type: "string" } },
    { name: "dry", in: "query", schema: { type: "boolean" } },
  ];
  const requestBody = { required: true, content: toContent("NewPet") };
  const document = withOldest.toJS();
  document.paths["/shops/{shop}/pets/{petId}"] = {
    put: { operationId: "putPet", tags: ["Store"], parameters, requestBody, responses },
  };
  document.paths["/shops"] = { get: { operationId: "listShops", tags: ["Store"], responses } };
  const petId = { name: "petId", in: "path", required: true, schema: { type: "integer", format: "int64" } };
  document.components.parameters = { ...document.components.parameters, PetId: petId };
  write("openapi/petstore.yaml", stringify(document));
  t.match(npm("generate"), { status: 0 });
  t.match(npm("scaffold"), { status: 0, output: /putPet\.ts[\s\S]*listShops\.ts/ });
  t.match(
    read("src/pets/handlers/putPet.ts"),
    /Input: params\["shop"\], params\["petId"\], query\["by"\], headers\["X-Reason"\]/,
  );
  for (const id of ["putPet", "listShops"])
    t.match(
      node(`test/pets/${id}.test.ts`),
      { status: 1, output: /"status": 501/ },
      `the request of the test of ${id} is valid: only the handler is missing`,
    );
  t.match(npm("types"), { status: 0 }, "what it wrote compiles, and so does the handler of the page");
});

t.test("npm run scaffold rejects an operationId that is not a valid function name", async (t) => {
  write("openapi/petstore.yaml", editDocument(setOperation("createPet", { operationId: "class" })));
  const before = read("src/pets/handlers.ts");
  t.match(npm("scaffold", "--", "class"), {
    status: 1,
    output: /^The operationId class is not a valid function name\. Choose another one\.$/m,
  });
  t.equal(read("src/pets/handlers.ts"), before, "and writes nothing");
});

t.test("The tools report invalid YAML without a stack trace", async (t) => {
  write("openapi/petstore.yaml", "openapi: [");
  for (const script of ["scaffold", "generate", "contract:diff"])
    t.match(npm(script), { status: 1, output: /^((?!\n {4}at )[\s\S])*flow((?!\n {4}at )[\s\S])*$/i }, script);
});
