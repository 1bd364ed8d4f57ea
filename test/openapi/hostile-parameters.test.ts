// Hostile parameters: names of JavaScript's prototypes, and requests that would be slow or deep.
import t from "tap";
import { documentOf, serve } from "../support/document-server.ts";

const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"];
const parameter = (name: string, rest: string) => `        - { name: ${name}, ${rest} }`;
const pathOf = (path: string, parameters: readonly string[]) =>
  `  ${path}:\n    get:\n      operationId: "${path}"\n      parameters:\n${parameters.join("\n")}\n      responses: { 204: { description: Done } }`;
const open = "schema: { type: object, additionalProperties: { type: integer, format: int64 } }";
const closed = "schema: { type: object, properties: { constructor: { type: integer } }, additionalProperties: false }";
const nested = "schema: { type: object, additionalProperties: { type: object } }";

const { send, calls } = await serve(
  documentOf(
    [
      pathOf(
        "/names/{constructor}/{toString}/{hasOwnProperty}",
        names.slice(1, 4).map((name) => parameter(name, "in: path, required: true, schema: { type: string }")),
      ),
      pathOf("/proto", [parameter("__proto__", "in: query, schema: { type: integer }")]),
      pathOf(
        "/query",
        names.slice(1).map((name) => parameter(name, "in: query, schema: { type: integer }")),
      ),
      pathOf(
        "/headers",
        names.map((name) => parameter(name, "in: header, schema: { type: integer }")),
      ),
      pathOf(
        "/cookies",
        names.slice(1).map((name) => parameter(name, "in: cookie, schema: { type: integer }")),
      ),
      pathOf("/open", [parameter("a", `in: query, style: deepObject, ${open}`)]),
      pathOf("/closed", [parameter("a", `in: query, style: deepObject, ${closed}`)]),
      pathOf("/nested", [parameter("a", `in: query, style: deepObject, ${nested}`)]),
      pathOf("/exploded", [parameter("a", `in: query, ${open}`)]),
      pathOf("/list", [
        parameter("a", `in: query, explode: false, ${open}`),
        parameter("b", "in: query, style: pipeDelimited, schema: { type: array, items: { type: integer } }"),
        parameter("c", "in: query, schema: { type: array, items: { type: integer } }"),
        parameter("d", "in: query, content: { application/json: { schema: {} } }"),
        parameter("cookie", `in: cookie, ${open}`),
        parameter("x-list", `in: header, explode: true, ${open}`),
      ]),
      pathOf("/files/{a}--{b}.{c}", [
        parameter("a", "in: path, required: true, schema: { type: integer }"),
        parameter("b", `in: path, required: true, ${open}`),
        parameter("c", "in: path, required: true, schema: { type: array, items: { type: boolean } }"),
      ]),
      pathOf("/matrix/{a}", [parameter("a", `in: path, required: true, style: matrix, explode: true, ${open}`)]),
    ].join("\n"),
  ),
);
t.beforeEach(() => calls.splice(0));

t.test("Names of JavaScript's prototypes are names like others", async (t) => {
  t.match(await send("GET", "/names/1/2/3"), { status: 204 });
  const { params } = calls.pop() as { params: object };
  t.strictSame({ ...params }, { constructor: "1", toString: "2", hasOwnProperty: "3" });

  for (const [url, field] of [
    ["/query", "query"],
    ["/headers", "headers"],
    ["/cookies", "cookies"],
  ] as const) {
    t.match(await send("GET", url), { status: 204 }, `${url} without values`);
    const received = calls.pop()?.[field] as object;
    for (const name of names) t.notOk(Object.hasOwn(received, name), `${url} ${name}`);
  }
  t.match(await send("GET", "/query?constructor=1&toString=2&prototype=3"), { status: 204 });
  t.strictSame({ ...(calls.pop()?.query as object) }, { constructor: 1, toString: 2, prototype: 3 });
  t.match(await send("GET", "/query?constructor=x"), { status: 400 });
  t.match(await send("GET", "/query?__proto__=x"), { status: 400 }, "an unknown parameter");
  t.match(await send("GET", "/cookies", { headers: { cookie: "constructor=1; __proto__=2" } }), { status: 204 });
  t.strictSame({ ...(calls.pop()?.cookies as object) }, { constructor: 1 });
});

t.test("Reads a parameter with the name __proto__", async (t) => {
  t.match(await send("GET", "/proto?__proto__=1"), { status: 204 });
  t.same(Object.entries((calls.pop()?.query as object | undefined) ?? {}), [["__proto__", 1]]);
});

t.test("Properties with the names of JavaScript's prototypes are properties like others", async (t) => {
  for (const [url, value] of [
    ["/open?a[__proto__]=1&a[constructor]=2", { ["__proto__"]: 1n, constructor: 2n }],
    ["/exploded?__proto__=1&toString=2", { ["__proto__"]: 1n, toString: 2n }],
    ["/list?a=__proto__,1,constructor,2", { ["__proto__"]: 1n, constructor: 2n }],
    ["/nested?a[__proto__][polluted]=1", { ["__proto__"]: { polluted: "1" } }],
    ["/nested?a[constructor][prototype][x]=1", { constructor: { prototype: { x: "1" } } }],
    ["/closed?a[constructor]=1", { constructor: 1 }],
  ] as const) {
    const { status, text } = await send("GET", url);
    t.equal(status, 204, `${url} ${text}`);
    const { a } = calls.pop()?.query as { a: object };
    t.strictSame(Object.entries(a), Object.entries(value), url);
  }
  for (const url of [
    "/closed?a[__proto__]=1",
    "/closed?a[toString]=1",
    "/open?a[__proto__]=x",
    "/open?a[__proto__][x]=1",
  ])
    t.match(await send("GET", url), { status: 400 }, url);
});

t.test("Responds to each of many hostile requests within a second, and never with 5xx", async (t) => {
  const fill = (unit: string, end = "") => unit.repeat(Math.floor(16_000 / unit.length)) + end;
  const levels = "[b]".repeat(5_000);
  const count = (write: (index: number) => string, separator: string) =>
    Array.from({ length: 2_000 }, (_, index) => write(index)).join(separator);
  const texts = [
    ...[
      "[",
      "]",
      "[]",
      "a[",
      "a[]",
      "[b]",
      ",",
      "=",
      ";",
      ".",
      "-",
      "|",
      "+",
      "--.",
      "a,",
      ",1",
      ";a",
      ";a=1",
      "a=1,",
    ].map((unit) => fill(unit)),
    ...["%", "%zz", "%ff", "%25", "%2", "%C3", "%00", "%2C", "%5B", "%E2%82%AC", "%0d%0a"].map((unit) => fill(unit)),
    levels,
    fill("[", "x"),
    fill("-", ".x"),
    fill("9"),
    `1e${fill("9")}`,
    fill('{"a":'),
    count((index) => `k${index},1`, ","),
    count((index) => `k${index}=1`, ","),
    count((index) => `;k${index}=1`, ""),
  ];
  const queries = [
    ...texts.flatMap((text) => [text, `a=${text}`, `b=${text}`, `c=${text}`, `d=${text}`]),
    `a${levels}=1`,
    count((index) => `a[${index}]=1`, "&"),
    count((index) => `a[b][${index}]=1`, "&"),
    count((index) => `k${index}=1`, "&"),
    count(() => "c=1", "&"),
    count(() => "a[b]=1", "&"),
    fill("&"),
    fill("&="),
    fill("a&"),
  ];
  const requests: [string, Record<string, string>?][] = [
    ...["/open", "/closed", "/nested", "/exploded", "/list"].flatMap((path) =>
      queries.map((query): [string] => [`${path}?${query}`]),
    ),
    ...texts.map((text): [string] => [`/files/${text}`]),
    ...texts.map((text): [string] => [`/files/1--${text}.${text}`]),
    ...texts.map((text): [string] => [`/matrix/;${text}`]),
    ...texts.flatMap((text): [string, Record<string, string>][] => [
      ["/list", { "x-list": text }],
      ["/list", { cookie: text }],
      ["/list", { cookie: `a=${text}` }],
    ]),
  ];
  let slowest = 0;
  for (const [url, headers] of requests)
    for (const method of ["GET", "DELETE"]) {
      const start = performance.now();
      const { status } = await send(method, url, { ...(headers && { headers }) });
      const time = performance.now() - start;
      slowest = Math.max(slowest, time);
      if (status >= 500 || time > 1_000) t.fail(`${method} ${url.slice(0, 60)}: ${status} in ${time} ms`);
    }
  t.comment(`${requests.length} requests, the slowest in ${Math.round(slowest)} ms`);
  t.match(await send("GET", `/open?a${levels}=1`), {
    status: 400,
    body: { message: "The query parameter 'a' must have at most 20 levels." },
  });
});

t.test("No request has changed Object.prototype", (t) => {
  t.same(
    ["x", "polluted", "1"].filter((name) => name in {}),
    [],
  );
  t.end();
});
