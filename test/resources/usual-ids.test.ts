// Ids as services name them: `_id`, `$id` and `pk`, and those that the body of a POST has under the name of the parameter of the path.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const object = (properties: string, required = "") =>
  `{ type: object, required: [${required}], properties: { ${properties} } }`;
const text = "{ type: string }";
const documentWith = (parameter: string, id: string, sent: string, body = json(sent)) => {
  const record = object(`"@id": ${text}, ${id}, text: ${text}, $createdAt: ${text}`);
  return documentOf(`  /teams:
    get: { operationId: listTeams, responses: { 200: { description: x, ${json(`{ type: array, items: ${record} }`)} } } }
    post: { operationId: addTeam, requestBody: { required: true, ${body} }, responses: { 201: { description: x, ${json(record)} } } }
  /teams/{${parameter}}:
    parameters: [{ name: ${parameter}, in: path, required: true, schema: { type: ${/integer/.test(id) ? "integer" : "string"} } }]
    get: { operationId: getTeam, responses: { 200: { description: x, ${json(record)} } } }
    delete: { operationId: deleteTeam, responses: { 204: { description: x } } }
`);
};

for (const [name, parameter, type] of [
  ["_id", "id", "string"],
  ["$id", "teamId", "string"],
  ["pk", "id", "integer"],
  ["pk", "team_uuid", "string"],
] as const)
  testLikely(
    `the id of {${parameter}} is ${name}`,
    documentWith(parameter, `${name}: { type: ${type}, readOnly: true }`, object(`text: ${text}`, "text")),
    async (t, send) => {
      const { status, body } = await send("POST", "/teams", { text: "a" });
      t.equal(status, 201);
      t.ok(Date.parse(body.$createdAt) > 0, "the time of the creation can have a sign, too");
      t.same((await send("GET", `/teams/${body[name]}`)).body, body);
      t.equal((await send("DELETE", `/teams/${body[name]}`)).status, 204);
    },
  );

testLikely(
  "a body has the id of a new record under the name of the parameter of the path",
  documentWith("teamId", `$id: ${text}`, object(`teamId: ${text}, text: ${text}`, "teamId, text")),
  async (t, send) => {
    const { status, headers, body } = await send("POST", "/teams", { teamId: "red", text: "a" });
    t.equal(status, 201);
    t.match(body, { $id: "red", text: "a", teamId: undefined });
    t.equal(headers.location, "/teams/red");
    t.match((await send("GET", "/teams/red")).body, { $id: "red" });
    t.equal((await send("POST", "/teams", { teamId: "red", text: "b" })).status, 409);
  },
);

testLikely(
  "an optional id in a body can be that of another record: with it, a POST is a 501",
  documentWith("team_id", `id: ${text}`, object(`team_id: ${text}, text: ${text}`, "text")),
  async (t, send) => {
    t.equal((await send("POST", "/teams", { team_id: "red", text: "a" })).status, 501);
    t.equal((await send("POST", "/teams", { text: "a" })).status, 201);
  },
);

t.test("Without a JSON body of the POST, such as of an upload, records are imported", async (t) => {
  const upload = "multipart/form-data: { schema: { type: object } }";
  const plan = planOf(await parseDocument(documentWith("id", `id: ${text}`, "", `content: { ${upload} }`)));
  t.match(plan.collections, [{ name: "teams", isImported: true }]);
  const not = "has no body of application/json with a schema";
  t.same(
    plan.operations.map(({ id, does, not }) => [id, does?.kind ?? not]),
    [
      ["listTeams", "list"],
      ["addTeam", not],
      ["getTeam", "get"],
      ["deleteTeam", "delete"],
    ],
  );
});
