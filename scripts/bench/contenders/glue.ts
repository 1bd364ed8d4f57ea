// fastify-openapi-glue as in its README, with the validation of Fastify. The only addition is the error handler,
// because the error schema of the document rejects the errors of Fastify.
import { readFileSync } from "node:fs";
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import glue from "fastify-openapi-glue";
import { parse } from "yaml";
import * as store from "./store.ts";

const text = readFileSync(new URL("../../../openapi/petstore.yaml", import.meta.url), "utf8");
const document = { ...parse(text), servers: [{ url: "/v1" }] };

type List = FastifyRequest<{ Querystring: store.ListQuery }>;
type Create = FastifyRequest<{ Body: store.NewPet }>;
type Get = FastifyRequest<{ Params: { petId: number } }>;

class Service {
  async listPets({ query }: List) {
    return store.list(query);
  }
  async createPet({ body }: Create, reply: FastifyReply) {
    reply.code(201);
    return store.create(body);
  }
  async getPet({ params }: Get, reply: FastifyReply) {
    const found = store.find(params.petId);
    if (found) return found;
    reply.code(404);
    return { code: "pet_not_found", message: `No pet has the id ${params.petId}.`, status: 404 };
  }
}

class Security {
  async apiKey({ headers }: FastifyRequest) {
    if (!store.isAuthorized(headers.authorization)) throw new Error("A valid API key is needed.");
  }
}

// The document has keywords of OpenAPI: the documentation recommends to disable the strict mode.
const app = fastify({ ajv: { customOptions: { strict: false } } });
app.setErrorHandler<FastifyError>(({ name, code = name, message, statusCode: status = 500 }, _request, reply) => {
  reply.code(status).send({ code, message, status });
});
await app.register(glue, {
  specification: document,
  serviceHandlers: new Service(),
  securityHandlers: new Security(),
  prefix: "v1",
});
await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
