// The members of a new record that no request says: none has the value of an example, which is about another record.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { describePlan, planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const invoice = '{ $ref: "#/components/schemas/Invoice" }';

/** A document of invoices, whose records have these required members beside those of a request. */
function documentWith(members: string): string {
  const names = [...members.matchAll(/(?:^|}, )(\w+): {/g)].map(([, name]) => name);
  return documentOf(
    `  /invoices:
    post: { operationId: addInvoice, requestBody: { required: true, ${json('{ $ref: "#/components/schemas/NewInvoice" }')} }, responses: { 201: { description: x, ${json(invoice)} } } }
  /invoices/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getInvoice, responses: { 200: { description: x, ${json(invoice)} } } }
`,
    `components:
  schemas:
    NewInvoice: { type: object, required: [text], properties: { text: { type: string, example: Lunch }, note: { type: string, example: "by card" } } }
    Invoice:
      type: object
      required: [id, text, ${names.join(", ")}]
      properties: { id: { type: integer }, text: { type: string }, note: { type: string }, ${members} }
      example: { id: 7, text: Lunch, status: paid, paid: true, total: 500, issuedAt: "2030-01-01T12:00:00Z", currency: EUR, kind: receipt }
`,
  );
}

const members = `status: { type: string, enum: [paid, canceled, draft, pending] }, paid: { type: boolean }, total: { type: number }, createdAt: { type: string, format: date-time }, currency: { type: string, default: CHF }, kind: { const: invoice }, payer: { type: [string, "null"], example: Ann }, lines: { type: array, items: { type: object } }, customer: { type: object, required: [name], properties: { name: { type: string, example: Ann } } }`;

testLikely(
  "What no request says is a default, the only value, a beginning, or empty",
  documentWith(members),
  async (t, send) => {
    const before = Date.now();
    const { status, body } = await send("POST", "/invoices", { text: "Dinner" });
    t.equal(status, 201);
    const { createdAt, ...others } = body;
    t.ok(Math.abs(Date.parse(createdAt) - before) < 60_000, "the time");
    t.same(others, {
      id: 1,
      text: "Dinner",
      status: "pending",
      paid: false,
      total: 0,
      currency: "CHF",
      kind: "invoice",
      payer: null,
      lines: [],
      customer: { name: "" },
    });
    t.same((await send("GET", "/invoices/1")).body, body);
  },
);

t.test("The plan has each value, and its reason", async (t) => {
  const { operations } = planOf(await parseDocument(documentWith(members)));
  t.same(operations.find(({ id }) => id === "addInvoice")?.does?.body?.created, {
    createdAt: { time: "date-time" },
    status: { value: "pending", because: "beginning" },
    paid: { value: false, because: "empty" },
    total: { value: 0, because: "empty" },
    currency: { value: "CHF", because: "default" },
    kind: { value: "invoice", because: "only value" },
    payer: { value: null, because: "null" },
    lines: { value: [], because: "empty" },
    customer: { value: { name: "" }, because: "empty" },
  });
});

t.test("A state is the beginning of those in the quotes of its description", async (t) => {
  const status = "status: { type: string, description: 'It is `paid` in the end, and `open` before.' }";
  t.match(describePlan(planOf(await parseDocument(documentWith(status)))), 'makes status ("open": beginning)');
});

t.test("A time of the creation can have the format datetime", async (t) => {
  const time = documentWith("created: { type: string, format: datetime }");
  t.match(describePlan(planOf(await parseDocument(time))), /makes created/);
});

t.test("The plan has integers of any size", async (t) => {
  const document = await parseDocument(
    documentWith("size: { type: integer, format: int64, default: 9223372036854775807 }"),
  );
  t.match(describePlan(planOf(document)), "makes size (9223372036854775807: default)");
});

t.test("An operation is not answered if a member has no such value, and the reason names it", async (t) => {
  for (const member of [
    "status: { type: string, enum: [paid, canceled] }",
    "issuedAt: { type: string, format: date-time }",
    "total: { type: integer, minimum: 1 }",
    "site: { type: string, format: uri, example: 'https://a.example/' }",
    "color: { type: string, minLength: 3 }",
    "order_id: { type: integer }",
    "partner_id: { type: string }",
    "avatar_url: { type: string }",
    "api_secret: { type: string }",
    "state: { type: string, description: It can be paid. }",
  ]) {
    const name = member.split(":", 1)[0];
    const { operations } = planOf(await parseDocument(documentWith(member)));
    const { does, not } = operations.find(({ id }) => id === "addInvoice") ?? {};
    t.equal(does, undefined, member);
    t.match(not, new RegExp(`^makes a record that does not match the schema: it must have the field '${name}'`));
  }
});

const label = `{ type: object, required: [name, id, node_id, client_secret, url], properties: { name: { type: string }, color: { type: string }, id: { type: integer }, node_id: { type: string }, client_secret: { type: string }, url: { type: string, format: uri } } }`;
testLikely(
  "a record that has its name in the path has another id and a secret, which the server makes once",
  documentOf(
    `  /labels:
    post: { requestBody: { required: true, content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string } } } } } }, responses: { 201: { description: x, content: { application/json: { schema: ${label} } } } } }
  /labels/{name}:
    parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
    get: { responses: { 200: { description: x, content: { application/json: { schema: ${label} } } } } }
    patch: { requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { color: { type: string } } } } } }, responses: { 200: { description: x, content: { application/json: { schema: ${label} } } } } }
`,
  ),
  async (t, send) => {
    const [a, b] = [
      (await send("POST", "/labels", { name: "a" })).body,
      (await send("POST", "/labels", { name: "b" })).body,
    ];
    t.ok(Number.isSafeInteger(a.id) && a.id > 0 && a.id !== b.id);
    t.match(a.node_id, /^[0-9a-f-]{36}$/);
    t.match(a.client_secret, /^[0-9a-f-]{36}$/);
    t.equal(new Set([a, b].flatMap((one) => [one.node_id, one.client_secret])).size, 4);
    t.match(await send("PATCH", "/labels/a", { color: "red" }), { status: 200, body: { ...a, color: "red" } });
    t.match((await send("GET", "/labels/a")).body, a);
  },
);
