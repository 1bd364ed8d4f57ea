// A response is validated as it is sent: values with toJSON, headers as text, and no body where HTTP has none.
import t from "tap";
import { documentOf, serve } from "../../support/document-server.ts";

const schema =
  "{ type: object, properties: { at: { type: string, format: date-time }, list: { type: array, items: { type: string, format: date-time } }, big: { type: integer, format: int64 } } }";
const headers =
  "headers: { X-Total: { schema: { type: integer } }, X-Ids: { schema: { type: array, items: { type: integer } } }, X-Code: { schema: { type: string, pattern: '^[0-9]+$' } }, X-Flag: { schema: { type: boolean } } }";

/** Returns the response to what a handler returns. */
async function reply(response: object) {
  const { send, app } = await serve(
    documentOf(
      `  /a: { get: { operationId: a, responses: { 200: { description: x, ${headers}, content: { application/json: { schema: ${schema} } } }, 204: { description: x }, 304: { description: x }, 205: { description: x } } } }`,
    ),
    { handlers: { a: async () => response } },
  );
  t.teardown(() => app.close());
  return send("GET", "/a");
}

t.test("Validates what toJSON returns, at each depth", async (t) => {
  const at = new Date(0);
  t.match(await reply({ status: 200, body: { at, list: [at], big: 5n } }), {
    status: 200,
    text: '{"at":"1970-01-01T00:00:00.000Z","list":["1970-01-01T00:00:00.000Z"],"big":5}',
  });
  t.match(await reply({ status: 200, body: { toJSON: () => ({ at }) } }), { status: 200 });
  t.match(await reply({ status: 200, body: { at: { toJSON: () => 5 } } }), { status: 500 });
  t.match(await reply({ status: 200, body: { at: new Date(Number.NaN) } }), { status: 500 }, "null");
});

t.test("Validates the text of a header", async (t) => {
  for (const [name, value, text] of [
    ["X-Total", "42", "42"],
    ["X-Total", 42, "42"],
    ["X-Ids", "1,2", "1,2"],
    ["X-Ids", [1, 2], "1, 2"],
    ["X-Code", 7, "7"],
    ["X-Flag", "true", "true"],
  ] as const)
    t.match(
      await reply({ status: 200, headers: { [name]: value }, body: {} }),
      { status: 200, headers: { [name.toLowerCase()]: text } },
      `${name} ${value}`,
    );
  for (const [name, value] of [
    ["X-Total", "many"],
    ["X-Total", "4.5"],
    ["X-Ids", "1,x"],
    ["X-Code", "x7"],
    ["X-Flag", "yes"],
  ] as const)
    t.match(await reply({ status: 200, headers: { [name]: value }, body: {} }), { status: 500 }, `${name} ${value}`);
});

t.test("A body where HTTP has none is a fault", async (t) => {
  for (const status of [204, 205, 304]) {
    t.match(await reply({ status, body: { lost: true } }), { status: 500 }, `${status}`);
    t.match(await reply({ status, body: null }), { status });
    t.match(await reply({ status }), { status });
  }
});
