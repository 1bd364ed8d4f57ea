// Documents in which another tool has replaced the references: recursive schemas are objects that contain themselves.
import { pino } from "pino";
import t from "tap";
import { createServer } from "../../../src/index.ts";
import { readDocument } from "../../../src/openapi/index.ts";

type Schema = { type: string; properties?: Record<string, unknown>; [keyword: string]: unknown };

const responses = { 204: { description: "x" } };
const post = (schema: object) => ({
  post: { requestBody: { content: { "application/json": { schema } } }, responses },
});
const documentOf = (paths: object, schemas: object = {}) => {
  return { openapi: "3.1.0", info: { title: "x", version: "1" }, paths, components: { schemas } };
};

t.test("A schema that contains itself is served, and the object that was passed does not change", async (t) => {
  const tree: Schema = { type: "object", properties: { name: { type: "string" } } };
  Object.assign(tree.properties as object, { left: tree, others: { type: "array", items: tree } });
  const document = documentOf({ "/a": post(tree), "/b": post({ type: "array", items: tree }) });
  const app = await createServer({ document, mock: true, docs: false, logger: pino({ level: "silent" }) });
  const send = async (url: string, payload: object) =>
    (await app.inject({ method: "POST", url, payload, headers: { "content-type": "application/json" } })).statusCode;
  t.equal(await send("/a", { left: { left: { name: "x" } }, others: [{ others: [] }] }), 204);
  t.equal(await send("/a", { left: { left: { name: 5 } } }), 400);
  t.equal(await send("/a", { others: [{ left: { name: 5 } }] }), 400);
  t.equal(await send("/b", [{ left: { name: "x" } }]), 204);
  t.equal(await send("/b", [{ left: { name: 5 } }]), 400);
  await app.close();
  t.equal((tree.properties as { left: object }).left, tree);
});

t.test("A recursive part is written once, in the outermost place, and others refer to it", async (t) => {
  const person: Schema = { type: "object" };
  const pet: Schema = { type: "object", properties: { owner: person } };
  person.properties = { pets: { type: "array", items: pet }, "a/b c": person };
  const { content } = await readDocument(
    documentOf({ "/a": post(pet), "/b": post(person) }, { Pet: pet, Person: person }),
  );
  const text = JSON.stringify(content);
  t.ok(text.length < 900, "nothing is repeated");
  t.match(content.components?.schemas, {
    Pet: { type: "object" },
    Person: { properties: { "a/b c": { $ref: "#/components/schemas/Person" } } },
  });
  const { content: inner } = await readDocument(documentOf({ "/a": post(person) }));
  const schema = "#/paths/~1a/post/requestBody/content/application~1json/schema";
  t.match(JSON.stringify(inner), `{"$ref":"${schema}"}`);
});

t.test("Many schemas that contain each other are read in linear time", async (t) => {
  const schemas = Array.from({ length: 300 }, (): Schema => ({ type: "object" }));
  for (const schema of schemas)
    schema.properties = Object.fromEntries(schemas.map((other, index) => [`p${index}`, other]));
  const start = performance.now();
  const { findings } = await readDocument(
    documentOf(
      { "/a": post(schemas[0] as Schema) },
      Object.fromEntries(schemas.map((schema, index) => [`S${index}`, schema])),
    ),
  );
  t.same(findings.list(), []);
  t.ok(performance.now() - start < 20_000);
});

t.test(
  "A document whose schemas repeat too many values is served, and shared values that are no schemas stay",
  async (t) => {
    const xml = { name: "x" };
    let schema: object = { type: "string", xml };
    for (let level = 0; level < 25; level++) schema = { anyOf: [schema, { items: schema }], xml, examples: [xml] };
    const { content, findings } = await readDocument(documentOf({ "/a": post(schema) }));
    t.same(findings.list(), []);
    t.ok(JSON.stringify(content).length < 20_000);
    t.match(content.paths, { "/a": post({ xml: { name: "x" }, examples: [{ name: "x" }] }) });
  },
);

t.test("Other parts that contain themselves are an error", async (t) => {
  const list: unknown[] = [];
  list.push(list);
  const item: Record<string, unknown> = { get: { responses } };
  Object.assign(item, { get: { responses, callbacks: { a: { "{$url}": item }, b: { "{$url}": item } } } });
  for (const [name, paths] of [
    ["a list of schemas", { "/a": post({ allOf: list }) }],
    ["an example", { "/a": post({ example: list }) }],
    ["a path", { "/a": item }],
  ] as const)
    await t.rejects(
      readDocument(documentOf(paths)),
      { message: /a part of it contains itself \(#\/paths\/.*\)\.$/ },
      name,
    );
});
