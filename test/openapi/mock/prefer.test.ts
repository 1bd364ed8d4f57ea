// The header Prefer for operations that have a handler, or are answered from records: for the tests of clients.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { openStore } from "../../../src/resources/index.ts";
import { documentOf } from "../../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const note = "{ type: object, properties: { id: { type: integer, readOnly: true }, text: { type: string } } }";
const document = parse(
  documentOf(`  /notes:
    post: { operationId: addNote, requestBody: { required: true, ${json(note)} }, responses: { 201: { description: x, ${json(note)} }, 409: { description: x, ${json("{ type: object, example: { reason: taken } }")} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${json(note)} } } }
`),
);

t.test("Prefer delays a response, or selects another one, which changes no records", async (t) => {
  for (const prefer of [true, false]) {
    const app = await createServer({
      document,
      resources: openStore("sqlite::memory:"),
      prefer,
      logger: pino({ level: "silent" }),
      docs: false,
    });
    t.teardown(() => app.close());
    const add = async (header: string) => {
      const start = performance.now();
      const payload = { text: "a" };
      const response = await app.inject({ method: "POST", url: "/notes", payload, headers: { prefer: header } });
      return { status: response.statusCode, body: response.json(), time: performance.now() - start };
    };
    const read = async () => (await app.inject("/notes/1")).statusCode;
    t.match(await add("code=409"), prefer ? { status: 409, body: { reason: "taken" } } : { status: 201 });
    t.match(await add("code=503"), { status: prefer ? 503 : 201 }, "also if it is not declared");
    t.match(await add("status=418"), { status: prefer ? 400 : 201 });
    t.equal(await read(), prefer ? 404 : 200);
    const { status, time } = await add("delay=200");
    t.equal(status, 201);
    if (prefer) t.ok(time > 190, `${time} ms`);
    t.equal(await read(), 200);
  }
});
