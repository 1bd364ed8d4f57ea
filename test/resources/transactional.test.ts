// `wrap: store.transactional`: each call of a handler is one transaction, and is repeated by its Idempotency-Key.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer, HttpError } from "../../src/index.ts";
import { type Collections, openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const key = "{ name: Idempotency-Key, in: header, schema: { type: string } }";
const path = (name: string) =>
  `parameters: [{ name: ${name}, in: path, required: true, schema: { type: integer, format: int64 } }]`;
const text = documentOf(
  `  /accounts:
    post: { operationId: addAccount, requestBody: { ${json(ref("NewAccount"))} }, responses: { 201: { description: x, ${json(ref("Account"))} } } }
  /accounts/{id}:
    ${path("id")}
    get: { operationId: getAccount, responses: { 200: { description: x, ${json(ref("Account"))} } } }
    delete: { operationId: closeAccount, parameters: [${key}], responses: { 200: { description: x, ${json("{ type: object }")} } } }
    post: { operationId: keepAccount, parameters: [${key}], responses: { 200: { description: x, ${json("{ type: object }")} } } }
  /transfers:
    post: { operationId: transfer, parameters: [${key}], requestBody: { required: true, ${json(ref("Transfer"))} }, responses: { 201: { description: x, ${json(ref("Transfer"))} }, 409: { description: x, ${json("{ type: object }")} } } }
`,
  `components:
  schemas:
    NewAccount: { type: object, properties: { cents: { type: integer, format: int64 } } }
    Account: { type: object, required: [id, cents], properties: { id: { type: integer, format: int64 }, cents: { type: integer, format: int64, default: 0 } } }
    Transfer: { type: object, required: [from, to, cents], properties: { from: { type: integer, format: int64 }, to: { type: integer, format: int64 }, cents: { type: integer, format: int64 } } }
`,
);

interface Account {
  readonly id: bigint;
  readonly cents: bigint;
}

async function serve(t: Test, url: string) {
  const store = openStore(url, {
    collections: {
      log: {
        schema: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
        "x-resource": { unique: ["text"] },
      },
    },
  });
  let runs = 0;
  const app = await createServer({
    document: parse(text),
    resources: store,
    logger: pino({ level: "silent" }),
    docs: false,
    wrap: store.transactional,
    validateResponses: true,
    handlers: {
      closeAccount: async () => ({ status: 200, body: { does: "close" } }),
      keepAccount: async () => ({ status: 200, body: { does: "keep" } }),
      async transfer({ body }: { body: { from: bigint; to: bigint; cents: bigint } }, tx: Collections) {
        runs++;
        const accounts = tx.records<Account, object>("accounts");
        const add = (id: bigint, cents: bigint) =>
          accounts.change(id, (account) => ({ ...account, cents: account.cents + cents }));
        await add(body.to, body.cents);
        await tx.records("log").create({ text: `${runs}: ${body.cents}` });
        const result = await add(body.from, -body.cents);
        if (result === undefined) throw new HttpError({ code: "no_account", status: 409 }, "There is no such account.");
        if (result.cents < 0n) return { status: 409, body: { code: "no_money" } };
        if (body.cents === 13n) return { status: 201, body: { from: body.from } };
        return { status: 201, body };
      },
    } as never,
  });
  t.teardown(() => app.close());
  const send = async (payload: object, headers = {}) => {
    const response = await app.inject({ method: "POST", url: "/transfers", payload, headers });
    return { status: response.statusCode, replayed: response.headers["idempotency-replayed"], body: response.json() };
  };
  for (const cents of [100, 0]) await app.inject({ method: "POST", url: "/accounts", payload: { cents } });
  const balances = async () => {
    const found = await store.records<Account>("accounts").list({ limit: 9 });
    return found.records.map(({ cents }) => Number(cents));
  };
  return { app, store, send, balances, runs: () => runs };
}

for (const [name, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const) {
  t.test(`${name}: a handler that throws, or returns a failure, changes nothing`, async (t) => {
    const { store, send, balances } = await serve(t, await newUrl(t));
    t.match(await send({ from: 1, to: 2, cents: 30 }), { status: 201 });
    t.match(await send({ from: 1, to: 2, cents: 300 }), { status: 409 });
    t.match(await send({ from: 9, to: 2, cents: 30 }), { status: 409, body: { code: "no_account" } });
    t.match(await send({ from: 1, to: 2, cents: 13 }), { status: 500 }, "the response does not match its schema");
    t.same(await balances(), [70, 30]);
    t.equal(await store.records("log").count(), 1n, "also of a collection that no path shows");
  });

  t.test(`${name}: a request that is sent again with its Idempotency-Key gets the first response`, async (t) => {
    const { app, store, send, balances, runs } = await serve(t, await newUrl(t));
    const one = { from: 1, to: 2, cents: 10 };
    const headers = { "idempotency-key": '"k1"' };
    const first = await send(one, headers);
    t.match(first, { status: 201, replayed: undefined });
    t.match(await send(one, headers), { status: 201, replayed: "true", body: first.body });
    t.match(await send({ ...one, cents: 11 }, headers), { status: 422, body: { code: "idempotency_key_reused" } });
    t.match(await send({ ...one, cents: 500 }, { "idempotency-key": '"k2"' }), { status: 409 });
    t.match(await send({ ...one, cents: 20 }, { "idempotency-key": '"k2"' }), { status: 201 }, "a failure is not kept");
    t.same(await balances(), [70, 30]);
    const again = { url: "/accounts/1", headers: { "idempotency-key": '"k4"' } };
    t.match((await app.inject({ method: "POST", ...again })).json(), { does: "keep" });
    t.equal((await app.inject({ method: "DELETE", ...again })).statusCode, 422, "another operation of the same URL");
    const before = runs();
    const all = await Promise.all(
      Array.from({ length: 12 }, () => send({ ...one, cents: 5 }, { "idempotency-key": '"k3"' })),
    );
    t.same(new Set(all.map(({ status }) => status)), new Set([201]));
    t.equal(all.filter(({ replayed }) => replayed === undefined).length, 1);
    t.same(await balances(), [65, 35]);
    t.ok(runs() > before);
    await t.rejects(store.records("log").create({ text: 5 }), /text must be a string/);
    await t.rejects(store.records("log").create({ text: "1: 10" }), /Another record of log has the same text/);
  });
}

t.test("PostgreSQL: transactions that wait for each other leave connections to other calls", async (t) => {
  const { store, balances } = await serve(t, await emptyDatabase(t));
  const accounts = store.records<Account, object>("accounts");
  let isRead = false;
  const spend = (tx: Collections) =>
    tx.records<Account>("accounts").change(1n, (one) => ({ ...one, cents: one.cents - 1n }));
  const first = store.transaction(async (tx) => {
    await spend(tx);
    await new Promise((resolve) => setTimeout(resolve, 50)); // so that the others wait
    for (let count = 0; count < 50; count++) isRead = (await accounts.find(2n)) !== undefined; // within 1 s
  });
  const others = Array.from({ length: 30 }, () => store.transaction(spend));
  await Promise.all([first, ...others]);
  t.ok(isRead);
  t.same(await balances(), [69, 0]);
});
