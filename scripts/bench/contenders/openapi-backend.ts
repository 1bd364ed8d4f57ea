// openapi-backend with Fastify, as in its README. `strict` is off, because it rejects OpenAPI 3.1. `quick` skips the
// validation of the document, and compiles validators on first use.
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import { type Context, OpenAPIBackend } from "openapi-backend";
import { document } from "./document.ts";
import * as store from "./store.ts";

const fail = (reply: FastifyReply, status: number, code: string, message: string) => {
  reply.code(status);
  return { code, message, status };
};

const api = new OpenAPIBackend({
  definition: document,
  apiRoot: "/v1",
  quick: true,
  coerceTypes: true,
  ajvOpts: { useDefaults: true },
  handlers: {
    listPets: ({ request }: Context) => {
      // openapi-backend has validated and converted the query.
      const { limit, status } = request.query as unknown as { limit: number; status?: store.Status };
      return store.list(limit, status);
    },
    createPet: ({ request }: Context<store.NewPet>, _: FastifyRequest, reply: FastifyReply) => {
      reply.code(201);
      return store.create(request.requestBody);
    },
    getPet: ({ request }: Context, _: FastifyRequest, reply: FastifyReply) => {
      const found = store.find(Number(request.params.petId));
      return found ?? fail(reply, 404, "pet_not_found", `No pet has the id ${request.params.petId}.`);
    },
    unauthorizedHandler: (_: Context, __: FastifyRequest, reply: FastifyReply) =>
      fail(reply, 401, "unauthorized", "A valid API key is needed."),
    validationFail: ({ validation }: Context, _: FastifyRequest, reply: FastifyReply) => {
      const [first] = validation.errors ?? [];
      return fail(reply, 400, "invalid_request", `${first?.instancePath} ${first?.message}`);
    },
    methodNotAllowed: (_: Context, __: FastifyRequest, reply: FastifyReply) =>
      fail(reply, 405, "method_not_allowed", "The path does not have this method."),
    notFound: (_: Context, __: FastifyRequest, reply: FastifyReply) =>
      fail(reply, 404, "path_not_found", "There is nothing at this path."),
  },
  securityHandlers: {
    apiKey: (_: Context, { headers }: FastifyRequest) => store.isAuthorized(headers.authorization),
  },
});
await api.init();

const app = fastify();
app.setErrorHandler<FastifyError>(({ name, code = name, message, statusCode: status = 500 }, _request, reply) => {
  reply.code(status).send({ code, message, status });
});
app.route({
  method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  url: "/*",
  handler: async (request, reply) =>
    api.handleRequest(
      {
        method: request.method,
        path: request.url,
        body: request.body,
        query: request.query as Record<string, string>,
        headers: request.headers as Record<string, string>,
      },
      request,
      reply,
    ),
});
await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
