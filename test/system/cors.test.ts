// A page of another origin in a browser calls `openapi-server serve`, with CORS.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openPage } from "../support/browser.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { runOpenApi } from "../support/openapi-command.ts";

const note = '{ $ref: "#/components/schemas/Note" }';
const success = (schema: string, headers: string) =>
  `{ description: x, headers: { ${headers} }, content: { application/json: { schema: ${schema} } } }`;
const body = `requestBody: { required: true, content: { application/json: { schema: ${note} } } }`;
const etag = "ETag: { schema: { type: string } }";
const header = (name: string) => `{ name: ${name}, in: header, schema: { type: string } }`;
const document = documentOf(
  `  /notes:
    get:
      operationId: listNotes
      parameters: [{ name: limit, in: query, schema: { type: integer } }, { name: cursor, in: query, schema: { type: string } }]
      responses: { 200: ${success(`{ type: array, items: ${note} }`, "Link: { schema: { type: string } }")} }
    post:
      operationId: addNote
      parameters: [${header("Idempotency-Key")}]
      ${body}
      responses: { 201: ${success(note, "Location: { schema: { type: string } }")} }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, responses: { 200: ${success(note, etag)}, 304: { description: x } } }
    put:
      operationId: setNote
      parameters: [${header("If-Match")}]
      ${body}
      responses: { 200: ${success(note, etag)}, 412: { description: x } }
    delete: { operationId: deleteNote, responses: { 204: { description: x } } }
`,
  "components: { schemas: { Note: { type: object, required: [text], properties: { id: { type: integer, readOnly: true }, text: { type: string } } } } }",
);

/** Serves the document, and opens a page of another origin of this machine. */
async function start(t: Test, ...options: string[]) {
  const file = join(folder(t), "notes.yaml");
  writeFileSync(file, document);
  const controller = new AbortController();
  const pages = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<p>A page."),
  ).listen();
  t.teardown(() => [controller.abort(), pages.close()]);
  await once(pages, "listening");
  const { stdout } = await runOpenApi(["serve", file, "--port", "0", ...options], controller.signal);
  const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(stdout) ?? [];
  const { page } = await openPage(t);
  await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`);
  const call = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    page.evaluate(
      async ([target, options]) => {
        const response = await fetch(target, options).catch((error: Error) => error.message);
        if (typeof response === "string") return { failure: response };
        return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
      },
      [`${url}${path}`, init] as const,
    );
  return { page, call };
}

t.test("A page of this machine reads, writes and deletes records, and reads the headers", async (t) => {
  const { call } = await start(t);
  const json = { "content-type": "application/json" };
  const create = { method: "POST", headers: { ...json, "idempotency-key": "one" }, body: '{"text":"a"}' };
  const created = await call("/notes", create);
  t.match(created, { status: 201, headers: { location: "/notes/1" }, body: /"text":"a"/ });
  t.same((await call("/notes", create)).body, created.body, "the key was sent");
  await call("/notes", { ...create, headers: json });
  t.match(await call("/notes?limit=1"), { status: 200, headers: { link: /rel="next"/ } });
  const { headers: { etag = "" } = {} } = await call("/notes/1");
  t.match(etag, /^"/);
  const replace = { method: "PUT", headers: { ...json, "if-match": etag }, body: '{"text":"b"}' };
  t.match(await call("/notes/1", replace), { status: 200 });
  t.match(await call("/notes/1", replace), { status: 412, body: /precondition_failed/ }, "a page reads failures, too");
  t.match(await call("/notes/1", { method: "DELETE" }), { status: 204 });
  t.match(await call("/nothing"), { status: 404, body: /path_not_found/ });
});

t.test("A page of --origin may call, and one of another site is refused", async (t) => {
  const { page, call } = await start(t, "--origin", "https://app.example");
  await page.context().grantPermissions(["local-network-access"]);
  const open = async (url: string) => {
    await page.route(url, (route) => route.fulfill({ contentType: "text/html", body: "<p>A page." }));
    await page.goto(url);
  };
  await open("https://evil.example/");
  const write = { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"a"}' };
  t.match(await call("/notes"), { failure: "Failed to fetch" });
  t.match(await call("/notes", write), { failure: "Failed to fetch" });
  await open("https://app.example/");
  t.match(await call("/notes"), { status: 200, body: "[]" });
  t.match(await call("/notes", write), { status: 201 });
});
