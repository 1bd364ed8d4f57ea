// Records of unusual forms, exported and imported: several types, names that objects inherit, members that an export adds, ids of paths.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { folder } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

const json = (schema: string) =>
  `content: { application/json: { schema: { $ref: "#/components/schemas/${schema}" } } }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const param = (name: string, type: string) => `{ name: ${name}, in: path, required: true, schema: { type: ${type} } }`;
const collection = (path: string, name: string, schema: string, id: string, above = "") => `
  ${path}:
    parameters: [${above}]
    post: { operationId: add${name}, ${body(schema)}, responses: { 201: { description: x, ${json(schema)} } } }
    get: { operationId: list${name}, parameters: [{ name: limit, in: query, schema: { type: integer, default: 50 } }], responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/${schema}" } } } } } } }
  ${path}/{id}:
    parameters: [${above === "" ? "" : `${above}, `}${param("id", id)}]
    get: { operationId: get${name}, responses: { 200: { description: x, ${json(schema)} } } }
`;
const text = `openapi: 3.1.0
info: { title: Forms, version: "1" }
paths:
${collection("/forms", "Form", "Form", "string")}
${collection("/others", "Other", "Other", "integer")}
  /users:
    post: { operationId: addUser, ${body("NewUser")}, responses: { 201: { description: x, ${json("User")} } } }
  /users/{id}:
    parameters: [${param("id", "string")}]
    get: { operationId: getUser, responses: { 200: { description: x, ${json("User")} } } }
  /maps:
    post: { operationId: addMap, ${body("Map")}, responses: { 201: { description: x, ${json("Map")} } } }
  /maps/{name}:
    parameters: [${param("name", "string")}]
    get: { operationId: getMap, responses: { 200: { description: x, ${json("Map")} } } }
${collection("/shops/{shop}/others", "ShopOther", "Other", "integer", param("shop", "integer"))}
  /levels/{slot}:
    parameters: [${param("slot", "integer")}]
    get: { operationId: getLevel, responses: { 200: { description: x, ${json("Level")} } } }
    put: { operationId: setLevel, ${body("Level")}, responses: { 200: { description: x, ${json("Level")} } } }
components:
  schemas:
    Form:
      type: object
      required: [id]
      properties:
        id: { type: string, readOnly: true }
        either: { type: [string, integer, boolean] }
        any: {}
        nested: { oneOf: [{ type: string }, { type: object }] }
        state: { enum: [on, off, 1] }
        constructor: { type: string }
        __proto__: { type: string }
        "@id": { type: string }
    Other: { type: object, required: [id], properties: { id: { type: integer, format: int64, readOnly: true }, name: { type: string } } }
    NewUser: { type: object, required: [name], properties: { id: { type: string }, name: { type: string }, password: { type: string }, manager: { type: string } } }
    User: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string }, manager: { type: object, required: [id], properties: { id: { type: string } } } } }
    Map: { type: object, properties: { metadata: { type: object, properties: { name: { type: string }, color: { type: string } } } } }
    Level: { type: object, properties: { x: { type: integer } } }
`;

function save(t: Test) {
  const place = folder(t);
  const file = join(place, "forms.yaml");
  writeFileSync(file, text);
  return { place, file, other: join(place, "other.db") };
}

for (const format of ["ndjson", "csv"])
  t.test(`Values of several types, and names of inherited members, are the same after ${format}`, async (t) => {
    const { place, file, other } = save(t);
    const { send } = await startOpenApi(t, ["serve", file]);
    for (const members of [
      '{"either":"5","any":5,"nested":"{\\"x\\":1}","state":"on"}',
      '{"either":5,"any":"5","nested":{"x":1},"state":1}',
      '{"either":"true","any":true,"nested":"","state":"off"}',
      '{"either":true,"any":null,"constructor":"c","@id":"i"}',
      '{"either":"","any":{"a":[1,"1"]},"__proto__":"p"}',
      "{}",
    ])
      t.match(await send("POST", "/forms", members), { status: 201 }, members);
    const list = await send("GET", "/forms");
    t.equal(JSON.parse(list.text).length, 6);
    t.notOk(/native code/.test(list.text));
    const output = join(place, `forms.${format}`);
    t.match(await run(["data", "export", file, "--resource", "forms", "--output", output]), { code: 0 });
    const imported = await run(["data", "import", file, output, "--resource", "forms", "--data", other]);
    t.match(imported, { code: 0 }, imported.stderr);
    const copy = await startOpenApi(t, ["serve", file, "--data", other]);
    t.equal((await copy.send("GET", "/forms")).text, list.text);
  });

t.test("A record keeps the id and the members that a request can't have", async (t) => {
  const { place, file } = save(t);
  const input = join(place, "others.ndjson");
  writeFileSync(input, `${'{"name":"a"}\n'.repeat(2_500)}{"id":5,"name":"b"}\n{"id":90000,"name":"c"}\n`);
  const result = await run(["data", "import", file, input, "--resource", "others"]);
  t.match(result, { code: 0, stdout: /others +2502/ }, result.stderr);
  const { send } = await startOpenApi(t, ["serve", file]);
  t.match((await send("GET", "/others/5")).text, '"name":"b"');
  t.match((await send("GET", "/others/90001")).text, '"name":"a"');
  t.match((await send("POST", "/others", '{"name":"d"}')).text, '"id":92501');
});

t.test("What only a request declares is not stored, and references keep their form", async (t) => {
  const { place, file, other } = save(t);
  const [input, output] = [join(place, "users.ndjson"), join(place, "users.csv")];
  const ann = '{"id":"ann","name":"Ann","password":"secret"}';
  const bob = '{"id":"bob","name":"Bob","manager":"ann","password":"secret"}';
  writeFileSync(input, `${ann}\n${bob}\n`);
  t.match(await run(["data", "import", file, input, "--resource", "users"]), { code: 0 });
  t.match(await run(["data", "export", file, "--resource", "users", "--output", output]), { code: 0 });
  t.equal(readFileSync(output, "utf8"), 'id,name,manager\r\nann,Ann,\r\nbob,Bob,"{""id"":""ann""}"\r\n');
  t.match(await run(["data", "import", file, output, "--resource", "users", "--data", other]), { code: 0 });
  const { send } = await startOpenApi(t, ["serve", file, "--data", other]);
  t.equal((await send("GET", "/users/bob")).text, '{"id":"bob","name":"Bob","manager":{"id":"ann"}}');
});

t.test("A file with an id twice is rejected before anything is stored", async (t) => {
  const { place, file } = save(t);
  const input = join(place, "users.ndjson");
  writeFileSync(input, '{"id":"ann","name":"Ann"}\n{"id":"ann","name":"Bob"}\n');
  t.match(await run(["data", "import", file, input, "--resource", "users"]), {
    code: 1,
    stderr: /line 2: another line has the same id, ann/,
  });
});

t.test("Names that an export uses are those of no member, and ids inside of an object are omitted", async (t) => {
  const { place, file, other } = save(t);
  const { send } = await startOpenApi(t, ["serve", file]);
  const { text } = await send("POST", "/shops/5/others", '{"name":"a","@scope":"b","@@id":1}');
  t.equal(text, '{"id":1,"name":"a","@scope":"b","@@id":1}');
  const input = join(place, "others.ndjson");
  const others = ["--resource", "shops_shop_others"];
  t.match(await run(["data", "export", file, ...others, "--output", input]), { code: 0 });
  t.equal(readFileSync(input, "utf8"), '{"@scope":"5","id":1,"name":"a","@@scope":"b","@@@id":1}\n');
  t.match(await run(["data", "import", file, input, ...others, "--data", other]), { code: 0 });
  t.equal(
    (await (await startOpenApi(t, ["serve", file, "--data", other])).send("GET", "/shops/5/others/1")).text,
    text,
  );
  await send("POST", "/maps", '{"metadata":{"name":"m","color":"red"}}');
  const exported = await run(["data", "export", file, "--resource", "maps", "--without-ids"]);
  t.equal(exported.stdout, '{"metadata":{"color":"red"}}\n');
});

t.test("A file is imported once into each collection", async (t) => {
  const { place, file } = save(t);
  const input = join(place, "others.ndjson");
  writeFileSync(input, '{"name":"a"}\n');
  for (const args of [["others"], ["shops_shop_others", "--scope", "1"], ["shops_shop_others", "--scope", "2"]]) {
    t.match(await run(["data", "import", file, input, "--resource", ...args]), { code: 0 });
    t.match(await run(["data", "import", file, input, "--resource", ...args]), { code: 1, stderr: /already imported/ });
  }
});

t.test("Scopes and ids must be those that a path can have", async (t) => {
  const { place, file, other } = save(t);
  const input = join(place, "x.ndjson");
  for (const [resource, line, problem] of [
    ["shops_shop_others", '{"@scope":"abc","name":"a"}', /'@scope' must match the schema of the parameter shop/],
    ["shops_shop_others", '{"@scope":"007","name":"a"}', /'@scope' must match the schema of the parameter shop/],
    ["shops_shop_others", '{"@scope":7,"name":"a"}', /'@scope' must have the values of/],
    ["levels", '{"@id":"x","x":1}', /'@id' must match the schema of the parameter slot/],
    ["levels", '{"@id":5,"x":1}', /'@id' must be a string/],
  ] as const) {
    writeFileSync(input, `${line}\n`);
    t.match(await run(["data", "import", file, input, "--resource", resource]), { code: 1, stderr: problem }, line);
  }
  const { send } = await startOpenApi(t, ["serve", file]);
  for (const slot of [0, -1, 7]) t.match(await send("PUT", `/levels/${slot}`, `{"x":${slot}}`), { status: 200 });
  t.match(await run(["data", "export", file, "--resource", "levels", "--output", input]), { code: 0 });
  t.equal(readFileSync(input, "utf8"), '{"@id":"0","x":0}\n{"@id":"-1","x":-1}\n{"@id":"7","x":7}\n');
  t.match(await run(["data", "import", file, input, "--resource", "levels", "--data", other]), { code: 0 });
  t.match(await (await startOpenApi(t, ["serve", file, "--data", other])).send("GET", "/levels/-1"), {
    text: '{"x":-1}',
  });
});
