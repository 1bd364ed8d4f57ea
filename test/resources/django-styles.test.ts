// Styles of generators such as drf-spectacular: links that are URLs, keys of parents, commands with fewer members than the record.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { testLikely } from "../support/likely.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const param = (name: string, type = "integer") =>
  `{ name: ${name}, in: path, required: true, schema: { type: ${type} } }`;
const page = `{ type: object, required: [count, results], properties: { count: { type: integer }, next: { type: string, format: uri, nullable: true }, previous: { type: string, format: uri, nullable: true }, results: { type: array, items: ${ref("Organization")} } } }`;

const text = documentOf(
  `  /organizations/:
    get: { operationId: listOrganizations, parameters: [{ name: page, in: query, schema: { type: integer } }, { name: page_size, in: query, schema: { type: integer } }], ${ok(page)} }
    post: { operationId: addOrganization, ${body(ref("Organization"))}, ${ok(ref("Organization"), 201)} }
  /organizations/{id}/:
    parameters: [${param("id")}]
    get: { operationId: getOrganization, ${ok(ref("Organization"))} }
    put: { operationId: putOrganization, ${body("{ type: object, additionalProperties: false, required: [name], properties: { name: { type: string } } }")}, ${ok(ref("Organization"))} }
  /organizations/{organization_pk}/projects/:
    parameters: [${param("organization_pk")}]
    post: { operationId: addProject, ${body(ref("Project"))}, ${ok(ref("Project"), 201)} }
  /organizations/{organization_pk}/projects/{id}/:
    parameters: [${param("organization_pk")}, ${param("id")}]
    get: { operationId: getProject, ${ok(ref("Project"))} }
  /me/:
    get: { operationId: getMe, ${ok(ref("Me"))} }
    patch: { operationId: changeMe, ${body("{ type: object, properties: { name: { type: string } } }")}, ${ok(ref("Me"))} }
`,
  `components:
  schemas:
    Organization: { type: object, required: [id, name], properties: { id: { type: integer, readOnly: true }, name: { type: string }, kind: { type: integer } } }
    Project: { type: object, required: [id, organization, name], properties: { id: { type: integer, readOnly: true }, organization: { type: integer, readOnly: true }, name: { type: string } } }
    Me: { type: object, required: [name, email], properties: { name: { type: string, example: Ada }, email: { type: string, format: email, example: boss@corp.example } } }
`,
  "3.0.3",
);

testLikely("Links of pages are URLs where the schema says uri", text, async (t, send) => {
  for (const name of ["a", "b", "c"]) await send("POST", "/organizations/", { name });
  const first = (await send("GET", "/organizations/?page=1&page_size=2")).body;
  t.match(first, { count: 3, next: /^http:\/\/localhost(:80)?\/organizations\/\?/, previous: null });
  const { pathname, search } = new URL(first.next);
  const last = (await send("GET", `${pathname}${search}`)).body;
  t.match(last, { results: [{ name: "c" }], next: null, previous: /^http:\/\/localhost(:80)?\/organizations\/\?/ });
});

testLikely(
  "A new record has the id of the record above it, whatever the parameter is called",
  text,
  async (t, send) => {
    await send("POST", "/organizations/", { name: "a" });
    await send("POST", "/organizations/", { name: "b" });
    const made = await send("POST", "/organizations/2/projects/", { name: "p" });
    t.match(made, { status: 201, body: { organization: 2, name: "p" } });
  },
);

testLikely("PUT keeps the members that its body can't contain", text, async (t, send) => {
  await send("POST", "/organizations/", { name: "a", kind: 3 });
  t.match(await send("PUT", "/organizations/1/", { name: "b" }), { status: 200, body: { id: 1, name: "b", kind: 3 } });
});

testLikely("A single record whose members nobody has said is imported", text, async (t, send) => {
  t.match(await send("GET", "/me/"), { status: 501, body: { message: /Import them/ } });
  t.match(await send("PATCH", "/me/", { name: "x" }), { status: 501 });
});

t.test("The plan says that the server makes an id that is read-only", async (t) => {
  const { collections } = planOf(await parseDocument(text));
  t.same(
    collections.map(({ name, idFrom }) => [name, idFrom]),
    [
      ["organizations", ["server"]],
      ["organizations_organization_pk_projects", ["server"]],
      ["me", []],
    ],
  );
});

t.test("--plan refuses a handler that has no operation", async (t) => {
  const place = folder(t);
  const [file, module] = [join(place, "o.yaml"), join(place, "handlers.mjs")];
  writeFileSync(file, text);
  writeFileSync(module, "export const getOrganisation = () => {};");
  t.match(await run(["serve", file, "--plan", "--handlers", module]), {
    code: 1,
    stderr: /The handler getOrganisation has no operation in the document\. Did you mean getOrganization\?/,
  });
});
