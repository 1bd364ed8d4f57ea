// Load shedding over real sockets.
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { UnavailableError } from "../../../src/lib/index.ts";
import { handlers } from "../../../src/pets/handlers.ts";
import { createRequest } from "../../support/http.ts";
import { parseResponses } from "../../support/responses.ts";
import { addKey, connectionsOf, type Service, start } from "../../support/service.ts";
import { until } from "../../support/wait.ts";

const message = /^The service is overloaded\. Try again in [123] seconds?\.$/;

/** Sends a list request at the same time on each of `count` open connections. `prepare` is called before. */
async function burst({ port, key }: Service, count: number, prepare = () => {}) {
  const request = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  for (const socket of sockets) {
    socket.write(request);
    await once(socket, "data");
  }
  prepare();
  for (const socket of sockets) socket.end(request);
  const responses = await Promise.all(sockets.map(async (socket) => parseResponses(await text(socket))));
  return responses.flat();
}

t.test("Rejects requests that have waited for 500 ms, and counts them in the log and the metrics", async (t) => {
  const time = { now: 0 };
  let cost = 0; // milliseconds of each request
  const listPets: typeof handlers.listPets = async (...call) => {
    time.now += cost;
    return handlers.listPets(...call);
  };
  const service = await start(t, { handlers: { ...handlers, listPets }, overrides: { clock: () => time.now } });
  const responses = await burst(service, 60, () => {
    cost = 30;
  });
  const rejected = responses.filter(({ status }) => status === 503);
  t.equal(responses.length, 60);
  t.ok(rejected.length > 0, "the requests take 1,800 ms");
  t.ok(rejected.length < 60, "not all of them wait for 500 ms");
  t.same(new Set(responses.map(({ status }) => status)), new Set([200, 503]));
  for (const { headers, body } of rejected)
    t.match({ headers, body }, { headers: { "retry-after": /^[123]$/ }, body: { code: "unavailable", message } });
  const logged = () =>
    service.logs
      .filter(({ msg }) => msg === "overloaded: load shed")
      .reduce((sum, line) => sum + Number(line.requests), 0);
  await until(
    () => logged() === rejected.length,
    () => `the log counts ${logged()} of ${rejected.length}`,
  );
  const operator = await addKey(service.store, "operator", undefined, true);
  const { text } = await service.call("GET", "/metrics", { key: operator });
  t.match(text, `\npetstore_requests_shed_total ${rejected.length}\n`);
  t.match(text, "\npetstore_requests_queued 0\n");
  cost = 1;
  for (const { status } of await burst(service, 10)) t.equal(status, 200, "requests that wait for less are accepted");
});

t.test("Responds with 401 without a valid key, and to /healthz, however long requests wait", async (t) => {
  const time = { now: 0 };
  const service = await start(t, { overrides: { clock: () => time.now } });
  service.app.server.prependListener("request", () => {
    time.now += 600;
  });
  const anonymous = Array.from({ length: 40 }, () => service.call("GET", "/v1/pets", { key: null }));
  const healthy = Array.from({ length: 5 }, () => service.call("GET", "/healthz"));
  for (const { status } of await Promise.all(anonymous)) t.equal(status, 401);
  for (const { status } of await Promise.all(healthy)) t.equal(status, 200);
});

const listRequest = (header: string) => `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;

/** Starts a service that queues all requests of a tick but the first, and sends requests on new connections. */
async function startBusy(t: Test, time = { now: 0 }, handlers?: object) {
  const settings = { TRUST_PROXY: "127.0.0.1" };
  const options = { settings, overrides: { clock: () => time.now }, ...(handlers && { handlers: { ...handlers } }) };
  const service = await start(t, options);
  service.app.server.prependListener("request", () => {
    time.now += 6;
  });
  const sendAll = async (requests: readonly string[]) => {
    const sockets = requests.map(() => connect(service.port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await until(() => connectionsOf(service.app).sockets.size === requests.length, "the connections are not accepted");
    for (const [n, socket] of sockets.entries()) socket.end(requests[n] as string);
    return (await Promise.all(sockets.map((socket) => text(socket)))).flatMap(parseResponses);
  };
  return { ...service, sendAll };
}

t.test("Starts every other request for a client with a valid key, also on new connections", async (t) => {
  const { key, logs, sendAll } = await startBusy(t);
  const anonymous = Array.from({ length: 40 }, (_, n) => listRequest(`X-Forwarded-For: 192.0.2.${n}`));
  await sendAll([...anonymous, ...Array.from({ length: 5 }, () => listRequest(`Authorization: Bearer ${key}`))]);
  const statuses = logs.filter(({ msg }) => msg === "request completed").map(({ status }) => status);
  t.same(
    [statuses.length, statuses.lastIndexOf(200)],
    [45, 9],
    "the first is not queued, then every other has the key",
  );
});

t.test("Counts the time of a request as that of its client, also after its body has arrived", async (t) => {
  const time = { now: 0 };
  const createPet: typeof handlers.createPet = async (...call) => {
    time.now += 10;
    return handlers.createPet(...call);
  };
  const { key, store, logs, sendAll } = await startBusy(t, time, { ...handlers, createPet });
  const other = await addKey(store, "other");
  const creates = Array.from({ length: 8 }, () => Object.values(createRequest(key, "Rex")).join(""));
  const lists = Array.from({ length: 8 }, () => listRequest(`Authorization: Bearer ${other}`));
  await sendAll([...creates, ...lists]);
  const statuses = logs.filter(({ msg }) => msg === "request completed").map(({ status }) => status);
  t.equal(statuses.length, 16);
  t.ok(statuses.lastIndexOf(200) <= 10, `the lists wait for few of the creates: ${statuses}`);
});

t.test("Looks up the invalid key of a request in the queue once", async (t) => {
  const { store, sendAll } = await startBusy(t);
  const { find } = store.keys;
  let count = 0;
  const countingFind = (hash: string) => {
    count += 1;
    return find(hash);
  };
  Object.assign(store.keys, { find: countingFind });
  const responses = await sendAll(
    Array.from({ length: 10 }, (_, n) => listRequest(`Authorization: Bearer wrong-${n}`)),
  );
  t.equal(responses.filter(({ status }) => status === 401).length, 10);
  t.equal(count, 10);
});

t.test("Responds with 503 to requests in the queue whose key can't be looked up", async (t) => {
  const { key, store, sendAll } = await startBusy(t);
  const find = async () => {
    throw new UnavailableError("The database does not respond.");
  };
  Object.assign(store.keys, { find });
  const responses = await sendAll(Array.from({ length: 3 }, () => listRequest(`Authorization: Bearer ${key}`)));
  t.same(
    responses.map(({ status }) => status),
    [503, 503, 503],
  );
});

t.test(
  "Starts the requests of another client during a flood, and none of a client that has disconnected",
  async (t) => {
    const order: string[] = [];
    const time = { now: 0 };
    const slow: typeof handlers.listPets = async (call, context) => {
      time.now += 10;
      order.push(call.caller?.name ?? "");
      return handlers.listPets(call, context);
    };
    const service = await start(t, {
      handlers: { ...handlers, listPets: slow },
      overrides: { clock: () => time.now },
    });
    const open = async (key: string) => {
      const socket = connect(service.port, "127.0.0.1").on("error", () => {});
      t.teardown(() => socket.destroy());
      const send = () => socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      send();
      await once(socket, "data");
      return { socket, send };
    };
    const [flood, gone, other] = [
      await addKey(service.store, "flood"),
      await addKey(service.store, "gone"),
      service.key,
    ];
    const floods = [];
    for (let n = 0; n < 30; n++) floods.push(await open(flood));
    const [disconnected, waiting] = [await open(gone), await open(other)];
    order.length = 0;
    for (const { send } of floods) send();
    disconnected.send();
    waiting.send();
    disconnected.socket.resetAndDestroy();
    await once(waiting.socket, "data");
    t.ok(order.length < 15, `before it, ${order.length - 1} requests were served`);
    await until(
      () => order.length >= 31,
      () => `${order.length} requests were served`,
    );
  },
);

for (const memory of [{ heap: 91 }, { resident: 96 }])
  t.test(`Rejects requests with 503 while the memory is full: ${JSON.stringify(memory)} %`, async (t) => {
    let usage = { heap: 90, heapLimit: 100, resident: 80, residentLimit: 100 };
    const service = await start(t, { overrides: { memory: () => usage, checkInterval: 10 } });
    const untilStatus = (status: number) =>
      until(
        async () => {
          const response = await service.call("GET", "/v1/pets");
          return response.status === status ? response : undefined;
        },
        () => `no response has the status ${status}`,
      );
    t.equal((await service.call("GET", "/v1/pets")).status, 200);
    usage = { ...usage, ...memory };
    t.match(await untilStatus(503), {
      headers: { "retry-after": /^[123]$/ },
      body: { code: "unavailable", message, status: 503 },
    });
    t.equal((await service.call("GET", "/healthz")).status, 200);
    await until(
      () => service.logs.find(({ requests, memory }) => Number(requests) > 0 && memory === true),
      () => JSON.stringify(service.logs),
    );
    usage = { ...usage, heap: 90, resident: 80 };
    await untilStatus(200);
  });

t.test("Rejects bodies with 503 if the heap has no room for their values", async (t) => {
  let usage = { heap: 0, heapLimit: 1_000_000, resident: 0, residentLimit: 1 };
  let reads = 0;
  const memory = () => {
    reads += 1;
    return usage;
  };
  const service = await start(t, { overrides: { memory, checkInterval: 60_000 } });
  const post = (length: number, padding: string) => {
    const json = JSON.stringify({ name: "Rex", categoryId: 1 });
    const body = `${json.slice(0, -1)}${"".padEnd(length - json.length, padding)}}`;
    return service.call("POST", "/v1/pets", { body, headers: { "content-type": "application/json" } });
  };
  t.match(await post(60_000, " "), { status: 201 }, "white space has no values");
  const before = reads;
  for (let n = 0; n < 10; n++) t.match(await post(60, " "), { status: 201 });
  t.equal(reads, before, "small bodies do not read the size of the heap");
  for (let n = 0; n < 20; n++) t.match(await post(600, " "), { status: 201 });
  t.ok(reads > before, "until the room that was left has been reserved");
  t.match(await post(60_000, ","), { status: 503, body: { code: "unavailable", message } }, "30,000 values or more");
  usage = { ...usage, heap: 700_000 };
  t.match(await post(60_000, " "), { status: 503, body: { code: "unavailable", message } });
  usage = { ...usage, heap: 0 };
  t.match(await post(60_000, " "), { status: 201 });
});

t.test("Collects garbage when bodies need the room, at least 1 s after the last time", async (t) => {
  const time = { now: 0 };
  let garbage = new WeakRef({}); // until the next full collection
  const memory = () => ({ heap: garbage.deref() ? 700_000 : 0, heapLimit: 1_000_000, resident: 0, residentLimit: 1 });
  const service = await start(t, { overrides: { memory, checkInterval: 60_000, clock: () => time.now } });
  const post = async () => {
    const body = JSON.stringify({ name: "Rex", categoryId: 1 }).padEnd(60_000);
    const headers = { "content-type": "application/json" };
    return (await service.call("POST", "/v1/pets", { body, headers })).status;
  };
  t.same(await Promise.all([post(), post(), post()]), [201, 201, 201], "they share a collection");
  time.now += 900;
  let status = 201;
  // V8 can collect it by itself, but not each time.
  for (let attempts = 0; status === 201 && attempts < 10; attempts++) {
    garbage = new WeakRef({});
    status = await post();
  }
  t.equal(status, 503);
  time.now += 200;
  t.equal(await post(), 201);
});
