// `data check` names records below others that do not exist, in both stores.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { collectionsOf } from "../../src/resources/index.ts";
import { openTables } from "../../src/store/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";
import { findProblems } from "../support/stores.ts";

const record = 'content: { application/json: { schema: { $ref: "#/components/schemas/Record" } } }';
const parameter = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`;
const item = (path: string, id: string, names: readonly string[]) => `  ${path}/{${names.at(-1)}}:
    parameters: [${names.map(parameter).join(", ")}]
    get: { operationId: get${id}, responses: { 200: { description: x, ${record} } } }
    put: { operationId: put${id}, requestBody: { required: true, ${record} }, responses: { 200: { description: x, ${record} } } }
`;
const text = documentOf(
  item("/shops", "Shop", ["shop"]) +
    item("/shops/{shopId}/books", "Book", ["shopId", "book"]) +
    item("/shops/{s}/books/{b}/notes", "Note", ["s", "b", "note"]),
  "components: { schemas: { Record: { type: object, properties: { text: { type: string } } } } }\n",
);
const document = await parseDocument(text, { strict: false });
const collections = collectionsOf(document);

for (const [store, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(`${store}: names records that do not exist although others are below them`, async (t) => {
    const tables = await openTables(await newUrl(t), "create", { collections });
    t.teardown(() => tables.close());
    const [shops = "", books = "", notes = ""] = collections.map(({ name }) => name);
    const add = (table: string, keys: readonly string[]) =>
      tables.write(async (target) => {
        await target.add(
          table,
          keys.map((key, index) => [BigInt(index + 1), "{}", key]),
        );
        await target.setLastId(table, BigInt(keys.length));
      });
    await add(shops, ["a", "a/b", "é 1"]);
    await add(books, ["a/1", "a%2Fb/1", "%C3%A9%201/1", "gone/1", "gone/2"]);
    await add(notes, ["a/1/n", "a/2/n", "gone/1/n", "lost/1/n"]);
    t.same(await findProblems(tables, document), [
      `${books} gone/1 is orphaned: ${shops} gone does not exist.`,
      `${notes} a/2/n is orphaned: ${books} a/2 does not exist.`,
      `${notes} lost/1/n is orphaned: ${books} lost/1 does not exist.`,
    ]);
  });
