// Texts whose schema allows several readings: unions in parameters and forms, objects and arrays in forms, and true messages.
import t from "tap";
import { documentOf, serve } from "../../support/document-server.ts";

const ok = "responses: { 204: { description: x } }";
const parameter = (name: string, schema: string, rest = "") => `{ name: ${name}, in: query, schema: ${schema}${rest} }`;

/** Serves a GET with parameters, and returns a function that returns what the handler gets, or the message of the failure. */
async function reader(parameters: string, path = "/x") {
  const { send, calls } = await serve(
    documentOf(`  ${path}: { get: { operationId: x, parameters: [${parameters}], ${ok} } }`),
  );
  return async (url: string, headers = {}) => {
    const { status, body } = await send("GET", url, { headers });
    const { params, query, headers: sent } = (calls.pop() ?? {}) as Record<string, object>;
    return status === 204 ? { ...params, ...query, ...sent } : (body as { message: string }).message;
  };
}

t.test("Takes the reading that the schema describes", async (t) => {
  for (const [schema, texts] of [
    ['{ oneOf: [{ type: integer, maximum: 100 }, { type: string, pattern: "^[0-9]{5}$" }] }', { 12345: "12345", 7: 7 }],
    ['{ enum: ["1", "2", 3] }', { 1: "1", 3: 3 }],
    ["{ anyOf: [{ type: string, minLength: 3 }, { type: integer }] }", { 12: 12, 123: 123, abc: "abc" }],
    ['{ type: [boolean, string], enum: [true, "false"] }', { true: true, false: "false" }],
    ["{ oneOf: [{ const: '007' }, { type: number, minimum: 1.5 }] }", { "007": "007", 1.5: 1.5 }],
    ["{ type: [integer, string] }", { 5: 5, "05": "05", "": "" }],
    ["{ type: string }", { 5: "5", true: "true" }],
  ] as [string, Record<string, unknown>][]) {
    const read = await reader(parameter("q", schema));
    for (const [text, value] of Object.entries(texts))
      t.strictSame(await read(`/x?q=${text}`), { q: value }, `${schema} ${text}`);
  }
  const read = await reader(
    parameter("q", "{ oneOf: [{ type: integer, maximum: 9 }, { type: string, minLength: 3 }] }"),
  );
  t.match(await read("/x?q=10"), /must match exactly one of the alternatives/);
});

t.test("Takes it in each location, and in arrays and objects", async (t) => {
  const union = '{ oneOf: [{ type: integer, format: int32 }, { type: string, pattern: "^[0-9]{12}$" }] }';
  const path = await reader(`{ name: id, in: path, required: true, schema: ${union} }`, "/x/{id}");
  t.strictSame([await path("/x/5"), await path("/x/123456789012")], [{ id: 5 }, { id: "123456789012" }]);
  const header = await reader(`{ name: X-Id, in: header, schema: ${union} }`);
  t.strictSame(await header("/x", { "x-id": "123456789012" }), { "X-Id": "123456789012" });
  const array = await reader(parameter("q", `{ type: array, items: ${union} }`));
  t.strictSame(await array("/x?q=5&q=123456789012"), { q: [5, "123456789012"] });
  const deep = await reader(parameter("q", `{ type: object, properties: { a: ${union} } }`, ", style: deepObject"));
  t.strictSame(await deep("/x?q[a]=123456789012"), { q: { a: "123456789012" } });
  const list = await reader(
    parameter(
      "q",
      '{ oneOf: [{ type: array, items: { type: integer } }, { type: string, pattern: "^[a-z,]+$" }] }',
      ", explode: false",
    ),
  );
  t.strictSame([await list("/x?q=1,2"), await list("/x?q=a,b")], [{ q: [1, 2] }, { q: "a,b" }]);
});

t.test("An exploded object reads an array that is repeated", async (t) => {
  const read = await reader(
    `${parameter("filter", "{ type: object, properties: { ids: { type: array, items: { type: integer } }, name: { type: string } } }")}, ${parameter("deep", "{ type: object, properties: { a: { type: integer } } }", ", style: deepObject")}`,
  );
  t.strictSame(await read("/x?ids=1&ids=2&name=a"), { filter: { ids: [1, 2], name: "a" } });
  t.strictSame(await read("/x?ids=1,2"), { filter: { ids: [1, 2] } });
  t.equal(await read("/x?name=a&name=b"), "The query parameter 'filter' must have the property name once.");
  t.equal(
    await read("/x?ids=1&ids=x"),
    "The query parameter 'filter.ids.1' must be an integer, in plain decimal digits.",
  );
  t.equal(await read("/x?deep=1"), "The query parameter 'deep' must have properties such as deep[property].");
  t.equal(
    await read("/x?other=1"),
    "The request has the unknown query parameter 'other'. Known query parameters: ids, name, deep[…].",
  );
});

t.test("A form reads arrays of objects as JSON, item by item, and unions", async (t) => {
  const schema =
    "{ type: object, properties: { list: { type: array, items: { type: object, properties: { a: { type: integer } } } }, code: { oneOf: [{ type: integer, maximum: 9 }, { type: string, minLength: 3 }] } } }";
  const { send, calls } = await serve(
    documentOf(
      `  /f: { post: { operationId: f, requestBody: { content: { application/x-www-form-urlencoded: { schema: ${schema} } } }, ${ok} } }`,
    ),
  );
  const post = async (fields: readonly (readonly [string, string])[]) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const payload = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
    const { status, body } = await send("POST", "/f", { headers, payload });
    return status === 204 ? calls.pop()?.body : (body as { message: string }).message;
  };
  t.strictSame(
    await post([
      ["list", '{"a":1}'],
      ["list", '{"a":2}'],
    ]),
    { list: [{ a: 1 }, { a: 2 }] },
  );
  t.strictSame(await post([["list", '[{"a":1},{"a":2}]']]), { list: [{ a: 1 }, { a: 2 }] });
  t.strictSame(
    await post([
      ["list", "{}"],
      ["code", "123"],
    ]),
    { list: [{}], code: "123" },
  );
  t.strictSame(await post([["code", "7"]]), { code: 7 });
  t.equal(await post([["list", '{"a":"x"}']]), "The field 'list.0.a' must be an integer.");
  t.match(await post([["list", "{"]]), /has the invalid field 'list'/);
});

t.test("Takes an empty body, and an empty object, where no body is declared", async (t) => {
  const { send, app } = await serve(
    documentOf(`  /x:
    post: { operationId: x, ${ok} }
    get: { operationId: y, requestBody: { content: { application/json: { schema: { type: object } } } }, ${ok} }`),
  );
  for (const type of [
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/octet-stream",
  ]) {
    const headers = { "content-type": type };
    for (const payload of ["", "{}", " { } \n"])
      t.match(await send("POST", "/x", { headers, payload }), { status: 204 }, `${type} ${payload}`);
    for (const payload of ['{"a":1}', "[]", "x", " ".repeat(1_000)])
      t.match(
        await send("POST", "/x", { headers, payload }),
        { status: 415, body: { message: "This operation accepts no body." } },
        `${type} ${payload}`,
      );
    t.match(await send("GET", "/x", { headers, payload: '{"a":1}' }), { status: 204 }, "the body of a GET is ignored");
  }
  await app.close();
});

t.test("Another member can tell that a text is meant, in queries, deep objects and forms", async (t) => {
  const pet = (kind: string, type: string) =>
    `{ type: object, required: [k], properties: { k: { const: ${kind} }, n: { type: ${type} } } }`;
  for (const rest of ["", ", discriminator: { propertyName: k }"]) {
    const schema = `{ oneOf: [${pet("cat", "integer")}, ${pet("dog", "string")}]${rest} }`;
    const deep = await reader(parameter("p", schema, ", style: deepObject"));
    t.strictSame(await deep("/x?p[k]=dog&p[n]=1"), { p: { k: "dog", n: "1" } });
    t.strictSame(await deep("/x?p[k]=cat&p[n]=1"), { p: { k: "cat", n: 1 } });
    t.match(await deep("/x?p[k]=cat&p[n]=x"), /must be an integer|exactly one of the alternatives/);
    const exploded = await reader(parameter("p", schema));
    t.strictSame(await exploded("/x?k=dog&n=1"), { p: { k: "dog", n: "1" } });
    const { send, calls } = await serve(
      documentOf(
        `  /f: { post: { operationId: f, requestBody: { content: { application/x-www-form-urlencoded: { schema: ${schema} } } }, ${ok} } }`,
      ),
    );
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    t.match(await send("POST", "/f", { headers, payload: "k=dog&n=1" }), { status: 204 });
    t.strictSame(calls.pop()?.body, { k: "dog", n: "1" });
    t.match(await send("POST", "/f", { headers, payload: "k=cat&n=x" }), { status: 400 });
  }
});
