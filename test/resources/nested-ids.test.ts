// Records whose id is a property of an object, as those of Kubernetes, in both stores.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (name: string, status = 200) => `responses: { ${status}: { description: x, ${json(ref(name))} } }`;
const parameter = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`;
const text = documentOf(
  `  /namespaces/{namespace}/maps:
    parameters: [${parameter("namespace")}]
    get: { operationId: listMaps, parameters: [{ name: limit, in: query, schema: { type: integer } }, { name: continue, in: query, schema: { type: string } }, { name: watch, in: query, schema: { type: boolean } }], ${ok("MapList")} }
    post: { operationId: createMap, requestBody: { ${json(ref("Map"))} }, responses: { 200: { description: x, ${json(ref("Map"))} }, 201: { description: x, ${json(ref("Map"))} }, 202: { description: x, ${json(ref("Map"))} } } }
  /namespaces/{namespace}/maps/{name}:
    parameters: [${parameter("namespace")}, ${parameter("name")}]
    get: { operationId: readMap, ${ok("Map")} }
    put: { operationId: replaceMap, requestBody: { ${json(ref("Map"))} }, ${ok("Map")} }
    patch: { operationId: patchMap, requestBody: { required: true, content: { application/json-patch+json: { schema: {} }, application/merge-patch+json: { schema: { type: object } } } }, ${ok("Map")} }
    delete: { operationId: deleteMap, ${ok("Status")} }
`,
  `components:
  schemas:
    Map: { type: object, properties: { kind: { type: string }, metadata: ${ref("Meta")}, data: { type: object, additionalProperties: { type: string } } } }
    Meta: { type: object, properties: { name: { type: string }, namespace: { type: string }, labels: { type: object, additionalProperties: { type: string } } } }
    MapList: { type: object, required: [items], properties: { kind: { type: string }, items: { type: array, items: ${ref("Map")} }, metadata: { type: object, properties: { continue: { type: string } } } } }
    Status: { type: object, properties: { kind: { type: string }, status: { type: string }, metadata: { type: object } } }
`,
);

for (const [store, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(`${store}: the whole life of a record`, async (t) => {
    const resources = openStore(await newUrl(t));
    const app = await createServer({ document: parse(text), resources, logger: pino({ level: "silent" }), mock: true });
    t.teardown(() => app.close());
    const send = async (method: string, url: string, body?: unknown, type = "application/json") => {
      const options = body === undefined ? {} : { headers: { "content-type": type }, payload: JSON.stringify(body) };
      const { statusCode, payload, headers } = await app.inject({ method: method as "GET", url, ...options });
      return { status: statusCode, headers, body: payload === "" ? undefined : JSON.parse(payload) };
    };
    const maps = "/namespaces/default/maps";
    const map = { kind: "Map", metadata: { name: "a", labels: { x: "1" } }, data: { k: "v" } };
    t.match(await send("POST", maps, map), { status: 201, body: map });
    t.match(await send("POST", maps, map), { status: 409 });
    t.match(await send("POST", "/namespaces/other/maps", map), { status: 201 }, "in another scope");
    t.match(await send("GET", `${maps}/a`), { status: 200, body: map });
    t.same((await send("GET", maps)).body.items, [map]);
    t.match(await send("GET", `${maps}?watch=true`), { status: 501 });
    t.match(await send("PUT", `${maps}/a`, { ...map, metadata: { name: "b" } }), {
      status: 400,
      body: { message: /The property metadata\.name must be that of the path, a, or be left out/ },
    });
    const replaced = { kind: "Map", data: { k: "w" } };
    t.match(await send("PUT", `${maps}/a`, replaced), { status: 200, body: { ...replaced, metadata: { name: "a" } } });
    const patch = { data: { l: "x" } };
    t.match(await send("PATCH", `${maps}/a`, patch, "application/merge-patch+json"), {
      status: 200,
      body: { data: { k: "w", l: "x" }, metadata: { name: "a" } },
    });
    const operations = [
      { op: "test", path: "/data/k", value: "w" },
      { op: "add", path: "/data/m", value: "z" },
    ];
    const patchType = "application/json-patch+json";
    t.match(await send("PATCH", `${maps}/a`, operations, patchType), {
      status: 200,
      body: { data: { k: "w", m: "z" } },
    });
    t.match(await send("PATCH", `${maps}/a`, [{ ...operations[0], value: "v" }, operations[1]], patchType), {
      status: 409,
    });
    t.match(await send("PATCH", `${maps}/a`, [{ op: "remove", path: "/data/x" }], patchType), { status: 400 });
    t.match(await send("PATCH", `${maps}/a`, [{ op: "remove" }], patchType), { status: 400 });
    t.match(await send("PATCH", `${maps}/a`, { op: "remove", path: "/data" }, patchType), { status: 400 });
    const prototype = { op: "add", path: "/data/__proto__", value: { x: "y" } };
    t.match(await send("PATCH", `${maps}/a`, [prototype], patchType), { status: 400 });
    t.match(await send("PUT", `${maps}/a`), {
      status: 400,
      body: { message: /must have a body, with the whole record/ },
    });
    t.match(await send("PATCH", `${maps}/a`), { status: 400 });
    t.match((await send("GET", `${maps}/a`)).body.data, { k: "w" }, "it is not changed");
    t.match(await send("POST", maps), { status: 201 }, "its body is optional");
    const unnamed = await send("POST", maps, { data: {} });
    const { name } = unnamed.body.metadata;
    t.match(name, /^[\da-f-]{36}$/, "a name is made");
    t.match(await send("GET", `${maps}/${name}`), { status: 200, body: unnamed.body });
    t.match(await send("DELETE", `${maps}/a`), { status: 200 });
    t.match(await send("GET", `${maps}/a`), { status: 404 });
    t.match(await send("GET", "/namespaces/other/maps/a"), { status: 200 });
    for (let n = 0; n < 101; n++) await send("POST", "/namespaces/many/maps", { metadata: { name: `${n}` } });
    const first = await send("GET", "/namespaces/many/maps");
    const [, next = ""] = /<([^>]*)>; rel="next"/.exec(`${first.headers.link}`) ?? [];
    t.match(next, /^http:\/\/localhost:80\/namespaces\/many\/maps\?continue=/, "without another parameter");
    t.match((await send("GET", next)).body.items, [{ metadata: { name: "100" } }]);
  });
