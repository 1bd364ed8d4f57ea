// Two processes of `openapi-server serve` share a PostgreSQL database. One of them is killed again and again, and no record is lost,
// doubled or stale.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { checkRegisters, type RegisterCall } from "../support/register-history.ts";
import { Serving } from "../support/serving.ts";

const json = (schema: string, type = "application/json") => `content: { ${type}: { schema: ${schema} } }`;
const item = '{ $ref: "#/components/schemas/Item" }';
const text = documentOf(
  `  /items:
    get:
      operationId: listItems
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 50 } }, { name: cursor, in: query, schema: { type: string } }]
      responses: { 200: { description: x, ${json(`{ type: array, items: ${item} }`)} } }
    post:
      operationId: addItem
      parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }]
      requestBody: { required: true, ${json(item)} }
      responses: { 201: { description: x, ${json(item)} } }
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getItem, responses: { 200: { description: x, headers: { ETag: { schema: { type: string } } }, ${json(item)} }, 304: { description: x } } }
    patch:
      operationId: changeItem
      parameters: [{ name: If-Match, in: header, schema: { type: string } }]
      requestBody: { required: true, ${json("{ type: object, properties: { value: { type: integer } } }", "application/merge-patch+json")} }
      responses: { 200: { description: x, ${json(item)} }, 412: { description: x } }
    delete: { operationId: removeItem, responses: { 204: { description: x } } }
`,
  "components: { schemas: { Item: { type: object, required: [name, value], properties: { id: { type: string, readOnly: true }, name: { type: string }, value: { type: integer } } } } }\n",
);

const seconds = 15;
const writers = 6;

t.test("No record is lost, doubled or stale while processes are killed", { timeout: 120_000 }, async (t) => {
  const file = join(folder(t), "items.yaml");
  writeFileSync(file, text);
  const data = await emptyDatabase(t);
  const servings = [new Serving(t, file, data), new Serving(t, file, data)];
  const urls = await Promise.all(servings.map((one) => one.start()));
  const calls: RegisterCall[] = [];
  const keys = new Set<string>(); // names of records whose creation was tried
  const until = Date.now() + seconds * 1_000;
  let kills = 0;

  // Undefined if there was no response, or one that says nothing about the effect.
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const url = urls[Math.floor(Math.random() * urls.length)];
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const options = body && { body: JSON.stringify(body) };
    const sent = { ...(body && { "Content-Type": type }), ...headers };
    try {
      const signal = AbortSignal.timeout(5_000);
      const response = await fetch(`${url}${path}`, { method, headers: sent, ...options, signal });
      const read = await response.text();
      if (response.status >= 500) return undefined;
      return { status: response.status, etag: response.headers.get("ETag"), body: read === "" ? {} : JSON.parse(read) };
    } catch {
      return undefined;
    }
  };

  const create = async (name: string): Promise<string | undefined> => {
    keys.add(name);
    const start = performance.now();
    for (let attempt = 0; attempt < 50; attempt++) {
      const made = await send("POST", "/items", { name, value: 0 }, { "Idempotency-Key": `"${name}"` });
      if (made?.status === 201) {
        calls.push({
          record: made.body.id,
          operation: "create",
          value: 0,
          start,
          end: performance.now(),
          isConfirmed: true,
        });
        return made.body.id;
      }
      await sleep(100);
    }
    return undefined;
  };

  const read = async (record: string) => {
    const start = performance.now();
    const seen = await send("GET", `/items/${record}`);
    if (seen)
      calls.push({
        record,
        operation: "read",
        value: seen.body.value,
        start,
        end: performance.now(),
        isConfirmed: true,
      });
  };

  const write = async (writer: number) => {
    for (let number = 0; Date.now() < until; number++) {
      const record = await create(`item ${writer} ${number}`);
      if (record === undefined) continue;
      for (let value = 1; value <= 8 && Date.now() < until; value++) {
        const start = performance.now();
        const changed = await send("PATCH", `/items/${record}`, { value });
        const isConfirmed = changed?.status === 200;
        calls.push({ record, operation: "write", value, start, end: performance.now(), isConfirmed });
        if (!isConfirmed) await sleep(50);
        await read(record);
      }
      if (number % 3 !== 0) continue;
      const start = performance.now();
      const removed = await send("DELETE", `/items/${record}`);
      calls.push({ record, operation: "delete", start, end: performance.now(), isConfirmed: removed?.status === 204 });
      await read(record);
    }
  };

  // Increments by compare and set: each confirmed one counts once.
  const counter = (await create("counter")) as string;
  const counts = { confirmed: 0, unknown: 0, refused: 0 };
  const increment = async () => {
    while (Date.now() < until) {
      const read = await send("GET", `/items/${counter}`);
      if (read?.status !== 200) {
        await sleep(20);
        continue;
      }
      const changed = await send(
        "PATCH",
        `/items/${counter}`,
        { value: read.body.value + 1 },
        { "If-Match": `${read.etag}` },
      );
      if (changed === undefined) counts.unknown++;
      else if (changed.status === 200) counts.confirmed++;
      else counts.refused++;
    }
  };

  const kill = async () => {
    while (Date.now() < until) {
      await sleep(700 + Math.random() * 800);
      const victim = kills++ % servings.length;
      await servings[victim]?.kill();
      urls[victim] = (await servings[victim]?.start()) as string;
    }
  };

  const work = Array.from({ length: writers }, (_, writer) => write(writer));
  await Promise.all([...work, increment(), increment(), increment(), kill()]);
  t.ok(kills > 3, `${kills} kills`);
  t.ok(calls.length > 500, `${calls.length} calls`);
  t.same(checkRegisters(calls), []);

  const { body } = (await send("GET", `/items/${counter}`)) as { body: { value: number } };
  t.ok(counts.confirmed > 50 && counts.refused > 0, JSON.stringify(counts));
  t.ok(body.value >= counts.confirmed, `${body.value} increments, and ${counts.confirmed} confirmed ones`);
  t.ok(body.value <= counts.confirmed + counts.unknown, `${counts.unknown} of them may have happened`);

  // All records that remain, each once.
  const names: string[] = [];
  for (let next = "/items"; next !== ""; ) {
    const response = await fetch(new URL(next, urls[0]));
    names.push(...((await response.json()) as { name: string }[]).map(({ name }) => name));
    [, next = ""] = /<([^<>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "") ?? [];
  }
  t.equal(new Set(names).size, names.length, "no name twice");
  t.same(
    names.filter((name) => !keys.has(name)),
    [],
  );
  await Promise.all(servings.map((one) => one.kill()));
});
