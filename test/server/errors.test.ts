// Errors of the application: the table `errors`, and who gets to know of failures.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createFail, createServer, HttpError, problemDetails } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";

const logger = pino({ level: "silent" });
const document = parse(
  documentOf(`  /tickets/{id}:
    get:
      operationId: getTicket
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        200: { description: x, content: { application/json: { schema: {} } } }
        404: { description: x, content: { application/json: { schema: {} } } }
        409: { description: x, content: { application/json: { schema: {} } } }
`),
);

class NotFound extends Error {}
class Conflict extends Error {
  readonly holder = "Ada";
}
class Locked extends Conflict {}
class Teapot extends Error {}

const thrown: Record<string, () => unknown> = {
  missing: () => new NotFound("No ticket has this id."),
  locked: () => new Locked("Ada has it."),
  teapot: () => new Teapot("undeclared"),
  bug: () => new TypeError("a bug"),
  own: () => new HttpError({ code: "gone_home", status: 409 }, "Come back.", { "retry-after": "5" }),
};
const errors = [
  { error: NotFound, status: 404, code: "ticket_not_found" },
  { error: Locked, status: 409, code: "locked" },
  { error: Conflict, status: 409, code: "conflict" },
  { error: Teapot, status: 418, code: "teapot" },
];

const handlers = (isThrown: boolean) => ({
  getTicket: async ({ params }: { params: unknown }) => {
    const error = thrown[(params as { id: string }).id]?.() as Error;
    if (isThrown) throw error;
    return error;
  },
});

for (const isThrown of [true, false])
  t.test(`A handler that ${isThrown ? "throws" : "returns"} an error responds with its status and code`, async (t) => {
    const reported: string[] = [];
    const app = await createServer({
      document,
      logger,
      errors,
      handlers: handlers(isThrown),
      onError: ({ message }, { requestId, operation, request }) =>
        void reported.push(`${message} ${operation?.id} ${request?.url} ${requestId.length}`),
    });
    const get = async (id: string) => (await app.inject(`/tickets/${id}`)).json();
    t.same(await get("missing"), { code: "ticket_not_found", message: "No ticket has this id.", status: 404 });
    t.same(await get("locked"), { code: "locked", message: "Ada has it.", status: 409 }, "of a subclass");
    t.match(await get("own"), { code: "gone_home", status: 409 });
    t.match(await get("teapot"), { code: "internal_error", status: 500 }, "the operation does not declare 418");
    t.match(await get("bug"), { code: "internal_error", status: 500 });
    t.match(reported, [
      /^The handler failed with Teapot, which `errors` maps to the status 418\. The document does not declare it for getTicket\. /,
      "a bug getTicket /tickets/bug 36",
    ]);
  });

t.test("Errors of the table, and those of the server, have the format of the application", async (t) => {
  const app = await createServer({
    document,
    logger,
    errors,
    handlers: handlers(true),
    formatError: ({ code, message }, { error }) => ({
      error: code,
      text: message,
      ...(error instanceof Conflict && { holder: error.holder }),
    }),
  });
  const get = async (url: string) => (await app.inject(url)).json();
  t.same(await get("/tickets/locked"), { error: "locked", text: "Ada has it.", holder: "Ada" });
  t.same(await get("/nothing"), { error: "path_not_found", text: "This path does not exist." });
});

t.test("createFail returns errors in the same shape", async (t) => {
  const fail = createFail({ ticket_not_found: 404 }, problemDetails);
  t.same(fail("ticket_not_found", "No."), {
    status: 404,
    type: "application/problem+json",
    body: { title: "Not Found", status: 404, detail: "No.", code: "ticket_not_found" },
  });
  const own = createFail({ gone: 410 }, ({ code }) => ({ error: code }));
  t.same(own("gone", "No."), { status: 410, body: { error: "gone" } });
});

t.test("Refuses a table that no error can match", async (t) => {
  const start = (entries: unknown) =>
    createServer({ document, logger, handlers: handlers(true), errors: entries as never });
  for (const [entries, message] of [
    [[{ error: NotFound, status: 200, code: "x" }], /maps NotFound to the status 200, which is not one of 400 to 599/],
    [[{ error: "NotFound", status: 404, code: "x" }], /must be \{ error, status, code \}/],
    [[errors[2], errors[1]], /has Locked behind Conflict, which includes it\. Put it before\./],
    [[errors[0], errors[0]], /has NotFound behind NotFound/],
  ] as const)
    await t.rejects(start(entries), { message });
});

t.test("A failure of onError does not change the response", async (t) => {
  const lines: string[] = [];
  const app = await createServer({
    document,
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
    handlers: handlers(true),
    onError: async () => {
      throw new Error("the collector is down");
    },
  });
  t.match((await app.inject("/tickets/bug")).json(), { status: 500 });
  t.match(lines.join(""), /the collector is down.*onError failed/);
});
