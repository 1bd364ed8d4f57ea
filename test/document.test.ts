// The document is the source of truth: what is edited there holds, what can't hold is refused.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import t from "tap";
import { parse } from "yaml";
import { readDocument } from "../src/document.ts";
import { handlers } from "../src/handlers.ts";
import { documentText, edit, folder } from "./support/files.ts";
import { start } from "./support/service.ts";

const least = { name: "Tom", categoryId: 3 };
const root = new URL("..", import.meta.url).pathname;

t.test("an edit of the document is an edit of the service", async (t) => {
  const document = edit(
    documentText,
    ["maximum: 100\n", "maximum: 50\n"],
    ["default: 20", "default: 5"],
    ["enum: [available, pending, sold]", "enum: [available, pending, sold, reserved]"],
    ["operationId: createPet", "operationId: createPet\n      deprecated: true\n      x-sunset: 2031-06-30"],
    ["operationId: getPet", "operationId: getPet\n      security: []"],
    ["maxLength: 1000", "maxLength: 10\n          minLength: 1"],
    ["x-max-bytes: 65536", "x-max-bytes: 100"],
  );
  const service = await start(t, { document });
  t.match(await service.call("GET", "/v1/pets?limit=51"), { status: 400 });
  t.match(await service.call("GET", "/v1/pets?limit=50"), { status: 200 });
  for (let n = 0; n < 6; n++) await service.create({ ...least, status: "reserved" });
  t.match((await service.call("GET", "/v1/pets?status=reserved")).headers.link, /limit=5&/);
  t.match((await service.call("POST", "/v1/pets", { json: least })).headers, {
    deprecation: `@${Date.parse(parse(documentText).info["x-released"]) / 1000}`,
    sunset: "Mon, 30 Jun 2031 00:00:00 GMT",
    link: '</docs#/Pets/createPet>; rel="deprecation"; type="text/html"',
  });
  t.match(
    await service.call("GET", "/v1/pets/1", { key: null }),
    { status: 200 },
    "no credential where none is asked for",
  );
  t.match(await service.call("GET", "/v1/pets", { key: null }), { status: 401 });
  t.match(await service.call("POST", "/v1/pets", { json: { ...least, name: "x".repeat(11) } }), { status: 400 });
  t.match((await service.call("POST", "/v1/pets", { json: { ...least, name: "" } })).body, {
    message: /at least 1 char/,
  });
  t.match(await service.call("POST", "/v1/pets", { json: { ...least, name: "x".repeat(100) } }), { status: 413 });
});

t.test("all that a schema can say of an int64 holds", async (t) => {
  const bounded = (bounds: string) =>
    edit(documentText, [
      /format: int64\n {10}description: The id of the category/,
      `format: int64\n          ${bounds}\n          description: The id of the category`,
    ]);
  for (const [bounds, good, bad, words] of [
    ["minimum: 5", "5", "4", ">= 5"],
    ["maximum: 5", "5", "9007199254740993", "<= 5"],
    ["exclusiveMinimum: 5", "6", "5", "> 5"],
    ["exclusiveMaximum: 5", "4", "5", "< 5"],
    ["multipleOf: 2", "9007199254740994", "9007199254740993", "a multiple of 2"],
    ["const: 5", "5", "6", "the number 5"],
    ["enum: [1, 5]", "5", "2", "one of 1, 5"],
  ] as const) {
    const service = await start(t, { document: bounded(bounds) });
    const send = (digits: string) => service.call("POST", "/v1/pets", { json: `{"name":"x","categoryId":${digits}}` });
    t.match(await send(good), { status: 201 }, `${bounds} admits ${good}`);
    t.match(
      await send(bad),
      { status: 400, body: { message: `The field 'categoryId' must be ${words}.` } },
      `${bounds} refuses ${bad}`,
    );
  }
  const filled = await start(t, {
    document: edit(bounded("default: 9"), ["required: [name, categoryId]", "required: [name]"]),
  });
  t.match(await filled.create({ name: "x" }), { categoryId: 9 }, "a default is filled in");
});

t.test("parameters of every type are read strictly", async (t) => {
  const extra = ["integer", "number", "boolean", "string"].map(
    (type) => `
        - name: ${type[0]}
          in: query
          schema: { type: ${type} }`,
  );
  const document = edit(documentText, [
    /\n {8}- name: cursor\n/,
    `${extra.join("")}
        - name: X-Count
          in: header
          required: true
          schema: { type: integer, format: int64, minimum: 1 }
        - name: cursor\n`,
  ]);
  const seen: unknown[] = [];
  const listPets = async ({ query, headers }: { query: object; headers: Record<string, unknown> }) => {
    seen.push({ ...query, count: headers["X-Count"] });
    return { status: 200, body: [] };
  };
  const service = await start(t, { document, handlers: { ...handlers, listPets } });
  const call = (query: string, count: string | undefined = "1") =>
    service.call("GET", `/v1/pets?${query}`, { headers: { "x-count": count } });
  t.match(await call("i=7&n=1.5e3&b=true&s=7", "9007199254740993"), { status: 200 });
  t.same(seen, [{ limit: 20, i: 7, n: 1500, b: true, s: "7", count: 9007199254740993n }]);
  for (const query of [
    "i=1.0",
    "i=9007199254740993",
    `i=${"9".repeat(30)}`,
    "n=0x1",
    "n=.5",
    "n=Infinity",
    "n=",
    "b=1",
    "b=TRUE",
    "b=",
  ])
    t.match(await call(query), { status: 400, body: { code: "invalid_parameter" } }, query);
  t.match(await call("b=false"), { status: 200 });
  t.match((await call("i=9007199254740993")).body, {
    message: /i' must be an integer from -9007199254740991 to 9007199254740991/,
  });
  t.match((await call("n=x")).body, { message: /n' must be a number/ });
  t.match((await call("", "0")).body, { message: /header 'X-Count' must be >= 1/ });
  t.match((await service.call("GET", "/v1/pets")).body, { message: /must have the header 'X-Count'/ });
});

t.test("alternatives of credentials", async (t) => {
  const optional = await start(t, {
    document: edit(documentText, ["operationId: getPet", "operationId: getPet\n      security: [{ apiKey: [] }, {}]"]),
  });
  await optional.create(least);
  t.match(
    await optional.call("GET", "/v1/pets/1", { key: null }),
    { status: 200 },
    "an empty alternative makes it optional",
  );
  t.match(await optional.call("GET", "/v1/pets/1"), { status: 200 });
  const open = await start(t, {
    document: edit(documentText, ["operationId: createPet", "operationId: createPet\n      security: []"]),
  });
  const post = () => open.call("POST", "/v1/pets", { key: null, json: least, headers: { "idempotency-key": "a" } });
  t.equal(
    (await post()).text,
    (await post()).text,
    "without a credential, Idempotency-Key holds for all strangers together",
  );
});

t.test("a body that the document leaves open does not change what the service assigns", async (t) => {
  const service = await start(t, {
    document: edit(documentText, [
      "      additionalProperties: false\n      properties:\n        name: &name",
      "      properties:\n        name: &name",
    ]),
  });
  t.match(await service.create({ ...least, id: 77, x: 1 }), { id: 1, ...least });
});

t.test("a number of a body is as the schema says", async (t) => {
  const extra = "        weight: { type: number, minimum: 0 }\n        age: { type: integer }\n        status:";
  const document = edit(documentText, [
    / {8}status:(?=\n {10}\$ref: [^\n]*PetStatus"\n {6}examples:\n {8}- \{ name)/,
    extra,
  ]);
  const seen: unknown[] = [];
  const createPet = async ({ body }: { body: { weight?: unknown; age?: unknown } }) => {
    seen.push([body.weight, body.age]);
    return { status: 201, body: { id: 1n, name: "x", categoryId: 1n } };
  };
  const service = await start(t, { document, handlers: { ...handlers, createPet } });
  const send = (fields: string) => service.call("POST", "/v1/pets", { json: `{"name":"x","categoryId":1,${fields}}` });
  for (const fields of ['"weight":1.5', '"weight":9007199254740993', '"weight":1e30', '"age":7.0'])
    t.match(await send(fields), { status: 201 }, fields);
  t.same(seen, [
    [1.5, undefined],
    [9007199254740992, undefined],
    [1e30, undefined],
    [undefined, 7],
  ]);
  for (const fields of [
    '"weight":-1',
    '"weight":"1"',
    '"weight":1e999',
    '"age":9007199254740993',
    '"age":1e30',
    '"age":1.5',
    '"age":"7"',
  ])
    t.match(await send(fields), { status: 400, body: { code: "invalid_body" } }, fields);
});

t.test("an operation may leave out what it does not need", async (t) => {
  const ping = `  /pings:
    post:
      operationId: ping
      responses:
        "204": { description: Pong, headers: { X-Request-Id: { $ref: "#/components/headers/X-Request-Id" } } }
        default: { $ref: "#/components/responses/Failure" }
  /pets:
`;
  const seen: unknown[] = [];
  const answer = async (call: object) => {
    seen.push(call);
    return { status: 204, body: undefined };
  };
  const document = edit(
    documentText,
    ["security:\n  - apiKey: []\n", ""],
    ["  /pets:\n", ping],
    ["        required: true\n        description: The animal", "        description: The animal"],
  );
  const service = await start(t, { document, handlers: { ...handlers, ping: answer } });
  t.match(await service.call("POST", "/v1/pings", { key: null }), { status: 204, text: "" });
  t.match(seen, [{ caller: undefined, body: undefined }]);
  const asText = { body: "x", headers: { "content-type": "text/plain" } };
  t.match(await service.call("POST", "/v1/pings", asText), {
    status: 415,
    body: { message: "This operation takes no body." },
  });
  t.match(await service.call("POST", "/v1/pings?x=1"), { status: 400 });

  const soon = await readDocument(
    edit(documentText, ["      x-sunset: 2030-12-05\n", ""], ["      x-successor: listPets\n", ""]),
  );
  t.match(soon.operations.find(({ id }) => id === "getPet")?.deprecation, {
    since: Date,
    sunset: undefined,
    successor: undefined,
  });
  const relative = await readDocument(
    edit(documentText, [/servers:\n[\s\S]*?\nsecurity:/, "servers: [{ url: /v7 }]\nsecurity:"]),
  );
  t.equal(relative.basePath, "/v7");
});

t.test("the path of the first server is where the service mounts, and /docs stands beside it", async (t) => {
  const document = edit(documentText, [/servers:\n[\s\S]*?\nsecurity:/, "servers: [{ url: /shop/v7 }]\nsecurity:"]);
  const service = await start(t, { document });
  const { status, headers } = await service.call("GET", "/shop/v7/pets/1");
  t.equal(status, 404);
  const [, docs = ""] = /<([^>]*)>; rel="deprecation"/.exec(headers.link ?? "") ?? [];
  t.equal(docs, "/docs#/Pets/getPet");
  t.match(await service.call("GET", "/docs/", { key: null }), { status: 200 });
});

t.test("a document that would not hold is refused, with the reason", async (t) => {
  const op = (extra: string): [string, string] => ["operationId: getPet", `operationId: getPet\n      ${extra}`];
  for (const [message, ...edits] of [
    [/invalid: .*must have required property 'version'/, [/\n {2}version: .*/, ""]],
    [/invalid: it must have openapi: 3.1.x/, ["openapi: 3.1.0", "openapi: 3.0.0"]],
    [/invalid: .*NoSuch/, ["#/components/schemas/Pets", "#/components/schemas/NoSuch"]],
    [/GET \/pets has no operationId/, ["      operationId: listPets\n", ""]],
    [/operationId getPet twice/, ["operationId: createPet", "operationId: getPet"]],
    [
      /first server must have a path like \/v1 by default, but is https:\/\/x.example\/\./,
      ["default: https://petstore.example/v1", "default: https://x.example/"],
    ],
    [/first server must have a path like \/v1 by default, but is \./, [/servers:\n[\s\S]*?\nsecurity:/, "security:"]],
    [/first server must have a path .* but is \./, ['url: "{base_url}"', 'url: "{other}"']],
    [/invalid: .*it must have required property 'info'/, [/info:\n[\s\S]*?\nservers:/, "servers:"]],
    [
      /listPets has the parameter limit, whose type/,
      [/schema:\n {12}type: integer[\s\S]*?default: 20/, "content: { text/plain: {} }"],
    ],
    [/createPet has x-max-bytes lots, which must be a number of bytes/, ["x-max-bytes: 65536", "x-max-bytes: lots"]],
    [/the number 9007199254740993 is beyond 2\^53/, ["maximum: 100\n", "maximum: 9007199254740993\n"]],
    [/path \/pets has servers of its own/, ["  /pets:\n", "  /pets:\n    servers: [{ url: /x }]\n"]],
    [
      /path \/pets has trace of its own/,
      ["  /pets:\n", "  /pets:\n    trace: { responses: { default: { description: x } } }\n"],
    ],
    [/getPet has servers of its own/, op("servers: [{ url: /x }]")],
    [/getPet has the path \/pets\/a:b\/\{petId\}, which the router/, ["/pets/{petId}:", "/pets/a:b/{petId}:"]],
    [/listPets has the parameter status twice/, ["- name: cursor", "- name: status"]],
    [/createPet has the header parameter Authorization/, ["- name: Idempotency-Key", "- name: Authorization"]],
    [
      /listPets has the parameter limit with allowEmptyValue/,
      ["- name: limit", "- name: limit\n          allowEmptyValue: true"],
    ],
    [
      /listPets has the parameter limit with the style deepObject/,
      ["- name: limit", "- name: limit\n          style: deepObject"],
    ],
    [/path \/pets has parameters of its own/, ["  /pets:\n", "  /pets:\n    parameters: []\n"]],
    [/getPet has the path parameter pet-id, whose name must be camelCase/, [/petId/g, "pet-id"]],
    [/getPet must have the path parameter petId both/, ["- name: petId", "- name: id"]],
    [/getPet must have the path parameter other both/, ["/pets/{petId}:", "/pets/{petId}/{other}:"]],
    [/getPet must have the path parameter petId both/, ["/pets/{petId}:", "/pets/one:"]],
    [
      /listPets has the cookie parameter status/,
      [/name: status\n {10}in: query/, "name: status\n          in: cookie"],
    ],
    [
      /listPets has the parameter limit, whose type must be one of/,
      ["type: integer\n            format: int32", "type: array\n            format: int32"],
    ],
    [
      /createPet has a body of text\/csv, and only application\/json is read/,
      ["65536\n        content:\n", "65536\n        content:\n          text/csv: {}\n"],
    ],
    [/getPet has x-stability alpha, which must be experimental or beta/, op("x-stability: alpha")],
    [/getPet needs the security scheme nope, which is not declared/, op("security: [{ nope: [] }]")],
    [/getPet needs roles of the security scheme apiKey, and keys have none/, op("security: [{ apiKey: [admin] }]")],
    [
      /getPet is deprecated, and its x-sunset must be a date like 2030-12-05/,
      ["x-sunset: 2030-12-05", "x-sunset: 2030-02-30"],
    ],
    [
      /getPet is deprecated, and its x-deprecated-since must be a date/,
      ["x-deprecated-since: 2026-11-20\n", "\n"],
      [/ {2}x-released: .*\n/, ""],
    ],
    [/getPet has an x-sunset before it is deprecated/, ["x-sunset: 2030-12-05", "x-sunset: 2020-12-05"]],
    [/getPet has the x-successor nope, which is no operation/, ["x-successor: listPets", "x-successor: nope"]],
  ] as [RegExp, ...[string | RegExp, string][]][])
    await t.rejects(async () => readDocument(edit(documentText, ...edits)), { message }, String(message));
  for (const text of ["{", "", "---", "[]", "7"])
    await t.rejects(readDocument(text), /document is invalid/, `the document ${text}`);
  t.match((await readDocument(edit(documentText, op("x-stability: beta")))).operations, Array);
});

t.test("the service does not start where document and code don't agree, and names the operation", async (t) => {
  const handler = async () => ({ status: 200, body: [] });
  const all = { ...handlers };
  const refused = async (message: RegExp, options: object) =>
    t.rejects(start(t, options), { message }, String(message));
  const { getPet, ...some } = all;
  await refused(/operation getPet has no handler: add src\/handlers\/getPet.ts/, { handlers: some });
  await refused(/handler removePet has no operation in the document/, { handlers: { ...all, removePet: handler } });
  const basic = edit(documentText, ["scheme: bearer", "scheme: basic"]);
  await refused(/operation listPets needs a security scheme of type http basic, which has no implementation/, {
    document: basic,
  });
  await refused(/maxLenght/, { document: edit(documentText, ["maxLength: 1000", "maxLenght: 1000"]) });
  await refused(/unknown keyword "minimun" of an int64/, {
    document: edit(documentText, [
      "          description: The id of the category",
      "          minimun: 1\n          description: The id of the category",
    ]),
  });
  const categoryId = (schema: string) =>
    edit(documentText, [/type: integer\n {10}format: int64\n {10}description: The id of the category[^\n]*/, schema]);
  const int64 = "type: integer\n          format: int64";
  await refused(/multipleOf of an int64 must be an exact integer/, {
    document: categoryId(`${int64}\n          multipleOf: 0.5`),
  });
  await refused(/an int64 can't be one of several types \(oneOf\)/, {
    document: categoryId("oneOf: [{ type: integer, format: int64 }, { type: string }]"),
  });
  await refused(/unknown format "int64"/, { document: categoryId('type: [integer, "null"]\n          format: int64') });
  await refused(/unknown keyword: "nullable"/, { document: edit(documentText, ["maxLength: 1000", "nullable: true"]) });
  await refused(/the default of the query parameter 'limit' does not fit/, {
    document: edit(documentText, ["default: 20", "default: 500"]),
  });
  await refused(/unknown format "dog"/, { document: edit(documentText, ["maxLength: 1000", "format: dog"]) });
});

t.test("an added operation fails the types and the start, and both name it", async (t) => {
  const copy = folder(t);
  for (const name of ["openapi", "src", "scripts", "package.json", "tsconfig.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: "utf8",
      env: { ...process.env, DATABASE_URL: "sqlite::memory:", PORT: "0" },
    });
  const file = join(copy, "openapi/petstore.yaml");
  const added = edit(documentText, [
    "  /pets/{petId}:\n",
    `  /pets/{petId}:
    delete:
      operationId: removePet
      parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
      responses: { "204": { description: Gone } }
`,
  ]);
  writeFileSync(file, added);
  t.match(run("scripts/generate.ts", "--check"), { status: 1, stderr: /out of date: run npm run generate/ });
  t.match(run("scripts/generate.ts"), { status: 0 });
  t.match(run("scripts/generate.ts", "--check"), { status: 0 });
  t.match(run("node_modules/typescript/bin/tsc"), { status: 2, stdout: /src\/handlers\.ts.*removePet/s });
  t.match(run("src/bin.js", "serve"), {
    status: 1,
    stderr: /^petstore: The operation removePet has no handler: .*\n$/,
  });
});

t.test("a default holds in the types also where it is behind a reference", async (t) => {
  const copy = folder(t);
  for (const name of ["openapi", "src", "scripts"]) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const [limit = ""] = / {8}- name: limit\n(?: {10}.*\n)+/.exec(documentText) ?? [];
  const moved = `\n  parameters:\n    Limit:\n${limit.replace("- ", "  ").replace(/^ {2}/gm, "")}`;
  const text = edit(
    documentText,
    [limit, '        - $ref: "#/components/parameters/Limit"\n'],
    ["\ncomponents:", `\ncomponents:${moved}`],
  );
  writeFileSync(join(copy, "openapi/petstore.yaml"), text);
  execFileSync(process.execPath, ["scripts/generate.ts"], { cwd: copy });
  const types = readFileSync(join(copy, "src/generated/openapi.ts"), "utf8");
  t.match(types, /parameters: \{[^}]*Limit: number;/, "always a value");
  t.match(types, /listPets: \{\s+parameters: \{\s+query: \{/, "and so always a query");
});

t.test("the generated types are up to date", async (t) => {
  t.equal(execFileSync(process.execPath, ["scripts/generate.ts", "--check"], { cwd: root, encoding: "utf8" }), "");
});

t.test("the document as served", async (t) => {
  const plain = await start(t);
  const get = async (service: typeof plain, path: string) => (await service.call("GET", path, { key: null })).text;
  const written = parse(documentText);
  const served = JSON.parse(await get(plain, "/openapi.json"));
  t.same({ ...served, servers: 0 }, { ...written, servers: 0 }, "as written");
  t.same(served.servers, [{ url: "/v1", description: "This service" }]);
  t.same(parse(await get(plain, "/openapi.yaml")), served, "YAML and JSON say the same");
  t.match(await get(plain, "/openapi.yaml"), /^# The contract of the Pet Store/, "comments are kept");

  const known = await start(t, {
    settings: { BASE_URL: "https://a.example/v1", STAGING_BASE_URL: "https://b.example/v1" },
  });
  t.match(JSON.parse(await get(known, "/openapi.json")).servers, [
    { url: "https://a.example/v1", description: "Production" },
    { url: "https://b.example/v1", description: "Staging" },
  ]);
  await known.create(least);
  await known.create(least);
  t.match(
    (await known.call("GET", "/v1/pets?limit=1")).headers.link,
    /^<https:\/\/a.example\/v1\/pets\?limit=1&cursor=/,
  );
});

t.test("what the document promises of itself", async (t) => {
  const document = parse(documentText);
  t.match(document.info.version, /^1\.\d+\.\d+$/, "version 1 of the interface");
  t.same(
    document.servers.map(({ url }: { url: string }) => url),
    ["{base_url}", "{staging_base_url}"],
  );
  t.same(
    document.tags.map(({ name }: { name: string }) => name),
    ["Pets", "Store"],
  );
  t.same(
    document["x-tagGroups"].map(({ name }: { name: string }) => name),
    ["Pets", "Store"],
  );
  const { NewPet, Pet, PetStatus, Pets, Error: Failure } = document.components.schemas;
  t.same(PetStatus.enum, ["available", "pending", "sold"]);
  t.same(
    [NewPet.required, Pet.required, Failure.required],
    [
      ["name", "categoryId"],
      ["id", "name", "categoryId"],
      ["code", "message", "status"],
    ],
  );
  t.same(Object.keys(Pet.properties), ["id", ...Object.keys(NewPet.properties)], "Pet is NewPet and an id");
  t.match(Pets, { type: "array", items: { $ref: "#/components/schemas/Pet" } });
  for (const operation of Object.values<Record<string, { responses: object }>>(document.paths).flatMap((item) =>
    Object.values(item),
  ))
    for (const status of ["400", "401", "405", "429", "500", "503", "default"])
      t.ok(status in operation.responses, status);
});

t.test("every example of the document fits its schema", async (t) => {
  const validator = new Validator();
  await validator.validate(parse(documentText));
  const ajv = addFormats.default(new Ajv2020({ strict: false, addUsedSchema: false }));
  let found = 0;
  const fits = (schema: object, value: unknown, where: string) => {
    found += 1;
    t.ok(ajv.compile(schema)(value), `${where}: ${JSON.stringify(value)}`);
  };
  const walk = (node: unknown, where: string): void => {
    if (node === null || typeof node !== "object") return;
    const { schema, example, examples } = node as { schema?: object; example?: unknown; examples?: object };
    if (schema && example !== undefined) fits(schema, example, where);
    if (schema && examples) for (const { value } of Object.values(examples)) fits(schema, value, where);
    if (!schema && Array.isArray(examples)) for (const value of examples) fits(node, value, where);
    for (const [key, child] of Object.entries(node)) if (!/^examples?$/.test(key)) walk(child, `${where}/${key}`);
  };
  walk(validator.resolveRefs(), "");
  t.ok(found > 100, `${found} examples`);
});

t.test("the examples of a body are accepted", async (t) => {
  const service = await start(t);
  const { examples } = parse(documentText).paths["/pets"].post.requestBody.content["application/json"];
  for (const { value } of Object.values<{ value: object }>(examples))
    t.match(await service.call("POST", "/v1/pets", { json: value }), { status: 201 });
});
