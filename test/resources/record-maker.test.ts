// The members of a record that the server makes, although a request can have them.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (name: string) => `content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } }`;
const time = "{ type: string, format: date-time }";
const document = documentOf(
  `  /notes:
    post: { operationId: addNote, requestBody: { required: true, ${json("NewNote")} }, responses: { 201: { description: x, ${json("Note")} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${json("Note")} } } }
    put: { operationId: putNote, requestBody: { required: true, ${json("NewNote")} }, responses: { 200: { description: x, ${json("Note")} } } }
`,
  `components:
  schemas:
    NewNote: { type: object, properties: { text: { type: string }, createdAt: ${time}, modified_at: ${time}, created_on: ${time} } }
    Note: { type: object, required: [id, createdAt, modified_at], properties: { id: { type: integer }, text: { type: string }, createdAt: ${time}, modified_at: ${time}, created_on: ${time} } }
`,
);

testLikely("a time that a request can leave out is that of the creation or change", document, async (t, send) => {
  const before = new Date().toISOString();
  const { body } = await send("POST", "/notes", { text: "a" });
  t.ok(body.createdAt >= before && body.createdAt <= new Date().toISOString(), body.createdAt);
  t.equal(body.modified_at, body.createdAt);
  t.equal(body.created_on, body.createdAt, "also if it is optional in the record");
  const past = "2020-01-01T00:00:00Z";
  t.match(await send("POST", "/notes", { createdAt: past, modified_at: past }), {
    body: { createdAt: past, modified_at: past },
  });
  const { body: changed } = await send("PUT", "/notes/2", { text: "b" });
  t.equal(changed.createdAt, past, "a PUT without it keeps it");
  t.ok(changed.modified_at >= body.createdAt, changed.modified_at);
  t.match((await send("PUT", "/notes/2", { createdAt: before })).body, { createdAt: before });
});

const partials = [
  "Any unspecified fields will remain unchanged",
  "Supports partial updates",
  "Only the fields provided are changed",
];
for (const description of partials)
  testLikely(
    `a PUT keeps what it does not have if its description says so: ${description}`,
    document.replace("operationId: putNote,", `operationId: putNote, description: "${description}.",`),
    async (t, send) => {
      await send("POST", "/notes", { text: "a", created_on: "2020-01-01T00:00:00Z" });
      const { body } = await send("PUT", "/notes/1", { text: "b" });
      t.match(body, { text: "b", created_on: "2020-01-01T00:00:00Z" });
    },
  );

testLikely("a PUT replaces the record otherwise", document, async (t, send) => {
  await send("POST", "/notes", { text: "a", created_on: "2020-01-01T00:00:00Z" });
  t.notOk("text" in (await send("PUT", "/notes/1", { created_on: "2020-01-01T00:00:00Z" })).body);
});
