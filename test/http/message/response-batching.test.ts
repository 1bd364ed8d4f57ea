// Batches of responses: while several requests arrive in a tick of the event loop, their responses are sent together.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { pino } from "pino";
import t from "tap";
import { createEdge } from "../../../src/http/edge.ts";

const app = await createEdge({ logger: pino({ level: "silent" }), headers: {} });
let events: string[] = [];
app.get("/", async () => {
  events.push("handled");
  return {};
});
app.addHook("onSend", async () => {
  events.push("sent"); // registered last, and so it runs after the delay
});
await app.listen({ host: "127.0.0.1", port: 0 });
t.teardown(() => app.close());
const { port } = app.server.address() as AddressInfo;

/** Sends a request on each of some connections at the same time, several times. Returns the events of each of these rounds. */
async function sendTogether(count: number): Promise<readonly string[][]> {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const rounds: string[][] = [];
  for (let round = 0; round < 30; round++) {
    events = [];
    const answered = sockets.map((socket) => once(socket, "data"));
    for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await Promise.all(answered);
    rounds.push(events);
  }
  for (const socket of sockets) socket.destroy();
  return rounds;
}

t.test("Sends the responses of one tick after all of its requests were handled", async (t) => {
  const runs = (await sendTogether(16)).flatMap((order) => order.join("").match(/(handled)+/g) as string[]);
  const longest = Math.max(...runs.map((text) => text.length / "handled".length));
  t.ok(longest >= 8, `${longest} requests were handled before the first response was sent`);
});

t.test("Sends a response at once while there are few requests", async (t) => {
  for (const order of await sendTogether(1)) t.same(order, ["handled", "sent"]);
});
