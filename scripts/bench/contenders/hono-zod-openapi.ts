// Hono with @hono/zod-openapi on Node, as in the documentation: Zod schemas define validation and document.
import { serve } from "@hono/node-server";
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { bearerAuth } from "hono/bearer-auth";
import { HTTPException } from "hono/http-exception";
import * as store from "./store.ts";

const Status = z.enum(["available", "pending", "sold"]);
const NewPet = z
  .strictObject({
    name: z
      .string()
      .max(1000)
      .regex(/^[^\u0000]*$/),
    categoryId: z.int(),
    status: Status.optional(),
  })
  .openapi("NewPet");
const Pet = z.object({ id: z.int(), ...NewPet.shape }).openapi("Pet");
const Failure = z.object({ code: z.string(), message: z.string(), status: z.int() }).openapi("Error");

const json = <T>(schema: T, description: string) => ({ content: { "application/json": { schema } }, description });
const security = [{ apiKey: [] }];
const listPets = createRoute({
  method: "get",
  path: "/pets",
  security,
  request: {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      status: Status.optional(),
      cursor: z.string().max(200).optional(),
    }),
  },
  responses: { 200: json(z.array(Pet), "The animals.") },
});
const createPet = createRoute({
  method: "post",
  path: "/pets",
  security,
  request: { body: { ...json(NewPet, "The animal to add."), required: true } },
  responses: { 201: json(Pet, "The animal was added.") },
});
const getPet = createRoute({
  method: "get",
  path: "/pets/{petId}",
  security,
  request: { params: z.object({ petId: z.coerce.number().int() }) },
  responses: { 200: json(Pet, "The animal."), 404: json(Failure, "There is no such animal.") },
});

const app = new OpenAPIHono({
  defaultHook: (result, c) => {
    if (!result.success)
      return c.json({ code: "invalid_request", message: z.prettifyError(result.error), status: 400 }, 400);
  },
}).basePath("/v1");
const unauthorized = { message: { code: "unauthorized", message: "A valid API key is needed.", status: 401 } };
app.use(
  bearerAuth({
    verifyToken: (key) => store.isKey(key),
    noAuthenticationHeader: unauthorized,
    invalidToken: unauthorized,
  }),
);
app.onError((error, c) => {
  if (error instanceof HTTPException && error.res) return error.res;
  const status = error instanceof HTTPException ? error.status : 500;
  return c.json({ code: error.name, message: error.message, status }, status);
});

app.openapi(listPets, (c) => c.json(store.list(c.req.valid("query")), 200));
app.openapi(createPet, (c) => c.json(store.create(c.req.valid("json")), 201));
app.openapi(getPet, (c) => {
  const { petId } = c.req.valid("param");
  const found = store.find(petId);
  return found
    ? c.json(found, 200)
    : c.json({ code: "pet_not_found", message: `No pet has the id ${petId}.`, status: 404 }, 404);
});
app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", { type: "http", scheme: "bearer" });
app.doc31("/openapi.json", { openapi: "3.1.0", info: { title: "Pet Store", version: "1.0.0" } });

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT) });
