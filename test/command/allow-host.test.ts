// `openapi-server serve` and `mock` without keys: a page of another site can neither read nor write.
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { writeFiles } from "../support/files.ts";
import { send } from "../support/http.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

const note = '{ $ref: "#/components/schemas/Note" }';
const json = `application/json: { schema: ${note} }`;
const form = `application/x-www-form-urlencoded: { schema: ${note} }`;
const document = documentOf(
  `  /notes:
    get: { operationId: listNotes, security: [{ token: [] }], responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: ${note} } } } } } }
    post: { operationId: addNote, security: [{ token: [] }], requestBody: { required: true, content: { ${json}, ${form} } }, responses: { 201: { description: x, content: { ${json} } } } }
  /basic: { get: { operationId: getBasic, security: [{ password: [] }], responses: { 204: { description: x } } } }
  /public: { get: { operationId: getPublic, security: [], responses: { 204: { description: x } } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getNote, responses: { 200: { description: x, content: { ${json} } } } }
`,
  `components:
  securitySchemes: { token: { type: http, scheme: bearer }, password: { type: http, scheme: Basic } }
  schemas:
    Note: { type: object, properties: { id: { type: integer, format: int64, readOnly: true }, text: { type: string } } }
`,
);

async function start(t: Test, command: string, ...args: string[]) {
  const keys = command === "serve" && !args.includes("--key") ? ["--key", "any"] : [];
  const { url } = await startOpenApi(t, [command, writeFiles(t, { "notes.yaml": document }), ...keys, ...args]);
  const call = async (path: string, headers: Record<string, string>, body?: string) => {
    const authorization = { authorization: "Bearer k" };
    const method = body === undefined ? "GET" : "POST";
    const { status, text } = await send(url + path, { method, headers: { ...authorization, ...headers } }, body);
    return status < 400 ? status : `${status} ${JSON.parse(text).message}`;
  };
  return { url, call };
}

const foreign = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
const fields = { "content-type": "application/x-www-form-urlencoded" };

for (const command of ["serve", "mock"]) {
  t.test(`${command}: rejects what a browser sends for pages of other sites`, async (t) => {
    const { url, call } = await start(t, command);
    const refused = /^421 The host evil\.example is not .*, add it to --allow-host \(OPENAPI_SERVER_ALLOWED_HOSTS\)\.$/;
    for (const path of ["/notes", "/docs/", "/openapi.json"])
      t.match(await call(path, { host: "evil.example:80" }), refused);
    t.match(await call("/notes", { ...fields, ...foreign }, "text=x"), /^403 Pages of http:\/\/evil\.example must not/);
    t.match(await call("/notes", { ...fields, "sec-fetch-site": "cross-site" }, "text=x"), /^403 Pages of other sites/);
    if (command === "serve")
      t.same((await send(`${url}/notes`, { headers: { authorization: "Bearer k" } })).text, "[]");
    const own = { origin: url, "sec-fetch-site": "same-origin" };
    t.equal(await call("/notes", { ...fields, ...own }, "text=x"), 201, "as Swagger UI");
    t.equal(await call("/notes", { host: "localhost" }), 200);
  });

  t.test(`${command}: --allow-host adds a name`, async (t) => {
    const { call } = await start(t, command, "--allow-host", "a.example", "--allow-host", "B.example");
    for (const host of ["a.example", "b.example:8080"]) t.equal(await call("/notes", { host }), 200, host);
    t.equal(await call("/notes", { ...fields, origin: "https://a.example" }, "text=x"), 201);
    t.match(await call("/notes", { host: "c.example" }), /^421 /);
  });
}

t.test("serve: with keys, operations that need one have any host and origin, and the others do not", async (t) => {
  const { call } = await start(t, "serve", "--key", "k");
  t.equal(await call("/notes", { ...fields, ...foreign, host: "pets.example" }, "text=x"), 201);
  for (const path of ["/docs/", "/openapi.json", "/public", "/basic", "/notes/1"])
    t.match(await call(path, { host: "evil.example" }), /^421 /);
});

t.test("serve: refuses --key if no operation needs a credential", async (t) => {
  const file = writeFiles(t, { "notes.yaml": document.replaceAll(/security: \[\{ \w+: \[\] \}\], /g, "") });
  t.match(await run(["serve", file, "--key", "k"]), { code: 1, stderr: /needs a credential, so --key has no effect/ });
});
