// Failures of handlers, and what the log says about them.
import { pino } from "pino";
import t from "tap";
import { notImplemented } from "../../../src/http/failure/http-error.ts";
import { createEdge } from "../../../src/http/index.ts";
import { QueryTooSlow } from "../../../src/lib/index.ts";
import { handlers } from "../../../src/pets/handlers.ts";
import { minimalPet, start } from "../../support/service.ts";

const service = await start(t);

t.test("Handles HEAD like GET, without a body", async (t) => {
  const { id } = await service.create(minimalPet);
  const get = await service.call("GET", `/v1/pets/${id}`);
  t.match(await service.call("HEAD", `/v1/pets/${id}`), {
    status: 200,
    text: "",
    headers: { "content-length": get.headers["content-length"] },
  });
  t.match(await service.call("HEAD", "/v1/pets/0"), { status: 404, text: "" });
});

t.test(
  "Shortens what a message repeats of the request, so that it is no longer than the document allows",
  async (t) => {
    const long = "n".repeat(8_000);
    const pet = { json: minimalPet };
    const responses = [
      await service.call("POST", "/v1/pets", { ...pet, headers: { "content-encoding": long } }),
      await service.call("POST", "/v1/pets", { ...pet, headers: { "content-type": `application/${long}` } }),
      await service.call("POST", "/v1/pets", { json: { ...minimalPet, [long]: 1 } }),
      await service.call("POST", "/v1/pets", { json: { ...minimalPet, name: { [long]: long } } }),
      await service.call("POST", "/v1/pets", { json: `{"name":"x","categoryId":1.${"0".repeat(8_000)}1}` }),
      await service.call("POST", "/v1/pets", { json: `{"${long}":1,"${long}":1}` }),
      await service.call("POST", "/v1/pets", { json: `{"${long}` }),
      await service.call("GET", `/v1/pets?${long}=1`),
      await service.call("GET", `/v1/pets?${long}&${long}`),
      await service.call("GET", `/v1/pets?limit=${long}`),
      await service.call("GET", `/v1/pets?status=${long}`),
      await service.call("GET", `/v1/pets/${long}`),
      await service.call("GET", `/v1/${long}`),
      ...(await service.raw(`GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${long}, chunked\r\n\r\n`)),
      ...(await service.raw(`GET / HTTP/1.1\r\nHost: ${long}@\r\n\r\n`)),
      ...(await service.raw(`${long.toUpperCase()} / HTTP/1.1\r\nHost: x\r\n\r\n`)),
    ];
    for (const { status, text } of responses) {
      t.ok(status >= 400);
      t.ok(text.length < 600, `${text.slice(0, 200)} has ${text.length} characters`);
    }
  },
);

t.test("Logs one line per request, with its id and the name of the key, and without secrets", async (t) => {
  const { headers } = await service.call("POST", "/v1/pets?x=secret", { json: { name: "secret" } });
  await service.call("GET", "/v1/pets", { key: "psk_secret" });
  await service.raw("secret\r\n\r\n");
  await service.call("GET", "/v1/pets/psk_secret");
  await service.call("GET", "/psk_secret?psk_secret");
  const lines = service.logs.filter((line) => line.reqId === headers["x-request-id"]);
  t.match(lines, [
    { method: "POST", path: "/v1/pets", operation: "createPet", key: /^test-/, status: 400, ms: Number },
  ]);
  t.equal(lines.length, 1);
  t.notMatch(JSON.stringify(service.logs), /secret|psk_\w/);
});

t.test("Responds with 501 if a handler is not implemented, and with 500 to an error with a status", async (t) => {
  const { call, logs } = await start(t, {
    handlers: {
      ...handlers,
      listPets: () => Promise.reject(notImplemented("listPets")),
      getPet: () => Promise.reject(Object.assign(new Error("secret"), { statusCode: 404 })),
    },
  });
  t.match(await call("GET", "/v1/pets"), {
    status: 501,
    body: { code: "not_implemented", message: "The operation listPets is not implemented yet.", status: 501 },
  });
  const response = await call("GET", "/v1/pets/1");
  t.match(response, { status: 500, body: { code: "internal_error" } });
  t.ok(logs.some((line) => line.reqId === response.headers["x-request-id"] && line.level === 50));
});

t.test("Responds with 500 to a bug in a handler, discloses nothing, and logs it with the request id", async (t) => {
  const { call, logs } = await start(t, {
    handlers: {
      ...handlers,
      listPets: async () => ({ status: 200, body: [{ id: "secret" }] }),
      createPet: async () => ({ status: 201, body: {} }),
      getPet: ({ params }: { params: { petId: number | bigint } }) => {
        if (BigInt(params.petId) === 1n) throw new TypeError("secret");
        // As a socket to a database fails.
        if (BigInt(params.petId) === 3n) throw Object.assign(new Error("secret"), { code: "ECONNRESET" });
        return Promise.reject(new Error("secret"));
      },
    },
  });
  for (const [method, path, type] of [
    ["GET", "/v1/pets/1", "TypeError"],
    ["GET", "/v1/pets/2", "Error"],
    ["GET", "/v1/pets/3", "Error"],
    ["GET", "/v1/pets", "Error"],
    ["POST", "/v1/pets", "Error"],
  ] as const) {
    const response = await call(method, path, method === "POST" ? { json: minimalPet } : {});
    t.match(response, { status: 500, body: { code: "internal_error" } });
    t.notMatch(response.text, /secret/);
    const lines = logs.filter((line) => line.reqId === response.headers["x-request-id"] && line.level === 50);
    t.match(lines, [{ err: { type } }]);
  }
});

t.test("Responds with 500 to an error of a route that is no operation", async (t) => {
  const app = await createEdge({ logger: pino({ level: "silent" }) as never, headers: {} });
  t.teardown(() => app.close());
  app.get("/own", () => {
    throw Object.assign(new Error("a detail"), { code: "EIO" });
  });
  const { statusCode, body } = await app.inject({ url: "/own", headers: { host: "x" } });
  t.equal(statusCode, 500);
  t.match(JSON.parse(body), { code: "internal_error", message: /^An internal error occurred\./ });
});

t.test("Responds with 503 to a query that takes too long, and with when to send it again", async (t) => {
  const app = await createEdge({ logger: pino({ level: "silent" }) as never, headers: {} });
  t.teardown(() => app.close());
  app.get("/own", () => {
    throw new QueryTooSlow("The query is slow.");
  });
  const { statusCode, headers, body } = await app.inject({ url: "/own", headers: { host: "x" } });
  t.match([statusCode, headers["retry-after"]], [503, "10"]);
  t.match(JSON.parse(body), { code: "query_too_slow", message: "The query is slow." });
});
