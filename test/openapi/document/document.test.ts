// The document is the source of truth: an edit changes the service, and unsupported features are rejected.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import t from "tap";
import { parse } from "yaml";
import { readDocument } from "../../../src/pets/document.ts";
import {
  type Change,
  editDocument,
  findOperation,
  setOperation,
  setParameterSchema,
  setSchema,
} from "../../support/document.ts";
import { documentText } from "../../support/files.ts";
import { minimalPet, start } from "../../support/service.ts";

t.test("Serves an edited document without a change of the code", async (t) => {
  const document = editDocument(
    setParameterSchema("listPets", "limit", { maximum: 50, default: 5 }),
    setSchema("PetStatus", { enum: ["available", "pending", "sold", "reserved"] }),
    setOperation("createPet", { deprecated: true, "x-sunset": "2031-06-30" }),
    setOperation("getPet", { security: [] }),
    ({ components }) => Object.assign(components.schemas.NewPet.properties.name, { minLength: 1, maxLength: 10 }),
    (document) => Object.assign(findOperation(document, "createPet").requestBody, { "x-max-bytes": 100 }),
  );
  const service = await start(t, { document });
  t.match(await service.call("GET", "/v1/pets?limit=51"), { status: 400 });
  t.match(await service.call("GET", "/v1/pets?limit=50"), { status: 200 });
  for (let n = 0; n < 6; n++) await service.create({ ...minimalPet, status: "reserved" });
  t.match((await service.call("GET", "/v1/pets?status=reserved")).headers.link, /limit=5&/);
  t.match((await service.call("POST", "/v1/pets", { json: minimalPet })).headers, {
    deprecation: `@${Date.parse(parse(documentText).info["x-released"]) / 1000}`,
    sunset: "Mon, 30 Jun 2031 00:00:00 GMT",
    link: '</docs#/Pets/createPet>; rel="deprecation"; type="text/html"',
  });
  t.match(
    await service.call("GET", "/v1/pets/1", { key: null }),
    { status: 200 },
    "needs no credential if the operation has no security",
  );
  t.match(await service.call("GET", "/v1/pets", { key: null }), { status: 401 });
  t.match(await service.call("POST", "/v1/pets", { json: { ...minimalPet, name: "x".repeat(11) } }), { status: 400 });
  t.match((await service.call("POST", "/v1/pets", { json: { ...minimalPet, name: "" } })).body, {
    message: /at least one character/,
  });
  t.match(await service.call("POST", "/v1/pets", { json: { ...minimalPet, name: "x".repeat(100) } }), { status: 413 });
});

const setServers =
  (servers: object[]): Change =>
  (document) =>
    Object.assign(document, { servers });

t.test("Mounts the operations at the path of the first server, and /docs beside it", async (t) => {
  const document = editDocument(setServers([{ url: "/shop/v7" }]));
  const service = await start(t, { document });
  const { status, headers } = await service.call("GET", "/shop/v7/pets/1");
  t.equal(status, 404);
  const [, docs = ""] = /<([^>]*)>; rel="deprecation"/.exec(headers.link ?? "") ?? [];
  t.equal(docs, "/docs#/Pets/getPet");
  t.match(await service.call("GET", "/docs/", { key: null }), { status: 200 });
});

t.test("Takes the base path also from a relative server URL", async (t) => {
  for (const url of ["/v7", "/pet-store/v7.1"])
    t.equal((await readDocument(editDocument(setServers([{ url }])))).basePath, url);
});

t.test("Rejects an invalid or unsupported document, with the reason", async (t) => {
  for (const [message, ...changes] of [
    [/must have required property 'version'/, ({ info }) => Object.assign(info, { version: undefined })],
    [
      /invalid: it must have openapi: 3.0.x, 3.1.x or 3.2.x/,
      (document) => Object.assign(document, { openapi: "4.0.0" }),
    ],
    [
      /has the reference .*NoSuch, which leads to nothing/,
      setSchema("Pets", { items: { $ref: "#/components/schemas/NoSuch" } }),
    ],
    [
      /getPet has an operationId that another operation has \(line \d+, column \d+\) \[operation-id\]/,
      setOperation("createPet", { operationId: "getPet" }),
    ],
    [
      /first server must have a path such as \/v1\./,
      ({ servers }) => Object.assign(servers[0].variables.base_url, { default: "https://x.example/" }),
    ],
    [/first server must have a path such as \/v1\./, (document) => Object.assign(document, { servers: undefined })],
    [/first server must have a path such as \/v1\./, ({ servers }) => Object.assign(servers[0], { url: "{other}" })],
    [/must have required property 'info'/, (document) => Object.assign(document, { info: undefined })],
  ] as [RegExp, ...Change[]][])
    await t.rejects(async () => readDocument(editDocument(...changes)), { message }, String(message));
  for (const text of ["{", "", "---", "[]", "7"])
    await t.rejects(readDocument(text), /document is invalid/, `the document ${text}`);
});

t.test("Serves the document as written, with the addresses of BASE_URL and STAGING_BASE_URL", async (t) => {
  const plain = await start(t);
  const get = async (service: typeof plain, path: string) => (await service.call("GET", path, { key: null })).text;
  const written = parse(documentText);
  const served = JSON.parse(await get(plain, "/openapi.json"));
  t.same({ ...served, servers: 0 }, { ...written, servers: 0 }, "as written");
  t.same(served.servers, [{ url: "/v1", description: "This service" }]);
  t.same(parse(await get(plain, "/openapi.yaml")), served, "YAML and JSON are equal");
  t.match(await get(plain, "/openapi.yaml"), /^# The contract of the Pet Store/, "YAML keeps the comments");

  const configured = await start(t, {
    settings: { BASE_URL: "https://a.example/v1", STAGING_BASE_URL: "https://b.example/v1" },
  });
  t.match(JSON.parse(await get(configured, "/openapi.json")).servers, [
    { url: "https://a.example/v1", description: "Production" },
    { url: "https://b.example/v1", description: "Staging" },
  ]);
  await configured.create(minimalPet);
  await configured.create(minimalPet);
  t.match(
    (await configured.call("GET", "/v1/pets?limit=1")).headers.link,
    /^<https:\/\/a.example\/v1\/pets\?limit=1&cursor=/,
  );
});

t.test("Every example of the document is valid against its schema", async (t) => {
  const validator = new Validator();
  await validator.validate(parse(documentText));
  const ajv = addFormats.default(new Ajv2020({ strict: false, addUsedSchema: false }));
  let found = 0;
  const check = (schema: object, value: unknown, path: string) => {
    found += 1;
    t.ok(ajv.compile(schema)(value), `${path}: ${JSON.stringify(value)}`);
  };
  const walk = (node: unknown, path: string): void => {
    if (node === null || typeof node !== "object") return;
    const { schema, example, examples } = node as { schema?: object; example?: unknown; examples?: object };
    if (schema && example !== undefined) check(schema, example, path);
    if (schema && examples) for (const { value } of Object.values(examples)) check(schema, value, path);
    if (!schema && Array.isArray(examples)) for (const value of examples) check(node, value, path);
    for (const [key, child] of Object.entries(node)) if (!/^examples?$/.test(key)) walk(child, `${path}/${key}`);
  };
  walk(validator.resolveRefs(), "");
  t.ok(found > 100, `${found} examples`);
});

t.test("Accepts the examples of a request body", async (t) => {
  const service = await start(t);
  const { examples } = parse(documentText).paths["/pets"].post.requestBody.content["application/json"];
  for (const { value } of Object.values<{ value: object }>(examples))
    t.match(await service.call("POST", "/v1/pets", { json: value }), { status: 201 });
});
