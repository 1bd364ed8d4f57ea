// Headers that select a tenant: its records are not seen by another one, also below another record, at another path and with a retry.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { type Send, testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const id = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: integer } }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const add = (name: string) => `requestBody: { required: true, ${json(ref(`New${name}`))} }, ${ok(ref(name), 201)}`;

/** A document of companies with contacts, whose operations have these parameters. */
const documentWith = (tenant: string, others = tenant) =>
  documentOf(
    `  /companies:
    get: { operationId: listCompanies, parameters: [${tenant}], ${ok(`{ type: array, items: ${ref("Company")} }`)} }
    post: { operationId: addCompany, parameters: [${tenant}, { name: Idempotency-Key, in: header, schema: { type: string } }], ${add("Company")} }
  /companies/{id}:
    get: { operationId: getCompany, parameters: [${tenant}, ${id("id")}], ${ok(ref("Company"))} }
    patch: { operationId: changeCompany, parameters: [${tenant}, ${id("id")}], requestBody: { required: true, ${json(ref("NewCompany"))} }, ${ok(ref("Company"))} }
    delete: { operationId: removeCompany, parameters: [${others}, ${id("id")}], responses: { 204: { description: x } } }
  /companies/{id}/contacts:
    get: { operationId: listContactsOf, parameters: [${tenant}, ${id("id")}], ${ok(`{ type: array, items: ${ref("Contact")} }`)} }
    post: { operationId: addContact, parameters: [${tenant}, ${id("id")}], ${add("Contact")} }
  /contacts:
    get: { operationId: listContacts, parameters: [${tenant}], ${ok(`{ type: array, items: ${ref("Contact")} }`)} }
  /contacts/{id}:
    get: { operationId: getContact, parameters: [${tenant}, ${id("id")}], ${ok(ref("Contact"))} }
`,
    `components:
  schemas:
    NewCompany: { type: object, required: [name], properties: { name: { type: string } } }
    Company: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string }, tenant_id: { type: string } } }
    NewContact: { type: object, required: [email], properties: { email: { type: string } } }
    Contact: { type: object, required: [id, email, company_id], properties: { id: { type: integer }, email: { type: string }, company_id: { type: integer }, company: ${ref("Company")} } }
`,
  );

const header = (name: string, others = "") =>
  `{ name: ${name}, in: header, required: true, schema: { type: string }${others} }`;
const of = (send: Send, name: string, tenant: string) => {
  const call = (method: string, url: string, body?: object, headers = {}) =>
    send(method, url, body, undefined, { [name]: tenant, ...headers });
  return call;
};

for (const [name, parameter] of [
  ["X-Tenant-Id", header("X-Tenant-Id")],
  ["X-Realm", header("X-Realm", ", x-resource: { scope: true }")],
] as const)
  testLikely(
    `records of another ${name} are not seen, changed or deleted`,
    documentWith(parameter),
    async (t, send) => {
      const [a, b] = [of(send, name, "a/1"), of(send, name, "b")];
      const { status, body: company } = await a("POST", "/companies", { name: "x" });
      t.match({ status, company }, { status: 201, company: { name: "x" } });
      const url = `/companies/${company.id}`;
      t.match(await a("POST", `${url}/contacts`, { email: "e" }), { status: 201, body: { company_id: company.id } });
      t.match((await a("GET", "/companies")).body, [company]);
      t.match((await a("GET", "/contacts")).body, [{ email: "e" }]);
      t.match((await a("GET", `${url}/contacts`)).body, [{ email: "e" }]);
      for (const path of ["/companies", "/contacts"]) t.same((await b("GET", path)).body, []);
      t.match(await b("GET", url), { status: 404 });
      t.match(await b("PATCH", url, { name: "y" }), { status: 404 });
      t.match(await b("POST", `${url}/contacts`, { email: "f" }), { status: 404 }, "there is no such company");
      t.match(await b("DELETE", url), { status: 404 });
      t.match(await send("GET", "/companies"), { status: 400 }, "without the header");
      t.match(await a("GET", url), { status: 200, body: { name: "x" } });
      t.match(await a("DELETE", url), { status: 204 });
    },
  );

testLikely(
  "a key of a tenant does not return the record of another",
  documentWith(header("X-Tenant-Id")),
  async (t, send) => {
    const post = (tenant: string) =>
      of(send, "X-Tenant-Id", tenant)("POST", "/companies", { name: "x" }, { "Idempotency-Key": '"k"' });
    const { body } = await post("a");
    t.match(body, { name: "x", tenant_id: "a" }, "a member of the name of the header has its value");
    t.match(await post("a"), { status: 201, body });
    t.match(await post("b"), { status: 422 });
  },
);

const reasonOf = async (document: string, id: string) =>
  planOf(await parseDocument(document)).operations.find((one) => one.id === id)?.not;

t.test("An operation without the header of the others needs a handler", async (t) => {
  const tenant = header("X-Tenant-Id");
  t.equal(
    await reasonOf(documentWith(tenant, header("X-Other-Tenant")), "removeCompany"),
    "does not have the header X-Tenant-Id, which selects the records of a tenant",
  );
  t.equal(
    await reasonOf(documentWith(tenant, `${tenant}, ${header("X-Org")}`), "removeCompany"),
    "has the header X-Org, which the GET of a company does not have",
  );
  const excluded = header("X-Tenant-Id", ", x-resource: { scope: false }");
  t.match(await reasonOf(documentWith(excluded), "listCompanies"), /parameter X-Tenant-Id, whose effect is not known/);
});

t.test("Only a required header can select a tenant", async (t) => {
  const optional = "{ name: X-Realm, in: header, schema: { type: string }, x-resource: { scope: true } }";
  await t.rejects(
    reasonOf(documentWith(optional), "listCompanies"),
    /x-resource of the parameter X-Realm is wrong: .*required header/,
  );
});
