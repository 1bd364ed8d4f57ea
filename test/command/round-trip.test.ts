// What `data export` writes, `data import` and `serve --seed FOLDER` store as it was: with the ids, and the members that the server has made.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

const json = (schema: string) =>
  `content: { application/json: { schema: { $ref: "#/components/schemas/${schema}" } } }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const param = (name: string, type = "string") =>
  `{ name: ${name}, in: path, required: true, schema: { type: ${type} } }`;
const text = `openapi: 3.1.0
info: { title: Clinic, version: "1" }
paths:
  /doctors:
    post: { operationId: addDoctor, ${body("NewDoctor")}, responses: { 201: { description: x, ${json("Doctor")} } } }
  /doctors/{doctorId}:
    parameters: [${param("doctorId")}]
    get: { operationId: getDoctor, responses: { 200: { description: x, ${json("Doctor")} } } }
  /doctors/{doctorId}/visits:
    parameters: [${param("doctorId")}]
    post: { operationId: addVisit, ${body("Visit")}, responses: { 201: { description: x, ${json("Visit")} } } }
  /doctors/{doctorId}/visits/{number}:
    parameters: [${param("doctorId")}, ${param("number", "integer")}]
    get: { operationId: getVisit, responses: { 200: { description: x, ${json("Visit")} } } }
  /rooms/{name}:
    parameters: [${param("name")}]
    get: { operationId: getRoom, responses: { 200: { description: x, ${json("Room")} } } }
    put: { operationId: setRoom, ${body("Room")}, responses: { 200: { description: x, ${json("Room")} } } }
  /orders:
    post: { operationId: addOrder, ${body("Order")}, responses: { 201: { description: x, ${json("Order")} } } }
  /orders/{orderId}:
    parameters: [${param("orderId", "integer")}]
    get: { operationId: getOrder, responses: { 200: { description: x, ${json("Order")} } } }
components:
  schemas:
    NewDoctor: { type: object, required: [name], properties: { name: { type: string }, phone: { type: [string, "null"] }, tags: { type: array, items: { type: string } } } }
    Doctor:
      type: object
      required: [id, name, phone, createdAt, patientCount, status]
      properties:
        id: { type: string, format: uuid, readOnly: true }
        name: { type: string }
        phone: { type: [string, "null"] }
        tags: { type: array, items: { type: string } }
        createdAt: { type: string, format: date-time, readOnly: true }
        updatedAt: { type: string, format: date-time, readOnly: true }
        patientCount: { type: integer, readOnly: true }
        status: { type: string, enum: [active, retired], default: active, readOnly: true }
    Visit: { type: object, required: [number, reason], properties: { number: { type: integer, format: int64, readOnly: true }, reason: { type: string } } }
    Room: { type: object, required: [floor], properties: { floor: { type: integer } } }
    Order: { type: object, required: [orderId, item], properties: { orderId: { type: integer, format: int64, readOnly: true }, item: { type: string }, total: { type: number } } }
`;

type Json = Record<string, unknown>;
const names = ["doctors", "doctors_doctorId_visits", "rooms", "orders"];

async function start(t: Test, args: readonly string[]) {
  const server = await startOpenApi(t, ["serve", ...args]);
  const send = async (...request: Parameters<typeof server.send>) => (await server.send(...request)).body as Json;
  return { ...server, send };
}

/** Writes the document to a file, and creates records over HTTP. Returns the records by their URLs. */
async function prepare(t: Test) {
  const place = folder(t);
  const file = join(place, "clinic.yaml");
  writeFileSync(file, text);
  const { send } = await start(t, [file]);
  const records = new Map<string, Json>();
  const phones = [{ phone: null }, { phone: "" }, { phone: 'a,"b"\n', tags: [] }, { phone: "1", tags: ["x", "y,"] }];
  for (const [index, members] of phones.entries()) {
    const doctor = await send("POST", "/doctors", { name: `Dr ${index}`, ...members });
    records.set(`/doctors/${doctor.id}`, doctor);
    for (const reason of ["cold", "flu"]) {
      const visit = await send("POST", `/doctors/${doctor.id}/visits`, { reason });
      records.set(`/doctors/${doctor.id}/visits/${visit.number}`, visit);
    }
  }
  for (const name of ["a", "b/ c"]) {
    const path = `/rooms/${encodeURIComponent(name)}`;
    records.set(path, await send("PUT", path, { floor: 1 }));
  }
  for (const total of [1, 2.5]) {
    const order = await send("POST", "/orders", { item: "x", total });
    records.set(`/orders/${order.orderId}`, order);
  }
  t.match([...records.values()][0], { id: /./, createdAt: /./, patientCount: 0, status: "active" });
  return { place, file, records };
}

async function exportAll(t: Test, file: string, to: string, format: string, data: readonly string[] = []) {
  for (const name of names) {
    const output = join(to, `${name}.${format}`);
    t.match(await run(["data", "export", file, "--resource", name, "--output", output, ...data]), { code: 0 });
  }
}

for (const format of ["ndjson", "csv"])
  t.test(`An export as ${format} is imported as it was, into SQLite and PostgreSQL`, async (t) => {
    const { place, file, records } = await prepare(t);
    const exported = folder(t);
    await exportAll(t, file, exported, format);
    for (const data of [join(place, "other.db"), await emptyDatabase(t)]) {
      for (const name of names) {
        const input = join(exported, `${name}.${format}`);
        const imported = await run(["data", "import", file, input, "--resource", name, "--data", data]);
        t.match(imported, { code: 0 }, imported.stderr);
      }
      t.match(await run(["data", "check", file, "--data", data]), { code: 0, stdout: /no problems found/ });
      const { send } = await start(t, [file, "--data", data]);
      for (const [path, record] of records) t.same(await send("GET", path), record);
      const again = folder(t);
      await exportAll(t, file, again, format, ["--data", data]);
      for (const name of names)
        t.equal(
          readFileSync(join(again, `${name}.${format}`), "utf8"),
          readFileSync(join(exported, `${name}.${format}`), "utf8"),
        );
      t.match(await send("POST", "/orders", { item: "new" }), { orderId: 3 }, "ids do not start again");
      const input = join(exported, `orders.${format}`);
      t.match(await run(["data", "import", file, input, "--resource", "orders", "--data", data, "--from-start"]), {
        code: 1,
        stderr: /Another record of orders has the id 1\. Nothing was imported\./,
      });
    }
  });

t.test("All collections are exported to a folder, and imported from it", async (t) => {
  const { place, file, records } = await prepare(t);
  for (const format of ["ndjson", "csv"]) {
    const [exported, other] = [join(place, format), join(place, `${format}.db`)];
    const result = await run(["data", "export", file, "--output", `${exported}/`, "--format", format]);
    t.match(result, { code: 0, stdout: /doctors +4\ndoctors_doctorId_visits +8\n/ });
    const imported = await run(["data", "import", file, exported, "--data", other]);
    t.match(imported, { code: 0, stdout: /doctors_doctorId_visits +8\norders +2\nrooms +2\n?$/ });
    t.match(await run(["data", "import", file, exported, "--data", other]), {
      code: 1,
      stderr: /doctors\..*already imported/,
    });
    t.match(await run(["data", "import", file, exported, "--data", other, "--resume"]), {
      code: 0,
      stdout: /doctors +0\n/,
    });
    const { send } = await start(t, [file, "--data", other]);
    for (const [path, record] of records) {
      const read = await send("GET", path);
      t.same(read, record);
    }
  }
  const folderOfCsv = join(place, "csv");
  t.match(await run(["data", "import", file, folderOfCsv, "--scope", "x"]), {
    code: 2,
    stderr: /can't be used with a folder/,
  });
  t.match(await run(["data", "import", file, place]), { code: 1, stderr: /has no files NAME\.ndjson/ });
});

t.test("--seed FOLDER imports what was exported, also below other records", async (t) => {
  const { place, file, records } = await prepare(t);
  const exported = folder(t);
  await exportAll(t, file, exported, "ndjson");
  const { send, stderr } = await start(t, [file, "--data", join(place, "seeded.db"), "--seed", exported]);
  t.equal(stderr, "");
  for (const [path, record] of records) t.same(await send("GET", path), record);
});

t.test("Records of requests get what a POST makes, and the next start accepts them", async (t) => {
  const place = folder(t);
  const [file, input] = [join(place, "clinic.yaml"), join(place, "doctors.ndjson")];
  writeFileSync(file, text);
  writeFileSync(input, '{"name":"A"}\n{"name":"B","phone":"5"}\n');
  const doctors = ["--resource", "doctors"];
  t.match(await run(["data", "import", file, input, ...doctors]), { code: 0 });
  const { stdout } = await run(["data", "export", file, ...doctors]);
  const [first] = stdout.split("\n").map((line) => (line === "" ? undefined : JSON.parse(line)));
  t.match(first, {
    id: /^[0-9a-f-]{36}$/,
    name: "A",
    phone: null,
    createdAt: /^\d{4}-/,
    patientCount: 0,
    status: "active",
  });
  const { send } = await start(t, [file]);
  t.same(await send("GET", `/doctors/${first.id}`), first);
});

t.test("A table of new records needs no read-only column, and can have an empty one", async (t) => {
  const place = folder(t);
  const [file, input] = [join(place, "clinic.yaml"), join(place, "orders.csv")];
  writeFileSync(file, text);
  const orders = ["--resource", "orders"];
  writeFileSync(input, "item,total\na,1.5\n");
  t.match(await run(["data", "import", file, input, ...orders]), { code: 0 });
  writeFileSync(input, "orderId,item,total\n,b,\n7,c,2\n");
  t.match(await run(["data", "import", file, input, ...orders]), { code: 0 });
  const { stdout } = await run(["data", "export", file, ...orders, "--format", "csv"]);
  t.equal(stdout, "orderId,item,total\r\n1,a,1.5\r\n7,c,2\r\n8,b,\r\n");
});

t.test("A record that is neither whole nor that of a request is reported", async (t) => {
  const place = folder(t);
  const [file, input] = [join(place, "clinic.yaml"), join(place, "input.ndjson")];
  writeFileSync(file, text);
  const id = "0b0fd6a5-5d31-4f0b-9f2f-6f1c2a0b4a11";
  for (const [name, line, problem] of [
    ["doctors", { id, phone: null }, /line 1: it must have the field 'name'/],
    [
      "doctors_doctorId_visits",
      { reason: "x" },
      /the field '@scope' must have the values of \/doctors\/\{doctorId\}\/visits: <doctorId>/,
    ],
    ["doctors_doctorId_visits", { "@scope": "a/b", reason: "x" }, /the field '@scope' must have the values/],
    [
      "doctors_doctorId_visits",
      { "@scope": "50%", reason: "x" },
      /the field '@scope' must have values .* in percent-encoded UTF-8/,
    ],
    ["rooms", { floor: 1 }, /it must have '@id', the id of its path/],
    ["rooms", { "@id": "", floor: 1 }, /the field '@id' must have 1 to 500 characters/],
    ["orders", { orderId: "x", item: "a" }, /the field 'orderId' must be an integer/],
    ["orders", { orderId: -1, item: "a" }, /the field 'orderId' must be an integer from 1 to 6917529027641081856/],
  ] as const) {
    writeFileSync(input, `${JSON.stringify(line)}\n`);
    const result = await run(["data", "import", file, input, "--resource", name]);
    t.match(result, { code: 1, stderr: problem }, `${name} ${JSON.stringify(line)}`);
  }
});

t.test("CSV has no column for a property that the document does not declare", async (t) => {
  const place = folder(t);
  const [file, input] = [join(place, "clinic.yaml"), join(place, "rooms.ndjson")];
  writeFileSync(file, text);
  writeFileSync(input, '{"@id":"a","floor":1,"color":"red"}\n');
  const rooms = ["--resource", "rooms"];
  t.match(await run(["data", "import", file, input, ...rooms]), { code: 0 });
  t.match(await run(["data", "export", file, ...rooms]), { code: 0, stdout: '{"@id":"a","floor":1,"color":"red"}\n' });
  t.match(await run(["data", "export", file, ...rooms, "--format", "csv"]), {
    code: 1,
    stderr: /the property 'color', which the document does not declare.* Use the format ndjson/,
  });
});
