// Operations of a path without an id: which are those of a single record, and which act on a selection.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const body = (schema: string) => `requestBody: { ${json(schema)} }`;
const groups = "{ type: object, properties: { groups: { type: array, items: { type: object } } } }";
const ok = `responses: { 200: { description: x, ${json(groups)} } }`;
const gone = "responses: { 204: { description: x } }";
const query = (name: string) => `parameters: [{ name: ${name}, in: query, schema: { type: string } }]`;

/** Plans a path with a GET, and operations of other methods. Returns what each of them does, or why it is not answered. */
async function plan(operations: readonly string[], path = "/groups"): Promise<Record<string, string>> {
  const lines = [`get: { operationId: read, ${ok} }`, ...operations].map((line) => `    ${line}\n`).join("");
  const { operations: planned } = planOf(await parseDocument(documentOf(`  ${path}:\n${lines}`)));
  return Object.fromEntries(planned.map(({ id, does, not }) => [id, does?.kind ?? `${not}`]));
}
const put = `put: { operationId: replaceGroups, ${body(groups)}, ${ok} }`;

t.test(
  "a DELETE with a body or a query parameter deletes a selection, unless x-resource says that it deletes all",
  async (t) => {
    const selects = /has a body or query parameters, which can select what it deletes/;
    for (const [operation, expected] of [
      [`delete: { operationId: x, ${gone} }`, "delete"],
      [`delete: { operationId: x, ${query("force")}, ${gone} }`, "delete"],
      [`delete: { operationId: x, ${body(groups)}, ${gone} }`, selects],
      [`delete: { operationId: x, ${query("ids")}, ${gone} }`, selects],
      [`delete: { operationId: x, x-resource: { delete: /groups }, ${query("ids")}, ${gone} }`, "delete"],
    ] as const)
      t.match(await plan([put, operation]), { x: expected, replaceGroups: "replace", read: "get" }, operation);
    for (const name of ["deleteAllGroups", "groups_clear", "PurgeGroups", "groups/reset"])
      t.match(await plan([put, `delete: { operationId: ${name}, ${query("ids")}, ${gone} }`]), { [name]: "delete" });
    const atPath = await plan([put, `delete: { operationId: x, ${query("ids")}, ${gone} }`], "/groups/all");
    t.match(atPath, { x: "delete" });
  },
);

t.test("a POST changes a single record only beside PATCH, or if x-resource says so", async (t) => {
  const post = (name: string, others = "") => `post: { operationId: ${name}, ${others}${body(groups)}, ${ok} }`;
  const patch = `patch: { operationId: patchGroups, ${body(groups)}, ${ok} }`;
  t.match(await plan([post("search")]), { search: /creates nothing/, read: /returns nothing/ });
  t.match(await plan([post("search"), patch]), { search: /creates nothing/, patchGroups: "update" });
  t.match(await plan([post("search"), put]), { search: /creates nothing/, replaceGroups: "replace" });
  t.match(await plan([post("search", "x-resource: { update: /groups }, ")]), { search: "update", read: "get" });
  t.match(await plan([post("updateGroups")]), { updateGroups: "update" });
  t.match(await plan([post("PostTaxSettings")], "/tax/settings"), { PostTaxSettings: "update", read: "get" });
});
