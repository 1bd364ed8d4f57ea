// Which member is the id of a record: paths with one of two ids, such as `/roles/{roleIdOrLabel}`, and records with several ids.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
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

const text = "{ type: string }";
const ids: readonly (readonly [
  why: string,
  path: string,
  members: readonly string[],
  id: string,
  description?: string,
])[] = [
  ["its own before that of another record", "/refunds/{terminal_refund_id}", ["refund_id", "id"], "id"],
  ["its own before what the parameter only begins with", "/promotion_codes/{promotion_code}", ["code", "id"], "id"],
  ["not its own if the path is by its number", "/pulls/{pull_number}", ["number", "id"], "number"],
  [
    "that with the whole name, in another case",
    "/templates/{report_template_id}",
    ["id", "reportTemplateId"],
    "reportTemplateId",
  ],
  ["not its name", "/files/{file_key}", ["name"], ""],
  ["its name, if the parameter is one", "/tags/{tag_id}", ["name"], "name", "The name of the tag."],
];

for (const [why, path, members, id, description = ""] of ids)
  t.test(`the id of ${path} is ${why}`, async (t) => {
    const record = object(["label", ...members].map((name) => `${name}: ${text}`).join(", "));
    const parameter = `{ name: "${path.slice(path.indexOf("{") + 1, -1)}", in: path, required: true, schema: ${text}, description: "${description}" }`;
    const document = documentOf(`  ${path}:
    get: { operationId: get, parameters: [${parameter}], responses: { 200: { description: x, ${json(record)} } } }
`);
    t.equal(planOf(await parseDocument(document)).collections[0]?.id.path[0] ?? "", id);
  });
