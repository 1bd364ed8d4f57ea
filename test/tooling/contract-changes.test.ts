// The steps of docs/changing-the-contract.md, "Add a field", "Add a filter" and "Change and delete records", in a copy of the
// project: the document only, but for a handler that decides more than the store.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { newDatabase } from "../support/databases.ts";
import { documentText, edit, folder, root } from "../support/files.ts";
import { freePort } from "../support/port.ts";
import { until } from "../support/wait.ts";

const page = readFileSync(join(root, "docs/changing-the-contract.md"), "utf8");
const blocks = [...page.matchAll(/^ *```yaml\n(.*?)^ *```$/gms)].map(([, text = ""]) => text.replace(/^ {3}/gm, ""));
const blockWith = (text: string) => blocks.find((block) => block.includes(text)) as string;

const place = folder(t);
const omitted = new Set(["node_modules", ".git", ".tap", "data"]);
for (const name of readdirSync(root).filter((name) => !omitted.has(name)))
  cpSync(join(root, name), join(place, name), { recursive: true });
symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
const run = (env: Record<string, string>, ...args: string[]) => {
  const options = { cwd: place, encoding: "utf8", env: { ...process.env, ...env }, timeout: 120_000 } as const;
  const { status, stdout, stderr } = spawnSync(args[0] as string, args.slice(1), options);
  return { status, stdout, stderr };
};
const petstore = (DATABASE_URL: string, ...args: string[]) =>
  run({ DATABASE_URL }, process.execPath, "src/bin.js", ...args);

const petstoreInput = (url: string, text: string) => {
  const input = join(place, "input.ndjson");
  writeFileSync(input, text);
  return petstore(url, "import", input, "--resource", "pets");
};

// A field of each type, beside that of the page. The indentation is that of the document.
const fields = `        tags: &tags { type: array, maxItems: 9, items: { type: string, maxLength: 20 } }
        isTame: &isTame { type: boolean }
        weight: &weight { type: number }
        bornAt: &bornAt { type: string, format: date-time }
        chip: &chip { type: object, properties: { serial: { type: integer, format: int64 } } }
`;
const aliases = ["tags", "isTame", "weight", "bornAt", "chip"].map((name) => `        ${name}: *${name}\n`).join("");
const tagFilter = "        - { name: tag, in: query, schema: { type: string, maxLength: 20 } }\n";
const { version } = parse(documentText).info;

/** Starts the service of the copy, and returns a function that sends a request. */
async function serve(t: Test, url: string) {
  const port = `${await freePort()}`;
  const env = { ...process.env, DATABASE_URL: url, PORT: port, LOG_LEVEL: "warn" };
  const child = spawn(process.execPath, ["src/bin.js", "serve"], {
    cwd: place,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  t.teardown(() => child.kill());
  const origin = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  await until(isReady, () => "the service does not start");
  const key = petstore(url, "keys", "create", `test-${port}`).stdout.trim();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return async (path: string, body?: string, method = body ? "POST" : "GET", own: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: { ...headers, ...own },
      body: body ?? null,
    });
    return { status: response.status, text: await response.text(), etag: `${response.headers.get("etag")}` };
  };
}

const old = '{"name":"Old","categoryId":9007199254740993,"status":"sold"}';
const pet =
  '{"name":"Rex","categoryId":7,"breed":"Beagle","tags":["a","b"],"isTame":false,"weight":1.5,"bornAt":"2026-01-02T03:04:05Z","chip":{"serial":9223372036854775807}}';
const urls = [`sqlite:${join(place, "pets.db")}`, await newDatabase(t)];
const backups = urls.map((_, index) => join(place, `${index}.backup`));

t.test("Fields and filters need the document only, and old records keep their values", async (t) => {
  for (const [index, url] of urls.entries()) {
    const input = join(place, `${index}.ndjson`);
    writeFileSync(input, `${old}\n`);
    t.match(petstore(url, "import", input), { status: 0 });
    t.match(petstore(url, "backup", backups[index] as string), { status: 0 });
  }

  const withFields = edit(
    documentText,
    [
      '        status:\n          $ref: "#/components/schemas/PetStatus"\n      examples:\n        - { name',
      `        status:\n          $ref: "#/components/schemas/PetStatus"\n${blockWith("&breed")}${fields}      examples:\n        - { name`,
    ],
    [
      '        status:\n          $ref: "#/components/schemas/PetStatus"\n      examples:\n        - { id',
      `        status:\n          $ref: "#/components/schemas/PetStatus"\n${blockWith("*breed")}${aliases}      examples:\n        - { id`,
    ],
    ["        - name: cursor\n", `${blockWith("name: categoryId")}${tagFilter}        - name: cursor\n`],
    [`version: ${version}`, `version: ${semver.inc(version, "minor")}`],
  );
  writeFileSync(join(place, "openapi/petstore.yaml"), withFields);
  t.match(run({}, "npm", "run", "generate"), { status: 0, stderr: "" });
  t.match(run({}, "npm", "run", "types"), { status: 0, stdout: /tsc/ });

  for (const [index, url] of urls.entries()) {
    t.match(petstore(url, "export"), { status: 0, stdout: `{"id":1,${old.slice(1)}\n` });
    const call = await serve(t, url);
    t.match(await call("/pets", pet), { status: 201, text: `{"id":2,${pet.slice(1)}` });
    t.match(await call("/pets/2"), { status: 200, text: `{"id":2,${pet.slice(1)}` });
    for (const [query, ids] of [
      ["tag=b", [2]],
      ["tag=c", []],
      ["categoryId=9007199254740993", [1]],
      ["categoryId=9007199254740992", []],
      ["categoryId=7&tag=a", [2]],
      ["status=sold", [1]],
    ] as const) {
      const { text } = await call(`/pets?${query}`);
      t.same(
        (JSON.parse(text) as { id: number }[]).map(({ id }) => id),
        ids,
        query,
      );
    }
    t.match(await call("/pets", pet.replace('"weight":1.5', '"weight":"1.5"')), { status: 400 });
    t.match(petstore(url, "check"), { status: 0, stdout: /no problems found/ });
    for (const format of ["ndjson", "csv"]) {
      const file = join(place, `${index}-all.${format}`);
      t.match(petstore(url, "export", "--without-ids", "--output", file), { status: 0 });
      const other = `sqlite:${join(place, `${index}-${format}.db`)}`;
      t.match(petstore(other, "import", file), { status: 0 });
      t.equal(petstore(other, "export").stdout, petstore(url, "export").stdout, `a copy through ${format}`);
    }
    const file = backups[index] as string;
    t.match(
      petstore(`sqlite:${join(place, `${index}-restored.db`)}`, "restore", file),
      { status: 0 },
      "an older backup",
    );
  }
});

const failure = 'default: { $ref: "#/components/responses/Failure" }';
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const category = '{ $ref: "#/components/schemas/Category" }';
const categories = `  /categories:
    get:
      operationId: listCategories
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
        - { name: cursor, in: query, schema: { type: string, maxLength: 200 } }
      responses: { "200": { description: x, ${json(`{ type: array, items: ${category} }`)} }, ${failure} }
    post:
      operationId: createCategory
      requestBody: { required: true, ${json('{ $ref: "#/components/schemas/NewCategory" }')} }
      responses: { "201": { description: x, ${json(category)} }, ${failure} }
  /categories/{categoryId}:
    parameters: [{ name: categoryId, in: path, required: true, schema: { $ref: "#/components/schemas/Id" } }]
    get: { operationId: getCategory, responses: { "200": { description: x, ${json(category)} }, ${failure} } }
    delete: { operationId: deleteCategory, responses: { "204": { description: x }, ${failure} } }
`;
const schemas = `    NewCategory: &newCategory { type: object, required: [title], properties: { title: { type: string, maxLength: 100 } } }
    Category:
      allOf: [{ type: object, required: [id], properties: { id: { type: integer, format: int64 } } }, *newCategory]
`;

t.test("Changes, deletions and another collection need the document only, and one handler for a rule", async (t) => {
  const before = readFileSync(join(place, "openapi/petstore.yaml"), "utf8");
  writeFileSync(
    join(place, "openapi/petstore.yaml"),
    edit(
      before,
      ["\ncomponents:\n", `${blockWith("operationId: replacePet")}${categories}\ncomponents:\n`],
      ["\n    Error:\n", `\n${schemas}    Error:\n`],
      ["            - store_full\n", "            - store_full\n            - category_not_found\n"],
    ),
  );
  t.match(run({}, "npm", "run", "generate"), { status: 0, stderr: "" });
  t.match(run({}, "npm", "run", "scaffold"), { status: 0, stdout: /All operations have handlers/ });
  t.match(run({}, "npm", "run", "scaffold", "--", "nothing"), {
    status: 1,
    stderr: /The document has no operation nothing/,
  });
  t.match(run({}, "npm", "run", "scaffold", "--", "deleteCategory"), { status: 0, stdout: /deleteCategory\.ts/ });
  writeFileSync(
    join(place, "src/pets/handlers/deleteCategory.ts"),
    `import { HttpError } from "../../http/index.ts";
import type { Handler } from "../handler.ts";

/** Deletes a category, unless pets refer to it. */
export const deleteCategory: Handler<"deleteCategory"> = async ({ params: { categoryId } }, { pets, records }) => {
  const { last } = await pets.list({ limit: 1, filter: { categoryId } });
  if (last !== undefined)
    throw new HttpError({ code: "category_in_use", status: 409 }, "Pets refer to this category.");
  const { outcome } = await records("categories").remove(categoryId);
  if (outcome === "missing") throw new HttpError({ code: "category_not_found", status: 404 }, "No category has this id.");
  return { status: 204 };
};
`,
  );
  t.match(run({}, "npm", "run", "types"), { status: 0 });
  for (const url of urls) {
    const [call, other] = [await serve(t, url), await serve(t, url)];
    const { etag } = await call("/pets/2");
    const change = { "content-type": "application/merge-patch+json" };
    const changed = `{"id":2,${pet.slice(1)}`.replace("Rex", "Max");
    t.match(await call("/pets/2", '{"name":"Max"}', "PATCH", { ...change, "if-match": etag }), { status: 200 });
    t.match(await other("/pets/2", '{"name":"Tom"}', "PATCH", { ...change, "if-match": etag }), { status: 412 });
    t.equal((await other("/pets/2")).text, changed, "the other process has no old state");
    t.match(await call("/pets/1", '{"name":"New","categoryId":1}', "PUT"), {
      status: 200,
      text: '{"id":1,"name":"New","categoryId":1}',
    });
    t.equal((await other("/pets/1")).text, '{"id":1,"name":"New","categoryId":1}');
    t.equal((await other("/pets?status=sold")).text, "[]", "the filter, too");

    t.match(await call("/categories", '{"title":"Dogs"}'), { status: 201, text: '{"id":1,"title":"Dogs"}' });
    t.match(await other("/categories"), { status: 200, text: '[{"id":1,"title":"Dogs"}]' });
    t.match(await other("/categories/1", undefined, "DELETE"), { status: 409, text: /category_in_use/ });
    t.match(await call("/pets/1", undefined, "DELETE"), { status: 204, text: "" });
    t.match(await other("/pets/1"), { status: 404, text: /pet_not_found/ });
    t.match(await other("/categories/1", undefined, "DELETE"), { status: 204 });
    t.match(await call("/categories/1"), { status: 404, text: /category_not_found/ });
    t.match(petstore(url, "check"), { status: 0, stdout: /no problems found/ });
  }
});

t.test("A field that becomes required needs a function for the records without it", async (t) => {
  const file = join(place, "openapi/petstore.yaml");
  const before = readFileSync(file, "utf8");
  for (const url of urls) {
    for (const name of ["One", "Two"])
      t.match(petstoreInput(url, `{"name":"${name}","categoryId":1}\n`), { status: 0 });
    t.match(petstore(url, "migrate"), { status: 0 });
  }
  writeFileSync(
    file,
    edit(
      before,
      ["required: [name, categoryId]", "required: [name, categoryId, breed]"],
      ["required: [id, name, categoryId]", "required: [id, name, categoryId, breed]"],
    ),
  );
  t.match(run({}, "npm", "run", "generate"), { status: 0, stderr: "" });
  const refused =
    /^petstore: 2 records of pets do not match the document\. Nothing was changed\. .*\n(petstore: - pets \d+ does not match the schema: It must have the field 'breed'\.\n){2}$/m;
  for (const url of urls) {
    t.match(petstore(url, "migrate"), { status: 1, stderr: refused });
    t.match(petstore(url, "serve"), {
      status: 1,
      stderr: /^petstore: 2 records of pets .* petstore migrate applies it\.\n$/,
    });
  }
  t.match(run({}, "npm", "run", "scaffold", "--", "--upgrade", "pets"), {
    status: 0,
    stdout: /src\/pets\/upgrades\.ts/,
  });
  t.match(run({}, "npm", "run", "scaffold", "--", "--upgrade", "pets"), {
    status: 1,
    stderr: /has a function of pets/,
  });
  for (const url of urls) t.match(petstore(url, "migrate"), { status: 1, stderr: /also after the function/ });
  const upgrades = join(place, "src/pets/upgrades.ts");
  const [line] = page.split("\n").filter((text) => text.includes("upgrade: (record) =>"));
  writeFileSync(
    upgrades,
    edit(readFileSync(upgrades, "utf8"), ["    upgrade: (record) => ({ ...record }),", `${line?.trim()}`]),
  );
  t.notMatch(run({}, "npm", "run", "types").stdout, /^src\//m, "only tests create pets without the field");
  for (const url of urls) {
    t.match(petstore(url, "serve"), { status: 1, stderr: /are to be changed by a function/ });
    t.match(petstore(url, "migrate"), { status: 0, stdout: "The database is up to date.\n" });
    const call = await serve(t, url);
    const { text } = await call("/pets");
    t.match(text, /"name":"One","categoryId":1,"breed":"unknown"/);
    t.match(text, /"breed":"Beagle"/, "a record that has the field keeps it");
    t.match(petstore(url, "check"), { status: 0, stdout: /no problems found/ });
  }
});
