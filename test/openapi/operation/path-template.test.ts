// Paths: templates, several parameters in a segment, base paths, and methods.
import t from "tap";
import { parsePathTemplate } from "../../../src/openapi/operation/path-template.ts";
import { readBasePath, readServerUrl } from "../../../src/openapi/source/servers.ts";
import { documentOf, serve } from "../../support/document-server.ts";

/** Returns a path with an operation, whose parameters are strings, or have the schema that `types` has. */
function pathOf(path: string, types: Record<string, string> = {}, method = "get"): string {
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string);
  const parameters = names.map((name) => {
    const rest = Object.hasOwn(types, name) ? types[name] : "schema: { type: string }";
    return `        - { name: "${name}", in: path, required: true, ${rest} }`;
  });
  const list = parameters.length > 0 ? `\n      parameters:\n${parameters.join("\n")}` : "";
  return `  "${path}":\n    ${method}:\n      operationId: "${path}"${list}\n      responses: { 204: { description: Done } }`;
}

const integers = "schema: { type: array, items: { type: integer } }";
const { send, calls } = await serve(
  documentOf(
    [
      pathOf("/files/{name}.{ext}"),
      pathOf("/pairs/{a}-{b}"),
      pathOf("/double/{a}--{b}"),
      pathOf("/comma/{a},{b}"),
      pathOf("/items/{id}", { id: "schema: { type: integer }" }),
      pathOf("/items/{id}:cancel", { id: "schema: { type: integer }" }),
      pathOf("/items/mine"),
      pathOf("/pets/{pet-id}/{parameter0}"),
      pathOf("/tags/{name}"),
      pathOf("/tags/{name}:cancel"),
      pathOf("/reports/{name}.json"),
      pathOf("/map/at({ids})/view", { ids: integers }),
      pathOf("/label{ids}", { ids: `style: label, ${integers}` }),
      pathOf("/matrix{ids}", { ids: `style: matrix, explode: true, ${integers}` }),
      pathOf("/whole/{ids}/", { ids: integers }),
      pathOf("/json/{value}", { value: "content: { application/json: { schema: { type: object } } }" }),
      pathOf("/{constructor}/{__proto__}/{toString}"),
      pathOf("/slash/{a/b?c#d}"),
      pathOf("/five/{a}.{b}.{c}.{d}.{e}"),
      pathOf("/caf%C3%A9/a:b/delta()"),
      pathOf("/fragment#one"),
    ].join("\n"),
  ),
);
t.beforeEach(() => calls.splice(0));

t.test("Finds the parameters of a path", async (t) => {
  for (const [url, operationId, params] of [
    ["/files/a.txt", "/files/{name}.{ext}", { name: "a", ext: "txt" }],
    ["/files/archive.tar.gz", "/files/{name}.{ext}", { name: "archive", ext: "tar.gz" }],
    ["/files/a%2Etxt", "/files/{name}.{ext}", { name: "a", ext: "txt" }],
    ["/files/a%2Fb%25%C3%A9.%0A", "/files/{name}.{ext}", { name: "a/b%é", ext: "\n" }],
    ["/pairs/1-2-3", "/pairs/{a}-{b}", { a: "1", b: "2-3" }],
    ["/double/x-y--z", "/double/{a}--{b}", { a: "x-y", b: "z" }],
    ["/comma/x%2Cy,z", "/comma/{a},{b}", { a: "x,y", b: "z" }],
    ["/comma/x%2Cy", "/comma/{a},{b}", undefined],
    ["/items/5", "/items/{id}", { id: 5 }],
    ["/items/5:cancel", "/items/{id}:cancel", { id: 5 }],
    ["/tags/5:cancel", "/tags/{name}:cancel", { name: "5" }],
    ["/tags/5%3Acancel", "/tags/{name}", { name: "5:cancel" }],
    ["/tags/a%3Ab:cancel", "/tags/{name}:cancel", { name: "a:b" }],
    ["/items/mine", "/items/mine", {}],
    ["/pets/1/2", "/pets/{pet-id}/{parameter0}", { "pet-id": "1", parameter0: "2" }],
    ["/reports/v1.2.json", "/reports/{name}.json", { name: "v1.2" }],
    ["/map/at(1,2)/view", "/map/at({ids})/view", { ids: [1, 2] }],
    ["/map/at(1%2c2)/view", "/map/at({ids})/view", { ids: [1, 2] }],
    ["/map/at(1%2cx)/view", "/map/at({ids})/view", undefined],
    ["/label.1,2", "/label{ids}", { ids: [1, 2] }],
    ["/matrix;ids=1;ids=2", "/matrix{ids}", { ids: [1, 2] }],
    ["/whole/1,2/", "/whole/{ids}/", { ids: [1, 2] }],
    ["/json/%7B%22a%22:%22%2F%22%7D", "/json/{value}", { value: { a: "/" } }],
    ["/slash/1", "/slash/{a/b?c#d}", { "a/b?c#d": "1" }],
    ["/five/1.2.3.4.5.6", "/five/{a}.{b}.{c}.{d}.{e}", { a: "1", b: "2", c: "3", d: "4", e: "5.6" }],
    ["/caf%c3%a9/a:b/delta()", "/caf%C3%A9/a:b/delta()", {}],
    ["/fragment", "/fragment#one", {}],
  ] as [string, string, object | undefined][]) {
    const { status, text } = await send("GET", url);
    t.equal(status, params ? 204 : url.startsWith("/comma") ? 404 : 400, `${url} ${text}`);
    const call = calls.pop();
    t.strictSame(params && [call?.operationId, { ...(call?.params as object) }], params && [operationId, params], url);
  }
});

t.test("Responds with 404 to a path that has no value for a parameter, and to an unknown one", async (t) => {
  for (const url of [
    "/files/a",
    "/files/.txt",
    "/files/a.",
    "/pairs/-",
    "/items/",
    "/reports/.json",
    "/a:b",
    "/files/a/b.c/d",
  ])
    for (const method of ["GET", "DELETE"]) t.match(await send(method, url), { status: 404 }, `${method} ${url}`);
});

t.test("Responds with 405 and Allow to a method that a path does not have", async (t) => {
  for (const url of [
    "/files/a.txt?x=1",
    "/files/a%2Fb.c",
    "/double/x-y--z",
    "/items/5:cancel",
    "/pets/1/2",
    "/map/at(1)/view",
    "/caf%c3%a9/a:b/delta()",
  ])
    t.match(
      await send("DELETE", url),
      { status: 405, headers: { allow: "GET, HEAD" }, body: { code: "method_not_allowed" } },
      url,
    );
});

t.test("Rejects a path that can't be routed", (t) => {
  for (const [path, reason] of [
    ["books", "must begin with a slash"],
    ["/a*", "has a *, which the router uses as a wildcard"],
    ["/a%2A", "has a *, which the router uses as a wildcard"],
    ["/{a}/{a}", "has the same parameter twice"],
    ["/{a", "has a brace that is not closed"],
    ["/a}", "has a brace that is not closed"],
    ["/{a}{b}", "has two parameters without a character between them"],
    ["/a%2Fb", "has %2F, which the router can't match"],
    ["/a%ff", "has %ff, which the router can't match"],
    ["/{a}%25", "has %25, which the router can't match"],
    ["/100%", "has %, which the router can't match"],
  ] as const)
    t.throws(() => parsePathTemplate(path), { message: `The path ${path} ${reason}.` }, path);
  t.equal(parsePathTemplate("/a/{b}?x={c}").key, "/a/{}", "without a query");
  t.same(parsePathTemplate("/a/{b}?x={c}").names, ["b"]);
  t.end();
});

t.test("Serves operations below the path of their server", async (t) => {
  for (const [url, variables, path] of [
    ["https://example.com", "", ""],
    ["https://example.com/", "", ""],
    ["https://example.com/v1/", "", "/v1"],
    ["/v1", "", "/v1"],
    ["v1/api", "", "/v1/api"],
    ["//example.com/v1", "", "/v1"],
    [
      "https://{host}:{port}/{base}/v1",
      "{ host: { default: x }, port: { default: '81' }, base: { default: api } }",
      "/api/v1",
    ],
  ] as const) {
    const servers = `servers: [{ url: "${url}"${variables && `, variables: ${variables}`} }]`;
    const { send, document } = await serve(documentOf(pathOf("/books"), servers));
    t.equal(document.basePath, path, url);
    t.match(await send("GET", `${path}/books`), { status: 204 }, url);
    if (path !== "") t.match(await send("GET", "/books"), { status: 404 }, url);
  }
  t.equal(readBasePath({}), "");
  t.equal(readServerUrl({ servers: [{ url: "/{constructor}", variables: {} }] }), "/", "a variable without a value");
  t.equal(readBasePath({ servers: [{ url: "https://[" }] }), "", "a malformed URL");
});

t.test("The servers of an operation and of a path take precedence", async (t) => {
  const responses = "responses: { 204: { description: Done } }";
  const { send } = await serve(
    documentOf(
      `  /a:\n    servers: [{ url: /path }]\n    get: { ${responses}, servers: [{ url: /operation }] }\n    put: { ${responses} }\n    patch: { ${responses}, servers: [] }\n  /b:\n    get: { ${responses} }`,
      "servers: [{ url: /root }]",
    ),
  );
  for (const [method, url, status] of [
    ["GET", "/operation/a", 204],
    ["PUT", "/path/a", 204],
    ["PATCH", "/path/a", 204],
    ["GET", "/root/b", 204],
    ["GET", "/path/a", 405],
    ["GET", "/root/a", 404],
    ["GET", "/b", 404],
  ] as const)
    t.match(await send(method, url), { status }, `${method} ${url}`);
});

/** The methods, and the fields of a path that declare them. */
const declarations: [methods: string[], declare: (operation: (id: string) => string) => string][] = [
  [
    ["TRACE", "HEAD", "OPTIONS"],
    (operation) => `trace: ${operation("trace")}\n    head: ${operation("head")}\n    options: ${operation("options")}`,
  ],
  [
    ["LINK", "COPY"],
    (operation) => `additionalOperations:\n      LINK: ${operation("link")}\n      COPY: ${operation("copy")}`,
  ],
];
for (const [methods, declare] of declarations)
  t.test(`Serves the methods ${methods.join(", ")}`, async (t) => {
    const operation = (id: string) =>
      `{ operationId: ${id}, parameters: [{ name: a, in: query, schema: { type: integer } }], responses: { 204: { description: Done } } }`;
    const names = ["b", "c"].map((name) => `{ name: ${name}, in: path, required: true, schema: {} }`);
    const { send, calls } = await serve(
      documentOf(`  /a/{b}.{c}:\n    parameters: [${names}]\n    ${declare(operation)}`, "", "3.2.0"),
    );
    for (const method of methods) {
      t.match(await send(method, "/a/b.c?a=1"), { status: 204 }, method);
      t.match(calls.pop(), { operationId: method.toLowerCase(), params: { b: "b", c: "c" }, query: { a: 1 } });
      t.match(await send(method, "/a/b.c?a=x"), { status: 400 }, method);
    }
    t.match(await send("GET", "/a/b.c"), { status: 405, headers: { allow: [...methods].sort().join(", ") } });
  });

t.test("Serves the method QUERY, whose requests have a body", async (t) => {
  const content = "content: { application/json: { schema: { type: integer } } }";
  const paths = `  /a:\n    query: { operationId: query, requestBody: { ${content} }, responses: { 204: { description: Done } } }\n`;
  const { send, calls } = await serve(documentOf(paths, "", "3.2.0"));
  const headers = { "content-type": "application/json" };
  t.match(await send("QUERY", "/a", { headers, payload: "5" }), { status: 204 });
  t.match(calls, [{ body: 5 }]);
  t.match(await send("QUERY", "/a", { headers, payload: '"x"' }), { status: 400 });
  t.match(await send("QUERY", "/a"), { status: 415, body: { message: /must have a Content-Type/ } });
});
