// The schemas of services: one for each, and that of earlier commits, which all services had in common.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { listStatement } from "../../../src/store/postgres/postgres-lists.ts";
import { toSchema } from "../../../src/store/postgres/postgres-schema.ts";
import { recordStatements, statementsOf, toStatement } from "../../../src/store/postgres/postgres-statements.ts";
import { petstore } from "../../support/command.ts";
import { emptyDatabase } from "../../support/databases.ts";
import { documentOf } from "../../support/document-server.ts";
import { folder } from "../../support/files.ts";
import { runOpenApi as run } from "../../support/openapi-command.ts";
import { petCollection } from "../../support/pets.ts";
import { createRole, query } from "../../support/postgres.ts";

const item = 'content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } }';
const items =
  'content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } }';

/** Writes a document with a collection of items that have a property. Its file has the name of its service. */
function write(t: Test, service: string, property = "title"): string {
  const paths = `  /items:
    get: { operationId: listItems, responses: { 200: { description: x, ${items} } } }
    post: { operationId: addItem, requestBody: { required: true, ${item} }, responses: { 201: { description: x, ${item} } } }
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getItem, responses: { 200: { description: x, ${item} } } }
`;
  const components = `components:
  securitySchemes: { key: { type: http, scheme: bearer } }
  schemas: { Item: { type: object, properties: { id: { type: integer, readOnly: true }, ${property}: { type: string } } } }
security: [{ key: [] }]
`;
  const place = join(folder(t), property);
  mkdirSync(place);
  writeFileSync(join(place, `${service}.yaml`), documentOf(paths, components));
  return join(place, `${service}.yaml`);
}

/** Serves a document. Returns a function that sends a request, and what the start has written. */
async function serve(t: Test, ...args: string[]) {
  const controller = new AbortController();
  t.teardown(() => controller.abort());
  const { stdout, stderr } = await run(["serve", ...args, "--port", "0"], controller.signal);
  const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(stdout) ?? [];
  const send = async (key: string, body?: object) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}/items`, { headers, ...sent });
    return { status: response.status, body: await response.json() };
  };
  return { send, stderr, close: () => controller.abort() };
}

const listSchemas = async (url: string) =>
  (await query(url, "SELECT schemaname FROM pg_tables WHERE tablename = 'keys' ORDER BY 1")).map(
    ({ schemaname }) => schemaname,
  );

t.test("Two services with the same collection in one database have their own records and keys", async (t) => {
  const data = await emptyDatabase(t);
  const keys: string[] = [];
  const places = [write(t, "items"), write(t, "order")].map((file) => [file, "--data", data]); // a keyword of SQL, too
  for (const place of [...places, [...(places[0] as string[]), "--name", "other"]])
    keys.push((await run(["keys", "create", ...place, "ada"])).stdout.trim());
  t.same(await listSchemas(data), ["items", "order", "other"]);
  const [own, other] = [await serve(t, ...(places[0] as string[])), await serve(t, ...(places[1] as string[]))];
  const [key = "", otherKey = ""] = keys;
  t.match(await own.send(key, { title: "A" }), { status: 201, body: { id: 1 } });
  t.match(await other.send(otherKey, { title: "B" }), { status: 201, body: { id: 1 } });
  t.same(await own.send(key), { status: 200, body: [{ id: 1, title: "A" }] });
  t.same(await other.send(otherKey), { status: 200, body: [{ id: 1, title: "B" }] });
  for (const [service, wrong] of [
    [own, otherKey],
    [other, key],
  ] as const)
    t.match(await service.send(wrong), { status: 401 });

  const [, place = []] = places;
  t.match(await run(["migrate", ...place]), { code: 0, stdout: "The database is up to date.\n" });
  t.match(await run(["data", "export", ...place]), { stdout: '{"id":1,"title":"B"}\n' });
  await query(data, (await run(["views", ...place])).stdout);
  t.same(await query(data, 'SELECT title FROM "order".items_view'), [{ title: "B" }]);
  const backup = join(folder(t), "backup");
  t.match(await run(["data", "backup", ...place, backup]), { code: 0 });
  t.match(await other.send(otherKey, { title: "C" }), { status: 201 });
  t.match(await run(["data", "restore", ...place, backup, "--force", "--yes"]), { code: 0 });
  t.same((await other.send(otherKey)).body, [{ id: 1, title: "B" }]);
  t.match(await run(["keys", "revoke", ...place, "ada"]), { code: 0 });
  t.match(await other.send(otherKey), { status: 401 });
  t.same((await own.send(key)).body, [{ id: 1, title: "A" }]);
});

t.test("A service goes on using the schema petstore of an earlier commit, until it is renamed", async (t) => {
  const data = await emptyDatabase(t);
  const place = [write(t, "items"), "--data", data];
  const former = [...place, "--name", "petstore"]; // as earlier commits did
  const { stdout: key } = await run(["keys", "create", ...former, "ada"]);
  const first = await serve(t, ...former);
  await first.send(key.trim(), { title: "A" });
  first.close();

  t.match(await run(["keys", "list", ...place]), { code: 0, stdout: /^ada /m });
  const backup = join(folder(t), "backup");
  await run(["data", "backup", ...place, backup]);
  const second = await serve(t, ...place);
  t.match(second.stderr, /^Uses the schema petstore, .*: ALTER SCHEMA petstore RENAME TO "items"\.\n$/);
  t.match(await second.send(key.trim(), { title: "B" }), { status: 201 });
  second.close();
  t.match(await run(["data", "restore", ...place, backup, "--force", "--yes"]), { code: 0 });
  t.match(await run(["data", "export", ...place]), { stdout: '{"id":1,"title":"A"}\n' });
  t.match(await run(["views", ...place]), { stdout: /CREATE OR REPLACE VIEW "petstore"\."items_view"/ });
  t.same(await listSchemas(data), ["petstore"]);

  const changed = [write(t, "items", "name"), "--data", data];
  t.match(await run(["migrate", ...changed]), { code: 1, stderr: /table items, which may be that of another service/ });
  await query(data, 'ALTER SCHEMA petstore RENAME TO "items"');
  const { send, stderr } = await serve(t, ...changed);
  t.equal(stderr, "");
  t.same(await send(key.trim()), { status: 200, body: [{ id: 1, title: "A" }] });
});

t.test("A service does not use the schema petstore of another one", async (t) => {
  const data = await emptyDatabase(t);
  const settings = { DATABASE_URL: data };
  t.match(await petstore(settings, ["migrate"]), { status: 0 });
  t.match(await petstore(settings, ["keys", "create", "ada"]), { status: 0 });
  t.same(await listSchemas(data), ["petstore"]);
  const renamed = { ...settings, SERVICE_NAME: "shop" };
  t.match(await petstore(renamed, ["keys", "list"]), { status: 0, stdout: /^ada /m });

  const former = [write(t, "items"), "--data", data, "--name", "petstore"];
  const { stdout: key } = await run(["keys", "create", ...former, "bob"]);
  const { send, close } = await serve(t, ...former);
  t.match(await send(key.trim(), { title: "A" }), { status: 201 });
  close();
  const place = [write(t, "things", "name"), "--data", data];
  for (const command of ["migrate", "serve", "views"])
    t.match(
      await run([command, ...place]),
      { code: 1, stderr: /its schema petstore has a table items, which may be that .*CREATE SCHEMA "things"/ },
      command,
    );
  await query(data, "CREATE SCHEMA things");
  t.match(await run(["migrate", ...place]), { code: 0, stdout: "Created the database.\n" });
  t.match(await run(["keys", "list", ...place]), { code: 0, stdout: /^NAME.*\n$/ });
});

t.test("A service does not use the schema petstore with records of another one that were only imported", async (t) => {
  const data = await emptyDatabase(t);
  const input = join(folder(t), "items.ndjson");
  writeFileSync(input, '{"title":"A"}\n');
  const former = [write(t, "items"), input, "--data", data, "--name", "petstore"];
  t.match(await run(["data", "import", ...former]), { code: 0 });
  const other = ["migrate", write(t, "things", "name"), "--data", data];
  t.match(await run(other), { code: 1, stderr: /its schema petstore has a table items, which may be that of another/ });
});

t.test("A role without the right to create schemas uses one that an administrator has created for it", async (t) => {
  const data = await emptyDatabase(t);
  const { role, url } = await createRole(t, data);
  t.match(await petstore({ DATABASE_URL: data }, ["migrate"]), { status: 0 }); // whose schema it may not read
  const place = [write(t, "items"), "--data", url];
  t.match(await run(["migrate", ...place]), { code: 1, stderr: /permission denied for database/ });
  await query(data, `CREATE SCHEMA items AUTHORIZATION ${role}`);
  t.match(await run(["migrate", ...place]), { code: 0 });
  t.match(await run(["keys", "create", ...place, "ada"]), { code: 0 });
});

t.test("A schema has a name that no other service has, and that PostgreSQL accepts", async (t) => {
  const data = await emptyDatabase(t);
  const long = "a".repeat(70);
  const names = [long, `${long}b`, "pg_items", "public", "information_schema", "user"].map(toSchema);
  t.equal(new Set(names).size, names.length);
  for (const name of names) await query(data, `CREATE SCHEMA "${name}"`);
  t.equal(toSchema("petstore"), "petstore");
  t.equal(toSchema(long).length, 63);
});

t.test("Services that share connections of a pooler do not run each other's prepared statements", async (t) => {
  const names = ["items", "order"].flatMap((schema) => [
    ...Object.values({ ...statementsOf(schema), ...recordStatements(schema, petCollection) }).map(({ name }) => name),
    toStatement("pets_list", listStatement(schema, petCollection, { filters: [], direction: "forwards", limit: 1 }))
      .name,
  ]);
  t.equal(new Set(names).size, names.length);
  t.ok(names.every((name) => name.length <= 63));
});
