// Constraints, private members and transactions at their limits: with each store, at once, and with unusual values.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { type AnyCall, createServer } from "../../src/index.ts";
import { type Collections, openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const id = "parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]";
const query = (name: string) => `{ name: ${name}, in: query, schema: { type: string } }`;
const crud = (name: string, schema: string, hint: string, parameters = "") => `  /${name}:
    get: { operationId: list_${name}, parameters: [${parameters}], ${ok(`{ type: array, items: ${ref(schema)} }`)} }
    post: { operationId: add_${name}, ${body(ref(`New${schema}`))}, ${ok(ref(schema), 201)} }
  /${name}/{id}:
    x-resource: ${hint}
    ${id}
    get: { operationId: get_${name}, ${ok(ref(schema))} }
    delete: { operationId: remove_${name}, responses: { 204: { description: x } } }
`;
const both = (name: string, members: string) =>
  `    New${name}: { type: object, properties: { ${members} } }
    ${name}: { type: object, required: [id], properties: { id: { type: integer, format: int64 }, ${members} } }
`;
const kinds = [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const;

const hidden = documentOf(
  crud("owners", "Owner", "{ private: [secret] }", [query("secret"), query("q"), query("sort")].join()),
  `components:\n  schemas:\n${both("Owner", "name: { type: string }, secret: { type: string }")}`,
);
testLikely("No list is searched, filtered or ordered by a private member", hidden, async (t, send) => {
  await send("POST", "/owners", { name: "a", secret: "hush" });
  await send("POST", "/owners", { name: "b", secret: "z" });
  for (const text of ["h", "hu", "hush"]) t.same((await send("GET", `/owners?q=${text}`)).body, [], `q=${text}`);
  t.equal((await send("GET", "/owners?secret=hush")).status, 501);
  t.not((await send("GET", "/owners?sort=-secret")).body?.[0]?.name, "b");
});

const visits = documentOf(
  crud("visits", "Visit", "{ unique: [at] }"),
  `components:\n  schemas:\n${both("Visit", "at: { type: string, format: date-time }")}`,
);
testLikely("Each valid time can be unique, and is compared as an instant", visits, async (t, send) => {
  for (const [one, same] of [
    ["2026-02-01t10:00:00z", "2026-02-01T10:00:00Z"],
    ["2026-01-02T00:00:00+14:00", "2026-01-01T10:00:00Z"],
  ] as const) {
    t.equal((await send("POST", "/visits", { at: one })).status, 201, one);
    t.equal((await send("POST", "/visits", { at: same })).status, 409, same);
  }
  for (const at of ["2026-01-02T00:00:00+23:59", "0000-01-01T00:00:00Z", "2016-12-31T23:59:60Z"])
    t.equal((await send("POST", "/visits", { at })).status, 201, at);
});

const chain = documentOf(
  crud("nodes", "Node", "{ references: { parent: { to: '/nodes/{id}', onDelete: cascade } } }"),
  `components:\n  schemas:\n${both("Node", "parent: { type: integer, format: int64 }")}`,
);
testLikely("A chain of 1,100 records is deleted, or refused with a reason", chain, async (t, send, store) => {
  await store.transaction(async ({ records }) => {
    const nodes = records<{ id: bigint }>("nodes");
    let parent: bigint | undefined;
    for (let i = 0; i < 1_100; i++) {
      const made = await nodes.create(parent === undefined ? {} : { parent });
      parent = (made as { id: bigint }).id;
    }
  });
  t.not((await send("DELETE", "/nodes/1")).status, 500);
});

const jobs = documentOf(
  `  /things:
    get: { operationId: listThings, parameters: [{ name: X-Tenant, in: header, required: true, schema: { type: string }, x-resource: { scope: true } }], ${ok(`{ type: array, items: ${ref("Thing")} }`)} }
    post: { operationId: addThing, parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }, { name: X-Tenant, in: header, required: true, schema: { type: string }, x-resource: { scope: true } }], ${body(ref("NewThing"))}, ${ok(ref("Thing"), 201)} }
  /things/{id}:
    ${id}
    get: { operationId: getThing, parameters: [{ name: X-Tenant, in: header, required: true, schema: { type: string } }], ${ok(ref("Thing"))} }
  /jobs:
    post: { operationId: addJob, parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }], ${body("{}")}, responses: { 200: { description: x, content: { application/json: {}, application/jsonl: {} } } } }
${crud("others", "Thing", "{}")}`,
  `components:\n  schemas:\n${both("Thing", "name: { type: string }")}`,
);

async function serve(t: Test, url: string, handlers: object) {
  const store = openStore(url, { partial: true });
  const app = await createServer({
    document: parse(jobs),
    resources: store,
    logger: pino({ level: "silent" }),
    docs: false,
    wrap: store.transactional,
    validateResponses: false,
    handlers: handlers as never,
  });
  t.teardown(() => app.close());
  const send = (url: string, payload: object, headers: object = {}) =>
    app.inject({ method: "POST", url, payload, headers: { ...headers } });
  return { app, send, store };
}

for (const [name, newUrl] of kinds) {
  t.test(`${name}: an Idempotency-Key of one tenant is not that of another`, async (t) => {
    const { send } = await serve(t, await newUrl(t), {
      addThing: async ({ headers, body }: AnyCall, { records }: Collections) => {
        const made = await records("things", `${Object(headers)["X-Tenant"]}`).create({ name: Object(body).name });
        return { status: 201, body: made };
      },
    });
    const sent = { "idempotency-key": '"k"' };
    t.equal((await send("/things", { name: "n" }, { ...sent, "x-tenant": "a" })).statusCode, 201);
    const other = await send("/things", { name: "n" }, { ...sent, "x-tenant": "b" });
    t.equal(other.headers["idempotency-replayed"], undefined, "it is lost for b, which gets the record of a");
  });

  t.test(
    `${name}: lines are repeated as they were, and a response that is too large is no error of the client`,
    async (t) => {
      const lines = [{ a: 1 }, { a: 2 }];
      const { send } = await serve(t, await newUrl(t), {
        addJob: async ({ body }: AnyCall) => {
          const { kind } = body as { readonly kind: string };
          if (kind === "large") return { status: 200, type: "application/json", body: { x: "y".repeat(2_000_000) } };
          return { status: 200, type: "application/jsonl", body: kind === "items" ? lines.values() : lines };
        },
      });
      for (const kind of ["array", "items"]) {
        const first = await send("/jobs", { kind }, { "idempotency-key": `"${kind}"` });
        const second = await send("/jobs", { kind }, { "idempotency-key": `"${kind}"` });
        if (first.statusCode === 200) t.equal(second.payload, first.payload, kind);
      }
      t.not((await send("/jobs", { kind: "large" }, { "idempotency-key": '"l"' })).statusCode, 413);
    },
  );
}

t.test("PostgreSQL: transactions that create and then count all succeed, at once", async (t) => {
  const { store } = await serve(t, await emptyDatabase(t), {});
  const one = () =>
    store.transaction(async ({ records }) => {
      await records("others").create({ name: "x" });
      await records("others").count();
    });
  const all = await Promise.allSettled(Array.from({ length: 16 }, one));
  t.equal(all.filter(({ status }) => status === "rejected").length, 0);
});

t.test("PostgreSQL: transactions that change a record and then list all succeed, at once", async (t) => {
  const { store } = await serve(t, await emptyDatabase(t), {});
  for (let index = 0; index < 50; index++) await store.records("others").create({ name: "x" });
  const one = (_: unknown, index: number) =>
    store.transaction(async ({ records }) => {
      await records<{ id: bigint }>("others").change(BigInt(index + 1), (record) => ({ ...record, name: "y" }));
      await records("others").list({ limit: 5 });
    });
  const all = await Promise.allSettled(Array.from({ length: 16 }, one));
  t.equal(all.filter(({ status }) => status === "rejected").length, 0);
});

t.test("PostgreSQL: transactions that list two collections in different orders all succeed, at once", async (t) => {
  const { store } = await serve(t, await emptyDatabase(t), {
    addThing: async () => ({ status: 201, body: {} }),
  });
  const one = (_: unknown, index: number) =>
    store.transaction(async ({ records }) => {
      const lists = [
        () => records("others").count(),
        () => records("things").list({ scope: "all", limit: 1 } as never),
      ];
      for (const list of index % 2 ? lists : lists.toReversed()) await list();
    });
  const all = await Promise.allSettled(Array.from({ length: 16 }, one));
  t.equal(all.filter(({ status }) => status === "rejected").length, 0);
});

const seeded = documentOf(
  crud("things", "Thing", "{ unique: [name] }") +
    crud("nodes", "Node", "{ references: { parentId: { to: '/nodes/{id}', onDelete: cascade } } }"),
  `components:\n  schemas:\n${both("Thing", "name: { type: string }")}${both("Node", "parentId: { type: integer, format: int64 }")}`,
);
t.test("Seeds have unique values, and references to records that exist", async (t) => {
  const resources = openStore("sqlite::memory:");
  const app = await createServer({ document: parse(seeded), resources, logger: pino({ level: "silent" }) });
  t.teardown(() => app.close());
  await t.resolves(resources.seed(20));
});
