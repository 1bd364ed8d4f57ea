// Agents at the Pet Store, over HTTP.
import t, { type Test } from "tap";
import { connectTo, silent } from "../support/agents.ts";
import { send } from "../support/http.ts";
import { createPetServer } from "../support/pet-server.ts";
import { openPetStore } from "../support/pets.ts";
import { addKey } from "../support/service.ts";
import { readConfig, type Settings } from "../support/settings.ts";

const raw = (text: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

async function start(t: Test, settings: Settings = {}) {
  const store = await openPetStore("sqlite::memory:");
  const key = await addKey(store, "agent");
  const app = await createPetServer(store, readConfig(settings), { mcp: true, logger: silent });
  t.teardown(async () => {
    await app.close();
    await store.close();
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const authorization = { authorization: `Bearer ${key}` };
  return { app, origin, key, authorization, agent: await connectTo(t, origin, authorization) };
}

t.test("Each operation is a tool, described by the document", async (t) => {
  const { agent, key } = await start(t);
  t.same(
    agent.tools.map(({ name }) => name),
    ["listPets", "createPet", "getPet"],
  );
  const [list, create, get] = agent.tools;
  t.match(list, { title: "List pets", description: /a page of pets, ordered by id/ });
  t.match(list?.inputSchema.properties, { limit: { type: "integer", minimum: 1, maximum: 100 } });
  t.equal(list?.outputSchema, undefined, "a list is no object");
  t.same(create?.inputSchema.required, ["name", "categoryId"], "the members of the body");
  t.match(create?.inputSchema.properties, { "Idempotency-Key": { type: "string" }, name: { maxLength: 1000 } });
  t.notOk(create?.inputSchema.properties?.id, "read-only members are none of a request");
  t.match(get?.description, /^Deprecated\./);
  t.match(get?.outputSchema, { type: "object", $ref: "#/$defs/Pet" });
  t.same(
    agent.tools.map(({ annotations }) => annotations),
    [
      { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      { readOnlyHint: false, idempotentHint: false, openWorldHint: false },
      { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    ],
  );
  t.notOk(JSON.stringify(agent.tools).includes(key));
});

t.test("A tool creates, lists and gets", async (t) => {
  const { call } = (await start(t)).agent;
  const created = await call("createPet", { name: "Tom", categoryId: 3, status: "available" });
  t.match(created, { isError: false, structuredContent: { id: 1, name: "Tom" } });
  t.match(created.notes, /^HTTP status 201 \(Created\)\nlocation: \/v1\/pets\/1$/);
  t.same(JSON.parse(created.text), created.structuredContent);
  t.match(await call("getPet", { petId: 1 }), { structuredContent: { name: "Tom" } });
  await call("createPet", { name: "Ann", categoryId: 3 });
  const page = await call("listPets", { limit: 1 });
  t.equal(JSON.parse(page.text).length, 1);
  const [, cursor] = /Next page: call the tool again with .*cursor="([^"]+)"/.exec(page.notes) ?? [];
  t.match(await call("listPets", { limit: 1, cursor }), { text: /"name":"Ann"/ });
});

t.test("Integers of 64 bits are exact, as numbers and as texts", async (t) => {
  const { call } = (await start(t)).agent;
  const large = "9223372036854775807";
  const { text } = await call("createPet", { name: "Tom", categoryId: raw(large) });
  t.match(text, `"categoryId":${large}`);
  t.match(await call("getPet", { petId: raw(large) }), { text: new RegExp(`No pet has the id ${large}`) });
  t.match(await call("getPet", { petId: large }), { text: new RegExp(`No pet has the id ${large}`) });
});

t.test("The errors of the document are those of tools", async (t) => {
  const { call } = (await start(t)).agent;
  const missing = await call("getPet", { petId: 5 });
  t.match(missing, { isError: true, notes: "HTTP status 404 (Not Found)", structuredContent: undefined });
  t.match(JSON.parse(missing.text), { code: "pet_not_found", status: 404 });
  t.match(await call("createPet", { name: "Tom" }), { isError: true, text: /must have the field 'categoryId'/ });
  t.match(await call("listPets", { limit: 0 }), { isError: true, text: /'limit' must be at least 1/ });
  t.match(await call("listPets", { other: 1 }), { isError: true, text: /must have no argument "other"/ });
  t.match(await call("getPet"), { isError: true, text: /must have the path parameter petId/ });
  t.match(await call("other"), { isError: true, text: /There is no operation "other"/ });
  const long = "x".repeat(900_000);
  t.match(await call(long), { isError: true, text: /^.{1,200}$/ });
  t.match(await call("getPet", { petId: 1, [long]: 1 }), { isError: true, text: /^.{1,200}$/ });
});

t.test("An agent has the credentials of its requests, and no others", async (t) => {
  const { origin } = await start(t);
  const { call } = await connectTo(t, origin);
  t.match(await call("listPets"), { isError: true, text: /"code":"unauthorized"/ });
  const wrong = await connectTo(t, origin, { authorization: "Bearer psk_wrong" });
  t.match(await wrong.call("listPets"), { isError: true, text: /"status":401/ });
});

t.test("The calls of an agent count for the rate limit of its key", async (t) => {
  const { agent, origin, authorization } = await start(t, { RATE_LIMIT: "3/60s" });
  for (let count = 0; count < 2; count++) t.notOk((await agent.call("listPets")).isError);
  t.equal((await send(`${origin}/v1/pets`, { headers: authorization })).status, 200);
  t.match(await agent.call("listPets"), {
    isError: true,
    text: /"code":"too_many_requests"/,
    notes: /^HTTP status 429.*\nretry-after: \d+/,
  });
});

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

t.test("Pages of other sites, and other names of the server, have no access", async (t) => {
  const { origin } = await start(t);
  const post = (own: Record<string, string>, body = ping) =>
    send(`${origin}/mcp`, { method: "POST", headers: { ...headers, ...own } }, body);
  t.match(await post({}), { status: 200, text: '{"result":{},"jsonrpc":"2.0","id":1}' });
  t.equal((await post({ host: "evil.example" })).status, 421, "DNS rebinding");
  t.equal((await post({ origin: "http://evil.example" })).status, 403);
  t.equal((await post({ "sec-fetch-site": "cross-site" })).status, 403);
});

t.test("A message that is none, or too long, is rejected", async (t) => {
  const { origin } = await start(t);
  const post = (body: string, own = {}) =>
    send(`${origin}/mcp`, { method: "POST", headers: { ...headers, ...own } }, body);
  t.match(await post("{"), { status: 400, text: /-32700/ });
  t.match(await post('{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}'), { status: 400 });
  t.match(await post(ping, { "content-type": "text/plain" }), { status: 415 });
  t.match(await post(`[${ping}]`), { status: 400, text: /-32600.*send each message in a request of its own/ });
  t.equal((await post(`"${"x".repeat(1_100_000)}"`)).status, 413);
  t.equal((await send(`${origin}/mcp`)).status, 405, "there is no stream of the server");
});
