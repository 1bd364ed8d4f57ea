// The option --watch of the commands mock and serve: they serve the new state of a document, on the same port.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { writeFiles } from "../support/files.ts";
import { runOpenApi, startOpenApi } from "../support/openapi-command.ts";

const head = 'openapi: 3.1.0\ninfo: { title: x, version: "1" }\npaths:\n';
const item = (example: string) =>
  `{ get: { responses: { 200: { description: x, content: { application/json: { schema: { type: string, example: ${example} } } } } } } }\n`;

/** Starts a server of `api.yaml`, and stops it when the test ends. */
async function watch(t: Test, files: Record<string, string>, config?: string, command = "mock") {
  const path = writeFiles(t, files);
  const options = config === undefined ? [] : ["--config", join(dirname(path), config)];
  const { code, url, output, stop } = await startOpenApi(t, [command, path, "--watch", ...options]);
  t.equal(code, 0);
  // A new server takes the port a moment after the previous one has released it.
  const get = (name: string) =>
    fetch(`${url}${name}`).then(
      async (response) => (response.ok ? await response.json() : response.status),
      () => undefined,
    );
  /** Waits until a path responds with a value, or a status that is an error. */
  const responds = async (name: string, value: unknown) => {
    while ((await get(name)) !== value) await sleep(10);
  };
  const write = (name: string, text: string) => writeFileSync(join(dirname(path), name), text);
  return { path, url, output, stop, responds, write };
}

t.test("Serves the new state after a change of any file, also of one that a reference has added", async (t) => {
  const { path, output, responds, write } = await watch(t, {
    "api.yaml": `${head}  /a: { $ref: sub/a.yaml }\n`,
    "sub/a.yaml": item("one"),
  });
  await responds("/a", "one");
  write("sub/a.yaml", item("two"));
  await responds("/a", "two");
  write("api.yaml", `${head}  /a: { $ref: sub/a.yaml }\n  /b: { $ref: b.yaml }\n`); // a file that does not exist yet
  while (output.stderr === "") await sleep(10);
  write("b.yaml", item("three"));
  await responds("/b", "three");
  write("new.yaml", item("four"));
  renameSync(join(dirname(path), "new.yaml"), join(dirname(path), "b.yaml")); // as editors do
  await responds("/b", "four");
  t.match(output.stdout, new RegExp(`\\n(Reloaded ${path}\\.\\n){3}$`));
  output.stderr = "";
  write("b.yaml", "get: [");
  while (output.stderr === "") await sleep(10);
  t.match(output.stderr, /b\.yaml:1:\d+.*\nThe last valid state of the document is served\.\n$/s);
  await responds("/b", "four");
});

t.test("Serves the last valid state until the next one, and prints what is wrong", async (t) => {
  const { path, output, responds, write } = await watch(t, { "api.yaml": `${head}  /a: ${item("one")}` });
  for (const [text, message] of [
    [`${head}  /a: [`, /is invalid: .* \(\S*api\.yaml:4:\d+\)\.\nThe last valid state of the document is served\.\n$/],
    ["", /is invalid: it is empty/],
    ["openapi: 2.0.0", /must have openapi: 3\.0\.x/],
  ] as const) {
    output.stderr = "";
    write("api.yaml", text);
    while (output.stderr === "") await sleep(10);
    t.match(output.stderr, message);
    await responds("/a", "one");
  }
  rmSync(path);
  while (!output.stderr.includes("ENOENT")) await sleep(10);
  await responds("/a", "one");
  write("api.yaml", `${head}  /a: ${item("two")}`);
  await responds("/a", "two");
});

t.test("Serves what is valid of a document with errors, and prints them", async (t) => {
  const { output, responds, write } = await watch(t, {
    "api.yaml": `${head}  /a: ${item("one")}  /b: { $ref: b.yaml }\n`,
  });
  t.match(output.stderr, /^The document has errors:\n- .*b\.yaml.*\nThe rest of it is served\.\n$/s);
  await responds("/a", "one");
  write("api.yaml", `${head}  /a: ${item("two")}  /b: { $ref: b.yaml }\n`);
  await responds("/a", "two");
});

t.test("Serves the new options of the module, too", async (t) => {
  const shape = (name: string) => `export default { formatError: () => ({ ${name}: 1 }) };`;
  const files = { "api.yaml": `${head}  /a: ${item("one")}`, "options.mjs": shape("first") };
  const { url, write } = await watch(t, files, "options.mjs");
  const error = async () => (await fetch(`${url}/none`).catch(() => undefined))?.text().catch(() => undefined);
  t.equal(await error(), '{"first":1}');
  write("options.mjs", shape("second"));
  while ((await error()) !== '{"second":1}') await sleep(10);
  t.pass();
});

t.test("A connection whose request is not complete does not delay a reload", async (t) => {
  const { url, responds, write } = await watch(t, { "api.yaml": `${head}  /a: ${item("one")}` });
  const partial = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  t.teardown(() => partial.destroy());
  partial.write("GET /a HTTP/1.1\r\nHost: x\r\n"); // never complete
  write("api.yaml", `${head}  /a: ${item("two")}`);
  await responds("/a", "two");
  t.equal(partial.destroyed, false);
});

t.test("A reload ends with the server", async (t) => {
  const { url, stop, responds, write } = await watch(t, { "api.yaml": `${head}  /a: ${item("one")}` });
  write("api.yaml", `${head}  /a: ${item("two")}`);
  await responds("/a", "two");
  write("api.yaml", `${head}  /a: ${item("three")}`);
  stop();
  await t.rejects(async () => {
    for (;;) await fetch(`${url}/a`);
  });
});

t.test("serve keeps the records, and says what has changed, or why the new state is not served", async (t) => {
  const thing = '{ description: x, content: { application/json: { schema: { $ref: "#/components/schemas/T" } } } }';
  const list = `{ description: x, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/T" } } } } }`;
  const document = (type: string, others = "") => `${head}  /things:
    get: { operationId: list, responses: { 200: ${list} } }
    post: { operationId: add, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/T" } } } }, responses: { 201: ${thing} } }
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: one, responses: { 200: ${thing} } }
${others}components: { schemas: { T: { type: object, required: [name], properties: { id: { type: integer, readOnly: true }, name: { type: ${type} } } } } }
`;
  const { path, url, output, responds, write } = await watch(t, { "api.yaml": document("string") }, undefined, "serve");
  const headers = { "content-type": "application/json" };
  t.equal((await fetch(`${url}/things`, { method: "POST", headers, body: '{"name":"a"}' })).status, 201);
  const deletes = "    delete: { operationId: remove, responses: { 204: { description: x } } }\n";
  write("api.yaml", document("string", deletes));
  while (!output.stdout.includes("Reloaded")) await sleep(10);
  t.ok(output.stdout.endsWith(`Reloaded ${path}.\n+ DELETE /things/{id}  remove: deletes a record\n`));
  t.same(await (await fetch(`${url}/things`)).json(), [{ id: 1, name: "a" }]);
  for (const [text, message] of [
    [document("integer", deletes), /1 record of things does not match the document/],
    [document("string", deletes).replace("schemas/T", "schemas/None"), /The document has errors:\n- .*None/],
    ["paths: [", /api\.yaml is invalid/],
  ] as const) {
    output.stderr = "";
    write("api.yaml", text);
    while (!output.stderr.endsWith("The last valid state of the document is served.\n")) await sleep(10);
    t.match(output.stderr, message);
    t.same(await (await fetch(`${url}/things/1`)).json(), { id: 1, name: "a" });
  }
  t.equal((await fetch(`${url}/things/1`, { method: "DELETE" })).status, 204);
  write("api.yaml", document("string"));
  await responds("/things/1", 404);
  t.match(await runOpenApi(["serve", path, "--watch", "--workers", "2"]), { code: 2, stderr: "--workers must be 1" });
});
