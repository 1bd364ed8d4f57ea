// Records whose ids are texts: imported, exported, copied, backed up, checked and changed by a function, in both stores.
import { writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import t, { type Test } from "tap";
import { backup, copy, exportRecords, formats, importRecords, openInput, validateInput } from "../../src/data/index.ts";
import { parseDocument } from "../../src/openapi/index.ts";
import { collectionsOf, type Resource, readResources, upgradeRecords } from "../../src/resources/index.ts";
import { openTables, type Tables } from "../../src/store/index.ts";
import { emptyDatabase, type stores } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { findProblems, tamper } from "../support/stores.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const tag = '{ $ref: "#/components/schemas/Tag" }';
const text = documentOf(
  `  /tags:
    post: { operationId: addTag, requestBody: { required: true, ${json(tag)} }, responses: { 201: { description: x, ${json(tag)} } } }
  /tags/{name}:
    parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
    get: { operationId: getTag, responses: { 200: { description: x, ${json(tag)} } } }
`,
  `components:
  schemas:
    Tag: { type: object, required: [name], properties: { name: { type: string }, size: { type: integer } } }
`,
);
const document = await parseDocument(text, { strict: false });
const [resource] = readResources(document) as [Resource];
const ignore = () => {};

const newUrls = {
  sqlite: async (t: Test) => `sqlite:${folder(t)}/tags.db`,
  postgres: emptyDatabase,
} satisfies Record<keyof typeof stores, unknown>;

async function importText(t: Test, tables: Tables, content: string, name: keyof typeof formats = "ndjson") {
  const file = `${folder(t)}/${Math.random()}`;
  writeFileSync(file, content);
  const input = await openInput(file, Readable.from([]));
  const problems: string[] = [];
  const source = { input, format: formats[name], resource };
  const checked = await validateInput({ ...source, report: (problem) => problems.push(problem), progress: ignore });
  try {
    return { ...(await importRecords(tables, { ...source, checked }, {}, ignore)), problems };
  } finally {
    await input.close();
  }
}

async function exportText(tables: Tables, name: keyof typeof formats = "ndjson"): Promise<string> {
  let exported = "";
  const write = async (part: string) => {
    exported += part;
  };
  await exportRecords(tables, { format: formats[name], resource }, write, ignore);
  return exported;
}

const open = (url: string) => openTables(url, "create", { collections: collectionsOf(document) });

for (const kind of ["sqlite", "postgres"] as const) {
  const start = async (t: Test) => {
    const url = await newUrls[kind](t);
    const tables = await open(url);
    t.teardown(() => tables.close());
    return { url, tables };
  };
  const lines = '{"name":"b","size":1}\n{"name":"a \\"\\u0001🐕"}\n';
  const exported = '{"name":"b","size":1}\n{"name":"a \\"\\u0001🐕"}\n';

  t.test(`${kind}: imports records with their ids, and exports them as they are`, async (t) => {
    const { tables } = await start(t);
    t.match(await importText(t, tables, lines), { records: 2, problems: [] });
    t.equal(await exportText(tables), exported);
    t.match(await importText(t, tables, "name,size\nc,5\n", "csv"), { records: 1, problems: [] });
    t.equal(await exportText(tables, "csv"), 'name,size\r\nb,1\r\n"a ""\u0001🐕",\r\nc,5\r\n');
    t.match(await importText(t, tables, `{"name":""}\n{"name":"${"x".repeat(501)}"}\n{"name":"d"}\n`), {
      records: 1,
      problems: [/line 1.*name.*must have 1 to 500 characters/, /line 2.*must have 1 to 500 characters/],
    });
    t.same(await findProblems(tables, document), []);
  });

  t.test(`${kind}: an import of an id that another record has changes nothing`, async (t) => {
    const { tables } = await start(t);
    await importText(t, tables, lines);
    await t.rejects(importText(t, tables, '{"name":"new"}\n{"name":"b"}\n'), {
      message: "Another record of tags has the id b. Nothing was imported.",
    });
    await t.rejects(importText(t, tables, '{"name":"c"}\n{"name":"c"}\n'), /has the id c/);
    t.equal(await exportText(tables), exported);
  });

  t.test(`${kind}: copies and backs up the ids`, async (t) => {
    const { tables } = await start(t);
    await importText(t, tables, lines);
    for (const target of Object.values(newUrls)) {
      const other = await open(await target(t));
      t.teardown(() => other.close());
      await copy(tables, other, ignore);
      t.equal(await exportText(other), exported);
      t.same(await findProblems(other, document), []);
    }
    const file = `${folder(t)}/backup.db`;
    await backup(tables, file, document, ignore);
    const restored = await open(`sqlite:${file}`);
    t.teardown(() => restored.close());
    t.equal(await exportText(restored), exported);
  });

  t.test(`${kind}: a check reports an id that is not that of the record`, async (t) => {
    const { tables, url } = await start(t);
    await importText(t, tables, lines);
    await tamper(url, "UPDATE tags SET key = 'c' WHERE key = 'b'");
    t.same(await findProblems(tables, document), ['tags "c" has another id in its record.']);
  });

  t.test(`${kind}: a function changes records, and not their ids`, async (t) => {
    const { tables } = await start(t);
    await importText(t, tables, lines);
    const to = resource.record.hash;
    const upgrade = (record: object) => ({ ...record, name: "other", size: 7 });
    await upgradeRecords(tables, document, { apply: true, upgrades: { tags: { to, upgrade } }, advice: "" });
    t.equal(await exportText(tables), '{"name":"b","size":7}\n{"name":"a \\"\\u0001🐕","size":7}\n');
    t.same(await findProblems(tables, document), []);
  });
}
