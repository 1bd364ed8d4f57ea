// The indexes of collections: those that `x-resource` declares, and the orders that lists have by default.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { collectionsOf, describePlan, planOf } from "../../src/resources/index.ts";
import { queryChannel, type Statement } from "../../src/store/query/query-channel.ts";
import { documentOf } from "../support/document-server.ts";
import { type Send, testLikely } from "../support/likely.ts";
import { until } from "../support/wait.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const order = '{ $ref: "#/components/schemas/Order" }';
const query = (name: string, schema = "{ type: string }") => `{ name: ${name}, in: query, schema: ${schema} }`;

/** A document of orders of shops, whose path has an `x-resource` with these indexes. */
const documentWith = (index: string, sort = "{ type: string, default: -created_at }") =>
  documentOf(
    `  /shops/{shop}/orders:
    parameters: [{ name: shop, in: path, required: true, schema: { type: string } }]
    get:
      operationId: listOrders
      parameters: [${[query("limit", "{ type: integer, default: 3 }"), query("cursor"), query("sort", sort), query("status"), query("total_gte", "{ type: number }"), query("q")].join(", ")}]
      responses: { 200: { description: x, ${json(`{ type: array, items: ${order} }`)} } }
    post: { operationId: addOrder, requestBody: { required: true, ${json(order)} }, responses: { 201: { description: x, ${json(order)} } } }
  /shops/{shop}/orders/{id}:
    parameters: [{ name: shop, in: path, required: true, schema: { type: string } }, { name: id, in: path, required: true, schema: { type: integer } }]
    x-resource: { index: ${index} }
    get: { operationId: getOrder, responses: { 200: { description: x, ${json(order)} } } }
    delete: { operationId: removeOrder, responses: { 204: { description: x } } }
`,
    `components:
  schemas:
    Order: { type: object, required: [status], properties: { id: { type: integer, readOnly: true }, status: { type: string, maxLength: 20 }, total: { type: number }, customer: { type: object, properties: { id: { type: string, format: uuid } } }, created_at: { type: string, format: date-time, readOnly: true } } }
`,
  );

const text = documentWith("[status, [status, -total], customer.id]");

t.test("The plan has the declared indexes and the default orders, and says what no index has", async (t) => {
  const plan = planOf(await parseDocument(text));
  t.strictSame(plan.collections[0]?.indexes, [
    [{ path: ["status"], descending: false }],
    [
      { path: ["status"], descending: false },
      { path: ["total"], descending: true },
    ],
    [{ path: ["customer", "id"], kind: "uuid", descending: false }],
    [{ path: ["created_at"], kind: "time", descending: true }],
  ]);
  const described = describePlan(plan);
  t.match(described, "; indexes: status, [status, -total], customer.id, -created_at\n");
  t.match(described, "; no index for q\n");
  const without = planOf(await parseDocument(documentWith("[]", "{ type: string }")));
  t.match(describePlan(without), "; no index for sort, total_gte, q\n");
  t.notMatch(describePlan(without), "indexes:");
  const [collection] = collectionsOf(await parseDocument(documentWith("[]", "{ type: string, default: id }")));
  t.equal(collection?.indexes, undefined, "the order of creation needs none");
});

t.test("An index of an unknown property, or of another form, is an error", async (t) => {
  const fail = async (index: string) => planOf(await parseDocument(documentWith(index)));
  const known = "has id, status, total, customer, created_at";
  await t.rejects(
    fail("[[status, -price]]"),
    `The x-resource of the path /shops/{shop}/orders/{id} is wrong: a record has no property -price for an index, and ${known}.`,
  );
  for (const index of ["status", "[[]]", "[1]", '[[""]]', "[[[status]]]"])
    await t.rejects(fail(index), /its member index must be an array of names, or of arrays of names/);
});

const totalsOf = async (send: Send, parameters: string): Promise<(number | undefined)[]> => {
  const totals: (number | undefined)[] = [];
  for (let url: string | undefined = `/shops/a/orders?${parameters}`; url; ) {
    const { headers, body }: Awaited<ReturnType<Send>> = await send("GET", url);
    totals.push(...body.map(({ total }: { total?: number }) => total));
    url = /<([^>]+)>; rel="?next/.exec(`${headers.link}`)?.[1];
  }
  return totals;
};

testLikely("lists are read from their indexes, with filters, ranges and cursors", text, async (t, send) => {
  for (const [n, total] of [5, 1, 9, 7, undefined, 3, 8, 2].entries()) {
    await send("POST", "/shops/a/orders", { status: n % 4 === 3 ? "new" : "open", total });
    await send("POST", "/shops/b/orders", { status: "open", total: 4 });
  }
  const readAll = async () => [
    await totalsOf(send, ""),
    await totalsOf(send, "status=open&sort=-total"),
    await totalsOf(send, "status=open&sort=total&total_gte=3"),
  ];
  const wanted = [
    [2, 8, 3, undefined, 7, 9, 1, 5],
    [9, 8, 5, 3, 1, undefined],
    [3, 5, 8, 9],
  ];
  t.strictSame(await readAll(), wanted);
  let scans = 1;
  const onStart = ({ text }: Statement) => {
    if (!text.includes("record_indexes")) scans++;
  };
  queryChannel.start.subscribe(onStart as never);
  t.teardown(() => queryChannel.start.unsubscribe(onStart as never));
  const isFilled = async () => {
    scans = 0;
    t.strictSame(await readAll(), wanted);
    return scans === 0;
  };
  await until(isFilled, "no index is read");
});
