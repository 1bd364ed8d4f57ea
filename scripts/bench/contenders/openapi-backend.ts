// openapi-backend on Fastify, as its README shows it. Not `strict`, which takes OpenAPI 3.1 for invalid,
// and with `quick`, which leaves that check out and compiles the checks of requests at the first one.
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import { type Context, OpenAPIBackend } from "openapi-backend";
import { document } from "./document.ts";
import * as store from "./store.ts";

const refuse = (reply: FastifyReply, status: number, code: string, message: string) => {
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
      // By now the tool has checked and converted them.
      const { limit, status } = request.query as unknown as { limit: number; status?: store.Status };
      return store.list(limit, status);
    },
    createPet: ({ request }: Context<store.NewPet>, _: FastifyRequest, reply: FastifyReply) => {
      reply.code(201);
      return store.create(request.requestBody);
    },
    getPet: ({ request }: Context, _: FastifyRequest, reply: FastifyReply) => {
      const found = store.find(Number(request.params.petId));
      return found ?? refuse(reply, 404, "pet_not_found", `No pet has the id ${request.params.petId}.`);
    },
    unauthorizedHandler: (_: Context, __: FastifyRequest, reply: FastifyReply) =>
      refuse(reply, 401, "unauthorized", "A valid API key is needed."),
    validationFail: ({ validation }: Context, _: FastifyRequest, reply: FastifyReply) => {
      const [first] = validation.errors ?? [];
      return refuse(reply, 400, "invalid_request", `${first?.instancePath} ${first?.message}`);
    },
    methodNotAllowed: (_: Context, __: FastifyRequest, reply: FastifyReply) =>
      refuse(reply, 405, "method_not_allowed", "The path does not have this method."),
    notFound: (_: Context, __: FastifyRequest, reply: FastifyReply) =>
      refuse(reply, 404, "path_not_found", "There is nothing at this path."),
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
