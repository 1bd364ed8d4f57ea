// What `x-resource` declares of records beside their path: unique members, references, and private members.
import t from "tap";
import { parse } from "yaml";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const idPath = (type: string) => `parameters: [{ name: id, in: path, required: true, schema: { type: ${type} } }]`;
const crud = (name: string, schema: string, type: string, hint: string) => `  /${name}:
    get: { operationId: list_${name}, ${ok(`{ type: array, items: ${ref(schema)} }`)} }
    post: { operationId: add_${name}, ${body(ref(`New${schema}`))}, ${ok(ref(schema), 201)} }
  /${name}/{id}:
    x-resource: ${hint}
    ${idPath(type)}
    get: { operationId: get_${name}, ${ok(ref(schema))} }
    put: { operationId: put_${name}, ${body(ref(`New${schema}`))}, ${ok(ref(schema))} }
    patch: { operationId: patch_${name}, requestBody: { content: { application/merge-patch+json: { schema: ${ref(`New${schema}`)} } } }, ${ok(ref(schema))} }
    delete: { operationId: remove_${name}, responses: { 204: { description: x } } }
`;
const int = "{ type: integer, format: int64 }";
const text = documentOf(
  crud("owners", "Owner", "integer", "{ unique: [email], private: [password, hash] }") +
    crud("vets", "Vet", "string", "{}") +
    crud(
      "visits",
      "Visit",
      "integer",
      "{ unique: [[vetId, startsAt]], references: { vetId: '/vets/{id}', ownerId: { to: '/owners/{id}', onDelete: setNull } } }",
    ),
  `components:
  schemas:
    NewOwner: { type: object, required: [email], properties: { email: { type: string }, password: { type: string, writeOnly: true }, name: { type: string } } }
    Owner: { type: object, additionalProperties: false, required: [id, email], properties: { id: ${int}, email: { type: string }, name: { type: string }, hash: { type: [string, "null"], readOnly: true } } }
    NewVet: { type: object, properties: { name: { type: string } } }
    Vet: { type: object, required: [id], properties: { id: { type: string, format: uuid }, name: { type: string } } }
    NewVisit: { type: object, properties: { vetId: { type: string, format: uuid }, ownerId: { type: [integer, "null"], format: int64 }, startsAt: { type: string, format: date-time } } }
    Visit: { type: object, required: [id], properties: { id: ${int}, vetId: { type: string, format: uuid }, ownerId: { type: [integer, "null"], format: int64 }, startsAt: { type: string, format: date-time } } }
`,
);

const mergePatch = "application/merge-patch+json";

testLikely("A second record with a unique value is a 409 that names the member", text, async (t, send) => {
  t.match(await send("POST", "/owners", { email: "a@x.org" }), { status: 201 });
  const message = "Another record of owners has the same email.";
  const refused = {
    status: 409,
    body: { code: "not_unique", message, details: [{ location: "body", name: "email" }] },
  };
  t.match(await send("POST", "/owners", { email: "a@x.org" }), refused);
  const { id } = (await send("POST", "/owners", { email: "b@x.org" })).body;
  t.match(await send("PUT", `/owners/${id}`, { email: "a@x.org" }), refused);
  t.match(await send("PATCH", `/owners/${id}`, { email: "a@x.org" }, mergePatch), refused);
  t.match(await send("PUT", `/owners/${id}`, { email: "c@x.org" }), { status: 200 });
});

testLikely(
  "A reference to nothing is a 422, and a record that others refer to is not deleted",
  text,
  async (t, send) => {
    const vetId = (await send("POST", "/vets", { name: "V" })).body.id;
    const missing = "0b0fd6a5-5d31-4f0b-9f2f-6f1c2a0b4a11";
    t.match(await send("POST", "/visits", { vetId: missing }), {
      status: 422,
      body: { code: "unknown_reference", details: [{ name: "vetId" }] },
    });
    const ownerId = (await send("POST", "/owners", { email: "a" })).body.id;
    const visit = (await send("POST", "/visits", { vetId, ownerId, startsAt: "2026-01-01T10:00:00Z" })).body;
    t.match(await send("POST", "/visits", { vetId, startsAt: "2026-01-01T12:00:00+02:00" }), { status: 409 });
    t.match(await send("DELETE", `/vets/${vetId}`), { status: 409, body: { code: "still_referred" } });
    t.match(await send("DELETE", `/owners/${ownerId}`), { status: 204 });
    t.same((await send("GET", `/visits/${visit.id}`)).body, { ...visit, ownerId: null });
    await send("DELETE", `/visits/${visit.id}`);
    t.match(await send("DELETE", `/vets/${vetId}`), { status: 204 });
  },
);

testLikely("A private member is kept through changes, and in no response", text, async (t, send, store) => {
  const { body: created } = await send("POST", "/owners", { email: "a", password: "p1" });
  t.same(created, { id: created.id, email: "a" });
  const passwordOf = async () =>
    (await store.records<{ password?: string }>("owners").find(BigInt(created.id)))?.password;
  t.equal(await passwordOf(), "p1");
  t.same((await send("PUT", `/owners/${created.id}`, { email: "b" })).body, { id: created.id, email: "b" });
  t.equal(await passwordOf(), "p1");
  t.same((await send("PATCH", `/owners/${created.id}`, { email: "b", name: "N", password: "p2" }, mergePatch)).body, {
    id: created.id,
    email: "b",
    name: "N",
  });
  t.equal(await passwordOf(), "p2");
  for (const url of ["/owners", `/owners/${created.id}`])
    t.notMatch(JSON.stringify((await send("GET", url)).body), /p2/);
  const owners = store.records<Record<string, unknown>>("owners");
  const record = await owners.find(BigInt(created.id));
  t.same(Object.keys({ ...record }), ["id", "email", "name"], "a handler that responds with a record does not show it");
  await owners.change(BigInt(created.id), (owner) => ({ ...owner, name: "M", password: "p3", hash: "h1" }));
  t.equal(await passwordOf(), "p3");
  await send("PATCH", `/owners/${created.id}`, { name: "O", hash: "h2" }, mergePatch);
  await send("PATCH", `/owners/${created.id}`, { hash: null }, mergePatch);
  await send("PUT", `/owners/${created.id}`, { email: "b", hash: "h2" });
  t.equal((await owners.find(BigInt(created.id)))?.hash, "h1", "which requests can't write, because it is read-only");
  t.match(await send("DELETE", `/owners/${created.id}`), { status: 204 });
});

t.test("What x-resource declares wrongly is an error that says what would be right", async (t) => {
  const wrong = async (hint: object) => {
    const document = parse(text);
    document.paths["/visits/{id}"]["x-resource"] = hint;
    document.paths["/visits/{id}"].get.security = [{ token: ["staff"] }];
    document.components.securitySchemes = { token: { type: "http", scheme: "bearer" } };
    document.components.schemas.Visit.properties.rate = { type: "number" };
    return planOf(await parseDocument(JSON.stringify(document)));
  };
  for (const [hint, message] of [
    [{ uniqe: ["vetId"] }, /unknown member uniqe: did you mean unique\?/],
    [{ unique: "vetId" }, /unique must be an array of names, or of arrays of names, such as \[email/],
    [{ unique: ["vetld"] }, /no property vetld: did you mean vetId\?/],
    [{ references: { vetId: "/vet/{id}" } }, /\/vet\/\{id\} is not the path of a record that the server keeps/],
    [{ references: { startsAt: "/owners/{id}" } }, /startsAt must have the type of the ids of \/owners\/\{id\}/],
    [{ references: { rate: "/owners/{id}" } }, /rate must have the type of the ids of \/owners\/\{id\}/],
    [{ references: { vetId: { to: "/vets/{id}", onDelete: "ignore" } } }, /onDelete: restrict \| cascade \| setNull/],
    [{ owner: { member: "vetId", unless: "staf" } }, /the document has no scope staf: did you mean staff\?/],
    [{ private: ["id"] }, /id is required in a response, and can't be private/],
  ] as const)
    await t.rejects(wrong(hint), message);
});

testLikely("A handler changes several collections in one transaction, or none", text, async (t, send, store) => {
  const vetId = (await send("POST", "/vets", { name: "V" })).body.id;
  const book = (email: string, startsAt: string) =>
    store.transaction(async ({ records }) => {
      const owner = await records("owners").create({ email });
      return records("visits").create({ vetId, startsAt, ownerId: (owner as { id: bigint }).id });
    });
  await book("a", "2026-01-01T10:00:00Z");
  await t.rejects(book("b", "2026-01-01T10:00:00Z"), /Another record of visits has the same vetId and startsAt/);
  t.equal(await store.records("owners").count(), 1n);
  t.match(
    (await store.records("visits").list({ limit: 9 })).records,
    [{ id: 1n, vetId, ownerId: 1n }],
    "int64 is a bigint",
  );
});
