// The highest ids that the schema of a record allows, in both stores, over HTTP.
import { pino } from "pino";
import t, { type Test } from "tap";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";

const documentWith = (id: object, required: readonly string[] = []) => {
  const item = { type: "object", required, properties: { id, name: { type: "string" } } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Item" } } };
  const [created, found] = [{ description: "x", content }, { 200: { description: "x", content } }];
  return {
    openapi: "3.1.0",
    info: { title: "Items", version: "1" },
    paths: {
      "/items": { post: { operationId: "add", requestBody: { content }, responses: { 201: created } } },
      "/items/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: id }],
        get: { operationId: "get", responses: found },
        delete: { operationId: "remove", responses: { 204: { description: "x" } } },
      },
    },
    components: { schemas: { Item: item } },
  };
};

for (const [store, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const) {
  const start = async (t: Test, document: object) => {
    const app = await createServer({
      document,
      resources: openStore(await newUrl(t)),
      logger: pino({ level: "silent" }),
    });
    t.teardown(() => app.close());
    const post = (payload: object) => app.inject({ method: "POST", url: "/items", payload });
    return { app, post };
  };

  for (const [name, id, highest] of [
    ["int32", { type: "integer", format: "int32" }, 2 ** 30],
    ["a maximum", { type: "integer", maximum: 1_000 }, 500],
    ["an exclusive maximum", { type: "integer", exclusiveMaximum: 101 }, 50],
    ["integers of JSON", { type: "integer" }, 2 ** 52],
  ] as const)
    t.test(`${store}: a request chooses ids of the lower half only, so that others can follow: ${name}`, async (t) => {
      const { app, post } = await start(t, documentWith(id));
      t.match(await post({ id: highest + 1 }), { statusCode: 400, payload: new RegExp(`must be at most ${highest}`) });
      t.match(await post({ id: highest }), { statusCode: 201 });
      const next = await post({ name: "other" });
      t.match(next, { statusCode: 201, payload: `{"id":${highest + 1},"name":"other"}` });
      t.match(await app.inject(`${next.headers.location}`), { statusCode: 200 });
    });

  t.test(`${store}: a request chooses any id if the server makes none`, async (t) => {
    const { post } = await start(t, documentWith({ type: "integer", maximum: 1_000 }, ["id"]));
    t.match(await post({ id: 1_000 }), { statusCode: 201 });
    t.match(await post({ id: 999 }), { statusCode: 201 });
    t.match(await post({ id: 1_001 }), { statusCode: 400 });
  });

  t.test(`${store}: creates no record with an id that its schema forbids`, async (t) => {
    const { app, post } = await start(t, documentWith({ type: "integer", maximum: 5 }));
    for (let n = 1; n <= 5; n++) t.match(await post({}), { statusCode: 201, payload: `{"id":${n}}` });
    for (let n = 0; n < 3; n++) t.match(await post({}), { statusCode: 507, payload: /"store_full"/ });
    t.match(await app.inject({ method: "DELETE", url: "/items/5" }), { statusCode: 204 });
    t.match(await post({}), { statusCode: 507 }, "an id is not made twice");
    t.match(await app.inject("/items/6"), { statusCode: 400 });
  });

  t.test(`${store}: makes the ids of an enum up to its first gap`, async (t) => {
    const { post } = await start(t, documentWith({ type: "integer", enum: [1, 2, 3, 7] }));
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await post({})).statusCode);
    t.same(statuses, [201, 201, 201, 507, 507]);
  });
}
