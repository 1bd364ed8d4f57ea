// The steps of docs/changing-the-contract.md, "Add a field", "Add a filter" and "Change and delete records", in a copy of the
// project: the document only, but for a handler that decides more than the store.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import t from "tap";
import { parse } from "yaml";
import { newDatabase } from "../support/databases.ts";
import { documentText, root } from "../support/files.ts";
import { blockWith, ProjectCopy } from "../support/project-copy.ts";

const copy = new ProjectCopy(t);

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

const old = '{"name":"Old","categoryId":9007199254740993,"status":"sold"}';
const pet =
  '{"name":"Rex","categoryId":7,"breed":"Beagle","tags":["a","b"],"isTame":false,"weight":1.5,"bornAt":"2026-01-02T03:04:05Z","chip":{"serial":9223372036854775807}}';
const urls = [`sqlite:${join(copy.place, "pets.db")}`, await newDatabase(t)];
const backups = urls.map((_, index) => join(copy.place, `${index}.backup`));

t.test("Fields and filters need the document only, and old records keep their values", async (t) => {
  for (const [index, url] of urls.entries()) {
    const input = join(copy.place, `${index}.ndjson`);
    writeFileSync(input, `${old}\n`);
    t.match(copy.petstore(url, "import", input), { status: 0 });
    t.match(copy.petstore(url, "backup", backups[index] as string), { status: 0 });
  }

  copy.editDocument(
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
  t.match(copy.run(["npm", "run", "generate"]), { status: 0, stderr: "" });
  t.match(copy.run(["npm", "run", "types"]), { status: 0, stdout: /tsc/ });

  for (const [index, url] of urls.entries()) {
    t.match(copy.petstore(url, "export"), { status: 0, stdout: `{"id":1,${old.slice(1)}\n` });
    const call = await copy.serve(t, url);
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
    t.match(copy.petstore(url, "check"), { status: 0, stdout: /no problems found/ });
    for (const format of ["ndjson", "csv"]) {
      const file = join(copy.place, `${index}-all.${format}`);
      t.match(copy.petstore(url, "export", "--without-ids", "--output", file), { status: 0 });
      const other = `sqlite:${join(copy.place, `${index}-${format}.db`)}`;
      t.match(copy.petstore(other, "import", file), { status: 0 });
      t.equal(copy.petstore(other, "export").stdout, copy.petstore(url, "export").stdout, `a copy through ${format}`);
    }
    const file = backups[index] as string;
    t.match(
      copy.petstore(`sqlite:${join(copy.place, `${index}-restored.db`)}`, "restore", file),
      { status: 0 },
      "an older backup",
    );
  }
});

const changes = readFileSync(join(root, "examples/pet-changes.yaml"), "utf8").replace(/^(#.*\n)+/, "");
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
  copy.editDocument(
    ["\ncomponents:\n", `${changes}${categories}\ncomponents:\n`],
    ["\n    Error:\n", `\n${schemas}    Error:\n`],
    ["            - store_full\n", "            - store_full\n            - category_not_found\n"],
  );
  t.match(copy.run(["npm", "run", "generate"]), { status: 0, stderr: "" });
  t.match(copy.run(["npm", "run", "scaffold"]), { status: 0, stdout: /All operations have handlers/ });
  t.match(copy.run(["npm", "run", "scaffold", "--", "nothing"]), {
    status: 1,
    stderr: /The document has no operation nothing/,
  });
  t.match(copy.run(["npm", "run", "scaffold", "--", "deleteCategory"]), { status: 0, stdout: /deleteCategory\.ts/ });
  writeFileSync(
    join(copy.place, "src/pets/handlers/deleteCategory.ts"),
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
  t.match(copy.run(["npm", "run", "types"]), { status: 0 });
  for (const url of urls) {
    const [call, other] = [await copy.serve(t, url), await copy.serve(t, url)];
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
    t.match(copy.petstore(url, "check"), { status: 0, stdout: /no problems found/ });
  }
});
