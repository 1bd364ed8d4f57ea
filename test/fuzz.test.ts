// The service against requests of all kinds, and against what is made to be dear. `npm run fuzz` is the long run.

import { join } from "node:path";
import { isSafePattern } from "redos-detector";
import t from "tap";
import { parse } from "yaml";
import { canary } from "../scripts/fuzz/hidden.ts";
import { openLedger } from "../scripts/fuzz/ledger.ts";
import { collidingBody } from "../scripts/fuzz/nasty.ts";
import { environment, fuzz } from "../scripts/fuzz/run.ts";
import { exchange } from "../scripts/fuzz/wire.ts";
import { documentText, folder } from "./support/files.ts";
import { startServer } from "./support/processes.ts";
import { start } from "./support/service.ts";

t.test("requests of all kinds get answers as the document says, and make whole pets or none", async (t) => {
  const settings = { ...environment, DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  const server = await startServer(t, settings);
  const { findings, statuses } = await fuzz(server, { seed: 20_261_121, requests: 12_000, every: 6_000 });
  t.same(findings, []);
  for (const status of [200, 201, 400, 401, 404, 405, 413, 415, 422, 431])
    t.ok(statuses[status], `some are answered ${status}`);
});

t.test("a fuzz run does find what is wrong", async (t) => {
  const { port, key } = await start(t);
  const body = JSON.stringify({ name: canary, categoryId: 1 });
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const bytes = Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  const sent = { bytes, cuts: [9, 99], end: "close", most: 1, heads: [], size: 1, requests: [] } as const;
  const { answers } = await exchange(port, sent);
  const [answer] = answers;
  if (answer === undefined) throw new Error("no answer");
  const made = { ...answer, text: answer.text.replace(canary, "Rex"), body: { id: 1, name: "Rex", categoryId: 1 } };
  const page = (...pets: string[]) => ({ ...answer, text: `[${pets}]` });
  t.throws(() => openLedger().note(sent, answers, false), { message: /hidden request/ });

  const ledger = openLedger();
  ledger.note(sent, [made], false);
  t.equal(await ledger.audit(async () => page(made.text)), 1);
  await t.rejects(
    ledger.audit(async () => page()),
    { message: /of 1 pets 0 are there/ },
  );
  await t.rejects(
    ledger.audit(async () => page(made.text.replace("Rex", "Re"))),
    { message: /not what was answered/ },
  );
  await t.rejects(
    ledger.audit(async () => page(made.text, '{"id":2,"name":"Tom"}')),
    { message: /nobody is known/ },
  );
  t.throws(() => ledger.note(sent, [made], false), { message: /given twice/ });
});

t.test("no pattern of the document takes more than linear time", async (t) => {
  // A score of 1: whatever the text is, there is one way to read it.
  const isLinear = (pattern: string) => isSafePattern(pattern, { unicode: true, maxScore: 1 }).safe;
  const patterns = new Set<string>();
  JSON.stringify(parse(documentText), (key, value) => {
    if (key === "pattern" && typeof value === "string") patterns.add(value);
    return value;
  });
  t.ok(patterns.size > 5);
  for (const pattern of patterns) t.ok(isLinear(pattern), pattern);
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "a+$", "^\\s*(.*)*$"])
    t.notOk(isLinear(pattern), `but ${pattern} does`);
});

t.test("fields whose names collide in a hash cost no more than others", async (t) => {
  const { call } = await start(t);
  const size = 60_000;
  // As many names, as long, in the order in which nothing collides.
  const plain = collidingBody(size, 2 ** 11).replace(/\d+(?=":)/g, (name) => String(name).replace(/^./, "x"));
  const time = async (body: string) => {
    const began = performance.now();
    t.equal((await call("POST", "/v1/pets", { json: body })).status, 400);
    return performance.now() - began;
  };
  const steps = [2 ** 10, 2 ** 11, 2 ** 12, 2 ** 13, 2 ** 14, 2 ** 16, 2 ** 20];
  const least = new Map<string, number>();
  for (let round = 0; round < 7; round++)
    for (const body of [plain, ...steps.map((step) => collidingBody(size, step))])
      least.set(body, Math.min(await time(body), least.get(body) ?? Number.POSITIVE_INFINITY));
  const [usual = 0, ...dear] = least.values();
  const ratio = Math.max(...dear) / usual;
  t.ok(ratio < 5, `${ratio.toFixed(1)} times as much`);
});
