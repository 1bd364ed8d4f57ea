// The example of a document that is served without code, and of handlers that replace an operation and add an action.
import { join } from "node:path";
import t, { type Test } from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { root } from "../support/files.ts";
import { startOpenApi } from "../support/openapi-command.ts";

const folder = join(root, "examples/orders");

async function start(t: Test, args: readonly string[], data = "sqlite::memory:") {
  return (await startOpenApi(t, ["serve", join(folder, "orders.yaml"), "--data", data, ...args])).send;
}

const lines = [
  { product: "pen", quantity: 3, price: 0.1 },
  { product: "book", quantity: 1, price: 10 },
];

t.test("Without handlers, orders are kept as they are sent, and the action is a 501", async (t) => {
  const send = await start(t, []);
  const { id } = (await send("POST", "/customers", { name: "Ada", email: "ada@example.org" })).body;
  t.match(await send("POST", "/orders", { customer_id: id, lines }), {
    status: 201,
    body: { id: 1, status: "open", lines },
  });
  t.match(await send("POST", "/orders/1/ship"), { status: 501 });
});

for (const [store, newPlace] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(`${store}: handlers take over where there is something to decide`, async (t) => {
    const send = await start(t, ["--handlers", join(folder, "handlers.ts")], await newPlace(t));
    const { id } = (await send("POST", "/customers", { name: "Ada", email: "ada@example.org" })).body;
    const unknown = { customer_id: "7d444840-9dc0-11d1-b245-5ffdce74fad2", lines };
    t.match(await send("POST", "/orders", unknown), { status: 422, body: { code: "customer_unknown" } });
    const order = { id: 1, customer_id: id, lines, total: 10.3, status: "open" };
    t.match(await send("POST", "/orders", { customer_id: id, lines }), { status: 201, body: order });
    t.match(await send("GET", `/orders?customer_id=${id}`), { status: 200, body: [order] });
    t.match(await send("POST", "/orders/1/ship"), { status: 200, body: { ...order, status: "shipped" } });
    t.match(await send("POST", "/orders/1/ship"), { status: 409, body: { code: "already_shipped" } });
    t.match(await send("POST", "/orders/2/ship"), { status: 404, body: { code: "order_not_found" } });
    t.same((await send("GET", "/orders?status=open")).body, []);
    t.match(await send("DELETE", "/orders/1"), { status: 204 });
  });
