// The pages of `serve`, `mock` and `createServer`: /docs, and /records of a server with records.
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { writeFiles } from "../support/files.ts";
import { startOpenApi } from "../support/openapi-command.ts";
import { shop } from "../support/shop.ts";

const store = ["--data", "sqlite::memory:", "--key", "any"];

t.test("serve names /docs and /records, and --no-pages turns both off", async (t) => {
  const file = writeFiles(t, { "shop.yaml": shop });
  const { stdout, send, url } = await startOpenApi(t, ["serve", file, ...store]);
  t.match(stdout, `, with its documentation at ${url}/docs and its records at ${url}/records.\n`);
  t.match(await send("GET", "/records"), { status: 200, text: /<script type="module" src="records\/main.js">/ });
  for (const name of ["serve", "mock"]) {
    const without = await startOpenApi(t, [name, file, ...(name === "serve" ? store : []), "--no-pages"]);
    t.notMatch(without.stdout, /\/docs|\/records/);
    for (const path of ["/docs", "/records", "/records/main.js", "/openapi.json"])
      t.match(await without.send("GET", path), { status: 404 }, `${name}: ${path}`);
  }
  const mock = await startOpenApi(t, ["mock", file]);
  t.match(await mock.send("GET", "/records"), { status: 404 }, "a mock server has no records");
  t.match(await mock.send("GET", "/docs"), { status: 200 });
});

t.test("Each file of the page is served with a strict policy, and loads only files of it", async (t) => {
  const { send } = await startOpenApi(t, ["serve", writeFiles(t, { "shop.yaml": shop }), ...store]);
  const loaded = new Set(["/records"]);
  for (const path of loaded) {
    // grows while it is read
    const { status, headers, text } = await send("GET", path);
    t.equal(status, 200, path);
    const policy =
      /^default-src 'none';.*script-src 'self';style-src 'self';connect-src 'self';.*require-trusted-types-for 'script'$/;
    t.match(headers.get("content-security-policy"), policy);
    t.notMatch(
      text,
      /\b(innerHTML|dangerouslySetInnerHTML|localStorage|sessionStorage|eval)\b(?!.*preact)/.exec(path) ?? /^$/,
    );
    const names = [...text.matchAll(/(?:from ?|src=|href=)"(?:\.\/|records\/)([\w.]+)"/g)];
    for (const [, name] of names) loaded.add(`/records/${name}`);
  }
  t.ok(loaded.has("/records/preact.js") && loaded.has("/records/hooks.js") && loaded.size > 12);
});

t.test("A path of the document or of the application has precedence", async (t) => {
  const create = async (text: string, extend?: (app: FastifyInstance) => unknown) => {
    const options = { document: parse(text), handlers: {}, extend, mock: true, logger: pino({ level: "silent" }) };
    const app = await createServer({ ...options, resources: openStore("sqlite::memory:", { partial: true }) } as never);
    t.teardown(() => app.close());
    return async (url: string) => (await app.inject({ url, headers: { host: "x" } })).statusCode;
  };
  const own = await create(shop.replaceAll("/authors", "/records"));
  t.same([await own("/records"), await own("/records/main.js"), await own("/docs")], [401, 401, 200]);
  const extended = await create(shop, (app) => app.get("/records", async () => "mine"));
  t.same([await extended("/records"), await extended("/records/main.js")], [200, 404]);
  const none = await create(shop.replace(/paths:[\s\S]*$/, "paths: {}"));
  t.equal(await none("/records"), 404, "without collections");
});

t.test(
  "The description of a document has its collections, operations and schemas, and why some are missing",
  async (t) => {
    const text = shop.replace("    delete: { operationId: removeBook,", "$& x-resource: false,");
    const { send } = await startOpenApi(t, ["serve", writeFiles(t, { "shop.yaml": text }), ...store]);
    const { collections, schemas } = (await send("GET", "/records/plan.json")).body;
    const placed = collections.map(({ name, above, below }: Record<string, unknown>) => [name, above, below]);
    t.same(placed, [
      ["authors", undefined, [{ name: "books", parameter: "author_id" }]],
      ["books", undefined, [{ name: "books_bookId_reviews" }]],
      ["books_bookId_reviews", "books", []],
      ["settings", undefined, []],
    ]);
    const [, books] = collections;
    t.same(books.operations.delete, { why: "DELETE /books/{bookId} is a 501: it has x-resource: false." });
    const orders = { title: { ascending: { sort: "title" }, descending: { sort: "-title" } } };
    t.match(books.lists[0].list, { levels: ["data"], total: ["total"], orders });
    t.same(books.references, { author_id: "authors" });
    const names = ["Author", "Book", "Ebook", "Print", "Review", "ReviewPatch", "Settings", "Status"];
    t.same(
      Object.keys(schemas).sort(),
      names.map((name) => `#/components/schemas/${name}`),
    );
  },
);
