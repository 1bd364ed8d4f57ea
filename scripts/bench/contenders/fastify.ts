// Fastify without authentication and validation, with response schemas for its fast serializer.
import fastify from "fastify";
import { failure, pet } from "./schemas.ts";
import * as store from "./store.ts";

const app = fastify();

app.get<{ Querystring: store.ListQuery }>(
  "/v1/pets",
  { schema: { response: { 200: { type: "array", items: pet } } } },
  ({ query }, reply) => {
    reply.send(store.list(query));
  },
);

app.post<{ Body: store.NewPet }>("/v1/pets", { schema: { response: { 201: pet } } }, ({ body }, reply) => {
  reply.code(201).send(store.create(body));
});

app.get<{ Params: { petId: string } }>(
  "/v1/pets/:petId",
  { schema: { response: { 200: pet, 404: failure } } },
  ({ params }, reply) => {
    const found = store.find(Number(params.petId));
    if (found) reply.send(found);
    else reply.code(404).send({ code: "pet_not_found", message: `No pet has the id ${params.petId}.`, status: 404 });
  },
);

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
