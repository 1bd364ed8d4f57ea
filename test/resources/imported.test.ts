// Collections that no operation of the document creates: their records are imported.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { ImportReader, readResources } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { testLikely } from "../support/likely.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const json = (schema: string, example = "") => `content: { application/json: { schema: ${schema}${example} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const code = "parameters: [{ name: code, in: path, required: true, schema: { type: string } }]";
const text = documentOf(
  `  /countries:
    get: { operationId: listCountries, responses: { 200: { description: x, ${json(`{ type: array, items: ${ref("Country")} }`, ", example: [{ code: DE, name: Germany }]")} } } }
  /countries/{code}:
    ${code}
    get: { operationId: getCountry, responses: { 200: { description: x, ${json(ref("Country"))} } } }
    patch: { operationId: changeCountry, requestBody: { required: true, ${json("{ type: object, properties: { name: { type: string } } }")} }, responses: { 200: { description: x, ${json(ref("Country"))} } } }
  /countries/{code}/flag:
    ${code}
    get: { operationId: getFlag, responses: { 200: { description: x, ${json(ref("Flag"))} } } }
  /weather/search/{code}:
    ${code}
    get: { operationId: searchWeather, responses: { 200: { description: x, ${json(ref("Country"))} } } }
  /notes:
    post: { operationId: addNote, requestBody: { required: true, ${json(ref("Note"))} }, responses: { 201: { description: x, ${json(ref("Note"))} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${json(ref("Note"))} } } }
`,
  `components:
  schemas:
    Country: { type: object, required: [code, name], properties: { code: { type: string }, name: { type: string }, flag: ${ref("Flag")} } }
    Flag: { type: object, required: [url], properties: { url: { type: string } } }
    Note: { type: object, properties: { id: { type: integer, readOnly: true }, text: { type: string } } }
`,
);

async function start(t: Test, args: readonly string[]) {
  const controller = new AbortController();
  t.teardown(() => controller.abort());
  const { stdout } = await run(["serve", ...args, "--port", "0"], controller.signal);
  const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(stdout) ?? [];
  const send = async (method: string, path: string, body?: object) => {
    const options = body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await fetch(`${url}${path}`, { method, ...options });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  return { stdout, send, stop: () => controller.abort() };
}

t.test("Responds with 501 until a record is imported, so that no list is wrongly empty", async (t) => {
  const place = folder(t);
  const [file, input] = [join(place, "geo.yaml"), join(place, "countries.csv")];
  writeFileSync(file, text);
  const { send, stdout, stop } = await start(t, [file]);
  t.match(stdout, /2 of 7 operations are answered from records in .*, and 4 more when their records are imported\./);
  const message = /No operation creates the records of countries, and none were imported\. Import them, such as with/;
  for (const [method, path, body] of [
    ["GET", "/countries"],
    ["GET", "/countries/FR"],
    ["GET", "/countries/FR/flag"],
    ["PATCH", "/countries/FR", { name: "x" }],
  ] as const)
    t.match(await send(method, path, body), { status: 501, body: { message } }, `${method} ${path}`);
  t.match(await send("GET", "/weather/search/FR"), { status: 501, body: { message: /searchWeather needs a handler/ } });
  stop();
  writeFileSync(input, "code,name\nFR,France\nIT,Italy\n");
  t.match(await run(["data", "import", file, input, "--resource", "countries"]), { code: 0 });
  const again = await start(t, [file]);
  t.match(await again.send("GET", "/countries"), {
    status: 200,
    body: [
      { code: "FR", name: "France" },
      { code: "IT", name: "Italy" },
    ],
  });
  t.match(await again.send("GET", "/countries/IT"), { status: 200, body: { name: "Italy" } });
  t.match(await again.send("GET", "/countries/XX"), { status: 404, body: { code: "country_not_found" } });
  t.match(await again.send("PATCH", "/countries/FR", { name: "République française" }), { status: 200 });
  t.match(await again.send("GET", "/countries/XX/flag"), { status: 404, body: { code: "country_not_found" } });
  t.match(await again.send("PATCH", "/countries/XX", { name: "x" }), { status: 404 });
  again.stop();
  const output = join(place, "out.csv");
  t.match(await run(["data", "export", file, "--resource", "countries", "--output", output]), { code: 0 });
  t.equal(readFileSync(output, "utf8"), "code,name,flag\r\nFR,République française,\r\nIT,Italy,\r\n");
});

t.test("They are empty without an import if handlers of operations that write can create them", async (t) => {
  const place = folder(t);
  const [file, module] = [join(place, "geo.yaml"), join(place, "handlers.mjs")];
  writeFileSync(file, text);
  writeFileSync(module, "export const addNote = async () => ({ status: 201, body: { id: 1 } });");
  const { send, stdout } = await start(t, [file, "--handlers", module]);
  t.match(stdout, /1 of 7 operations are answered by handlers, and 5 from records in [^,]*\. --plan/);
  t.match(await send("GET", "/countries"), { status: 200, body: [] });
});

t.test("Examples of the document and made records fill them", async (t) => {
  const file = join(folder(t), "geo.yaml");
  writeFileSync(file, text);
  const examples = await start(t, [file, "--data", "sqlite::memory:", "--seed"]);
  t.match(await examples.send("GET", "/countries"), { status: 200, body: [{ code: "DE", name: "Germany" }] });
  const made = await start(t, [file, "--data", "sqlite::memory:", "--seed", "3"]);
  t.match(await made.send("GET", "/countries"), { status: 200, body: { length: 3 } });
});

t.test("The plan says that they are imported", async (t) => {
  const file = join(folder(t), "geo.yaml");
  writeFileSync(file, text);
  const { stdout } = await run(["serve", file, "--plan"]);
  t.match(
    stdout,
    /countries: the id is code, a string of the import\n {2}GET \/countries\/\{code\} {2}getCountry: returns a record\n/,
  );
});

t.test("A backup of a release that did not have them is read, checked, exported and restored", async (t) => {
  const place = folder(t);
  const [file, old] = [join(place, "geo.yaml"), join(place, "old.yaml")];
  writeFileSync(file, text);
  writeFileSync(old, text.replaceAll("/countries", "/weather/search/countries"));
  const data = `sqlite:${join(place, "notes.db")}`;
  const { send, stop } = await start(t, [old, "--data", data]);
  t.match(await send("POST", "/notes", { text: "n" }), { status: 201 });
  stop();
  const [backup, other] = [join(place, "notes.backup"), `sqlite:${join(place, "other.db")}`];
  t.match(await run(["data", "backup", old, backup, "--data", data]), { code: 0 });
  t.match(await run(["data", "check", file, "--data", `sqlite:${backup}`]), { code: 0, stdout: /no problems found/ });
  const output = join(place, "countries.csv");
  const exported = ["--data", `sqlite:${backup}`, "--resource", "countries", "--output", output];
  t.match(await run(["data", "export", file, ...exported]), { code: 0, stdout: /^countries +0\n/ });
  t.equal(readFileSync(output, "utf8"), "code,name,flag\r\n");
  t.match(await run(["data", "restore", file, backup, "--data", other]), { code: 0 });
  const again = await start(t, [file, "--data", other]);
  t.match(await again.send("GET", "/notes/1"), { status: 200, body: { id: 1, text: "n" } });
  t.match(await again.send("GET", "/countries"), { status: 501 });
});

t.test("A list whose records have no path is imported, too, if they have an id", async (t) => {
  const items = (schema: string) =>
    `responses: { 200: { description: x, ${json(`{ type: array, items: ${schema} }`)} } }`;
  const file = join(folder(t), "lists.yaml");
  const state = "{ type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }";
  const named = "{ type: object, properties: { name: { type: string } } }";
  writeFileSync(
    file,
    documentOf(`  /states: { get: { operationId: listStates, ${items(state)} } }
  /names: { get: { operationId: listNames, ${items(named)} } }
  /search/states: { get: { operationId: searchStates, ${items(state)} } }
`),
  );
  const { stdout } = await run(["serve", file, "--plan"]);
  t.match(
    stdout,
    /states: the id is id, an integer of the import\n {2}GET \/states {2}listStates: lists records\n\nNot answered \(501\):\n {2}GET \/names .*\n {2}GET \/search\/states /,
  );
  const input = join(folder(t), "states.ndjson");
  writeFileSync(input, '{"id":7,"name":"A"}\n');
  t.match(await run(["data", "import", file, input, "--resource", "states"]), { code: 0 });
  const { send } = await start(t, [file]);
  t.match(await send("GET", "/states"), { status: 200, body: [{ id: 7, name: "A" }] });
});

const rate = `{ type: object, required: [id, percent], properties: { id: { type: integer }, percent: { type: integer, minimum: 1 } } }`;
const rates = documentOf(`  /rates:
    post: { operationId: addRate, parameters: [{ name: mode, in: query, required: true, schema: { type: string } }], requestBody: { ${json(rate)} }, responses: { 201: { description: x, ${json(rate)} } } }
    get: { operationId: listRates, responses: { 200: { description: x, ${json(`{ type: array, items: ${rate} }`)} } } }
  /rates/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getRate, responses: { 200: { description: x, ${json(rate)} } } }
    put: { operationId: putRate, requestBody: { ${json(rate)} }, responses: { 200: { description: x, ${json(rate)} } } }
`);

testLikely(
  "records are imported if their POST is not answered, although a PUT replaces them",
  rates,
  async (t, send) => {
    t.equal((await send("POST", "/rates?mode=x", { id: 1, percent: 5 })).status, 501);
    t.equal((await send("GET", "/rates")).status, 501);
    t.equal((await send("GET", "/rates/1")).status, 501);
    t.equal((await send("PUT", "/rates/1", { id: 1, percent: 5 })).status, 501);
  },
);

const standard = ref("Standard");
const standards = (words: string) =>
  documentOf(
    `  /standards:
    get: { operationId: listStandards, responses: { 200: { description: x, ${json(`{ type: array, items: ${standard} }`)} } } }
  /standards/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getStandard, responses: { 200: { description: x, ${json(standard)} } } }
    put: { operationId: putStandard, summary: ${words}, requestBody: { required: true, ${json(standard)} }, responses: { 200: { description: x, ${json(standard)} } } }
`,
    "components: { schemas: { Standard: { type: object, properties: { id: { type: string }, name: { type: string } } } } }\n",
  );

for (const [words, status] of [
  ["Update a standard", 501],
  ["Create or update a standard", 200],
  ["Put a standard", 200],
] as const)
  testLikely(
    `a PUT with the summary "${words}" of an unknown record is a ${status}`,
    standards(words),
    async (t, send) => {
      t.equal((await send("PUT", "/standards/a", { name: "A" })).status, status);
      t.equal((await send("GET", "/standards")).status, status, "so that no list is wrongly empty");
    },
  );

const land = "{ type: object, required: [code], properties: { code: { type: string } } }";

testLikely(
  "a list whose last imported record was deleted is empty",
  documentOf(`  /lands: { get: { operationId: listLands, responses: { 200: { description: x, ${json(`{ type: array, items: ${land} }`)} } } } }
  /lands/{code}:
    ${code}
    get: { operationId: getLand, responses: { 200: { description: x, ${json(land)} } } }
    delete: { operationId: deleteLand, responses: { 204: { description: x } } }
`),
  async (t, send, store) => {
    t.match(await send("DELETE", "/lands/DE"), { status: 501 });
    await store.seed(1);
    const { body } = await send("GET", "/lands");
    t.match(await send("DELETE", `/lands/${body[0].code}`), { status: 204 });
    t.match(await send("GET", "/lands"), { status: 200, body: [] });
    for (const method of ["GET", "DELETE"])
      t.match(await send(method, `/lands/${body[0].code}`), { status: 404, body: { code: "land_not_found" } });
  },
);

t.test("An import rejects the id 0, which would become another one", async (t) => {
  const routes = documentOf(`  /routes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getRoute, responses: { 200: { description: x, ${json("{ type: object, properties: { id: { type: integer }, name: { type: string } } }")} } } }
`);
  const [resource] = readResources(await parseDocument(routes));
  const reader = new ImportReader(resource as NonNullable<typeof resource>);
  t.match(reader.read({ id: 0, name: "Train" }).problem, { path: "id", requirement: /^must be an integer from 1 to/ });
  t.match(reader.read({ id: 1, name: "Tram" }).value, { id: 1n });
});
