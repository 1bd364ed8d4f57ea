// The service against generated requests, and against JSON that is made to be expensive. `npm run fuzz` is the long run.
import { join } from "node:path";
import t from "tap";
import { collidingBody } from "../../scripts/fuzz/nasty.ts";
import { environment, fuzz } from "../../scripts/fuzz/run.ts";
import { folder } from "../support/files.ts";
import { startServer } from "../support/processes.ts";
import { start } from "../support/service.ts";

t.test("Valid, invalid and torn requests get responses of the document, and create whole pets or none", async (t) => {
  const settings = { ...environment, DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  const server = await startServer(t, settings);
  const { findings, statuses } = await fuzz(server, { seed: 20_261_121, requests: 12_000, every: 6_000 });
  t.same(findings, []);
  for (const status of [200, 201, 400, 401, 404, 405, 413, 415, 422, 431])
    t.ok(statuses[status], `some responses are ${status}`);
});

t.test("A body whose field names collide in a hash costs no more than another", async (t) => {
  const { call } = await start(t);
  const size = 60_000;
  // As many names of the same length, in an order in which nothing collides.
  const plain = collidingBody(size, 2 ** 11).replace(/\d+(?=":)/g, (name) => String(name).replace(/^./, "x"));
  // The time of the processor, not of the clock: other processes do not count.
  const measure = async (body: string) => {
    const before = process.cpuUsage();
    t.equal((await call("POST", "/v1/pets", { json: body })).status, 400);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const steps = [2 ** 10, 2 ** 11, 2 ** 12, 2 ** 13, 2 ** 14, 2 ** 16, 2 ** 20];
  const least = new Map<string, number>();
  for (let round = 0; round < 7; round++)
    for (const body of [plain, ...steps.map((step) => collidingBody(size, step))])
      least.set(body, Math.min(await measure(body), least.get(body) ?? Number.POSITIVE_INFINITY));
  const [usual = 0, ...colliding] = least.values();
  const ratio = Math.max(...colliding) / usual;
  t.ok(ratio < 5, `${ratio.toFixed(1)} times as much`);
});
