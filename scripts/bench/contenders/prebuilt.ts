// node:http with prebuilt responses, without a store, checks or JSON: the lower bound for an HTTP service on Node.
import { createServer } from "node:http";
import { list } from "./store.ts";

const toResponse = (content: unknown) => {
  const body = Buffer.from(JSON.stringify(content));
  return { body, headers: { "content-type": "application/json; charset=utf-8", "content-length": body.length } };
};
const pet = toResponse(list({ limit: 1 })[0]);
const pets = toResponse(list({ limit: 20 }));
const manyPets = toResponse(list({ limit: 100 }));

createServer(({ url }, response) => {
  const path = url as string;
  const prebuilt = path.startsWith("/v1/pets/") ? pet : path.includes("limit=100") ? manyPets : pets;
  response.writeHead(200, prebuilt.headers).end(prebuilt.body);
}).listen(Number(process.env.PORT), "127.0.0.1");
