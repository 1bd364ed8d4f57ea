// node:http with precomputed responses, without a store, checks or JSON: the lower bound for an HTTP service on Node.
import { createServer } from "node:http";
import { list } from "./store.ts";

const toResponse = (content: unknown) => {
  const body = Buffer.from(JSON.stringify(content));
  return { body, headers: { "content-type": "application/json; charset=utf-8", "content-length": body.length } };
};
const pet = toResponse(list(1)[0]);
const pets = toResponse(list(20));
const manyPets = toResponse(list(100));

createServer(({ url }, response) => {
  const path = url as string;
  const ready = path.startsWith("/v1/pets/") ? pet : path.includes("limit=100") ? manyPets : pets;
  response.writeHead(200, ready.headers).end(ready.body);
}).listen(Number(process.env.PORT), "127.0.0.1");
