// What happens to responses that do not match the document: `validateResponses`.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { documentOf } from "../../support/document-server.ts";

const document = parse(
  documentOf(
    `  /a:
    get:
      operationId: a
      responses:
        200:
          description: x
          headers: { X-Count: { required: true, schema: { type: integer } } }
          content:
            application/json: { schema: { $ref: "#/components/schemas/User" } }
            application/jsonl: { itemSchema: { $ref: "#/components/schemas/User" } }
        404: { description: x }
`,
    `components:
  schemas:
    User:
      type: object
      required: [name]
      properties:
        name: { type: string }
        password: { type: string, writeOnly: true }
        friends: { type: array, items: { $ref: "#/components/schemas/User" } }
        since: { type: string, format: date-time }
`,
  ).replace("3.1.0", "3.2.0"),
);
const headers = { "X-Count": 1 };
const secret = { name: "Ada", password: "p", friends: [{ name: "Bob", password: "q" }, { name: "Cy" }] };
const public_ = { name: "Ada", friends: [{ name: "Bob" }, { name: "Cy" }] };

async function start(validateResponses: boolean | "log" | undefined) {
  let response: object = {};
  const lines: Record<string, unknown>[] = [];
  const app = await createServer({
    document,
    validateResponses,
    logger: pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    handlers: { a: async () => response as never },
  });
  const reply = async (next: object) => {
    response = next;
    lines.length = 0;
    const { statusCode, payload } = await app.inject("/a");
    return { status: statusCode, text: payload, reasons: lines.map(({ reason }) => reason) };
  };
  return { reply };
}

t.test("With true, a response that does not match is a 500", async (t) => {
  const { reply } = await start(true);
  for (const response of [
    { status: 200, headers, body: { name: 5 } },
    { status: 200, headers, body: secret },
    { status: 200, headers: { "X-Count": "x" }, body: { name: "a" } },
    { status: 200, body: { name: "a" } },
    { status: 201, headers, body: { name: "a" } },
  ])
    t.equal((await reply(response)).status, 500);
  t.equal(
    (await reply({ status: 200, headers, body: { name: "a", since: new Date() } })).status,
    200,
    "a Date is a text",
  );
  t.equal((await reply({ status: 200, headers: { "X-Count": "5" }, body: { name: "a" } })).status, 200);
});

t.test("With log, it is sent and logged with the reason, but not with an undeclared status", async (t) => {
  const { reply } = await start("log");
  for (const [response, text, reason] of [
    [{ status: 200, headers, body: { name: 5 } }, '{"name":5}', /whose part 'name' must be a string/],
    [{ status: 200, headers: { "X-Count": "x" }, body: { name: "a" } }, '{"name":"a"}', /the header X-Count/],
    [{ status: 200, body: { name: "a" } }, '{"name":"a"}', /no header x-count/],
    [{ status: 404, body: "x" }, "x", /declares no body for the status 404/],
    [{ status: 200, headers, type: "text/csv", body: "a" }, "a", /returned text\/csv for the status 200/],
  ] as const)
    t.match(await reply(response), { status: response.status, text, reasons: [reason] });
  t.match(await reply({ status: 201, headers, body: { name: "a" } }), { status: 500 });
  t.match(await reply({ status: 200, headers, body: { name: "a" } }), { reasons: [] });
  const before = structuredClone(secret);
  const sent = await reply({ status: 200, headers, body: secret });
  t.same(JSON.parse(sent.text), public_, "without write-only members");
  t.match(sent.reasons, [/'password' must not be returned, because it is write-only/]);
  t.same(secret, before, "the value of the handler is not changed");
});

t.test("With false, a write-only member and an undeclared status are not sent either", async (t) => {
  const { reply } = await start(false);
  const sent = await reply({ status: 200, body: { ...secret, extra: 1n } });
  t.same(JSON.parse(sent.text), { ...public_, extra: 1 });
  t.same(sent.reasons, []);
  const items = await reply({ status: 200, type: "application/jsonl", body: [secret, { name: 5 }] });
  t.equal(items.text, `${JSON.stringify(public_)}\n{"name":5}\n`, "also as the item of a stream");
  t.match(await reply({ status: 201, body: { name: "a" } }), { status: 500 });
});
