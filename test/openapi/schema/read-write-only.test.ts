// readOnly and writeOnly: a property is neither accepted nor required in one direction.
import t from "tap";
import { parseDocument } from "../../../src/openapi/index.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { checkSchemas, compileSchema, type SchemaCase } from "../../support/schemas.ts";

const branch = "then"; // Biome takes an object with this name for a promise
const id = { type: "integer", readOnly: true };
const password = { type: "string", writeOnly: true };
const required = ["id", "password", "name"];
const others = {
  id,
  password,
  base: { properties: { id, password }, required: ["id", "password"] },
  marked: { properties: { id, password } },
  names: { required },
};
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const forms: readonly [string, object][] = [
  ["direct", { properties: { id, password }, required }],
  ["by $ref", { properties: { id: reference("id"), password: reference("password") }, required }],
  [
    "beside $ref",
    {
      properties: { id: { $ref: "#/components/schemas/id" }, password: { ...reference("password"), writeOnly: true } },
      required,
    },
  ],
  [
    "by allOf of the property",
    { properties: { id: { allOf: [reference("id")] }, password: { allOf: [password] } }, required },
  ],
  ["in an allOf of the object", { allOf: [reference("base")], required: ["name"] }],
  ["required outside of an allOf", { allOf: [{ properties: { id, password } }], required }],
  ["required in another allOf", { allOf: [{ properties: { id, password } }, { required }] }],
  ["required in an allOf of the object", { properties: { id, password }, allOf: [{ allOf: [{ required }] }] }],
  ["required behind a $ref of an allOf", { allOf: [reference("marked"), reference("names")] }],
  ["required beside a $ref", { ...reference("names"), properties: { id, password } }],
  ["required in an anyOf", { properties: { id, password }, anyOf: [{ required }, { required: [...required, "a"] }] }],
  ["by $ref of the object", { $ref: "#/components/schemas/base", required }],
];
const cases = (valid: object, invalid: object[]): SchemaCase[] =>
  forms.map(([name, schema]) => [name, schema, [valid, 1], [...invalid, []].filter((value) => !Array.isArray(value))]);

t.test("In a request, a readOnly property is rejected and not required", async (t) => {
  const valid = { name: "x", password: "y" };
  checkSchemas(t, cases(valid, [{ ...valid, id: 1 }, { name: "x" }, { password: "y" }]), { others });
});

t.test("In a response, a writeOnly property is rejected and not required", async (t) => {
  const valid = { name: "x", id: 1 };
  checkSchemas(t, cases(valid, [{ ...valid, password: "y" }, { name: "x" }, { id: 1 }]), {
    others,
    direction: "response",
  });
});

t.test("A condition does not take a readOnly property for one that is there", async (t) => {
  const base = { properties: { id, password, a: { type: "integer" } } };
  checkSchemas(t, [
    ["not", { ...base, not: { required: ["id"] } }, [{ a: 1 }, {}], [{ a: "1" }]],
    ["if", { ...base, if: { required: ["id"] }, [branch]: { required: ["a"] } }, [{}, { a: 1 }], [{ a: "1" }]],
    ["a marked property of a condition", { not: { ...base, required: ["id"] } }, [{ a: 1 }], []],
    ["marked under a condition", { if: true, [branch]: base, required: ["id"] }, [{}], [{ a: "1" }]],
  ]);
});

t.test("false has no effect", async (t) => {
  const schema = { properties: { a: { readOnly: false, writeOnly: false } }, required: ["a"] };
  for (const direction of ["request", "response"] as const)
    checkSchemas(t, [[direction, schema, [{ a: 1 }, 1], [{}]]], { direction });
});

t.test("Applies behind conditions, lists and alternatives", async (t) => {
  const item = { type: "object", properties: { id }, required: ["id"] };
  const branch = "then";
  checkSchemas(t, [
    ["items", { items: item }, [[{}]], [[{ id: 1 }]]],
    ["oneOf", { oneOf: [item, { type: "string" }] }, [{}, "x"], [{ id: 1 }]],
    ["then", { if: true, [branch]: item }, [{}], [{ id: 1 }]],
    ["unevaluatedProperties", { allOf: [item], unevaluatedProperties: false }, [{}], [{ id: 1 }]],
  ]);
});

t.test("Is not required where an alternative is selected by its other properties", async (t) => {
  const int64 = { type: "integer", format: "int64" };
  const alternative = { required: ["id", "kx"], properties: { kx: int64 } };
  for (const schema of [
    { properties: { id }, oneOf: [alternative], unevaluatedProperties: false },
    { properties: { id }, anyOf: [alternative] },
    { required: ["id"], oneOf: [{ properties: { id, kx: int64 } }, { type: "string" }] },
  ])
    t.same(compileSchema(schema)({ kx: 1 }), { value: { kx: 1n } }, JSON.stringify(schema));
  const secret = { properties: { password }, anyOf: [{ required: ["password", "k"], properties: { k: {} } }] };
  const response = compileSchema({ ...secret, unevaluatedProperties: false }, { direction: "response" });
  t.match(response({ k: 1 }), { problems: undefined });
});

t.test("Serves a document whose request and response share a schema", async (t) => {
  const paths = `  /users:
    post:
      operationId: add
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
      responses: { 200: { description: x, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } } }`;
  const components = `components:
  schemas:
    Id: { type: integer, format: int64, readOnly: true }
    User: { type: object, required: [id, name, secret], additionalProperties: false, properties: { id: { $ref: "#/components/schemas/Id" }, name: { type: string }, secret: { type: string, writeOnly: true } } }`;
  let body: object = {};
  const { send, calls } = await serve(documentOf(paths, components), {
    handlers: { add: async () => ({ status: 200, body }) },
  });
  const post = (payload: object) => send("POST", "/users", { payload });
  body = { id: 7n, name: "x" };
  t.match(await post({ name: "x", secret: "y" }), { status: 200, body: { id: 7, name: "x" } });
  t.match(calls, [{ body: { name: "x", secret: "y" } }]);
  t.match(await post({ id: 1, name: "x", secret: "y" }), { status: 400, body: { message: /'id'/ } });
  t.match(await post({ name: "x" }), { status: 400, body: { message: "The body must have the field 'secret'." } });
  body = { id: 7n, name: "x", secret: "y" };
  t.match(await post({ name: "x", secret: "y" }), { status: 500 }, "a response with a writeOnly property");
  body = { name: "x" };
  t.match(await post({ name: "x", secret: "y" }), { status: 500 }, "a response without a required readOnly property");
});

t.test("The default of a readOnly property is not filled in, because it must not be sent", async (t) => {
  const schema = "{ properties: { state: { type: string, readOnly: true, default: draft }, name: { default: x } } }";
  const { send, calls } = await serve(
    documentOf(`  /x:
    post:
      operationId: add
      requestBody: { content: { application/json: { schema: ${schema} } } }
      responses: { 204: { description: Done } }
`),
  );
  const headers = { "content-type": "application/json" };
  t.match(await send("POST", "/x", { headers, payload: "{}" }), { status: 204 });
  t.same(calls[0]?.body, { name: "x" });
  t.match(await send("POST", "/x", { headers, payload: '{"state":"a"}' }), { status: 400 });
});

t.test("Concerns only properties: not parameters, items and whole bodies", async (t) => {
  const { send } = await serve(
    documentOf(
      `  /a/{n}:
    put:
      operationId: a
      parameters:
        - { name: n, in: path, required: true, schema: { $ref: "#/components/schemas/number" } }
        - { name: q, in: query, style: deepObject, schema: { required: [n], properties: { n: { $ref: "#/components/schemas/number" } } } }
      requestBody: { content: { application/json: { schema: { readOnly: true, items: { $ref: "#/components/schemas/number" } } } } }
      responses: { 204: { description: x } }`,
      "components: { schemas: { number: { type: integer, readOnly: true } } }",
    ),
  );
  const put = async (url: string, payload: string) =>
    (await send("PUT", url, { payload, headers: { "content-type": "application/json" } })).status;
  t.equal(await put("/a/1?q[n]=2", "[1]"), 204);
  t.equal(await put("/a/x", "[1]"), 400);
  t.equal(await put("/a/1", '["x"]'), 400);
});

t.test("Read-only members of tuples and of unevaluated items and properties are removed and kept", async (t) => {
  const marked = "{ properties: { by: { readOnly: true }, n: {} } }";
  const { schemas } = await parseDocument(
    documentOf(
      "  {}\n",
      `components: { schemas: { Tuple: { prefixItems: [${marked}, { properties: { n: {} } }], items: ${marked} }, Others: { allOf: [{ properties: { a: ${marked} } }], unevaluatedProperties: ${marked} }, Rest: { prefixItems: [{}], unevaluatedItems: ${marked} } } }`,
    ),
  );
  const at = (name: string) => schemas.readOnlyMembersAt(`/components/schemas/${name}`);
  const tuple = [
    { by: 1, n: 1 },
    { by: 2, n: 2 },
    { by: 3, n: 3 },
    { by: 4, n: 4 },
  ];
  t.same(at("Tuple")?.removeFrom(tuple), [{ n: 1 }, { by: 2, n: 2 }, { n: 3 }, { n: 4 }]);
  const changed = [{ by: "x", n: 5 }, { n: 6 }, { n: 4 }, { by: "x", n: 3 }];
  t.same(at("Tuple")?.keepFrom(tuple, changed), [{ by: 1, n: 5 }, { n: 6 }, { by: 4, n: 4 }, { by: 3, n: 3 }]);
  const object = { a: { by: 1, n: 1 }, b: { by: 2, n: 2 } };
  t.same(at("Others")?.removeFrom(object), { a: { n: 1 }, b: { n: 2 } });
  t.same(at("Others")?.keepFrom(object, { a: { by: 7 }, b: { by: 7 } }), { a: { by: 1 }, b: { by: 2 } });
  t.same(at("Rest")?.keepFrom([{ by: 1 }, { by: 2 }], [{ by: 7 }, { by: 7 }]), [{ by: 7 }, { by: 2 }]);
});

t.test("A member that is chosen, and one that an object in a record needs, is not removed", async (t) => {
  const base = "{ properties: { id: { readOnly: true }, type: { readOnly: true } } }";
  const { schemas } = await parseDocument(
    documentOf(
      "  {}\n",
      `components: { schemas: { Other: { allOf: [${base}, { required: [id] }] }, Record: { allOf: [${base}, { required: [id, type], properties: { type: { enum: [a, b] }, other: { $ref: "#/components/schemas/Other" } } }] } } }`,
    ),
  );
  const members = schemas.readOnlyMembersAt("/components/schemas/Record");
  const sent = { id: 1, type: "a", other: { id: 2, type: "c" } };
  t.same(members?.removeFrom(sent), { type: "a", other: { id: 2 } });
  t.same(members?.keepFrom({ id: 7, other: { id: 8, type: "d" } }, sent), {
    id: 7,
    type: "a",
    other: { id: 2, type: "d" },
  });
});
