// The order of hooks, which is part of the contract.
import t from "tap";
import { addKey, type Call, minimalPet, start } from "./support/service.ts";
import { until } from "./support/wait.ts";

const origin = "https://app.example";
const memory = { heap: 0, heapLimit: 100_000_000, resident: 0, residentLimit: 100 };
const time = { now: 0 };
const service = await start(t, {
  settings: { CORS_ORIGINS: origin, RATE_LIMIT: "50/60s", RATE_LIMIT_FAILED: "2/10s" },
  overrides: { memory: () => memory, clock: () => time.now, checkInterval: 10 },
});
const exhaustedKey = await addKey(service.store, "exhausted");

/** A request with every fault. */
const request = {
  method: "PUT",
  path: "/v1/animals?sort=name",
  key: "psk_wrong",
  body: "[".padEnd(70_000),
  headers: {
    host: "a.example,b.example",
    origin,
    "content-type": "text/plain",
    "content-encoding": "compress",
    "idempotency-key": "two words",
  },
} satisfies Call & { method: string; path: string };

/** Sets the heap usage in percent, and waits until the service responds with `status` to the exhausted key. */
async function setHeap(percent: number, status: number): Promise<void> {
  memory.heap = (percent * memory.heapLimit) / 100;
  const isReached = async () => (await service.call("GET", "/v1/pets", { key: exhaustedKey })).status === status;
  await until(
    async () => (await isReached()) || undefined,
    () => `no response has the status ${status}`,
  );
}

const set = (change: Partial<typeof request>) => () => Object.assign(request, change);
const setHeader = (name: keyof typeof request.headers, value: string) => () => {
  request.headers[name] = value;
};
const json = JSON.stringify(minimalPet);

/** The order of the checks: the fault, the response to it, and a function that removes the fault. */
const order: [fault: string, status: number, code: string, message: RegExp, remove: () => unknown][] = [
  ["Host", 400, "malformed_request", /one Host/, setHeader("host", "a.example")],
  ["path", 404, "path_not_found", /path/, set({ path: "/v1/pets?sort=name" })],
  ["method", 405, "method_not_allowed", /PUT/, set({ method: "POST" })],
  [
    "failures of the address",
    429,
    "too_many_requests",
    /failed authentications/,
    () => Object.assign(time, { now: 10_000 }),
  ],
  ["API key", 401, "unauthorized", /not valid/, set({ key: exhaustedKey })],
  ["overload", 503, "unavailable", /overloaded/, () => setHeap(0, 429)],
  ["rate limit of the key", 429, "too_many_requests", /limit of 50 requests/, set({ key: service.key })],
  ["media type", 415, "unsupported_media_type", /Content-Type/, setHeader("content-type", "application/json")],
  ["size of the body", 413, "content_too_large", /exceeds the limit/, set({ body: "[" })],
  ["content coding", 415, "unsupported_media_type", /-Encoding/, setHeader("content-encoding", "identity")],
  ["JSON", 400, "invalid_body", /JSON/, set({ body: "{}" })],
  ["field", 400, "invalid_body", /'name'/, set({ body: json })],
  ["query", 400, "invalid_parameter", /'sort'/, set({ path: "/v1/pets" })],
  ["header", 400, "invalid_parameter", /Idempotency-Key/, setHeader("idempotency-key", "used")],
  ["idempotency key", 422, "idempotency_key_reused", /a different body/, setHeader("idempotency-key", "new")],
];

t.test("Rejects a request with every fault for one fault after the other, in a fixed order", async (t) => {
  await service.create({ ...minimalPet, name: "Rex" }, { "idempotency-key": "used" });
  for (let n = 0; n < 50; n++) await service.call("GET", "/v1/pets", { key: exhaustedKey });
  for (let n = 0; n < 2; n++) await service.call("GET", "/v1/pets", { key: "psk_wrong" });
  await setHeap(100, 503);

  for (const [fault, status, code, message, remove] of order) {
    t.match(
      await service.call(request.method, request.path, request),
      { status, headers: { "access-control-allow-origin": origin }, body: { code, message } },
      fault,
    );
    await remove();
  }
  const accepted = await service.call(request.method, request.path, request);
  t.match(accepted, { status: 201, headers: { "access-control-allow-origin": origin } }, "accepts it without faults");
});
