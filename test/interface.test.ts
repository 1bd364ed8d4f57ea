// The interface, literally: operations, fields, types, limits, defaults, statuses, dates and version. No other test
// repeats them. The document may make compatible additions.
import t, { type Test } from "tap";
import { parse } from "yaml";
import { documentText, released } from "./support/files.ts";
import type { Pet } from "./support/pets.ts";
import type { HttpResponse } from "./support/responses.ts";
import { start } from "./support/service.ts";

const newPetFields = {
  name: { type: "string" },
  categoryId: { type: "integer", format: "int64" },
  status: "PetStatus",
};
const schemas = {
  NewPet: { required: ["name", "categoryId"], fields: newPetFields },
  Pet: {
    required: ["id", "name", "categoryId"],
    fields: { id: { type: "integer", format: "int64" }, ...newPetFields },
  },
  Error: {
    required: ["code", "message", "status"],
    fields: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
  },
};
const operations = {
  listPets: {
    method: "get",
    path: "/pets",
    parameters: {
      limit: { in: "query", required: false, schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
      status: { in: "query", required: false, schema: "PetStatus" },
    },
    responses: { 200: "Pets", 401: "Error" },
  },
  createPet: {
    method: "post",
    path: "/pets",
    parameters: {},
    body: "NewPet",
    responses: { 201: "Pet", 400: "Error", 401: "Error" },
  },
  getPet: {
    method: "get",
    path: "/pets/{petId}",
    parameters: { petId: { in: "path", required: true, schema: { type: "integer", format: "int64" } } },
    responses: { 200: "Pet", 401: "Error", 404: "Error" },
  },
};
const statuses = ["available", "pending", "sold"];
const minimal = { name: "Tom", categoryId: 3 };
const json = "application/json";

type Node = ReturnType<typeof parse>;

for (const [name, text] of [
  ["The document", documentText],
  ["The released document 1.0.0", released],
] as const) {
  const document: Node = parse(text);
  const resolve = (node: Node): Node =>
    node?.$ref === undefined
      ? node
      : node.$ref
          .slice(2)
          .split("/")
          .reduce((at: Node, key: string) => at[key], document);
  // A string is the name of a schema.
  const matches = (t: Test, node: Node, expected: string | object, message: string) =>
    typeof expected === "string"
      ? t.equal(node?.$ref, `#/components/schemas/${expected}`, message)
      : t.match(resolve(node), expected, message);

  t.test(`${name} has the fields of each schema`, async (t) => {
    const { PetStatus, Pets, ...others } = document.components.schemas;
    t.match(PetStatus, { type: "string" });
    t.same(PetStatus.enum, statuses);
    t.equal(PetStatus.default, undefined);
    t.match(Pets, { type: "array", items: { $ref: "#/components/schemas/Pet" } });
    for (const [shape, { required, fields }] of Object.entries(schemas)) {
      t.equal(others[shape].type, "object");
      t.same(others[shape].required, required, `required fields of ${shape}`);
      for (const [field, expected] of Object.entries(fields)) {
        const property = others[shape].properties[field];
        matches(t, property, expected, `${shape}.${field}`);
        t.equal(property.default, undefined, `${shape}.${field} has no default`);
      }
    }
    const { NewPet, Pet } = others;
    t.equal(NewPet.properties.id, undefined, "clients never supply the id");
    t.same(Object.keys(Pet.properties), ["id", ...Object.keys(NewPet.properties)], "Pet is NewPet and an id");
  });

  t.test(`${name} has each operation, its parameters, body and responses`, async (t) => {
    for (const [id, { method, path, parameters, responses, ...rest }] of Object.entries(operations)) {
      const operation = document.paths[path][method];
      t.equal(operation.operationId, id);
      t.equal(operation.deprecated ?? false, id === "getPet", `deprecated: ${id}`);
      t.equal(operation["x-stability"], undefined, `${id} has no stability marker`);
      for (const [parameter, { schema, ...expected }] of Object.entries(parameters)) {
        const declared = operation.parameters.find((one: Node) => one.name === parameter);
        t.match({ required: false, ...declared }, expected, `${id} ${parameter}`);
        matches(t, declared.schema, schema, `${id} ${parameter}`);
      }
      const added = (operation.parameters ?? []).filter((one: Node) => !(one.name in parameters));
      t.notOk(
        added.some((one: Node) => one.required),
        `${id} requires no other parameter`,
      );
      t.equal(operation.requestBody?.required, "body" in rest ? true : undefined);
      if ("body" in rest) matches(t, operation.requestBody.content[json].schema, rest.body, `body of ${id}`);
      for (const [status, shape] of Object.entries(responses))
        matches(t, resolve(operation.responses[status]).content[json].schema, shape, `${id} ${status}`);
      const [requirement, ...alternatives] = operation.security ?? document.security;
      t.same(alternatives, [], `${id} has one security requirement`);
      const [scheme] = Object.keys(requirement);
      t.match(document.components.securitySchemes[scheme as string], { type: "http", scheme: "bearer" });
    }
  });

  t.test(`${name} has the deprecation, version, addresses and groups of the interface`, async (t) => {
    const { get: getPet } = document.paths["/pets/{petId}"];
    t.match(getPet, { "x-sunset": "2030-12-05", "x-successor": "listPets" });
    t.match(getPet.description, /5 December 2030.*`listPets`.*`status`\s+filter/s);
    t.match(document.info.version, name.endsWith("1.0.0") ? /^1\.0\.0$/ : /^1\.\d+\.\d+$/);
    t.match(document.servers, [
      { url: "{base_url}", variables: { base_url: { default: /\/v1$/ } } },
      { url: "{staging_base_url}", variables: { staging_base_url: { default: /\/v1$/ } } },
    ]);
    t.equal(document.servers.length, 2);
    for (const groups of [document.tags, document["x-tagGroups"]])
      t.same(
        groups.map(({ name }: Node) => name),
        ["Pets", "Store"],
      );
  });
}

t.test("Each operation of the document declares the failures that every operation can have", async (t) => {
  const items: Record<string, { responses: object }>[] = Object.values(parse(documentText).paths);
  for (const { responses } of items.flatMap((item) => Object.values(item)))
    for (const status of ["400", "401", "405", "429", "500", "503", "default"]) t.ok(status in responses, status);
});

t.test("The document limits a name to 1,000 characters, and a body to 65,536 bytes", async (t) => {
  const { paths, components }: Node = parse(documentText);
  for (const shape of ["NewPet", "Pet"]) t.equal(components.schemas[shape].properties.name.maxLength, 1_000, shape);
  t.equal(paths["/pets"].post.requestBody["x-max-bytes"], 65_536);
});

const service = await start(t);
const create = (json: unknown) => service.call("POST", "/v1/pets", { json });

/** Creates a pet without Prism, which rejects an int64 beyond 2^53, and removes white space from a body. */
async function createDirectly(body: string): Promise<HttpResponse> {
  const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: ${json}`;
  const length = Buffer.byteLength(body);
  const [response] = await service.raw(`POST /v1/pets HTTP/1.1\r\n${head}\r\nContent-Length: ${length}\r\n\r\n${body}`);
  return response as HttpResponse;
}

function isError(t: Test, { status, headers, body }: HttpResponse, expected: number, message: string): void {
  t.match(headers["content-type"], /^application\/json\b/);
  t.match(body, { code: /^[a-z_]+$/, message: /./, status: expected });
  t.match({ status, body: Object.keys(body as object) }, { status: expected, body: schemas.Error.required }, message);
}

t.test("listPets", async (t) => {
  const list = async (query = "") => (await service.call("GET", `/v1/pets${query}`)).body as Pet[];
  const empty = await service.call("GET", "/v1/pets");
  t.match(empty, { status: 200, text: "[]", headers: { "content-type": /^application\/json\b/ } }, "no pets");
  for (let n = 0; n <= 100; n++) await service.create({ name: `pet ${n}`, categoryId: n, status: statuses[n % 3] });

  t.equal((await list()).length, 20, "limit is 20 by default");
  t.equal((await list("?limit=1")).length, 1);
  t.equal((await list("?limit=100")).length, 100);
  for (const limit of ["0", "101", "-1"]) {
    const response = await service.call("GET", `/v1/pets?limit=${limit}`);
    isError(t, response, 400, `rejects limit ${limit}`);
    t.match(response.body, { code: "invalid_parameter", message: /limit/ });
  }
  for (const status of statuses) {
    const pets = await list(`?status=${status}&limit=100`);
    t.ok(pets.length > 30 && pets.every((pet) => pet.status === status), `only pets that are ${status}`);
  }
  const response = await service.call("GET", "/v1/pets?status=lost");
  isError(t, response, 400, "rejects another status");
  t.match(response.body, { message: /available, pending, sold/ });
});

t.test("createPet", async (t) => {
  const knownFields = Object.keys(parse(documentText).components.schemas.NewPet.properties).join(", ");
  const full = await create({ name: "Rex", categoryId: 7, status: "available" });
  const { id } = full.body as Pet;
  t.match(full, { status: 201, text: `{"id":${id},"name":"Rex","categoryId":7,"status":"available"}` });
  t.match(full.headers["content-type"], /^application\/json\b/);
  const next = BigInt(id) + 1n;
  t.match(
    await create(minimal),
    { status: 201, text: `{"id":${next},"name":"Tom","categoryId":3}` },
    "assigns a new id, and omits a status that was not given",
  );
  for (const status of statuses) t.match(await create({ ...minimal, status }), { status: 201, body: { status } });
  for (const digits of ["9223372036854775807", "-9223372036854775808"]) {
    const response = await createDirectly(`{"name":"Tom","categoryId":${digits}}`);
    t.match(response, { status: 201, text: new RegExp(`"categoryId":${digits}}`) }, "int64");
  }
  for (const [json, message] of [
    [{ categoryId: 1 }, /must have the field 'name'/],
    [{ name: "x" }, /must have the field 'categoryId'/],
    [{ ...minimal, status: "lost" }, /field 'status' must be one of: available, pending, sold/],
    [{ ...minimal, status: null }, /status/],
    [{ ...minimal, name: 7 }, /field 'name' must be a string/],
    [{ ...minimal, categoryId: "3" }, /field 'categoryId' must be an integer/],
    [{ ...minimal, categoryId: 1.5 }, /field 'categoryId' must be an integer/],
    ['{"name":"x","categoryId":9223372036854775808}', /field 'categoryId' must be an integer/],
    [{ ...minimal, id: 7 }, new RegExp(`unknown field 'id'\\. Known fields: ${knownFields}\\.`)],
    [[], /body must be an object/],
    ["null", /body must be an object/],
    [undefined, /must have a body/],
  ] as const) {
    const response = await create(json);
    isError(t, response, 400, `rejects ${JSON.stringify(json)}`);
    t.match(response.body, { code: "invalid_body", message });
  }
});

t.test("createPet accepts names of 1,000 characters and bodies of 65,536 bytes at most", async (t) => {
  for (const character of ["x", "🐕"]) {
    t.match(await create({ ...minimal, name: character.repeat(1_000) }), { status: 201 });
    const response = await create({ ...minimal, name: character.repeat(1_001) });
    isError(t, response, 400, `rejects 1,001 times ${character}`);
    t.match(response.body, { code: "invalid_body", message: /field 'name' must have at most 1000 characters/ });
  }
  const body = JSON.stringify(minimal);
  t.match(await createDirectly(body.padEnd(65_536)), { status: 201 });
  const tooLarge = await createDirectly(body.padEnd(65_537));
  isError(t, tooLarge, 413, "rejects 65,537 bytes");
  t.match(tooLarge.body, { code: "content_too_large", message: /limit of 65536 bytes/ });
});

t.test("getPet", async (t) => {
  const { id } = await service.create({ ...minimal, status: "sold" });
  const found = await service.call("GET", `/v1/pets/${id}`);
  t.match(found, { status: 200, text: `{"id":${id},"name":"Tom","categoryId":3,"status":"sold"}` });
  t.match(found.headers["content-type"], /^application\/json\b/);
  for (const missing of ["4200", "9223372036854775807"]) {
    const response = await service.call("GET", `/v1/pets/${missing}`);
    isError(t, response, 404, `no pet has the id ${missing}`);
    const message = `No pet has the id ${missing}.`;
    t.equal(response.text, `{"code":"pet_not_found","message":"${message}","status":404}`);
  }
  for (const path of [`/v1/pets/${id}`, "/v1/pets/4200"])
    t.match((await service.call("GET", path)).headers, {
      deprecation: /^@\d+$/,
      sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
      link: /<\/v1\/pets>; rel="successor-version"/,
    });
});

t.test("Each operation responds with 401 without a valid API key", async (t) => {
  for (const { method, path } of Object.values(operations))
    for (const authorization of ["", "Bearer ", "Bearer psk_wrong", `Basic ${service.key}`, service.key, undefined]) {
      const call = { key: null, headers: authorization === undefined ? {} : { authorization } };
      const response = await service.call(method.toUpperCase(), `/v1${path.replace("{petId}", "1")}`, call);
      isError(t, response, 401, `${method} ${path} with ${String(authorization).replace(service.key, "API_KEY")}`);
      t.match(response.body, { code: "unauthorized" });
    }
});
