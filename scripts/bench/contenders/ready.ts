// node:http that hands out bytes made once at the start and looks at no more than the path: no
// store, no checks, no JSON. Below this, no HTTP service on Node can go.
import { createServer } from "node:http";
import { list } from "./store.ts";

const toAnswer = (content: unknown) => {
  const body = Buffer.from(JSON.stringify(content));
  return { body, headers: { "content-type": "application/json; charset=utf-8", "content-length": body.length } };
};
const pet = toAnswer(list(1)[0]);
const pets = toAnswer(list(20));
const manyPets = toAnswer(list(100));

createServer(({ url }, response) => {
  const path = url as string;
  const answer = path.startsWith("/v1/pets/") ? pet : path.includes("limit=100") ? manyPets : pets;
  response.writeHead(200, answer.headers).end(answer.body);
}).listen(Number(process.env.PORT), "127.0.0.1");
