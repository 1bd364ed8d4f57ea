// What `x-resource` says of operations: actions that set members of a record, and members of new records.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (name: string) => `content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } }`;
const id = "parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]";
const order = `responses: { 200: { description: x, ${json("Order")} } }`;

/** A document of orders that are paid first, and shipped by an action that has this `x-resource`. */
const documentWith = (ship: string) =>
  documentOf(
    `  /orders:
    post: { operationId: addOrder, x-resource: { initial: { status: paid } }, requestBody: { required: true, ${json("NewOrder")} }, responses: { 201: { description: x, ${json("Order")} } } }
  /orders/{id}:
    ${id}
    get: { operationId: getOrder, ${order} }
  /orders/{id}/ship:
    ${id}
    post: { operationId: shipOrder, ${ship}, requestBody: { ${json("Shipping")} }, ${order} }
  /orders/{id}/cancel:
    ${id}
    post: { operationId: cancelOrder, responses: { 204: { description: x } } }
`,
    `components:
  schemas:
    NewOrder: { type: object, required: [title], properties: { title: { type: string }, home: { type: object, properties: { city: { type: string }, zip: { type: string } } } } }
    Shipping: { type: object, properties: { carrier: { type: string }, password: { type: string, writeOnly: true }, home: { type: object, properties: { city: { type: string } } } } }
    Order: { type: object, required: [id, title, status], properties: { id: { type: integer }, title: { type: string }, status: { type: string, enum: [new, paid, shipped, canceled] }, carrier: { type: string }, home: { type: object, properties: { city: { type: string }, zip: { type: string }, by: { type: string, readOnly: true } } }, updatedAt: { type: string, format: date-time } } }
`,
  );
const document = documentWith(
  'x-resource: { update: "/orders/{id}", set: { status: shipped }, if: { status: [paid] } }',
);

testLikely("an action sets members of a record, if it has the values that it needs", document, async (t, send) => {
  const { body } = await send("POST", "/orders", { title: "a" });
  t.match(body, { id: 1, title: "a", status: "paid" }, "before the value that names a beginning");
  const shipped = await send("POST", "/orders/1/ship", { carrier: "x" });
  t.match(shipped, { status: 200, body: { id: 1, status: "shipped", carrier: "x" } });
  t.ok(shipped.body.updatedAt >= body.updatedAt);
  t.match(await send("POST", "/orders/1/ship"), {
    status: 409,
    body: { message: 'The status of the order is "shipped", and must be "paid".' },
  });
  t.match(await send("POST", "/orders/2/ship"), { status: 404 });
  t.same((await send("GET", "/orders/1")).body, shipped.body);
});

testLikely("an action merges what its body has, without what only the request declares", document, async (t, send) => {
  await send("POST", "/orders", { title: "a", status: "shipped", home: { city: "Bonn", zip: "1" } });
  t.match((await send("GET", "/orders/1")).body, { status: "paid" }, "a request can't say what the server makes");
  const { body } = await send("POST", "/orders/1/ship", { password: "x", home: { city: "Kiel", by: "y" } });
  t.notOk("password" in body);
  t.match(body.home, { city: "Kiel", zip: "1" });
});

t.test("The plan suggests an action where a property has a value of its name", async (t) => {
  const { operations } = planOf(await parseDocument(document));
  t.equal(
    operations.find((one) => one.id === "cancelOrder")?.not,
    'has the name of an action: cancel, which x-resource: { update: "/orders/{id}", set: { status: canceled } } could answer',
  );
});

const withDeletion = (hint = "") =>
  document.replace(
    `  /orders/{id}/ship:`,
    `    delete: { operationId: endOrder, description: Cancels an order., ${hint}${order} }\n$&`,
  );

t.test("The plan suggests an action for a DELETE that changes a state", async (t) => {
  const { operations } = planOf(await parseDocument(withDeletion()));
  t.equal(
    operations.find((one) => one.id === "endOrder")?.not,
    'says that it changes a state of the record, and does not delete it, which x-resource: { update: "/orders/{id}", set: { status: canceled } } could answer',
  );
});

const suggested = 'x-resource: { update: "/orders/{id}", set: { status: canceled } }, ';
testLikely("a DELETE can be an action", withDeletion(suggested), async (t, send) => {
  await send("POST", "/orders", { title: "a" });
  const canceled = { id: 1, title: "a", status: "canceled" };
  t.match(await send("DELETE", "/orders/1"), { status: 200, body: canceled });
  t.match((await send("GET", "/orders/1")).body, canceled);
  t.match(await send("DELETE", "/orders/2"), { status: 404 });
});

t.test("An action that can't be right is an error, which says why", async (t) => {
  for (const [hint, reason] of Object.entries({
    '{ update: "/orders", set: { status: paid } }': /the document has no GET \/orders/,
    '{ update: "/orders/{id}", set: { status: sent } }': /a record has no property status that can be "sent"/,
    '{ update: "/orders/{id}", set: { state: paid } }': /a record has no property state that can be/,
    '{ update: "/orders/{id}", set: paid }': /its member set must be an object with members of the record/,
    '{ update: "/orders/{id}", sets: { status: paid } }': /unknown member sets/,
    '{ update: "/orders/{id}", set: {} }': /its member set must have a property/,
    '{ update: "/orders/{id}", set: { id: 5 } }': /a record has no property id that can be 5/,
    '{ update: "/orders/{id}", set: { status: paid }, if: { state: new } }': /no property state that can be "new"/,
  })) {
    const changed = await parseDocument(documentWith(`x-resource: ${hint}`));
    t.throws(() => planOf(changed), reason, hint);
  }
  const wrong = document.replace("initial: { status: paid }", "initial: { status: 1 }");
  const changed = await parseDocument(wrong);
  t.throws(() => planOf(changed), /a record has no property status that can be 1/);
});
