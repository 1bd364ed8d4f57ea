// Parameters: their types, content, default values, and requests that are rejected.
import t from "tap";
import { documentOf, serve } from "../../support/document-server.ts";

/** Returns the path `/name` with a list of parameters, in YAML, or with the query parameter `a` that has these fields. */
const pathOf = (name: string, parameters: string) =>
  `  /${name}:
    get:
      parameters: ${parameters.startsWith("[") ? parameters : `[{ name: a, in: query, ${parameters} }]`}
      responses: { 204: { description: Done } }`;

const components = `components:
  parameters:
    Shared: { name: shared, in: query, schema: { $ref: "#/components/schemas/Limit" } }
  schemas:
    Limit: { type: integer, default: 20, maximum: 100 }
    Id: { type: integer, format: int64 }
    Ids: { type: array, items: { $ref: "#/components/schemas/Id" } }
    Point:
      allOf:
        - { type: object, properties: { x: { type: number } } }
        - { anyOf: [{ properties: { y: { type: integer } } }, { properties: { on: { type: boolean } } }] }`;

/** Parameters, the request, and what the handler receives of it. */
const accepted: [reason: string, parameters: string, query: string, value: object | undefined][] = [
  [
    "items of an array by $ref",
    '[{ name: ids, in: query, explode: false, schema: { $ref: "#/components/schemas/Ids" } }]',
    "ids=1,9007199254740993",
    { ids: [1n, 9007199254740993n] },
  ],
  [
    "properties by $ref, allOf and anyOf",
    '[{ name: point, in: query, style: deepObject, schema: { $ref: "#/components/schemas/Point" } }]',
    "point[x]=1.5&point[y]=2&point[on]=true",
    { point: { x: 1.5, y: 2, on: true } },
  ],
  [
    "properties of an exploded object",
    '[{ name: point, in: query, schema: { $ref: "#/components/schemas/Point" } }]',
    "x=-1e2&on=false",
    { point: { x: -100, on: false } },
  ],
  ["booleans", "schema: { type: array, items: { type: boolean } }", "a=true&a=false", { a: [true, false] }],
  [
    "alternative types",
    "[{ name: a, in: query, schema: { anyOf: [{ type: integer }, { type: boolean }, { type: string }] } }, { name: b, in: query, schema: { oneOf: [{ type: array, items: { type: integer } }, { type: integer }] } }]",
    "a=x&b=1&b=2",
    { a: "x", b: [1, 2] },
  ],
  [
    "one of alternative types",
    "[{ name: a, in: query, schema: { type: [integer, 'null'] } }, { name: b, in: query, schema: { oneOf: [{ type: array, items: { type: integer } }, { type: integer }] } }]",
    "a=1&b=2",
    { a: 1, b: 2 },
  ],
  [
    "an object or a text",
    "schema: { type: [object, string], properties: { x: { type: integer } } }",
    "a=1",
    { a: "1" },
  ],
  [
    "types of enum and const",
    "[{ name: a, in: query, schema: { enum: [9007199254740993, 2] } }, { name: b, in: query, schema: { const: true } }, { name: c, in: query, schema: { enum: [null, x] } }]",
    "a=9007199254740993&b=true&c=x",
    { a: 9007199254740993n, b: true, c: "x" },
  ],
  [
    "an array and an object without a type",
    "[{ name: a, in: query, schema: { items: { type: integer } } }, { name: b, in: query, style: deepObject, schema: { properties: { c: { enum: [[1], 2] } } } }]",
    "a=1&b[c]=2",
    { a: [1], b: { c: 2 } },
  ],
  [
    "items with schemas of their own",
    "explode: false, schema: { type: array, prefixItems: [{ type: string }, { type: integer }], items: { type: boolean } }",
    "a=1,2,true",
    { a: ["1", 2, true] },
  ],
  [
    "properties by pattern",
    "style: deepObject, schema: { type: object, patternProperties: { '^n': { type: integer } }, additionalProperties: { type: boolean } }",
    "a[n1]=1&a[b]=true",
    { a: { n1: 1, b: true } },
  ],
  [
    "a property that is an array",
    "schema: { type: object, properties: { ids: { type: array, items: { type: integer } } } }",
    "ids=1,2",
    { a: { ids: [1, 2] } },
  ],
  [
    "encoded delimiters of the style form",
    "explode: false, schema: { type: array, items: { type: string } }",
    "a=1%2C2,3%262",
    { a: ["1,2", "3&2"] },
  ],
  [
    "encoded delimiters of an object",
    "explode: false, schema: { type: object, additionalProperties: { type: string } }",
    "a=b%2Cc,d%2Ce",
    { a: { "b,c": "d,e" } },
  ],
  ["spaces and plus signs", "[{ name: 'a b', in: query, schema: { type: string } }]", "a+b=+%2B%20", { "a b": " + " }],
  [
    "an exploded object with a property of its own name",
    "[{ name: color, in: query, schema: { type: object, properties: { color: { type: string }, R: { type: integer } } } }]",
    "color=red&R=1",
    { color: { color: "red", R: 1 } },
  ],
  [
    "the other parameters beside an exploded object with any properties",
    "[{ name: all, in: query, schema: { type: object, additionalProperties: { type: integer } } }, { name: a, in: query, schema: { type: string } }]",
    "a=x&b=1&c=2",
    { all: { b: 1, c: 2 }, a: "x" },
  ],
  [
    "an exploded object without declared properties",
    "[{ name: all, in: query, schema: { type: object } }]",
    "b=1&c=2",
    { all: { b: "1", c: "2" } },
  ],
  [
    "nested deep objects and arrays",
    "style: deepObject, schema: { type: object, properties: { b: { type: object, properties: { c: { type: integer } } }, d: { type: array, items: { type: integer } }, e: { type: array, items: { type: object, properties: { f: { type: integer } } } }, g: { type: [array, string], items: { type: integer } } } }",
    "a[b][c]=1&a[d]=1&a[d]=2&a[e][0][f]=1&a[e][1][f]=2&a[g]=x",
    { a: { b: { c: 1 }, d: [1, 2], e: [{ f: 1 }, { f: 2 }], g: "x" } },
  ],
  [
    "deep arrays with empty brackets and with indexes",
    "style: deepObject, schema: { type: object, properties: { b: { type: array, items: { type: integer } }, c: { type: array, items: { type: integer } }, d: { type: array, items: { properties: { e: { type: integer } } } } } }",
    "a[b][]=1&a[b][]=2&a[c][1]=2&a[c][0]=1&a[d][][e]=3",
    { a: { b: [1, 2], c: [1, 2], d: [{ e: 3 }] } },
  ],
  [
    "JSON in a query",
    "content: { application/json: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } } }",
    "a=%7B%22id%22:9007199254740993%7D",
    { a: { id: 9007199254740993n } },
  ],
  ["JSON of a media type with a suffix", "content: { application/vnd.a+json: {} }", "a=[1,null]", { a: [1, null] }],
  [
    "a form in a query parameter",
    "content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { b: { type: integer } } } } }",
    "a=b%3D1%26c%3Dx",
    { a: { b: 1, c: "x" } },
  ],
  ["text in a query", "content: { text/plain: { schema: { type: string } } }", "a=%7B", { a: "{" }],
  ["any value without a schema", "content: { text/plain: {} }", "a=1", { a: "1" }],
  [
    "reserved characters",
    "allowReserved: true, schema: { type: string }",
    "a=:/?@!$'()*,;=%23%5B%5D",
    { a: ":/?@!$'()*,;=#[]" },
  ],
  [
    "an empty value, as if it were not used",
    "[{ name: a, in: query, allowEmptyValue: true, schema: { type: integer, default: 7 } }, { name: b, in: query, allowEmptyValue: true, schema: { type: boolean } }]",
    "a=&b",
    { a: 7 },
  ],
  [
    "an empty value that is required",
    "required: true, allowEmptyValue: true, schema: { type: boolean }",
    "a",
    { a: "" },
  ],
  ["a value where an empty one is allowed", "allowEmptyValue: true, schema: { type: integer }", "a=1", { a: 1 }],
  ["default values of a reference", '[{ $ref: "#/components/parameters/Shared" }]', "", { shared: 20 }],
  ["an empty string", "schema: { type: string }", "a", { a: "" }],
  [
    "names that are not identifiers",
    "[{ name: 'a[]', in: query, schema: { type: array } }]",
    "a[]=1&a%5B%5D=2",
    { "a[]": ["1", "2"] },
  ],
  ["percent-encoding that is not UTF-8", "schema: { type: string }", "a=%ff%zz%", { a: "%ff%zz%" }],
];

/** Parameters, a request that does not match them, and the message. */
const rejected: [parameters: string, query: string, message: string | RegExp][] = [
  ["[]", "x=1", /'x'/],
  ["schema: { type: string }", "A=1", /'A'/],
  ["schema: { type: string }", "a=1&a=1", "The query parameter 'a' must be given once, not 2 times."],
  ["explode: false, schema: { type: array }", "a=1&a=2", "The query parameter 'a' must be given once, not 2 times."],
  ["required: true, schema: { type: string }", "", /must have the query parameter 'a'/],
  ["schema: { type: integer }", "a=", /'a' must be an integer/],
  ["style: pipeDelimited, allowEmptyValue: true, schema: { type: array, minItems: 1 }", "a=", /'a'/],
  ["schema: { type: array, items: { type: integer } }", "a=1&a=x", /must be an integer/],
  [
    "explode: false, schema: { type: object }",
    "a=R,1,G",
    "The query parameter 'a' must have a value for each property, such as property,value.",
  ],
  ["explode: false, schema: { type: object }", "a=R,1,R,2", "The query parameter 'a' must have each property once."],
  [
    "schema: { type: object, properties: { R: {} } }",
    "R=1&R=2",
    "The query parameter 'a' must have the property R once.",
  ],
  ["schema: { type: object, properties: { R: {} } }", "a=R,1", /'a'/],
  ["schema: { type: object, additionalProperties: false }", "b=1", /'b'/],
  [
    "style: deepObject, schema: { type: object }",
    "a[b]=1&a[b][c]=2",
    "The query parameter 'a' must not have a value and properties of the same name.",
  ],
  [
    "style: deepObject, schema: { type: object }",
    "a[b]=1&a[b]=2",
    "The query parameter 'a' must have each property once.",
  ],
  [
    "style: deepObject, schema: { type: object }",
    "a[b=1",
    "The query parameter 'a' must have properties such as a[property].",
  ],
  ["style: deepObject, schema: { type: object }", "a=1", /'a'/],
  ["content: { application/json: { schema: {} } }", "a={", /'a' is not valid JSON: /],
  ["content: { application/json: { schema: { type: object } } }", "a=1", /'a' must be/],
  ['[{ $ref: "#/components/parameters/Shared" }]', "shared=101", /'shared' must be at most 100/],
];

const { send, calls } = await serve(
  documentOf(
    [
      ...accepted.map(([, parameters], index) => pathOf(`a${index}`, parameters)),
      ...rejected.map(([parameters], index) => pathOf(`r${index}`, parameters)),
    ].join("\n"),
    components,
  ),
);

t.test("Reads query parameters by their schemas", async (t) => {
  for (const [index, [reason, , query, value]] of accepted.entries()) {
    const { status, text } = await send("GET", `/a${index}?${query}`);
    t.equal(status, 204, `${reason} ${text}`);
    t.strictSame({ ...(calls.pop()?.query as object | undefined) }, value, reason);
  }
});

t.test("Rejects query parameters that do not match the document", async (t) => {
  for (const [index, [, query, message]] of rejected.entries())
    t.match(
      await send("GET", `/r${index}?${query}`),
      { status: 400, body: { code: "invalid_parameter", message } },
      `${query} ${message}`,
    );
  t.equal(calls.length, 0);
});
