// A start that takes long: it has no time limit, and says what it does.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";

const logger = pino({ level: "silent" });
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const note = json('{ $ref: "#/components/schemas/Note" }');
const documentWith = (properties: string) =>
  parse(
    documentOf(
      `  /notes:
    post: { operationId: addNote, requestBody: { required: true, ${note} }, responses: { 201: { description: x, ${note} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${note} } } }
`,
      `components:
  schemas:
    Note: { type: object, required: [id], properties: { id: { type: integer, format: int64, readOnly: true }, ${properties} } }
`,
    ),
  );
const document = documentWith("text: { type: string }");

t.test("Starts of more than 10 s", async (t) => {
  t.jobs = 2; // both wait
  t.test("The server's own work has no time limit, and says what it does after 2 s, and every 5 s", async (t) => {
    const steps: string[] = [];
    const opened = { answered: new Set<string>(), handlers: {}, reasons: new Map(), close: async () => {} };
    const app = await createServer({
      document,
      mock: true,
      logger,
      report: (message) => steps.push(message),
      resources: {
        open: async (_, { progress }) => {
          for (let second = 0; second <= 10; second++) {
            progress(`second ${second}`);
            await sleep(1_000);
          }
          return opened;
        },
      },
    });
    t.match(await app.inject({ url: "/notes/1" }), { statusCode: 200 });
    await app.close();
    t.match(steps.slice(0, 2), [/second [1-4]/, /second [5-9]/]);
    t.ok(steps.length < 4, "a slow machine needs longer");
  });

  t.test(
    "A plugin of the application that does not finish is reported every 10 s, and does not end the start",
    async (t) => {
      const messages: string[] = [];
      const app = await createServer({
        document,
        mock: true,
        logger,
        report: (message) => messages.push(message),
        extend: (app) => void app.register((_, __, done) => void setTimeout(done, 11_000)),
      });
      await app.close();
      t.match(messages, [/^A plugin of `extend` is not ready yet/]);
      t.equal(messages.length, 1);
    },
  );
});

t.test("A start that validates records says how many, and one that has none to validate says nothing", async (t) => {
  const url = `sqlite:${join(folder(t), "notes.db")}`;
  const store = openStore(url);
  const first = await createServer({ document, resources: store, logger });
  const notes = store.records("notes");
  for (let batch = 0; batch < 3; batch++)
    await Promise.all(Array.from({ length: 500 }, (_, n) => notes.create({ text: `${n}` })));
  await first.close();
  const start = async (properties: string) => {
    const steps: string[] = [];
    const open = openStore(url).open;
    const app = await createServer({
      document: documentWith(properties),
      logger,
      resources: { open: (served, options) => open(served, { ...options, progress: (step) => steps.push(step) }) },
    });
    await app.close();
    return steps;
  };
  t.same(await start("text: { type: string }, tag: { type: string }"), [
    "Validating notes: 1,000 of 1,500 records.",
    "Validating notes: 1,500 of 1,500 records.",
  ]);
  t.same(await start("text: { type: string }, tag: { type: string }"), []);
});
