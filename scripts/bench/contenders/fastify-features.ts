// Fastify by hand with the features of the Pet Store that each request pays for: API keys, validation, ETag and 304, pages with links,
// security headers, request ids and metrics. Not with its limits, load shedding and access log.
import { hash, randomUUID } from "node:crypto";
import fastify from "fastify";
import { failure, pet } from "./schemas.ts";
import * as store from "./store.ts";

const keyLifetime = 5; // milliseconds for which a valid key is reused, as by the Pet Store
const buckets = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]; // milliseconds
const securityHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "private, no-cache",
};
const deprecation = {
  deprecation: "@1795132800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</docs#/Pets/getPet>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
};
const status = { type: "string", enum: ["available", "pending", "sold"] };

const app = fastify({ genReqId: () => randomUUID(), ajv: { customOptions: { removeAdditional: false } } });

let keys = new Set<string>();
let expiry = 0;
app.addHook("onRequest", (request, reply, done) => {
  reply.headers(securityHeaders).header("x-request-id", request.id);
  const { authorization = "" } = request.headers;
  const now = performance.now();
  if (now > expiry) {
    keys = new Set();
    expiry = now + keyLifetime;
  }
  if (!keys.has(authorization)) {
    if (!store.isAuthorized(authorization)) {
      reply.code(401).header("www-authenticate", "Bearer");
      reply.send({ code: "unauthorized", message: "This request requires an API key.", status: 401 });
      return;
    }
    keys.add(authorization);
  }
  done();
});

app.addHook<string>("onSend", (request, reply, body, done) => {
  if (reply.statusCode !== 200) return done(null, body);
  const tag = `"${hash("sha256", body, "base64url").slice(0, 27)}"`;
  reply.header("etag", tag);
  if (request.headers["if-none-match"] !== tag) return done(null, body);
  reply.code(304);
  done(null, null);
});

const requests = new Map<string, number>();
const durations = { counts: buckets.map(() => 0), sum: 0 };
app.addHook("onResponse", ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
  const labels = `${method} ${routeOptions.url} ${statusCode}`;
  requests.set(labels, (requests.get(labels) ?? 0) + 1);
  for (const [index, bucket] of buckets.entries())
    if (elapsedTime <= bucket) durations.counts[index] = (durations.counts[index] as number) + 1;
  durations.sum += elapsedTime;
  done();
});

const query = { limit: { type: "integer", minimum: 1, maximum: 100, default: 20 }, status, cursor: { type: "string" } };
app.get<{ Querystring: store.ListQuery & { limit: number } }>(
  "/v1/pets",
  {
    schema: {
      querystring: { type: "object", properties: query, additionalProperties: false },
      response: { 200: { type: "array", items: pet } },
    },
  },
  ({ query }, reply) => {
    const { limit } = query;
    const page = store.list({ ...query, limit: limit + 1 });
    if (page.length > limit) {
      page.pop();
      const cursor = Buffer.alloc(8);
      cursor.writeBigInt64BE(BigInt(page.at(-1)?.id ?? 0));
      reply.header("link", `</v1/pets?limit=${limit}&cursor=${cursor.toString("base64url")}>; rel="next"`);
    }
    reply.send(page);
  },
);

const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: { name: { type: "string" }, categoryId: { type: "integer" }, status },
  additionalProperties: false,
};
app.post<{ Body: store.NewPet }>(
  "/v1/pets",
  { schema: { body: newPet, response: { 201: pet } } },
  ({ body }, reply) => {
    const created = store.create(body);
    reply.code(201).header("location", `/v1/pets/${created.id}`).send(created);
  },
);

app.get<{ Params: { petId: number } }>(
  "/v1/pets/:petId",
  {
    schema: {
      params: { type: "object", properties: { petId: { type: "integer", minimum: 1 } } },
      querystring: { type: "object", additionalProperties: false },
      response: { 200: pet, 404: failure },
    },
  },
  ({ params }, reply) => {
    reply.headers(deprecation);
    const found = store.find(params.petId);
    if (found) reply.send(found);
    else reply.code(404).send({ code: "pet_not_found", message: `No pet has the id ${params.petId}.`, status: 404 });
  },
);

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
