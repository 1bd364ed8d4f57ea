// The service against what was not written with it: Prism, and the document's own examples.

import { isDeepStrictEqual } from "node:util";
import t from "tap";
import { parse } from "yaml";
import { Unavailable } from "../src/errors.ts";
import { handlers } from "../src/handlers.ts";
import { openStore } from "../src/store/open.ts";
import type { Answer } from "./support/answers.ts";
import { documentText, edit } from "./support/files.ts";
import { startPrism } from "./support/prism.ts";
import { start } from "./support/service.ts";

t.test("Prism does refuse what is not as the document says", async (t) => {
  const { origin, port, key, create } = await start(t);
  await create({ name: "Rex", categoryId: 7 });
  const send = async (port: number, path: string): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const text = await answer.text();
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: undefined };
  };
  const through = async (...edits: [string, string][]) => {
    const prism = await startPrism(t, `${origin}/v1`, edit(documentText, ...edits));
    return (path: string) => prism(send, port, path);
  };
  const strict = await through(
    ["[id, name, categoryId]", "[id, name, categoryId, status]"],
    ["maximum: 100", "maximum: 10"],
  );
  await t.rejects(strict("/v1/pets"), { message: /Prism refuses the answer.*status/ }, "an answer without a field");
  await t.rejects(strict("/v1/pets?limit=11"), { message: /Prism refuses the request .*limit=11.*answers 200/ });
  t.match(await (await through([": List animals", ": List"]))("/v1/pets"), { status: 200 }, "and passes what is");
});

t.test("every example of the document is what the service takes and gives", async (t) => {
  const document = parse(documentText);
  const service = await start(t, { prism: true });
  const { call } = service;
  const rex = { name: "Rex", categoryId: 7, status: "available" };
  const fault = async () => {
    throw new Error("a fault");
  };
  const store = await openStore("sqlite::memory:");
  t.teardown(() => store.close());
  const away = async () => {
    throw new Unavailable("The store can't be reached now.");
  };
  const faulty = await start(t, { handlers: { ...handlers, getPet: fault } });
  const limited = await start(t, { settings: { RATE_LIMIT: "100/60s" } });
  const stopped = await start(t, { store: { ...store, pets: { ...store.pets, list: away } } });
  const create = (example: string) => {
    const { value } = document.paths["/pets"].post.requestBody.content["application/json"].examples[example];
    return call("POST", "/v1/pets", { json: value });
  };

  // What is sent for each example, in this order; the answer must be the example, word for word.
  const sent: Record<string, () => Promise<Answer>> = {
    "listPets 200 none": () => call("GET", "/v1/pets?status=sold"),
    "createPet 201 complete": () => create("complete"),
    "createPet 201 least": () => create("least"),
    "listPets 200 page": () => call("GET", "/v1/pets"),
    "getPet 200 found": () => call("GET", `/v1/pets/${document.paths["/pets/{petId}"].get.parameters[0].example}`),
    "BadRequest parameter": () => call("GET", "/v1/pets?limit=101"),
    "BadRequest body": () => call("POST", "/v1/pets", { json: { name: "Rex" } }),
    "Unauthorized missing": () => call("GET", "/v1/pets", { key: null }),
    "NotFound pet": () => call("GET", "/v1/pets/42"),
    "MethodNotAllowed method": () => call("DELETE", "/v1/pets"),
    "ContentTooLarge size": () => call("POST", "/v1/pets", { json: `"${"x".repeat(70_000)}"` }),
    "UnsupportedMediaType type": () =>
      call("POST", "/v1/pets", { body: "name=Rex", headers: { "content-type": "text/plain" } }),
    "UnprocessableContent reused": async () => {
      const headers = { "idempotency-key": "one" };
      await call("POST", "/v1/pets", { json: rex, headers });
      return call("POST", "/v1/pets", { json: { ...rex, name: "Tom" }, headers });
    },
    "InternalError fault": () => faulty.call("GET", "/v1/pets/1"),
    "TooManyRequests quota": async () => {
      let answer = await limited.call("GET", "/v1/pets");
      for (let n = 0; n < 100; n++) answer = await limited.call("GET", "/v1/pets");
      const { body } = answer as { body: { message: string } };
      return { ...answer, body: { ...body, message: body.message.replace(/\d+(?= seconds\.$)/, "12") } };
    },
    "Unavailable store": () => stopped.call("GET", "/v1/pets"),
    "Failure headers": async () => {
      const long = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`;
      return (await service.raw(long))[0] as Answer;
    },
  };

  type Content = { example?: unknown; examples?: Record<string, { value: unknown }> };
  type Response = { content?: Record<string, Content> };
  const inAnswers = (name: string, { content = {} }: Response) =>
    Object.values(content).flatMap(({ example, examples = example ? { example: { value: example } } : {} }) =>
      Object.entries(examples).map(([label, { value }]) => ({ name: `${name} ${label}`, value })),
    );
  const written = [
    ...Object.values<Record<string, { operationId: string; responses: Record<string, Response> }>>(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([, response]) => !("$ref" in response))
          .flatMap(([status, response]) => inAnswers(`${operationId} ${status}`, response)),
      ),
    ...Object.entries<Response>(document.components.responses).flatMap(([name, response]) => inAnswers(name, response)),
  ];
  const examples = new Map(written.map(({ name, value }) => [name, value]));
  for (const [name, send] of Object.entries(sent)) {
    t.same((await send()).body, examples.get(name), name);
    examples.delete(name);
  }
  t.same([...examples.keys()], [], "none is left out");

  // The examples of schemas and of headers are the same again.
  const bodies = written.map(({ value }) => value);
  const { NewPet, ...others } = document.components.schemas;
  for (const json of NewPet.examples) t.match(await call("POST", "/v1/pets", { json }), { status: 201 });
  for (const [name, { examples = [] }] of Object.entries<{ examples?: unknown[] }>(others))
    for (const example of examples)
      t.ok(
        bodies.some((body) => isDeepStrictEqual(body, example)),
        `an example of ${name}`,
      );
  for (let n = 0; n < 20; n++) await service.create({ name: "Tom", categoryId: 3 });
  const counted = await start(t, { settings: { RATE_LIMIT: "100/60s" } });
  for (let n = 0; n < 42; n++) await counted.call("GET", "/v1/pets");
  const given: Record<string, Answer> = {
    RateLimit: await counted.call("GET", "/v1/pets"),
    "RateLimit-Policy": await counted.call("GET", "/v1/pets"),
    Deprecation: await call("GET", "/v1/pets/1"),
    Sunset: await call("GET", "/v1/pets/1"),
    "WWW-Authenticate": await call("GET", "/v1/pets", { key: null }),
    Allow: await call("DELETE", "/v1/pets"),
    "Retry-After": await stopped.call("GET", "/v1/pets"),
    Link: await call("GET", "/v1/pets?limit=20"),
    "X-Request-Id": await call("GET", "/v1/pets"),
  };
  // What is made anew each time is of the same form.
  const form = (text: unknown) => String(text).replace(/(?<=cursor=)[\w-]{32}(?=>)|^[0-9a-f-]{36}$|(?<=;t=)\d+$/, "…");
  for (const [name, { example }] of Object.entries<{ example: unknown }>(document.components.headers))
    t.equal(form(given[name]?.headers[name.toLowerCase()]), form(example), `the example of ${name}`);
});
