// Import, restore and copy of records that must be unique, or refer to others.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { runOpenApi } from "../support/openapi-command.ts";

const kinds: Record<string, (t: Test) => Promise<string>> = {
  SQLite: async (t) => join(folder(t), "pets.db"),
  PostgreSQL: emptyDatabase,
};

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const crud = (name: string, hint: string, properties: string) => {
  const schema = (id: string) =>
    `{ type: object, required: [${id}name], properties: { id: { type: integer }, name: { type: string }${properties} } }`;
  return `  /${name}:
    get: { operationId: list_${name}, responses: { 200: { description: x, ${json(`{ type: array, items: ${schema("id, ")} }`)} } } }
    post: { operationId: add_${name}, requestBody: { ${json(schema(""))} }, responses: { 201: { description: x, ${json(schema("id, "))} } } }
  /${name}/{id}:
    x-resource: ${hint}
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: get_${name}, responses: { 200: { description: x, ${json(schema("id, "))} } } }
`;
};
const textOf = (hints: boolean) =>
  documentOf(
    crud(
      "animals",
      hints ? "{ references: { owner: '/owners/{id}', mother: '/animals/{id}' } }" : "{}",
      ", owner: { type: integer }, mother: { type: integer }",
    ) + crud("owners", hints ? "{ unique: [name] }" : "{}", ""),
  );

for (const [kind, createStore] of Object.entries(kinds))
  t.test(`${kind}: what is imported, restored and copied is unique, and refers to what exists`, async (t) => {
    const place = folder(t);
    const [file, plain, rows, backup, bad] = ["a.yaml", "b.yaml", "rows.ndjson", "all.backup", "bad.backup"].map(
      (name) => join(place, name),
    ) as [string, string, string, string, string];
    writeFileSync(file, textOf(true));
    writeFileSync(plain, textOf(false));
    const [data, other] = [await createStore(t), await createStore(t)];
    const run = (...args: readonly string[]) => runOpenApi(["data", ...args]);
    const importAll = async (document: string, resource: string, records: object[], store = data) => {
      writeFileSync(rows, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
      return run("import", document, rows, "--resource", resource, "--data", store);
    };
    t.match(await importAll(file, "owners", [{ name: "a" }, { name: "b" }, { name: "a" }]), {
      code: 1,
      stderr: /Another record of owners has the same name/,
    });
    t.match(await importAll(file, "owners", [{ name: "a" }, { name: "b" }]), { code: 0 });
    t.match(await importAll(file, "animals", [{ name: "x", owner: 77 }]), {
      code: 1,
      stderr: /No record of owners has the id in owner/,
    });
    t.match(
      await importAll(file, "animals", [
        { id: 1, name: "x", owner: 1 },
        { id: 2, name: "y", owner: 2, mother: 1 },
      ]),
      { code: 0 },
    );

    t.match(await run("backup", file, backup, "--data", data), { code: 0 });
    t.match(await run("check", file, "--data", data), { code: 0 });
    t.match(
      await run("restore", file, backup, "--data", data, "--force", "--yes"),
      { code: 0 },
      "in any order of the tables",
    );
    t.match(await importAll(file, "owners", [{ name: "a" }]), { code: 1 }, "the constraints are there again");
    const to = other.startsWith("postgres:") ? other : `sqlite:${other}`;
    t.match(await run("copy", file, "--from", `sqlite:${backup}`, "--to", to), { code: 0 });
    t.match(await importAll(file, "animals", [{ name: "z", owner: 78 }], other), {
      code: 1,
      stderr: /No record of owners/,
    });

    t.match(await run("restore", plain, backup, "--data", other, "--force", "--yes"), { code: 0 });
    t.match(await importAll(plain, "owners", [{ name: "a" }], other), { code: 0 }, "not declared any more");
    t.match(await run("backup", plain, bad, "--data", other), { code: 0 });
    const restored = await run("restore", file, bad, "--data", data, "--force", "--yes");
    t.match(restored, { code: 1, stderr: /records of owners have the same name, which must be unique: 1 and 3/ });
  });
