// The records that a changed document does not have, or does not allow: backups and copies have them, and the start names them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { emptyDatabase, stores } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const paths = (name: string, type: string, hint = "") => {
  const schema = `{ type: object, properties: { id: { type: ${type}, readOnly: true }, title: { type: string } } }`;
  return `  /${name}:
    post: { operationId: add_${name}, requestBody: { required: true, ${json(schema)} }, responses: { 201: { description: x, ${json(schema)} } } }
  /${name}/{id}:
    ${hint}
    parameters: [{ name: id, in: path, required: true, schema: { type: ${type} } }]
    get: { operationId: get_${name}, responses: { 200: { description: x, ${json(schema)} } } }
`;
};
const documents = {
  old: paths("books", "integer") + paths("notes", "string"),
  new: paths("volumes", "integer") + paths("notices", "string"),
  hinted:
    paths("volumes", "integer", "x-resource: { name: books }") +
    paths("notices", "string", "x-resource: { name: notes }"),
};

function write(t: Test) {
  const place = folder(t);
  const file = (name: keyof typeof documents) => join(place, name, "library.yaml"); // of the same service
  for (const name of ["old", "new", "hinted"] as const) {
    mkdirSync(join(place, name));
    writeFileSync(file(name), documentOf(documents[name]));
  }
  return { old: file("old"), renamed: file("new"), hinted: file("hinted"), backup: join(place, "backup.db") };
}

/** Serves a document until `use` is done. Returns what the start has written. */
async function serve(
  document: string,
  data: string,
  use: (send: (path: string, body?: object) => Promise<unknown>) => Promise<unknown> = async () => {},
) {
  const controller = new AbortController();
  const { stdout, stderr } = await run(["serve", document, "--data", data, "--port", "0"], controller.signal);
  const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(stdout) ?? [];
  const headers = { "Content-Type": "application/json" };
  const send = async (path: string, body?: object) =>
    (await fetch(url + path, body && { method: "POST", body: JSON.stringify(body), headers })).json();
  await use(send).finally(() => controller.abort());
  return stderr;
}

const note = (name: string, records: string) =>
  new RegExp(
    `^(.*: )?The document has no collection ${name}, but the database has ${records} kept, and not served\\.`,
    "m",
  );

for (const [kind, create, createOther] of [
  ["sqlite", stores.sqlite, emptyDatabase],
  ["postgres", emptyDatabase, stores.sqlite],
] as const) {
  t.test(`${kind}: the start names records that the document does not have, and all commands keep them`, async (t) => {
    const { old, renamed, hinted, backup } = write(t);
    const [from, copied, restored] = [await create(t), await createOther(t), await createOther(t)];
    let noteId = "";
    const filled = await serve(old, from, async (send) => {
      await send("/books", { title: "A" });
      await send("/books", { title: "B" });
      noteId = ((await send("/notes", { title: "N" })) as { id: string }).id;
    });
    t.equal(filled, "", "a start without such records says nothing");
    const isNamed = (text: string) =>
      [note("books", "2 records of it, which are"), note("notes", "1 record of it, which is")].map((one) =>
        t.match(text, one),
      );
    isNamed(await serve(renamed, from, (send) => send("/volumes", { title: "V" })));

    const made = await run(["data", "backup", renamed, backup, "--data", from]);
    t.match(made, { code: 0, stdout: /^volumes +1\nnotices +0\nbooks +2\nnotes +1$/m });
    isNamed(made.stderr);
    const copy = await run(["data", "copy", renamed, "--from", from, "--to", copied]);
    t.match(copy, { code: 0, stdout: made.stdout });
    isNamed(copy.stderr);
    t.match(await run(["data", "restore", renamed, backup, "--data", restored]), { code: 0, stdout: made.stdout });
    for (const data of [from, copied, restored]) {
      const checked = await run(["data", "check", renamed, "--data", data]);
      t.match(checked, { code: 0, stdout: `${made.stdout}no problems found\n` });
      isNamed(checked.stderr);
    }
    for (const data of [copied, restored])
      await serve(hinted, data, async (send) => {
        t.same(await send("/volumes/2"), { id: 2, title: "B" });
        t.same(await send(`/notices/${noteId}`), { id: noteId, title: "N" });
        t.match(await send("/volumes", { title: "C" }), { id: 3 }, "no id is generated twice");
      });
  });

  t.test(`${kind}: a copy needs a database without such records, and a forced restore replaces them`, async (t) => {
    const { old, renamed, backup } = write(t);
    const [from, to] = [await create(t), await createOther(t)];
    await serve(renamed, from, (send) => send("/volumes", { title: "V" }));
    await serve(old, to, (send) => send("/books", { title: "A" }));
    t.match(await run(["data", "copy", renamed, "--from", from, "--to", to]), {
      code: 1,
      stderr: /The target database is not empty\. It has rows in: books \(1\)/,
    });
    t.match(await run(["data", "backup", renamed, backup, "--data", from]), { code: 0 });
    const restored = await run(["data", "restore", renamed, backup, "--data", to, "--force", "--yes"]);
    t.match(restored, { code: 0, stderr: /The database has .*books \(1, last id 1\)/ });
    t.match(await run(["data", "check", renamed, "--data", to]), { code: 0, stdout: /^volumes +1$/m });
    await serve(old, to, async (send) => t.match(await send("/books", { title: "B" }), { id: 2 }));
  });
}

t.test(
  "A backup of an earlier document is restored, and the start names what the new one does not allow",
  async (t) => {
    const { old, backup } = write(t);
    const [from, to] = [await stores.sqlite(t), await stores.sqlite(t)];
    await serve(old, from, (send) => send("/books", {}));
    t.match(await run(["data", "backup", old, backup, "--data", from]), { code: 0 });
    const required = documentOf(documents.old.replaceAll("{ type: object,", "{ type: object, required: [title],"));
    writeFileSync(old, required);
    t.match(await run(["data", "restore", old, backup, "--data", to]), {
      code: 0,
      stderr:
        /1 row is invalid, and was kept as it is:\n.*books 1 does not match the schema: It must have the field 'title'\.\n$/,
    });
    t.match(await run(["serve", old, "--data", to, "--port", "0"]), {
      code: 1,
      stderr: /1 record of books does not match the document\..*\n- books 1 does not match/,
    });
  },
);
