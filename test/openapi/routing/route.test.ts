// Routes: the handler, the credentials and the body of each operation.
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyReply } from "fastify";
import t from "tap";
import { parse } from "yaml";
import { openApi } from "../../../src/index.ts";
import { handlers } from "../../../src/pets/handlers.ts";
import { editDocument, setOperation, setParameterSchema, setProperties } from "../../support/document.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { minimalPet, start } from "../../support/service.ts";

/** Sends a body that takes more than a second, and calls `meanwhile` before its end. */
function sendSlowly(url: string, credentials: Record<string, string>, meanwhile: () => void): Promise<Response> {
  async function* chunks() {
    yield Buffer.from("[");
    await sleep(1_100);
    meanwhile();
    yield Buffer.from("]");
  }
  const body = Readable.toWeb(Readable.from(chunks())) as ReadableStream;
  const headers = { ...credentials, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body, duplex: "half" });
}

t.test("Accepts requests without a key if the operation's security allows it", async (t) => {
  const { call } = await start(t, {
    document: editDocument(
      setOperation("getPet", { security: [{ apiKey: [] }, {}] }),
      setOperation("createPet", { security: [] }),
    ),
  });
  const post = () => call("POST", "/v1/pets", { key: null, json: minimalPet, headers: { "idempotency-key": "a" } });
  const { status, text } = await post();
  t.equal(status, 201);
  t.equal((await post()).text, text, "clients without a key share their values of Idempotency-Key");
  t.match(await call("GET", "/v1/pets/1", { key: null }), { status: 200 }, "an empty alternative makes it optional");
  t.match(await call("GET", "/v1/pets/1"), { status: 200 });
});

t.test("Keeps responses of operations with credentials out of shared caches", async (t) => {
  const { call } = await start(t, { document: editDocument(setOperation("createPet", { security: [] })) });
  t.match(await call("GET", "/v1/pets"), { status: 200, headers: { "cache-control": "private, no-cache" } });
  t.match(await call("GET", "/v1/pets/1"), { status: 404, headers: { "cache-control": "no-store" } });
  t.match(await call("GET", "/v1/pets", { key: null }), { status: 401, headers: { "cache-control": "no-store" } });
  t.equal((await call("POST", "/v1/pets", { json: minimalPet })).headers["cache-control"], undefined);
});

t.test("Serves an operation without tags, parameters, security and body", async (t) => {
  const ping = {
    operationId: "ping",
    responses: {
      204: { description: "Pong", headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } } },
      default: { $ref: "#/components/responses/Failure" },
    },
  };
  const seen: unknown[] = [];
  const pong = async (call: object) => {
    seen.push(call);
    return { status: 204 };
  };
  const document = editDocument((document) => {
    delete document.security;
    document.paths["/pings"] = { post: ping };
  });
  const service = await start(t, { document, handlers: { ...handlers, ping: pong } });
  t.match(await service.call("POST", "/v1/pings", { key: null }), { status: 204, text: "" });
  t.match(seen, [{ caller: undefined, body: undefined }]);
  const asText = { body: "x", headers: { "content-type": "text/plain" } };
  t.match(await service.call("POST", "/v1/pings", asText), {
    status: 415,
    body: { message: "This operation accepts no body." },
  });
  t.match(await service.call("POST", "/v1/pings?x=1"), { status: 400 });
});

t.test("Checks a credential again if the body took more than a second, also in an app without a logger", async (t) => {
  const paths = `  /notes:
    post:
      operationId: add
      security: [{ token: [] }]
      requestBody: { content: { application/json: { schema: {} } } }
      responses: { 204: { description: x } }
`;
  let isRevoked = false;
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(openApi, {
    document: parse(documentOf(paths, "components: { securitySchemes: { token: { type: http, scheme: bearer } } }")),
    handlers: { add: async () => ({ status: 204 }) },
    security: { token: async () => (isRevoked ? undefined : {}) },
  });
  const url = await app.listen({ port: 0 });
  const post = sendSlowly(`${url}/notes`, { authorization: "Bearer x" }, () => (isRevoked = true));
  t.equal((await post).status, 401);
});

t.test("Calls the handler with the caller of the second check", async (t) => {
  const paths = `  /notes:
    post:
      operationId: add
      security: [{ token: [] }, { key: [] }]
      requestBody: { content: { application/json: { schema: {} } } }
      responses: { 204: { description: x } }
`;
  const schemes =
    "components: { securitySchemes: { token: { type: http, scheme: bearer }, key: { type: apiKey, in: header, name: X-Key } } }";
  let isRevoked = false;
  const { app, calls } = await serve(documentOf(paths, schemes), {
    security: { token: async () => (isRevoked ? undefined : "admin"), key: async () => "guest" },
  });
  t.teardown(() => app.close());
  const url = await app.listen({ port: 0 });
  const post = sendSlowly(`${url}/notes`, { authorization: "Bearer x", "x-key": "y" }, () => (isRevoked = true));
  t.equal((await post).status, 204);
  t.match(calls, [{ caller: "guest" }]);
});

t.test("Fails to start if document and code do not agree, and names the operation", async (t) => {
  const handler = async () => ({ status: 200, body: [] });
  for (const [message, options] of [
    [/handler removePet has no operation in the document/, { handlers: { ...handlers, removePet: handler } }],
    [
      /operation listPets requires the security scheme apiKey of type mutualtls, which no key can satisfy/,
      {
        document: editDocument(({ components }) => {
          components.securitySchemes.apiKey = { type: "mutualTLS" };
        }),
      },
    ],
    [/maxLenght/, { document: editDocument(setProperties("NewPet", { name: { type: "string", maxLenght: 9 } })) }],
    [
      /has the default -1, which must be at least 1/,
      { document: editDocument(setParameterSchema("listPets", "limit", { default: -1 })) },
    ],
  ] as const)
    await t.rejects(start(t, options), { message }, String(message));
});

t.test("A handler can throw any value, also after its response was sent", async (t) => {
  const paths = "  /x:\n    get: { operationId: x, responses: { 204: { description: x } } }\n";
  for (const thrown of [undefined, "text", Object.create(null), new Error("x")]) {
    const { send } = await serve(documentOf(paths), { handlers: { x: () => Promise.reject(thrown) } });
    t.match(await send("GET", "/x"), { status: 500, body: { code: "internal_error" } });
  }
  let sent: FastifyReply | undefined;
  const respond = async () => {
    sent?.send("early");
    throw new Error("late");
  };
  const { app, send } = await serve(documentOf(paths), { handlers: { x: respond } });
  app.addHook("preHandler", async (_, reply) => {
    sent = reply;
  });
  t.match(await send("GET", "/x"), { status: 200, text: "early" });
});
