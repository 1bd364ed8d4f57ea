// Fuzz tests, as by `npm run fuzz`: a short run, the detection of failures by the run itself, and hash collisions in
// JSON.
import { join } from "node:path";
import t from "tap";
import { documentText, folder } from "../support/files.ts";
import type { Case } from "../support/fuzz/cases.ts";
import { exchange } from "../support/fuzz/exchange.ts";
import { Ledger } from "../support/fuzz/ledger.ts";
import { checkResponses } from "../support/fuzz/oracle.ts";
import type { Request } from "../support/fuzz/requests.ts";
import { fuzz, fuzzSettings } from "../support/fuzz/run.ts";
import { canary } from "../support/fuzz/smuggling.ts";
import { createCollidingBody } from "../support/fuzz/values.ts";
import { createRequest } from "../support/http.ts";
import { startServer } from "../support/processes.ts";
import { createResponseCheck } from "../support/responses.ts";
import { start } from "../support/service.ts";

t.test("Valid, invalid and torn requests get responses of the document, and create whole pets or none", async (t) => {
  const settings = { ...fuzzSettings, DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  const server = await startServer(t, settings);
  const { findings, statuses } = await fuzz(server, { seed: 20_261_121, requests: 12_000, auditInterval: 6_000 });
  t.same(findings, []);
  for (const status of [200, 201, 400, 401, 404, 405, 413, 415, 422, 431])
    t.ok(statuses[status], `some responses are ${status}`);
});

t.test("A fuzz run finds failures", async (t) => {
  const { port, key } = await start(t);
  const { head, body } = createRequest(key, canary);
  const bytes = Buffer.from(head + body);
  const sent: Case = { bytes, splits: [9, 99], end: "close", maxResponses: 1, heads: [], size: 1, requests: [] };
  const { responses } = await exchange(port, sent);
  const [response] = responses;
  if (response === undefined) throw new Error("no response");

  t.test("of smuggled requests, and of pets that are lost, changed, unknown or created twice", async (t) => {
    const pet = { id: 1, name: "Rex", categoryId: 1 };
    const created = { ...response, text: response.text.replace(canary, "Rex"), body: pet };
    const page = (...pets: string[]) => ({ ...response, text: `[${pets}]` });
    t.throws(() => new Ledger().record(sent, responses, false), { message: /smuggled request/ });

    const fields: Request["fields"] = [
      ['"name"', '"Rex"'],
      ['"categoryId"', "9223372036854775807"],
    ];
    const request: Request = { method: "POST", path: "/v1/pets", query: [], headers: [], fields, isValid: true };
    for (const categoryId of ["9223372036854775806", '7,"status":"sold"'])
      t.throws(
        () => {
          const text = `{"id":1,"name":"Rex","categoryId":${categoryId}}`;
          new Ledger().record({ ...sent, requests: [request] }, [{ ...created, text }], false);
        },
        { message: /a different pet/ },
      );

    const ledger = new Ledger();
    ledger.record(sent, [created], false);
    t.equal(await ledger.audit(async () => page(created.text)), 1);
    await t.rejects(
      ledger.audit(async () => page()),
      { message: /the store has 0 of 1 pets/ },
    );
    await t.rejects(
      ledger.audit(async () => page(created.text.replace("Rex", "Re"))),
      { message: /differs from earlier responses/ },
    );
    await t.rejects(
      ledger.audit(async () => page(created.text, '{"id":2,"name":"Tom"}')),
      { message: /no request created/ },
    );
    t.throws(() => ledger.record(sent, [created], false), { message: /assigned twice/ });
  });

  t.test("of server errors, undeclared responses, and more responses than requests", async (t) => {
    const check = await createResponseCheck(documentText);
    const checkAll = (...all: typeof responses) => checkResponses(sent, all, check);
    t.doesNotThrow(() => checkAll(response));
    t.throws(() => checkAll(response, response), { message: /2 responses to at most 1 requests/ });
    t.throws(() => checkAll({ ...response, status: 500 }), { message: /a server error: 500/ });
    t.throws(() => checkAll({ ...response, status: 202 }), { message: /undeclared|bad/ });
  });
});

t.test("A body whose field names collide in a hash costs no more than another", async (t) => {
  const { call } = await start(t);
  const size = 60_000;
  // The same number of names with the same lengths, without collisions.
  const plain = createCollidingBody(size, 2 ** 11).replace(/\d+(?=":)/g, (name) => name.replace(/^./, "x"));
  // CPU time, on which other processes have no influence.
  const measure = async (body: string) => {
    const before = process.cpuUsage();
    t.equal((await call("POST", "/v1/pets", { json: body })).status, 400);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const steps = [2 ** 10, 2 ** 11, 2 ** 12, 2 ** 13, 2 ** 14, 2 ** 16, 2 ** 20];
  const bodies = [plain, ...steps.map((step) => createCollidingBody(size, step))];
  const minima = new Map<string, number>();
  for (let round = 0; round < 7; round++)
    for (const body of bodies)
      minima.set(body, Math.min(await measure(body), minima.get(body) ?? Number.POSITIVE_INFINITY));
  const [reference = 0, ...colliding] = minima.values();
  const ratio = Math.max(...colliding) / reference;
  t.ok(ratio < 5, `${ratio.toFixed(1)} times as much`);
});
