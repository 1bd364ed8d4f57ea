// A server to which only a reverse proxy connects.
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";
import { send } from "../support/http.ts";

const text = documentOf(`  /greetings/{name}:
    get:
      operationId: greet
      parameters: [{ name: name, in: path, required: true, schema: { type: string, maxLength: 5 } }]
      responses:
        200: { description: x, content: { application/json: { schema: { type: string } } } }
`);
const handlers = {
  greet: async ({ params }: { params: unknown }) => ({ status: 200, body: `Hi ${(params as { name: string }).name}` }),
};
const logger = pino({ level: "silent" });

t.test("Serves without the protection that a reverse proxy gives, and without patches of Node", async (t) => {
  const app = await createServer({ document: parse(text), handlers, logger, edge: false });
  t.teardown(() => app.close());
  t.equal(app.edge.protection, undefined);
  t.notOk(["pipelining", "body-flow", "client-errors", "lingering-close"].some((name) => app.hasPlugin(name)));
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const ok = { status: 200, text: '"Hi Ada"', headers: { "x-request-id": /./ } };
  t.match(await send(`${origin}/greetings/Ada`), ok);
  t.match(await send(`${origin}/greetings/Augusta`), { status: 400, text: /"invalid_parameter"/ });
  const socket = connect(Number(new URL(origin).port), "127.0.0.1").end("nonsense\r\n\r\n");
  t.match(await readText(socket), /^HTTP\/1\.1 400 Bad Request/, "the response of Fastify");
});
