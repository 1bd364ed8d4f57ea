// Failures outside of the handlers' control: unknown paths and methods, bugs, and their log lines.
import t from "tap";
import { parse } from "yaml";
import { notImplemented } from "../../src/http/errors.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { documentText } from "../support/files.ts";
import { minimalPet, start } from "../support/service.ts";

const service = await start(t);

t.test("Responds with 405 and Allow to a method that the path does not have", async (t) => {
  const rejects = async (method: string, path: string, allow: string) =>
    t.match(
      await service.call(method, path, { key: null }),
      { status: 405, headers: { allow }, body: { code: "method_not_allowed" } },
      `${method} ${path}`,
    );
  for (const [template, item] of Object.entries<object>(parse(documentText).paths)) {
    const declared = Object.keys(item).map((method) => method.toUpperCase());
    const methods = declared.includes("GET") ? [...declared, "HEAD"] : declared;
    const allow = methods.sort().join(", ");
    const path = `/v1${template.replaceAll(/\{\w+\}/g, "x")}`;
    for (const method of ["DELETE", "PUT", "PATCH", "OPTIONS", "PROPFIND", "TRACE"])
      if (!methods.includes(method)) await rejects(method, path, allow);
    await rejects("PROPFIND", path.replace("e", "%65"), allow);
  }
  await rejects("DELETE", "/docs/", "GET, HEAD");
  await rejects("POST", "/healthz", "GET, HEAD");
  await rejects("POST", "/openapi.json", "GET, HEAD");
});

t.test("Responds with 404 to an unknown path, whatever the body", async (t) => {
  const { id } = await service.create(minimalPet);
  for (const path of [
    "/v1/pets/",
    `/v1/pets/${id}/`,
    "/v1",
    "/v1/",
    "/pets",
    "/v1/PETS",
    "/v1//pets",
    "/v2/pets",
    "/nope?x=%zz",
    "/%zz",
    "/docs/static/nope",
    "/v1/nope/nope",
  ])
    t.match(await service.call("GET", path, { key: null }), { status: 404, body: { code: "path_not_found" } }, path);
  for (const type of ["application/json", "text/plain"])
    t.match(
      await service.call("POST", "/nope", { key: null, body: "{", headers: { "content-type": type } }),
      { status: 404 },
      `with a malformed body of ${type}`,
    );
});

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
    body: { code: "not_implemented", message: "The operation listPets is not written yet.", status: 501 },
  });
  const answer = await call("GET", "/v1/pets/1");
  t.match(answer, { status: 500, body: { code: "internal_error" } });
  t.ok(logs.some((line) => line.reqId === answer.headers["x-request-id"] && line.level === 50));
});

t.test("Responds with 500 to a bug in a handler, discloses nothing, and logs it with the request id", async (t) => {
  const { call, logs } = await start(t, {
    handlers: {
      ...handlers,
      listPets: async () => ({ status: 200, body: [{ id: "secret" }] }),
      createPet: async () => ({ status: 201, body: {} }),
      getPet: () => Promise.reject(new Error("secret")),
    },
  });
  for (const [method, path] of [
    ["GET", "/v1/pets/1"],
    ["GET", "/v1/pets"],
    ["POST", "/v1/pets"],
  ] as const) {
    const answer = await call(method, path, method === "POST" ? { json: minimalPet } : {});
    t.match(answer, { status: 500, body: { code: "internal_error" } });
    t.notMatch(answer.text, /secret/);
    t.ok(logs.some((line) => line.reqId === answer.headers["x-request-id"] && line.level === 50));
  }
});
