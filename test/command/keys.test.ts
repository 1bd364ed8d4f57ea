// `openapi-server serve --key` and `--keys`: which credentials are valid, and for what.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

const note = 'content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } }';
const text = documentOf(
  `  /notes:
    get: { operationId: listNotes, security: [{ oauth: [read] }], responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } } } } }
    post: { operationId: addNote, security: [{ oauth: [write] }, { basic: [] }, { key: [] }], requestBody: { ${note} }, responses: { 201: { description: x, ${note} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${note} } } }
`,
  `components:
  securitySchemes:
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://example.org/token", scopes: { read: x, write: x } } } }
    basic: { type: http, scheme: basic }
    key: { type: apiKey, in: query, name: api_key }
  schemas: { Note: { type: object, properties: { id: { type: string, readOnly: true }, text: { type: string } } } }
`,
);

function save(t: Test, keys = "") {
  const place = folder(t);
  const [file, list] = [join(place, "notes.yaml"), join(place, "keys.yaml")];
  writeFileSync(file, text);
  writeFileSync(list, keys);
  return { file, list };
}

async function start(t: Test, args: readonly string[]) {
  const { send } = await startOpenApi(t, ["serve", ...args, "--data", "sqlite::memory:"]);
  return async (method: string, path: string, authorization?: string) => {
    const headers: Record<string, string> = authorization ? { Authorization: authorization } : {};
    return (await send(method, path, method === "POST" ? {} : undefined, headers)).status;
  };
}

const basic = (text: string) => `Basic ${btoa(text)}`;

t.test("--key is a token, a password, a user name without a password, or an API key", async (t) => {
  const { file } = save(t);
  const send = await start(t, [file, "--key", "one", "--key", "two"]);
  for (const [authorization, status] of [
    [undefined, 401],
    ["Bearer three", 401],
    ["Bearer one", 201],
    ["Bearer two", 201],
    [basic("ada:one"), 201],
    [basic("one:"), 201],
    [basic("one:three"), 401],
    [basic("ada:"), 401],
  ] as const)
    t.equal(await send("POST", "/notes", authorization), status, `${authorization}`);
  t.equal(await send("POST", "/notes?api_key=two"), 201);
  t.equal(await send("POST", "/notes?api_key=three"), 401);
  t.equal(await send("GET", "/notes", "Bearer one"), 200, "it has all scopes");
});

t.test("--keys is a file of keys with names and scopes", async (t) => {
  const { file, list } = save(t, "- { name: ada, key: one, scopes: [read] }\n- { name: eve, key: two }\n");
  const send = await start(t, [file, "--keys", list]);
  t.equal(await send("GET", "/notes", "Bearer one"), 200);
  t.equal(await send("POST", "/notes", "Bearer one"), 403);
  t.equal(await send("POST", "/notes", "Bearer two"), 201, "without scopes, it has all");
  t.equal(await send("GET", "/notes", "Bearer three"), 401);
});

t.test("A file of keys that is wrong is an error, which says what would be right", async (t) => {
  for (const [keys, message] of [
    ["", /keys\.yaml is invalid|must be a list of keys/],
    ["{}", /must be a list of keys, with name, key and scopes/],
    ["[{ name: a }]", /has a key \(number 1\) whose key is no text/],
    ["[{ key: a }]", /has a key \(number 1\) without a name/],
    [
      "[{ name: a, key: b }, { name: c, key: d, scope: [x] }]",
      /\(number 2\) with the unknown member scope: it can have/,
    ],
    ["[{ name: a, key: b, scopes: x }]", /whose scopes are no list of texts/],
  ] as const) {
    const { file, list } = save(t, keys);
    t.match(await run(["serve", file, "--keys", list, "--port", "0"]), { code: 1, stderr: message }, keys);
  }
  const { file } = save(t);
  t.match(await run(["serve", file, "--key", "", "--port", "0"]), { code: 2, stderr: /--key must not be empty/ });
});
