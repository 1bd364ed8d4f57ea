// The interface, table by table: what the service is, seen from outside.
import t, { type Test } from "tap";
import { parse } from "yaml";
import type { Pet } from "../src/store/store.ts";
import { documentText } from "./support/files.ts";
import { type Service, start } from "./support/service.ts";

const least = { name: "Tom", categoryId: 3 };

t.test("listPets", async (t) => {
  const service = await start(t, { prism: true });
  t.same((await service.call("GET", "/v1/pets")).body, [], "an empty store gives an empty array, not 404");
  for (let n = 1; n <= 101; n++)
    await service.create({ name: `pet ${n}`, categoryId: n, status: ["available", "pending", "sold"][n % 3] });
  const names = async (query: string) =>
    ((await service.call("GET", `/v1/pets${query}`)).body as Pet[]).map((pet) => pet.name);

  t.equal((await names("")).length, 20, "limit is 20 by default");
  t.same(await names("?limit=1"), ["pet 1"], "limit may be 1");
  t.equal((await names("?limit=100")).length, 100, "limit may be 100");
  for (const limit of ["0", "101", "-1"]) {
    const { status, body } = await service.call("GET", `/v1/pets?limit=${limit}`);
    t.match(
      { status, body },
      { status: 400, body: { code: "invalid_parameter", status: 400, message: /limit/ } },
      `limit ${limit} is refused`,
    );
  }
  for (const status of ["available", "pending", "sold"]) {
    const { body } = await service.call("GET", `/v1/pets?status=${status}&limit=100`);
    t.ok((body as Pet[]).length > 30 && (body as Pet[]).every((pet) => pet.status === status), `the filter ${status}`);
  }
  t.match(
    (await service.call("GET", "/v1/pets?status=lost")).body,
    { message: /available, pending, sold/ },
    "another status is refused",
  );
  await refusesStrangers(t, service, "GET", "/v1/pets");
});

t.test("createPet", async (t) => {
  const service = await start(t, { prism: true });
  const post = (json: unknown) => service.call("POST", "/v1/pets", { json });
  const full = { name: "Rex", categoryId: 7, status: "available" };
  t.match(
    await post(full),
    { status: 201, text: '{"id":1,"name":"Rex","categoryId":7,"status":"available"}' },
    "all fields, in the document's order",
  );
  t.match(
    await post(least),
    { status: 201, text: '{"id":2,"name":"Tom","categoryId":3}' },
    "a status that was not given is absent",
  );
  for (const status of ["available", "pending", "sold"])
    t.match(await post({ ...least, status }), { status: 201 }, `the status ${status}`);
  for (const [json, message] of [
    [{ categoryId: 1 }, /must have the field 'name'/],
    [{ name: "x" }, /must have the field 'categoryId'/],
    [{ ...least, status: "lost" }, /field 'status' must be one of: available, pending, sold/],
    [{ ...least, status: null }, /status/],
    [{ ...least, name: 7 }, /field 'name' must be a string/],
    [{ ...least, categoryId: "3" }, /field 'categoryId' must be an integer/],
    [{ ...least, categoryId: 1.5 }, /field 'categoryId' must be an integer/],
    [{ ...least, id: 7 }, /unknown field 'id'; known are: name, categoryId, status/],
    [[], /body must be an object/],
    ["null", /body must be an object/],
  ] as const)
    t.match(
      await post(json),
      { status: 400, body: { code: "invalid_body", message } },
      `refused: ${JSON.stringify(json)}`,
    );
  t.match(
    await service.call("POST", "/v1/pets"),
    { status: 400, body: { code: "invalid_body", message: /must have a body/ } },
    "a missing body",
  );
  await refusesStrangers(t, service, "POST", "/v1/pets");
});

t.test("getPet", async (t) => {
  const service = await start(t, { prism: true });
  const { id } = await service.create(least);
  t.match(await service.call("GET", `/v1/pets/${id}`), { status: 200, body: { id, ...least } });
  t.match(await service.call("GET", "/v1/pets/42"), {
    status: 404,
    text: '{"code":"pet_not_found","message":"No pet has the id 42.","status":404}',
  });
  await refusesStrangers(t, service, "GET", `/v1/pets/${id}`);
});

t.test("The document: version, servers, tags and schemas", async (t) => {
  const document = parse(documentText);
  t.match(document.info.version, /^1\.\d+\.\d+$/, "version 1 of the interface");
  t.same(
    document.servers.map(({ url }: { url: string }) => url),
    ["{base_url}", "{staging_base_url}"],
  );
  t.same(
    document.tags.map(({ name }: { name: string }) => name),
    ["Pets", "Store"],
  );
  t.same(
    document["x-tagGroups"].map(({ name }: { name: string }) => name),
    ["Pets", "Store"],
  );
  const { NewPet, Pet, PetStatus, Pets, Error: Failure } = document.components.schemas;
  t.same(PetStatus.enum, ["available", "pending", "sold"]);
  t.same(
    [NewPet.required, Pet.required, Failure.required],
    [
      ["name", "categoryId"],
      ["id", "name", "categoryId"],
      ["code", "message", "status"],
    ],
  );
  t.same(Object.keys(Pet.properties), ["id", ...Object.keys(NewPet.properties)], "Pet is NewPet and an id");
  t.match(Pets, { type: "array", items: { $ref: "#/components/schemas/Pet" } });
  for (const operation of Object.values<Record<string, { responses: object }>>(document.paths).flatMap((item) =>
    Object.values(item),
  ))
    for (const status of ["400", "401", "405", "429", "500", "503", "default"])
      t.ok(status in operation.responses, status);
});

async function refusesStrangers(t: Test, service: Service, method: string, path: string): Promise<void> {
  for (const key of [null, "", "psk_wrong"])
    t.match(
      await service.call(method, path, { key }),
      { status: 401, body: { code: "unauthorized", status: 401 } },
      `401 with the key ${key}`,
    );
}
