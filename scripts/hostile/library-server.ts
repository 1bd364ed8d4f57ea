// A service on the library alone: the operations of the Pet Store with data in memory, and operations whose handlers are
// expensive, slow or faulty. Its attacks concern any service that is built with the library.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { createServer, type UntypedHandler } from "../../src/index.ts";

const holdTime = 2_000; // milliseconds for which a handler holds a body
const lines = 500_000;

const content = { "application/json": { schema: {} } };
const responses = { "200": { description: "Done", content } };
const document = parse(readFileSync(new URL("../../openapi/petstore.yaml", import.meta.url), "utf8"));
Object.assign(document.paths, {
  "/lines": {
    get: {
      operationId: "listLines",
      responses: { "200": { description: "Done", content: { "application/jsonl": {} } } },
    },
  },
  "/held": { post: { operationId: "holdBody", requestBody: { "x-max-bytes": 2_000_000, content }, responses } },
  "/mistakes": { get: { operationId: "makeMistake", responses } },
  "/healthz": { servers: [{ url: "/" }], get: { operationId: "getHealth", security: [], responses } },
});

function* createLines() {
  for (let n = 0; n < lines; n++) yield { n, name: `item number ${n}`, tags: ["a", "b"] };
}

const fail = () => {
  throw new Error("a trap");
};
const mistakes = [
  () => fail(),
  () => {
    throw new Proxy({}, { getPrototypeOf: fail, get: fail });
  },
  () => ({ status: 200, headers: { "x y": "1" }, body: 1 }),
  () => ({ status: 200, headers: { trailer: "x" }, body: 1 }),
  () => ({ status: 200, type: "application/json", body: Promise.reject(new Error("not awaited")) }),
];
let calls = 0;

const pets = Array.from({ length: 20 }, (_, id) => ({ id, name: `Rex ${id}`, categoryId: 1, status: "available" }));
const handlers: Record<string, UntypedHandler> = {
  listPets: async () => ({ status: 200, body: pets }),
  createPet: async ({ body }) => ({ status: 201, body: { ...(body as object), id: 1 } }),
  getPet: async () => ({ status: 200, body: pets[0] }),
  listLines: async () => ({ status: 200, body: createLines() }),
  holdBody: async ({ body }) => {
    await sleep(holdTime);
    return { status: 200, body: (body as unknown[]).length };
  },
  getHealth: async () => ({ status: 200, body: "ok" }),
  makeMistake: async () => (mistakes[calls++ % mistakes.length] as () => { status: number })(),
};

const app = await createServer({
  document,
  handlers,
  security: { apiKey: async (key) => ({ name: key }) },
  validateResponses: false, // as in production
});
const origin = await app.listen({ host: "127.0.0.1", port: 0 });
console.error(`Pet Store is listening at ${origin}/v1\n`);
process.once("SIGTERM", () => app.close());
