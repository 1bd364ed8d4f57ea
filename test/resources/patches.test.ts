// Patches of records over HTTP: the maximum size and depth of a record, and its read-only members, whatever changes it.

import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const note = '{ $ref: "#/components/schemas/Note" }';
const ok = `responses: { 200: { description: x, ${json(note)} } }`;
const document = (limit: string) =>
  documentOf(
    `  /notes:
    post: { operationId: addNote, requestBody: { required: true, ${limit}${json("{ type: object }")} }, responses: { 201: { description: x, ${json(note)} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, ${ok} }
    put: { operationId: putNote, requestBody: { required: true, ${limit}${json("{ type: object }")} }, ${ok} }
    patch: { operationId: patchNote, requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object } }, application/json-patch+json: { schema: { type: array } } } }, ${ok} }
    delete: { operationId: deleteNote, responses: { 204: { description: x } } }
  /notes/{id}/extra:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put: { operationId: putExtra, requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Extra" } } } }, ${ok} }
    patch: { operationId: patchExtra, requestBody: { required: true, content: { application/merge-patch+json: { schema: { $ref: "#/components/schemas/Extra" } }, application/json-patch+json: { schema: { type: array } } } }, ${ok} }
`,
    `components:
  schemas:
    Text: { type: string, readOnly: true }
    Extra: { type: object, properties: { by: { $ref: "#/components/schemas/Text" } } }
    Note:
      type: object
      properties:
        id: { type: integer, readOnly: true }
        role: { $ref: "#/components/schemas/Text" }
        tags: { type: array, items: { type: string } }
        meta: { type: object, properties: { owner: { $ref: "#/components/schemas/Text" }, color: { type: string } } }
        list: { type: array, items: { type: object, properties: { by: { $ref: "#/components/schemas/Text" }, n: { type: integer } } } }
        extra: { $ref: "#/components/schemas/Extra" }
`,
  );
const [merge, jsonPatch] = ["application/merge-patch+json", "application/json-patch+json"];
const nest = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const add = (path: string, value: unknown) => [{ op: "add", path, value }];

testLikely(
  "a patch that is applied again beside failing writes changes a record once",
  document(""),
  async (t, send) => {
    for (let n = 0; n < 4; n++) await send("POST", "/notes", {});
    const listOf = (path: string) => [...add(path, []), ...add(`${path}/-`, 1), { op: "test", path, value: [1] }];
    const calls = Array.from({ length: 24 }, (_, n) =>
      n % 3 === 2
        ? send("PATCH", `/notes/${1 + (n % 4)}`, [{ op: "test", path: "/missing", value: 1 }], jsonPatch)
        : send("PATCH", `/notes/${1 + (n % 4)}`, listOf(`/m${n}`), jsonPatch),
    );
    for (const [n, { status }] of (await Promise.all(calls)).entries())
      t.equal(status, n % 3 === 2 ? 400 : 200, `${n}`);
    for (let id = 1; id <= 4; id++) {
      const { id: _, ...lists } = (await send("GET", `/notes/${id}`)).body as Record<string, unknown>;
      t.same(new Set(Object.values(lists).map((list) => JSON.stringify(list))), new Set(["[1]"]));
    }
  },
);

testLikely("a record has a maximum size, whatever changes it", document("x-max-bytes: 1000, "), async (t, send) => {
  const text = "x".repeat(400);
  t.match(await send("POST", "/notes", { a: text, b: text }), { status: 201 });
  const url = "/notes/1";
  const refused = {
    status: 413,
    body: { code: "content_too_large", message: /A record of notes must have at most 1000 bytes/ },
  };
  t.match(await send("PATCH", url, { c: text }, merge), refused);
  t.match(await send("PATCH", url, add("/c", text), jsonPatch), refused);
  t.match(await send("PATCH", url, [{ op: "copy", from: "/a", path: "/c" }], jsonPatch), refused);
  t.match(await send("PUT", `${url}/extra`, { c: text }), refused);
  t.match(await send("PATCH", `${url}/extra`, { c: text }, merge), refused);
  t.match(await send("PUT", url, `[1e20${",1e20".repeat(100)}]`), { status: 400 });
  t.match(await send("PUT", url, `{"a":[1e20${",1e20".repeat(100)}]}`), refused);
  t.match(await send("POST", "/notes", `{"a":[1e20${",1e20".repeat(100)}]}`), refused);
  const doublings = Array.from({ length: 14 }, (_, n) => ({ op: "copy", from: "", path: `/c${n}` }));
  t.match(await send("PATCH", url, doublings.slice(4), jsonPatch), refused);
  t.match(await send("PATCH", url, doublings, jsonPatch), { status: 413, body: { message: /copies more than 4 Mi/ } });
  t.match(await send("PATCH", url, Array(1_001).fill(add("/c", 1)[0]), jsonPatch), {
    status: 400,
    body: { message: /at most 1000 operations/ },
  });
  t.match(await send("GET", url), { status: 200, body: { a: text, b: text, c: undefined } }, "it is not changed");
  t.match(await send("PATCH", url, { b: null, c: text }, merge), { status: 200 });
});

testLikely("a record has a maximum depth, whatever changes it", document(""), async (t, send) => {
  t.match(await send("POST", "/notes", `{"z":${nest(999)}}`), { status: 201 });
  const tooDeep = { status: 400, body: { code: "invalid_body", message: /nested/ } };
  t.match(
    await send("PATCH", "/notes/1", `[{"op":"add","path":"/z${"/0".repeat(998)}/-","value":[]}]`, jsonPatch),
    tooDeep,
  );
  t.match(await send("PUT", "/notes/1/extra", `{"x":${nest(999)}}`), tooDeep);
  t.match(await send("GET", "/notes/1"), { status: 200, body: { extra: undefined } });
  t.match(await send("PATCH", "/notes/1", { z: null, tags: ["a"] }, merge), { status: 200, body: { z: undefined } });
});

testLikely("a read-only member stays as it is, at any depth", document(""), async (t, send) => {
  const forged = { role: "x", meta: { owner: "x", color: "red" }, list: [{ by: "x", n: 1 }], extra: { by: "x" } };
  const made = { meta: { color: "red" }, list: [{ n: 1 }], extra: {} };
  t.strictSame((await send("POST", "/notes", forged)).body, { id: 1, ...made });
  for (const [method, type] of [
    ["PATCH", merge],
    ["PUT", "application/json"],
  ])
    t.strictSame((await send(method as string, "/notes/1", forged, type)).body, { id: 1, ...made });
  t.strictSame((await send("PUT", "/notes/1/extra", { by: "x" })).body.extra, {});
  for (const [path, value, name] of [
    ["/role", "x", "role"],
    ["/meta/owner", "x", "meta.owner"],
    ["/meta", { owner: "x" }, "meta.owner"],
    ["/list/-", { by: "x" }, "list.1.by"],
    ["/list/0/by", "x", "list.0.by"],
    ["/extra", { by: "x" }, "extra.by"],
  ] as const)
    t.match(
      await send("PATCH", "/notes/1", add(path, value), jsonPatch),
      { status: 400, body: { message: `The property ${name} is read-only.`, details: [{ name }] } },
      path,
    );
  t.match(await send("PATCH", "/notes/1/extra", add("/by", "x"), jsonPatch), { status: 400 });
  t.match(await send("PATCH", "/notes/1", [...add("/list/0/n", 2), ...add("/meta/color", "blue")], jsonPatch), {
    status: 200,
    body: { meta: { color: "blue" }, list: [{ n: 2 }] },
  });
});

t.test("the read-only members that the server has written are kept, and can be sent back", async (t) => {
  const resources = openStore("sqlite::memory:", { partial: true });
  const app = await createServer({
    document: parse(document("")),
    resources,
    logger: pino({ level: "silent" }),
    mock: true,
  });
  t.teardown(() => app.close());
  const stored = {
    role: "admin",
    meta: { owner: "ada", color: "red" },
    list: [
      { by: "ada", n: 1 },
      { by: "bob", n: 2 },
    ],
  };
  await resources.records("notes").create(stored);
  const send = async (method: "PUT" | "PATCH", payload: object, type = "application/json") =>
    (await app.inject({ method, url: "/notes/1", headers: { "content-type": type }, payload })).json();
  t.match(await send("PATCH", { meta: { color: "blue" }, list: [{ n: 3 }, { n: 1 }] }, merge), {
    role: "admin",
    meta: { owner: "ada", color: "blue" },
    list: [
      { by: "bob", n: 3 },
      { by: "ada", n: 1 },
    ],
  });
  t.match(await send("PUT", { meta: { color: "red" }, list: [{ n: 0 }, { n: 3 }, { n: 1 }] }), {
    role: "admin",
    meta: { owner: "ada" },
    list: [{ n: 0, by: undefined }, { by: "bob" }, { by: "ada" }],
  });
  const list = [
    { by: "ada", n: 7 },
    { by: "bob", n: 3 },
  ];
  t.match(await send("PATCH", add("/list", list), jsonPatch), { list }, "paired by their read-only members");
  t.match(await send("PATCH", add("/list", [...list, { by: "ada", n: 8 }]), jsonPatch), {
    message: "The property list.2.by is read-only.",
  });
  t.match(await send("PATCH", [{ op: "remove", path: "/list/0" }, ...add("/role", "admin")], jsonPatch), {
    list: [{ by: "bob" }],
  });
  t.match(await send("PATCH", [{ op: "remove", path: "/role" }], jsonPatch), { message: /role is read-only/ });
});

t.test("a larger record of an earlier version can be read, deleted and made smaller", async (t) => {
  const url = `sqlite:${folder(t)}/notes.db`;
  const serve = async (limit: string) => {
    const resources = openStore(url, { partial: true });
    const options = { document: parse(document(limit)), resources, logger: pino({ level: "silent" }), mock: true };
    return await createServer(options);
  };
  const before = await serve("");
  const payload = { text: "x".repeat(5_000), more: "y" };
  t.equal((await before.inject({ method: "POST", url: "/notes", payload })).statusCode, 201);
  await before.close();
  const app = await serve("x-max-bytes: 1000, ");
  t.teardown(() => app.close());
  const change = async (value: object) =>
    (await app.inject({ method: "PATCH", url: "/notes/1", headers: { "content-type": merge }, payload: value }))
      .statusCode;
  t.equal((await app.inject("/notes/1")).statusCode, 200);
  t.equal(await change({ third: 1 }), 413);
  t.equal(await change({ more: null }), 200);
  t.equal(await change({ text: "short" }), 200);
  t.equal((await app.inject({ method: "DELETE", url: "/notes/1" })).statusCode, 204);
});
