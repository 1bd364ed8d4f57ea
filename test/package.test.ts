// The package of the contract, as another team has it: installed from the tarball into an empty
// folder, compiled against, bundled for a browser, and run against the real service.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { build } from "esbuild-wasm";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { openPage } from "./support/browser.ts";
import { documentText, folder } from "./support/files.ts";
import { start } from "./support/service.ts";

const root = new URL("..", import.meta.url).pathname;
const run = promisify(execFile);

// npm as another team runs it: without what it told the scripts of this project.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
const npm = (cwd: string, ...args: string[]) => run("npm", [...args, "--loglevel=error"], { cwd, env });

const place = folder(t);
const consumer = join(place, "consumer");
const installed = join(consumer, "node_modules/@petstore/contract");

t.before(async () => {
  // What the client needs is packed from here, so that nothing has to be asked for.
  const packages = ["openapi", "node_modules/openapi-fetch", "node_modules/openapi-typescript-helpers"];
  const tarballs: string[] = [];
  for (const name of packages) {
    const { stdout } = await npm(root, "pack", `./${name}`, "--json", "--pack-destination", place);
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
    tarballs.push(join(place, filename));
  }
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), '{ "type": "module" }');
  await npm(consumer, "install", "--offline", ...tarballs);
});

const load = (): Promise<typeof import("../openapi/client.ts")> => import(join(installed, "dist/client.js"));

t.test("the package holds the document, its types and the client, under the document's version", async (t) => {
  const read = (name: string) => readFileSync(join(installed, name), "utf8");
  t.equal(read("petstore.yaml"), documentText);
  t.same(JSON.parse(read("dist/petstore.json")), parse(documentText));
  t.equal(JSON.parse(read("package.json")).version, parse(documentText).info.version);
  t.match(read("LICENSE"), /MIT/);
  t.match(read("README.md"), /createClient/);
  const script = 'console.log(import.meta.resolve("@petstore/contract/petstore.json"))';
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], { cwd: consumer });
  t.match(stdout, /dist\/petstore\.json/, "as an export");
});

t.test("a typed consumer compiles, creates 250 pets and iterates them all", async (t) => {
  const { origin, key } = await start(t);
  writeFileSync(
    join(consumer, "consumer.ts"),
    `import { createClient, type Failure, type NewPet, type Pet, PetStoreError } from "@petstore/contract";

    const client = createClient({ baseUrl: "${origin}/v1", key: "${key}" });
    const ids: bigint[] = [];
    for (let n = 0; n < 250; n++) {
      const body: NewPet = { name: \`pet \${n}\`, categoryId: 2n ** 63n - 1n - BigInt(n), status: n % 2 ? "sold" : "available" };
      const { data, error } = await client.POST("/pets", { body });
      if (error) throw new PetStoreError(error);
      ids.push(data.id);
    }
    const all: Pet[] = [];
    for await (const pet of client.pets()) all.push(pet);
    let sold = 0;
    for await (const pet of client.pets({ status: "sold", limit: 100 })) sold += pet.status === "sold" ? 1 : 1000;
    const same = all.every((pet, n) => pet.id === ids[n] && pet.categoryId === 2n ** 63n - 1n - BigInt(n));
    const { error } = await client.GET("/pets/{petId}", { params: { path: { petId: 42_000n } } });
    const failure: Failure | undefined = error;
    const code: string | undefined = failure?.code;
    console.log(JSON.stringify({ code, created: ids.length, listed: all.length, sold, same }));
    `,
  );
  t.same(await compile("consumer.ts"), { code: 0, stdout: "" });
  const { stdout } = await run(process.execPath, ["consumer.js"], { cwd: consumer });
  t.same(JSON.parse(stdout), { code: "pet_not_found", created: 250, listed: 250, sold: 125, same: true });
});

t.test("what the contract does not have does not compile", async (t) => {
  const wrong = {
    "a status that is none": 'client.pets({ status: "lost" })',
    "a field that is none": '({ name: "Rex", categoryId: 7n, colour: "red" }) satisfies NewPet',
    "a required field left out": 'client.POST("/pets", { body: { name: "Rex" } })',
    "an id that would be rounded": 'client.POST("/pets", { body: { name: "Rex", categoryId: 7 } })',
    "a path that is none": 'client.GET("/cats")',
    "data without a look at the error": '(await client.GET("/pets")).data.length',
  };
  for (const [name, line] of Object.entries(wrong)) {
    writeFileSync(
      join(consumer, "wrong.ts"),
      `import { createClient, type NewPet } from "@petstore/contract";
      const client = createClient({ baseUrl: "http://localhost/v1", key: "psk_" });
      ${line};
      `,
    );
    const { code, stdout } = await compile("wrong.ts");
    t.match({ code, stdout }, { code: 2, stdout: /^wrong\.ts\(3,/ }, name);
  }
});

t.test("bundled for a browser it lists and creates", async (t) => {
  const { origin, key } = await start(t);
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createClient } from "@petstore/contract";
        globalThis.visit = async () => {
          const client = createClient({ baseUrl: location.origin + "/v1", key: "${key}" });
          const { data } = await client.POST("/pets", { body: { name: "Rex", categoryId: 2n ** 62n } });
          const names = [];
          for await (const pet of client.pets()) names.push(pet.name);
          return [String(data.categoryId), ...names];
        };`,
      resolveDir: consumer,
    },
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
  });
  const { page } = await openPage(t);
  await page.route(`${origin}/page`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<script>${outputFiles[0]?.text}</script>` }),
  );
  await page.goto(`${origin}/page`);
  t.same(await page.evaluate("visit()"), [String(2n ** 62n), "Rex"]);
});

t.test("a create whose answer was lost is sent again and makes one pet", async (t) => {
  const { port, key, store } = await start(t);
  let lost = 0;
  const baseUrl = await between(t, port, (answer, incoming) => {
    // The service has done its work; the client never hears of it.
    if (answer.req.method !== "POST" || lost === 2) return false;
    lost += 1;
    incoming.destroy();
    return answer.destroy();
  });
  const { createClient } = await load();
  const { data } = await createClient({ baseUrl, key }).POST("/pets", { body: { name: "Rex", categoryId: 7n } });
  t.same(data, { id: 1n, name: "Rex", categoryId: 7n });
  t.equal(lost, 2);
  t.equal((await store.pets.list({ limit: 10 })).pets.length, 1);
});

t.test("503 with Retry-After is tried again, up to a limit, and 503 without it is not", async (t) => {
  const { port, key } = await start(t);
  let asked = 0;
  let headers: Record<string, string> = {};
  let times = 2;
  const baseUrl = await between(t, port, (answer) => {
    asked += 1;
    if (asked > times) return false;
    answer.writeHead(503, { "content-type": "application/json", ...headers });
    return answer.end('{"code":"unavailable","message":"Not now.","status":503}');
  });
  const { createClient } = await load();
  const client = createClient({ baseUrl, key });
  const list = async (set: Record<string, string>, most: number) => {
    [headers, times, asked] = [set, most, 0];
    const { data, error } = await client.GET("/pets");
    return { data, code: error?.code, asked };
  };
  t.same(await list({ "retry-after": "0" }, 2), { data: [], code: undefined, asked: 3 });
  t.same(await list({ "retry-after": new Date().toUTCString() }, 2), { data: [], code: undefined, asked: 3 }, "a date");
  t.match(await list({ "retry-after": "0" }, 99), { code: "unavailable", asked: 4 }, "not for ever");
  t.match(await list({ "retry-after": "31" }, 99), { code: "unavailable", asked: 1 }, "not after half a minute");
  for (const text of [undefined, "-5", "1.5", "soon", "soon GMT"])
    t.match(await list(text ? { "retry-after": text } : {}, 99), { code: "unavailable", asked: 1 }, `not on ${text}`);
});

t.test("what is sent again: safe methods, after the time that was asked, until the caller stops it", async (t) => {
  const { port, key } = await start(t);
  const { retry } = (await import(join(installed, "dist/retry.js"))) as typeof import("../openapi/retry.ts");
  const refused = { status: 503, after: "0" };
  let asked = 0;
  const baseUrl = await between(t, port, (answer) => {
    asked += 1;
    return answer.writeHead(refused.status, { "retry-after": refused.after }).end();
  });
  const send = async (method: string, init: RequestInit = {}) => {
    asked = 0;
    const began = Date.now();
    const headers = { authorization: `Bearer ${key}` };
    const sent = retry(new Request(`${baseUrl}/pets`, { method, headers, ...init }), 5_000);
    const status = await sent.then((answer) => answer.status, String);
    return { status, asked, ms: Date.now() - began };
  };
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    t.match(await send(method), { status: 503, asked: 4 }, `${method} is sent again`);
  for (const method of ["POST", "PATCH"]) t.match(await send(method), { status: 503, asked: 1 }, `${method} is not`);
  refused.status = 500;
  t.match(await send("GET"), { status: 500, asked: 1 }, "a fault is no request to come again");
  Object.assign(refused, { status: 503, after: "1" });
  t.ok((await send("GET")).ms >= 2_900, "each wait is as long as was asked");
  refused.after = "20";
  const { status, ms } = await send("GET", { signal: AbortSignal.timeout(200) });
  t.match(status, /TimeoutError/);
  t.ok(ms < 5_000, "a wait ends with the caller's patience");
});

t.test("every failure of a call is a value of the one shape", async (t) => {
  const { origin, port, key } = await start(t);
  const { createClient } = await load();
  const client = createClient({ baseUrl: `${origin}/v1`, key, warn: () => {} });
  const missing = await client.GET("/pets/{petId}", { params: { path: { petId: 42n } } });
  t.same(missing.error, { code: "pet_not_found", message: "No pet has the id 42.", status: 404 });
  t.equal(missing.response.status, 404);
  const stranger = createClient({ baseUrl: `${origin}/v1`, key: "psk_wrong" });
  t.match((await stranger.GET("/pets")).error, { code: "unauthorized", status: 401 });
  t.match((await client.GET("/pets", { signal: AbortSignal.abort() })).error, {
    code: "unreachable",
    message: /abort/,
  });
  t.equal((await client.GET("/pets")).response.url, `${origin}/v1/pets`);

  const nobody = createClient({ baseUrl: "http://127.0.0.1:1/v1", key });
  t.match(await nobody.GET("/pets"), {
    error: { code: "unreachable", message: /No answer of the Pet Store: .*(ECONNREFUSED|bad port)/, status: 0 },
    response: { ok: false, status: 0 },
  });
  let waiting = 0;
  const hanging = await between(t, port, () => ++waiting > 0);
  const slow = createClient({ baseUrl: hanging, key, timeout: 50 });
  t.match((await slow.POST("/pets", { body: { name: "", categoryId: 1n } })).error, {
    code: "unreachable",
    message: /timeout/,
  });
  waiting = 0;
  const patient = createClient({ baseUrl: hanging, key });
  const stopped = { code: "unreachable", message: /abort/ };
  t.match((await patient.GET("/pets", { signal: AbortSignal.timeout(100) })).error, stopped);
  t.equal(waiting, 1, "what the caller has stopped is not sent again");
  await t.rejects(Array.fromAsync(patient.pets({}, { signal: AbortSignal.timeout(100) })), {
    name: "PetStoreError",
    failure: stopped,
  });

  let page = { status: 502, body: "<h1>Bad gateway</h1>" };
  const gateway = await between(t, port, (answer) => answer.writeHead(page.status).end(page.body));
  const behind = createClient({ baseUrl: gateway, key });
  t.match((await behind.GET("/pets")).error, { code: "unreadable", message: /Bad gateway/, status: 502 });
  page = { status: 200, body: "<h1>Sign in</h1>" };
  t.match((await behind.GET("/pets")).error, { code: "unreadable", message: /answered 200.*Sign in/, status: 200 });

  await t.rejects(Array.fromAsync(stranger.pets()), {
    name: "PetStoreError",
    failure: { code: "unauthorized", status: 401 },
  });
});

t.test("a list is followed by its links, and breaks off where one leads nowhere", async (t) => {
  const { port, key, create } = await start(t);
  for (const name of ["Rex", "Tom", "Max"]) await create({ name, categoryId: 7 });
  const page = { status: 200, body: undefined as string | undefined, link: (real: string) => real };
  const baseUrl = await between(t, port, (answer, { headers }) => {
    if (headers.link) headers.link = page.link(String(headers.link));
    if (page.body === undefined) return false;
    return answer.writeHead(page.status, headers.link ? { link: headers.link } : {}).end(page.body);
  });
  const { createClient } = await load();
  const client = createClient({ baseUrl, key });
  const names = async () => (await Array.fromAsync(client.pets({ limit: 1 }))).map(({ name }) => name);
  for (const [name, link] of Object.entries<(real: string) => string>({
    "as it is": (real) => real,
    "a token": (real) => real.replace('rel="next"', "REL=next"),
    "several relations": (real) => real.replace('"next"', '"prev NEXT"'),
    "other parameters": (real) => real.replace("; rel", '; title="a, <b>; rel=c"; rel'),
    "other links": (real) => `</x?cursor=no>; rel="next-archive", ${real}, </y>; rel=last`,
    "an address that others use": (real) => real.replace("</v1", "<https://elsewhere.example/v1"),
  })) {
    page.link = link;
    t.same(await names(), ["Rex", "Tom", "Max"], name);
  }
  const turns = ["a", "b", "a"];
  page.link = () => `</v1/pets?limit=1&cursor=${turns.shift()}>; rel=next`;
  page.body = "[]";
  await t.rejects(names(), { name: "PetStoreError", failure: { message: /next page/ } }, "a link in a circle");
  page.body = undefined;
  for (const link of ["<http://[>; rel=next", "<>; rel=next", "</v1/pets?limit=1>; rel=next"]) {
    page.link = () => link;
    await t.rejects(names(), { name: "PetStoreError", failure: { code: "unreadable", message: /next page/ } }, link);
  }
  for (const [status, body] of [
    [200, ""],
    [200, "null"],
    [200, '{"ok":true}'],
    [204, ""],
  ] as const) {
    Object.assign(page, { status, body });
    await t.rejects(names(), { name: "PetStoreError", failure: { code: "unreadable" } }, `${status} ${body}`);
  }
});

t.test("what a caller brings along stays as it is", async (t) => {
  const { origin, key } = await start(t);
  const { createClient, exactJson } = await load();
  const boom = () => {
    throw new Error("boom");
  };
  const client = createClient({ baseUrl: `${origin}/v1/`, key, warn: boom });
  const create = (name: string) =>
    client.POST("/pets", { body: { name, categoryId: 7n }, params: { header: { "Idempotency-Key": "mine" } } });
  t.same((await create("Rex")).data, { id: 1n, name: "Rex", categoryId: 7n });
  t.match((await create("Tom")).error, { code: "idempotency_key_reused" }, "a key of its own");
  const got = await client.GET("/pets/{petId}", { params: { path: { petId: 1n } } });
  t.match(got.data, { name: "Rex" }, "a warning that throws changes no outcome");

  const text = await client.GET("/pets", { parseAs: "text" });
  t.equal(text.data as unknown, '[{"id":1,"name":"Rex","categoryId":7}]', "another way to read the body");

  Object.assign(BigInt.prototype, { toJSON: String });
  t.teardown(() => Reflect.deleteProperty(BigInt.prototype, "toJSON"));
  t.equal(exactJson({ id: 2n ** 63n - 1n, all: [1n] }), '{"id":9223372036854775807,"all":[1]}', "a toJSON of BigInt");
});

t.test("a deprecated operation is told of once", async (t) => {
  const { origin, key, create } = await start(t);
  await create({ name: "Rex", categoryId: 7 });
  const told: string[] = [];
  const { createClient } = await load();
  const client = createClient({ baseUrl: `${origin}/v1`, key, warn: (message) => told.push(message) });
  for (const petId of [1n, 1n, 42n]) await client.GET("/pets/{petId}", { params: { path: { petId } } });
  await client.GET("/pets");
  t.equal(told.length, 1);
  t.equal(
    told[0],
    "The Pet Store's GET /pets/{petId} is deprecated; it goes away on Thu, 05 Dec 2030 00:00:00 GMT; use /v1/pets",
  );
});

t.test("options that can't be are refused at once, and no secret is said", async (t) => {
  const { createClient } = await load();
  const good = { baseUrl: "http://localhost/v1", key: "psk_" };
  const addresses = ["", "/v1", "petstore.example/v1", "ftp://petstore.example/v1", "http://localhost", undefined];
  for (const baseUrl of [...addresses, "http://localhost/v1?a=1", "http://me:secret@localhost/v1"])
    t.throws(() => createClient({ ...good, baseUrl: baseUrl as string }), {
      name: "TypeError",
      message: "baseUrl must be the http or https URL of the service, which ends with /v1",
    });
  for (const key of ["", "psk_secret\n", "psk_ secret", undefined])
    t.throws(() => createClient({ ...good, key: key as string }), {
      message: "key must be an API key, as `petstore keys create` prints it",
    });
  for (const timeout of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    t.throws(() => createClient({ ...good, timeout }), { message: "timeout must be a number of milliseconds" });
  t.ok(createClient({ ...good, baseUrl: "https://gateway.example/shop/v1/" }));
});

/** Compiles a file of the consumer as strictly as can be, the declarations of the package too. */
async function compile(file: string): Promise<{ code: number; stdout: string }> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const options = ["--strict", "--module", "nodenext", "--target", "esnext", "--exactOptionalPropertyTypes"];
  return run(process.execPath, [tsc, ...options, file], { cwd: consumer }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  );
}

/** A gateway before the service, which may answer, or not, in its place: then `meddle` gives something. */
async function between(
  t: Test,
  port: number,
  meddle: (answer: ServerResponse, incoming: IncomingMessage) => unknown,
): Promise<string> {
  const gateway = createServer(async (asked, answer) => {
    const { method, url, headers } = asked;
    const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers });
    outgoing.end(await buffer(asked));
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    if (meddle(answer, incoming)) return incoming.destroy();
    answer.writeHead(incoming.statusCode as number, incoming.headers);
    incoming.pipe(answer);
  });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  t.teardown(() => {
    gateway.closeAllConnections();
    gateway.close();
  });
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`;
}
