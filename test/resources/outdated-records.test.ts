// Records of another version of the document: validated once, and changed by a function, in both stores.
import t, { type Test } from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { collectionsOf, readResources, type Upgrades, upgradeRecords } from "../../src/resources/index.ts";
import { openDatabase, openTables } from "../../src/store/index.ts";
import { emptyDatabase, stores } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const documentWith = (required: string, properties: string) => {
  const schema = (id: string) =>
    `{ type: object, required: [${id}${required}], properties: { ${id && "id: { type: integer, format: int64 }, "}${properties} } }`;
  const json = (text: string) => `content: { application/json: { schema: ${text} } }`;
  return parseDocument(
    documentOf(`  /notes: { post: { requestBody: { ${json(schema(""))} }, responses: { 201: { description: x } } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { responses: { 200: { description: x, ${json(schema("id, "))} } } }
`),
  );
};
const first = await documentWith("text", "text: { type: string }");
const withOptional = await documentWith("text", "text: { type: string }, tag: { type: string }");
const withRequired = await documentWith("text, tag", "text: { type: string }, tag: { type: string }");
const hashOf = (document: typeof first) =>
  (readResources(document)[0] as ReturnType<typeof readResources>[number]).record.hash;

for (const [name, newUrl] of [
  ["SQLite", stores.sqlite],
  ["PostgreSQL", emptyDatabase],
] as const) {
  /** Creates a store with notes, and returns a function that makes them match a document. */
  const start = async (t: Test, count: number) => {
    const url = await newUrl(t);
    const store = await openDatabase(url, { collections: collectionsOf(first) });
    const notes = store.records("notes");
    const numbers = Array.from({ length: count }, (_, n) => n);
    while (numbers.length > 0) await Promise.all(numbers.splice(0, 500).map((n) => notes.create({ text: `${n}` })));
    const tables = await openTables(url, "migrate", { collections: collectionsOf(first) });
    t.teardown(() => Promise.all([store.close(), tables.close()]));
    const done: string[] = [];
    const upgrade = (document: typeof first, upgrades: Upgrades = {}, apply = true) => {
      const progress = (...step: unknown[]) => void done.push(step.join(" "));
      return upgradeRecords(tables, document, { upgrades, apply, advice: "Do something.", progress });
    };
    const all = async () => {
      const texts: string[] = [];
      await tables.read(async (source) => {
        for await (const rows of source.rows("notes")) texts.push(...rows.map(([, text]) => text as string));
      });
      return texts;
    };
    return { notes, upgrade, all, done };
  };

  t.test(`${name}: records are validated once for each version of their schema`, async (t) => {
    const { upgrade, done, notes } = await start(t, 2_500);
    await upgrade(first);
    t.same(done, ["Validating notes 1000 2500", "Validating notes 2000 2500", "Validating notes 2500 2500"]);
    done.length = 0;
    await upgrade(first);
    t.same(done, []);
    await upgrade(withOptional);
    t.equal(done.length, 3);
    done.length = 0;
    await upgrade(first);
    await upgrade(withOptional);
    t.same(done, [], "both versions can start, side by side");
    const { id } = (await notes.create({ text: "new", tag: "t" })) as { readonly id: bigint };
    await upgrade(first);
    t.same(done, [], "it was written for this version");
    await upgrade(withOptional);
    t.equal(done.length, 3, "a record was created for another version");
    await notes.change(id, () => ({ text: "changed" }));
    await upgrade(withOptional);
    t.equal(done.length, 6, "a record was changed for another version");
    await notes.remove(id);
    done.length = 0;
    await upgrade(withOptional);
    t.same(done, [], "a deletion violates no schema");
    const texts = await documentWith("text", "text: { type: string, description: A text. }");
    await upgrade(texts);
    t.same(done, [], "a text is no other schema");
  });

  t.test(`${name}: names the first records that do not match, and changes nothing`, async (t) => {
    const { upgrade, all } = await start(t, 1_234);
    await upgrade(first);
    const before = await all();
    await t.rejects(upgrade(withRequired), {
      message:
        /^1234 records of notes do not match the document\. Nothing was changed\. Do something\.\n- notes 1 does not match the schema: It must have the field 'tag'\.\n(- notes \d+ .*\n){9}- and 1224 more$/,
    });
    const half = {
      to: hashOf(withRequired),
      upgrade: (note: { readonly id?: unknown }) => ({ ...note, ...(Number(note.id) < 1_000 && { tag: "old" }) }),
    };
    await t.rejects(upgrade(withRequired, { notes: half }), {
      message: /^235 records of notes do not match the document, also after the function\./,
    });
    const failing = {
      to: hashOf(withRequired),
      upgrade: () => {
        throw new Error("can't do it");
      },
    };
    await t.rejects(upgrade(withRequired, { notes: failing }), {
      message: /\n- notes 1: the function has failed: can't do it\.\n/,
    });
    const slow = { to: hashOf(withRequired), upgrade: async (note: object) => ({ ...note, tag: "old" }) };
    await t.rejects(upgrade(withRequired, { notes: slow }), { message: /must return an object .* and no Promise/ });
    t.same(await all(), before);
    await t.rejects(
      upgrade(withRequired, { notes: { ...half, to: "other" } }),
      { message: /^1234 records/ },
      "a function for another schema",
    );
  });

  t.test(`${name}: a function changes the records once, and continues if it was interrupted`, async (t) => {
    const { upgrade, all, done } = await start(t, 2_500);
    await upgrade(first);
    let count = 0;
    const notes = (limit: number) => ({
      to: hashOf(withRequired),
      upgrade: (note: Readonly<Record<string, unknown>>) => {
        count += 1;
        if (count > limit) throw new Error("interrupted");
        return { ...note, text: `${note.text}!`, tag: "old" };
      },
    });
    await t.rejects(upgrade(withRequired, { notes: notes(9_999) }, false), {
      message: /must be changed by a function first/,
    });
    await t.rejects(upgrade(withRequired, { notes: notes(2_500 + 1_700) }), { message: "interrupted" });
    t.same((await all()).filter((text) => text.includes("!")).length, 1_000, "a batch is one transaction");
    await t.rejects(upgrade(withRequired), { message: /Pass the same function again/ });
    await t.rejects(upgrade(first), { message: /for another version of the document/ });
    done.length = 0;
    await upgrade(withRequired, { notes: notes(9_999) });
    t.same(done, ["Changing notes 1000 2500", "Changing notes 1500 2500"]);
    const expected = Array.from({ length: 2_500 }, (_, n) => `"text":"${n}!","tag":"old"}`);
    const texts = await all();
    t.same(new Set(texts.map((text) => text.replace(/^\{"id":\d+,/, ""))), new Set(expected));
    t.ok(texts.every((text, n) => text.startsWith(`{"id":${n + 1},`)));
    await upgrade(withRequired);
    t.equal(done.length, 2, "it is complete");
  });
}
