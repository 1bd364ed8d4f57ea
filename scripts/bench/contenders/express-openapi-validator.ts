// Express with express-openapi-validator, as in its documentation. ETags are disabled, because no other contender
// computes a hash of each response.
import express, { type NextFunction, type Request, type Response } from "express";
import { error, middleware } from "express-openapi-validator";
import { document } from "./document.ts";
import * as store from "./store.ts";

const app = express();
app.disable("etag");
app.disable("x-powered-by");
app.use(express.json());
app.use(
  middleware({
    apiSpec: document,
    validateRequests: true,
    validateResponses: false,
    validateSecurity: { handlers: { apiKey: ({ headers }) => store.isAuthorized(headers.authorization) } },
  }),
);

app.get("/v1/pets", ({ query }, response) => {
  // express-openapi-validator has validated and converted the query. The types of Express do not show it.
  const { limit, status } = query as unknown as { limit: number; status?: store.Status };
  response.json(store.list(limit, status));
});

app.post("/v1/pets", ({ body }, response) => {
  response.status(201).json(store.create(body));
});

app.get("/v1/pets/:petId", ({ params }, response) => {
  const found = store.find(Number(params.petId));
  if (!found) throw new error.NotFound({ path: "", message: `No pet has the id ${params.petId}.` });
  response.json(found);
});

app.use(
  (fault: { name?: string; status?: number; message: string }, _: Request, response: Response, __: NextFunction) => {
    const { name = "Error", status = 500, message } = fault;
    response.status(status).json({ code: name, message, status });
  },
);

app.listen(Number(process.env.PORT), "127.0.0.1");
