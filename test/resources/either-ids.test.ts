// Paths with one of two ids, such as `/roles/{roleIdOrLabel}`.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const object = (properties: string) => `{ type: object, required: [label], properties: { ${properties} } }`;
const sent = object("label: { type: string }");
const documentWith = (parameter: string, record: string) =>
  documentOf(`  /roles:
    post: { operationId: addRole, requestBody: { required: true, ${json(sent)} }, responses: { 201: { description: x, ${json(record)} } } }
  /roles/{${parameter}}:
    parameters: [{ name: ${parameter}, in: path, required: true, schema: { type: string } }]
    get: { operationId: getRole, responses: { 200: { description: x, ${json(record)} } } }
    put: { operationId: putRole, requestBody: { required: true, ${json(sent)} }, responses: { 200: { description: x, ${json(record)} } } }
`);

for (const parameter of ["roleIdOrLabel", "label_or_id"])
  testLikely(
    `the id of {${parameter}} is that of the server`,
    documentWith(parameter, object("id: { type: string }, label: { type: string }")),
    async (t, send) => {
      const { body } = await send("POST", "/roles", { label: "a" });
      t.match(body, { id: /^.{22,}$/, label: "a" });
      t.same((await send("PUT", `/roles/${body.id}`, { label: "b" })).body, { id: body.id, label: "b" });
      t.equal((await send("GET", "/roles/b")).status, 404);
    },
  );

testLikely(
  "the id of {label_or_uuid} is the one that a record has, before a number that the path has not",
  documentWith("label_or_uuid", object("id: { type: integer }, label: { type: string }")),
  async (t, send) => {
    await send("POST", "/roles", { label: "a" });
    t.match(await send("GET", "/roles/a"), { status: 200, body: { label: "a" } });
  },
);
