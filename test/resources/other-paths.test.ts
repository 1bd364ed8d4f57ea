// Records that are created and listed below another record, and read at a path of their own.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const body = (name: string) => `requestBody: { required: true, ${json(ref(name))} }`;
const parameters = (...names: string[]) =>
  `parameters: [${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string, format: uuid } }`)}]`;
const list = (id: string, name: string) => `get: { operationId: ${id}, ${ok(`{ type: array, items: ${ref(name)} }`)} }`;

const document = documentOf(
  `  /companies:
    post: { operationId: addCompany, ${body("Name")}, ${ok(ref("Company"), 201)} }
  /companies/{companyId}:
    ${parameters("companyId")}
    get: { operationId: getCompany, ${ok(ref("Company"))} }
  /companies/{companyId}/contacts:
    ${parameters("companyId")}
    ${list("listContacts", "Contact")}
    post: { operationId: addContact, ${body("NewContact")}, ${ok(ref("Contact"), 201)} }
  /contacts/{contactId}:
    ${parameters("contactId")}
    get: { operationId: getContact, ${ok(ref("Contact"))} }
    put: { operationId: putContact, ${body("NewContact")}, ${ok(ref("Contact"))} }
    delete: { operationId: removeContact, responses: { 204: { description: x } } }
  /projects:
    ${list("listProjects", "Project")}
    post: { operationId: addProject, ${body("NewProject")}, ${ok(ref("Project"), 201)} }
  /projects/{projectId}:
    ${parameters("projectId")}
    get: { operationId: getProject, ${ok(ref("Project"))} }
  /companies/{companyId}/projects:
    ${parameters("companyId")}
    ${list("listCompanyProjects", "Project")}
  /people/{username}/projects:
    parameters: [{ name: username, in: path, required: true, schema: { type: string } }]
    ${list("listOfPerson", "Project")}
`,
  `components:
  schemas:
    Id: { type: string, format: uuid }
    Name: { type: object, required: [name], properties: { name: { type: string } } }
    Company: { type: object, required: [id, name], properties: { id: ${ref("Id")}, name: { type: string } } }
    NewContact: { type: object, required: [name], properties: { name: { type: string }, company_id: ${ref("Id")} } }
    Contact: { type: object, required: [id, company_id, name], properties: { id: ${ref("Id")}, company_id: ${ref("Id")}, name: { type: string } } }
    NewProject: { type: object, required: [title, company], properties: { title: { type: string }, username: { type: string }, company: { type: object, required: [id], properties: { id: ${ref("Id")} } } } }
    Project: { type: object, required: [id, title, company], properties: { id: ${ref("Id")}, title: { type: string }, username: { type: string }, company: { type: object, required: [id], properties: { id: ${ref("Id")} } } } }
`,
);

const unknown = "6f0d8f3e-52ae-4a3c-8a35-0f3c0f3c0f3c";

testLikely("a record that is created below another one has its id, and is read flat", document, async (t, send) => {
  const add = async (name: string) => (await send("POST", "/companies", { name })).body.id as string;
  const [a, b] = [await add("A"), await add("B")];
  const { status, body, headers } = await send("POST", `/companies/${a}/contacts`, { name: "Ann" });
  t.match({ status, body, headers }, { status: 201, body: { name: "Ann", company_id: a } });
  t.equal(headers.location, `/contacts/${body.id}`);
  t.same((await send("GET", `/contacts/${body.id}`)).body, body);
  t.same((await send("GET", `/companies/${a}/contacts`)).body, [body]);
  t.same((await send("GET", `/companies/${b}/contacts`)).body, [], "of another company");
  t.match(await send("POST", `/companies/${unknown}/contacts`, { name: "Bob" }), { status: 404 });
  t.match(await send("GET", `/companies/${unknown}/contacts`), { status: 404 });
  t.match((await send("PUT", `/contacts/${body.id}`, { name: "Eve" })).body, { name: "Eve", company_id: a });
  t.match(await send("DELETE", `/contacts/${body.id}`), { status: 204 });
  t.same((await send("GET", `/companies/${a}/contacts`)).body, []);
});

testLikely(
  "the path says to which record a new one belongs, and a key is that of one path",
  document,
  async (t, send) => {
    const add = async (name: string) => (await send("POST", "/companies", { name })).body.id as string;
    const [a, b] = [await add("A"), await add("B")];
    const wrong = await send("POST", `/companies/${a}/contacts`, { name: "x", company_id: b });
    t.match(wrong, { status: 400, body: { message: /company_id must be that of the path/ } });
    const once = (company: string) =>
      send("POST", `/companies/${company}/contacts`, { name: "Ann" }, "application/json", { "idempotency-key": "k" });
    t.match(await once(a), { status: 201, body: { company_id: a } });
    t.match(await once(a), { status: 201, headers: { "idempotency-replayed": "true" } });
    t.match(await once(b), { status: 422 });
  },
);

testLikely("a list below another record has those that refer to it", document, async (t, send) => {
  const company = (await send("POST", "/companies", { name: "A" })).body.id as string;
  const { body } = await send("POST", "/projects", { title: "x", company: { id: company } });
  await send("POST", "/projects", { title: "y", company: { id: unknown } });
  t.same((await send("GET", `/companies/${company}/projects`)).body, [body]);
  t.equal((await send("GET", "/projects")).body.length, 2);
});

t.test("A name of a user does not list by the member with the same name", async (t) => {
  const { operations } = planOf(await parseDocument(document));
  t.match(
    operations.find(({ id }) => id === "listOfPerson"),
    { not: /returns nothing that another operation creates/ },
  );
});
