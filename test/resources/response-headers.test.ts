// The headers and status of a response: they are known before anything is changed. And HEAD, which is the GET without its content.
import t from "tap";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const note = '{ $ref: "#/components/schemas/Note" }';
const integer = (name: string) => `{ name: ${name}, in: query, schema: { type: integer } }`;
const header = (name: string, schema: string, required = false) =>
  `headers: { ${name}: { required: ${required}, schema: { ${schema} } } }`;
const id = "parameters: [{ name: id, in: path, required: true, schema: { type: string } }]";
const schemas = `components: { schemas: { Note: { type: object, properties: { id: { type: string, readOnly: true }, text: { type: string } } } } }
`;
const withPost = (headers: string, content = "") =>
  documentOf(
    `  /notes:
    get: { operationId: listNotes, responses: { 200: { description: x, ${json(`{ type: array, items: ${note} }`)} } } }
    post: { operationId: addNote, requestBody: { required: true, ${json(note)} }, responses: { 201: { description: x, ${headers}${content} } } }
  /notes/{id}:
    ${id}
    get: { operationId: getNote, responses: { 200: { description: x, ${json(note)} } } }
`,
    schemas,
  );

for (const content of ["", `, ${json(note)}`]) {
  const name = content === "" ? "without content" : "with the record";
  const absolute = withPost(header("Location", "type: string, format: uri", true), content);
  testLikely(`Location is a URL if its schema says so: ${name}`, absolute, async (t, send) => {
    const { status, headers } = await send("POST", "/notes", { text: "a" });
    t.equal(status, 201);
    t.match(headers.location, /^http:\/\/localhost(:80)?\/notes\/[0-9a-f-]{36}$/);
    const bad = await send("POST", "/notes", '{"text":"a"}', "application/json", { host: "a b" });
    t.match(bad, { status: 400 });
    t.equal((await send("GET", "/notes")).body.length, 1, "nothing was created without a host");
  });
  const optional = withPost(header("Location", 'type: string, pattern: "^urn:"'), content);
  testLikely(`a Location that its schema does not allow is not sent: ${name}`, optional, async (t, send) => {
    t.match(await send("POST", "/notes", {}), { status: 201, headers: { location: undefined } });
  });
  for (const required of [
    header("Location", 'type: string, pattern: "^urn:"', true),
    header("X-Cost", "type: integer", true),
    ...(content === "" ? [header("ETag", "type: string", true)] : []), // otherwise, it is made of the content
  ])
    testLikely(
      `a header that can't be made is a 501: ${name}, ${required}`,
      withPost(required, content),
      async (t, send) => {
        t.match(await send("POST", "/notes", {}), {
          status: 501,
          body: { message: /requires the response header (location|x-cost|etag), which the server can't make/ },
        });
        t.match(await send("GET", "/notes"), { status: 501 }, "an empty list would be wrong");
      },
    );
}

const listOf = (headers: string, parameters = "") =>
  documentOf(
    `  /notes:
    get: { operationId: listNotes, parameters: [${parameters}], responses: { 200: { description: x, ${headers}, ${json(`{ type: array, items: ${note} }`)} } } }
    head: { operationId: headNotes, parameters: [${parameters}], responses: { 200: { description: x, ${headers} } } }
    post: { operationId: addNote, requestBody: { required: true, ${json(note)} }, responses: { 201: { description: x, ${json(note)} } } }
  /notes/{id}:
    ${id}
    get: { operationId: getNote, responses: { 200: { description: x, ${json(note)} } } }
    head: { operationId: headNote, responses: { 204: { description: x } } }
`,
    schemas,
  );
const pages = `${integer("limit")}, ${integer("page")}, ${integer("sort")}`;

testLikely(
  "a list has the total in its header",
  listOf(header("X-Total-Count", "type: integer", true), pages),
  async (t, send) => {
    for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
    for (const query of ["", "?limit=1", "?limit=0", "?page=2&limit=2"]) {
      const get = await send("GET", `/notes${query}`);
      t.equal(get.headers["x-total-count"], "3", query);
      const head = await send("HEAD", `/notes${query}`);
      t.match(head, { status: 200, body: undefined });
      for (const name of ["content-type", "content-length", "link", "x-total-count"])
        t.equal(head.headers[name], get.headers[name], `HEAD ${name}`);
    }
    t.match(await send("HEAD", "/notes?sort=1"), { status: 501 });
    t.match(await send("HEAD", "/notes/1"), { status: 501 }, "it declares no response 200");
  },
);

const optional = header("X-Total-Count", "type: string").replace("} } }", "} }, X-Total-Pages: {}, X-Per-Page: {} }");
testLikely("an optional header has the total if it is known", listOf(optional, pages), async (t, send) => {
  for (const text of ["a", "b"]) await send("POST", "/notes", { text });
  const headersOf = async (query: string) => {
    const { headers } = await send("GET", `/notes${query}`);
    return ["x-total-count", "x-total-pages", "x-per-page"].map((name) => headers[name]);
  };
  t.strictSame(await headersOf(""), ["2", "1", "100"]);
  t.strictSame(await headersOf("?limit=0"), ["2", "0", "0"]);
  t.strictSame(await headersOf("?limit=1"), [undefined, undefined, "1"]);
});

const put = (created: string) =>
  documentOf(
    `  /notes/{id}:
    ${id}
    get: { operationId: getNote, responses: { 200: { description: x, ${json(note)} } } }
    put: { operationId: putNote, requestBody: { required: true, ${json(note)} }, responses: { 200: { description: x, ${json(note)} }, 201: { description: x${created} } } }
  /notes/{id}/text:
    ${id}
    delete: { operationId: removeText, responses: { 200: { description: x, ${json(note)} } } }
`,
    schemas,
  );
for (const [created, status] of [
  ["", 201],
  [`, ${json(note)}`, 201],
  [`, ${json("{ type: object, required: [receipt], properties: { receipt: { type: integer } } }")}`, 200],
] as const)
  testLikely(`a PUT responds with a status that it can: ${created}`, put(created), async (t, send) => {
    t.match(await send("PUT", "/notes/a", { text: "x" }), { status });
    t.match(await send("DELETE", "/notes/a/text"), { status: 200, body: { id: "a", text: undefined } });
    t.match(await send("GET", "/notes/a"), { status: 200, body: { id: "a" } });
  });

t.end();

const tagged = `headers: { ETag: { schema: { type: string } } }`;
const sent = `requestBody: { required: true, ${json(note)} }`;
testLikely(
  "changes send the ETag of the GET that they declare, and evaluate preconditions that they do not declare",
  documentOf(
    `  /notes: { post: { operationId: addNote, ${sent}, responses: { 201: { description: x, ${tagged}, ${json(note)} } } } }
  /notes/{id}:
    ${id}
    get: { operationId: getNote, responses: { 200: { description: x, ${tagged}, ${json(note)} }, 304: { description: x } } }
    put: { operationId: putNote, ${sent}, responses: { 204: { description: x, ${tagged} } } }
    patch: { operationId: changeNote, ${sent}, responses: { 200: { description: x, ${json(note)} } } }
    delete: { operationId: removeNote, responses: { 204: { description: x } } }
`,
    schemas,
  ),
  async (t, send) => {
    const { headers: first, body } = await send("POST", "/notes", { text: "a" });
    t.ok(first.etag);
    const get = await send("GET", first.location as string);
    t.equal(get.headers.etag, first.etag);
    const change = (method: string, tag: unknown) =>
      send(method, `/notes/${body.id}`, { text: method }, "application/json", { "if-match": `${tag}` });
    const { status, headers: second } = await change("PUT", first.etag);
    t.equal(status, 204);
    t.equal((await send("GET", `/notes/${body.id}`)).headers.etag, second.etag);
    t.match(await change("PATCH", first.etag), { status: 412 });
    t.match(await change("PATCH", second.etag), { status: 200, headers: { etag: undefined } });
    const remove = await send("DELETE", `/notes/${body.id}`, "", "application/json", { "if-none-match": "*" });
    t.match(remove, { status: 412 });
  },
);
