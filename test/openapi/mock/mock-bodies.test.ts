// What mock responses contain: values that match their schemas, in the syntax of their media type, with a note if there is none.

import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { documentOf } from "../../support/document-server.ts";

const logger = pino({ level: "silent" });

/** Serves responses of 200 in mock mode, by path, and returns a function that requests them. */
async function mock(responses: Readonly<Record<string, string>>, components = "") {
  const paths = Object.entries(responses).map(
    ([name, response]) => `  /${name}: { get: { responses: { 200: { description: x, ${response} } } } }`,
  );
  const app = await createServer({
    document: parse(documentOf(paths.join("\n"), components)),
    mock: true,
    logger,
    docs: false,
  });
  t.teardown(() => app.close());
  return async (name: string, headers: Record<string, string> = {}) => {
    const {
      statusCode: status,
      headers: sent,
      payload: text,
    } = await app.inject({ url: `/${name}`, headers: { host: "x", ...headers } });
    const problem = sent["mock-problem"];
    return {
      status,
      type: sent["content-type"],
      text,
      body: /json/.test(`${sent["content-type"]}`) ? JSON.parse(text) : undefined,
      problem,
      headers: sent,
    };
  };
}

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;

t.test("Finds a value that matches its schema", async (t) => {
  const schemas: Readonly<Record<string, string>> = {
    strings: "{ type: array, minItems: 30, uniqueItems: true, items: { type: string, minLength: 1, maxLength: 2 } }",
    numbers: "{ type: array, minItems: 5, uniqueItems: true, items: { type: integer, minimum: 3, maximum: 7 } }",
    objects:
      "{ type: array, minItems: 3, uniqueItems: true, items: { type: object, required: [k], properties: { k: { enum: [x, y, z] } } } }",
    nested:
      "{ type: array, minItems: 2, uniqueItems: true, items: { type: object, required: [a], properties: { a: { type: object, required: [b], properties: { b: { type: boolean } } } } } }",
    lookaheads: "{ type: string, pattern: '^(?=.*[A-Z])(?=.*[a-z])(?=.*\\d)(?=.*[-_.]).{8,20}$' }",
    negative: "{ type: string, pattern: '^(?!a)[a-c]{3}$' }",
    letters: "{ type: string, pattern: '^\\p{Lu}\\p{Ll}+ \\p{Nd}{2}$' }",
    greek: "{ type: string, pattern: '^[\\p{Script=Greek}]{3}$' }",
    names:
      "{ type: object, minProperties: 3, propertyNames: { pattern: '^[a-z]{3}$' }, additionalProperties: { type: integer } }",
    prefix:
      "{ type: object, minProperties: 3, patternProperties: { '^x_': { type: integer } }, additionalProperties: false }",
    length:
      "{ type: object, minProperties: 2, propertyNames: { minLength: 4, maxLength: 5 }, additionalProperties: true }",
    dependent:
      "{ type: object, required: [a], properties: { a: { type: integer } }, dependentRequired: { a: [b, c], b: [d] } }",
    not: "{ type: string, not: { enum: [text, text2] } }",
    notType: "{ not: { type: string } }",
    excluded: "{ type: integer, not: { minimum: 0, maximum: 3 } }",
    contains: "{ type: array, items: { type: integer }, contains: { minimum: 10 }, minContains: 2 }",
    large: "{ type: array, minItems: 30000, items: { type: integer } }",
    condition:
      "{ type: object, required: [kind], properties: { kind: { enum: [a, b] }, x: {} }, if: { properties: { kind: { const: a } } }, then: { required: [x] } }",
    union:
      "{ oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }], discriminator: { propertyName: rt } }",
    mapped:
      "{ oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }], discriminator: { propertyName: rt, mapping: { bee: B, ay: A } } }",
    unions:
      "{ type: array, minItems: 2, items: { anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }], discriminator: { propertyName: rt } } }",
    expression: "{ $ref: '#/components/schemas/Expression' }",
    mutual: "{ $ref: '#/components/schemas/M0' }",
    invalidExamples:
      "{ type: object, properties: { a: { type: integer, example: 42 }, b: { type: string, example: 5 } } }",
    decimals: "{ type: number, multipleOf: 0.1, minimum: 0.25 }",
    addresses: "{ type: array, minItems: 40, uniqueItems: true, items: { type: string, format: date } }",
    codes: "{ type: array, minItems: 300, uniqueItems: true, items: { type: string, pattern: '^[A-Z]{3}$' } }",
    fraction: "{ type: number, exclusiveMinimum: 0, exclusiveMaximum: 0.1, multipleOf: 0.01 }",
  };
  const names = [0, 1, 2, 3, 4, 5];
  const mutual = names.map(
    (name) =>
      `M${name}: { type: object, properties: { ${names.map((other) => `m${other}: { $ref: '#/components/schemas/M${other}' }`).join()} } }`,
  );
  const components = `components: { schemas: { ${mutual.join()},
    Expression: { oneOf: [{ type: object, required: [op, l, r], properties: { op: { enum: ["+"] }, l: { $ref: '#/components/schemas/Expression' }, r: { $ref: '#/components/schemas/Expression' } } }, { type: number }] },
    A: { type: object, required: [name, rt], properties: { rt: { type: string }, name: { type: string } } },
    B: { type: object, required: [name, rt], properties: { rt: { type: string }, name: { type: string } } } } }`;
  const get = await mock(
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, json(schema)])),
    components,
  );
  for (const name of Object.keys(schemas)) {
    const { status, body, problem } = await get(name);
    t.same([status, problem], [200, undefined], `${name} ${JSON.stringify(body).slice(0, 100)}`);
  }
  t.same((await get("invalidExamples")).body, { a: 42, b: "text" });
  t.match([(await get("union")).body, (await get("mapped")).body], [{ rt: "A" }, { rt: "bee" }]);
});

t.test("Says in a header that there is no valid value, or that an example is not valid", async (t) => {
  const get = await mock({
    nothing: json("{ not: {} }"),
    between: json("{ type: integer, minimum: 5, maximum: 5, multipleOf: 2 }"),
    example:
      "content: { application/json: { schema: { type: object, properties: { id: { type: integer } } }, example: { id: ä } } }",
    named:
      "content: { application/json: { schema: { type: integer }, examples: { good: { value: 5 }, bad: { value: x } } } }",
    header: "headers: { X-Total: { schema: { type: integer }, example: many } }",
  });
  t.match(await get("nothing"), { status: 200, problem: /^No value was found that matches the schema: it / });
  t.match(await get("between"), { problem: /No value was found/ });
  t.match(await get("example"), {
    body: { id: 1 },
    problem: "The example of its media type does not match its schema: its field 'id' must be an integer.",
  });
  t.match(await get("named"), { body: 5, problem: undefined });
  t.match(await get("named", { prefer: "example=bad" }), {
    body: "x",
    problem: "The example bad does not match its schema: it must be an integer.",
  });
  t.match(await get("header"), { headers: { "x-total": "1" }, problem: /^X-Total: The example/ });
});

t.test("A null is an example", async (t) => {
  const get = await mock({
    media:
      'content: { application/json: { schema: { type: [string, "null"] }, examples: { none: { value: null }, some: { value: hi } } } }',
    single: 'content: { application/json: { schema: { type: [string, "null"] }, example: null } }',
    schema: json(
      '{ type: object, required: [a, b], properties: { a: { type: [string, "null"], example: null }, b: { type: [string, "null"], examples: [null] } } }',
    ),
    data: 'content: { application/json: { schema: { type: [string, "null"] }, examples: { none: { dataValue: null } } } }',
  });
  t.same((await get("media")).text, "null");
  t.same((await get("media", { prefer: "example=some" })).body, "hi");
  t.same((await get("single")).text, "null");
  t.same((await get("schema")).body, { a: null, b: null });
  t.same((await get("data", { prefer: "example=none" })).text, "null");
});

t.test("Declared headers are sent, with their examples, except those of the server", async (t) => {
  const get = await mock({
    a: 'headers: { X-Total: { schema: { type: integer }, example: 42 }, X-Kind: { required: true, schema: { enum: [a, b] } }, Content-Encoding: { schema: { const: gzip } }, Content-Length: { schema: { const: 5 } }, X-Bad: { schema: { const: "a\\nb" } } }',
  });
  const { status, headers } = await get("a");
  t.match(
    [status, headers],
    [200, { "x-total": "42", "x-kind": "a", "content-encoding": undefined, "x-bad": undefined }],
  );
});

t.test("A body has the syntax of its media type", async (t) => {
  const pet = "{ $ref: '#/components/schemas/Pet' }";
  const components = `components: { schemas: { Pet: { type: object, required: [id], xml: { name: pet, prefix: p, namespace: "urn:pets" }, properties: {
    id: { type: integer, xml: { attribute: true } }, name: { type: string, example: 'a <b> & "c"' },
    tags: { type: array, xml: { wrapped: true, name: labels }, items: { type: string, xml: { name: label } } },
    kinds: { type: array, items: { type: string } }, other: { type: [string, "null"], example: null } } } } }`;
  const get = await mock(
    {
      xml: `content: { application/xml: { schema: ${pet} } }`,
      suffix: `content: { application/atom+xml: { schema: { type: object, properties: { "1 a": { type: integer } } } } }`,
      text: `content: { application/xml: { schema: ${pet}, example: "<pet><id>1</id></pet>" } }`,
      form: `content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string, example: "x y" }, b: { type: array, minItems: 2, items: { type: integer } }, c: { type: object, properties: { d: { type: integer } } } } } } }`,
      csv: `content: { text/csv: { schema: { type: array, minItems: 2, items: { type: object, properties: { a: { type: integer }, b: { type: string, example: 'x,"y"' } } } } } }`,
      plain: "content: { text/plain: { schema: { type: integer, example: 7 } } }",
      html: "content: { text/html: { schema: { type: object } } }",
      pdf: "content: { application/pdf: { schema: { type: object, properties: { a: { type: integer } } } } }",
      both: `content: { application/json: { schema: ${pet} }, application/xml: { schema: ${pet} } }`,
      any: "content: { application/json: {} }",
    },
    components,
  );
  t.match(await get("xml"), {
    status: 200,
    type: "application/xml",
    text: '<?xml version="1.0" encoding="UTF-8"?><p:pet xmlns:p="urn:pets" id="1"><name>a &lt;b&gt; &amp; &quot;c&quot;</name><labels><label>text</label></labels><kinds>text</kinds><other/></p:pet>',
    problem: undefined,
  });
  t.match(await get("suffix"), { text: /<root><_1_a>1<\/_1_a><\/root>$/ });
  t.match(await get("text"), { text: "<pet><id>1</id></pet>", problem: undefined });
  t.match(await get("form"), { text: "a=x+y&b=1&b=2&c=%7B%22d%22%3A1%7D" });
  t.match(await get("csv"), { type: /^text\/csv/, text: 'a,b\r\n1,"x,""y"""\r\n1,"x,""y"""\r\n' });
  t.match(await get("plain"), { text: "7" });
  for (const name of ["html", "pdf"])
    t.match(await get(name), { status: 501, body: { message: /can't make a body of .*: add an example/ } }, name);
  t.match(await get("both", { accept: "application/xml" }), { type: "application/xml", text: /^<\?xml/ });
  t.match(await get("any"), { type: /json/, body: {} });
});

t.test("Prefer: dynamic=true varies the values, which stay valid", async (t) => {
  const get = await mock({
    a: json(
      "{ type: object, required: [id, kind], properties: { id: { type: integer, minimum: 1, maximum: 1000000, example: 5 }, kind: { enum: [a, b, c] }, at: { type: string, format: date-time }, key: { type: string, pattern: '^[a-z]{5}$' } } }",
    ),
  });
  t.match((await get("a")).body, { id: 5 });
  const values = new Set<number>();
  for (let count = 0; count < 20; count++) {
    const { body, problem } = await get("a", { prefer: "dynamic=true" });
    t.equal(problem, undefined);
    values.add(body.id);
  }
  t.ok(values.size > 5, `${values.size} values`);
});

t.test("Without the validation of requests, each request of an operation gets its response", async (t) => {
  const paths = `  /a/{id}: { post: { operationId: a, security: [{ key: [] }], parameters: [{ name: id, in: path, required: true, schema: { type: integer } }, { name: q, in: query, required: true, schema: {} }], requestBody: { required: true, content: { application/json: { schema: { type: integer } } } }, responses: { 201: { description: x, content: { application/json: { example: 1 } } } } } }`;
  const components = "components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }";
  const document = parse(documentOf(paths, components));
  const app = await createServer({ document, mock: true, validateRequests: false, logger });
  t.teardown(() => app.close());
  for (const options of [
    {},
    { payload: "x", headers: { "content-type": "text/x" } },
    { payload: "{", headers: { "content-type": "application/json" } },
  ])
    t.match(
      await app.inject({ method: "POST", url: "/a/x?other=1", ...options, headers: { host: "x", ...options.headers } }),
      { statusCode: 201, payload: "1" },
    );
  t.match(await app.inject({ url: "/b", headers: { host: "x" } }), { statusCode: 404 });
  await t.rejects(
    createServer({ document, handlers: { a: async () => ({ status: 201 }) }, validateRequests: false, logger }),
    {
      message: "The option `validateRequests` can only be false for `mock` without handlers.",
    },
  );
});

t.test("Items of a media type that can't be made need an example", async (t) => {
  const get = (id: string, content: string) =>
    `  /${id}: { get: { operationId: ${id}, responses: { 200: { description: x, content: { ${content} } } } } }\n`;
  const item = "itemSchema: { type: object, required: [a], properties: { a: { type: integer } } }";
  const paths =
    get("mixed", `multipart/mixed: { ${item} }`) +
    get("example", `multipart/mixed: { ${item}, example: "--x--" }`) +
    get("csv", `text/csv: { ${item} }`) +
    get(
      "events",
      `text/event-stream: { itemSchema: { required: [data], properties: { data: { type: string, contentMediaType: application/json, contentSchema: { const: { n: 1 } } } } } }`,
    );
  const app = await createServer({ document: parse(documentOf(paths, "", "3.2.0")), mock: true, logger });
  const read = (url: string) => app.inject({ url, headers: { host: "x" } });
  t.match(await read("/mixed"), { statusCode: 501, payload: /can't make a body of multipart\/mixed: add an example/ });
  t.match(await read("/example"), { statusCode: 200, payload: "--x--" });
  t.match(await read("/csv"), { statusCode: 200, payload: "a\r\n1\r\n" });
  t.match(await read("/events"), { statusCode: 200, payload: 'data: {"n":1}\n\n' });
});
