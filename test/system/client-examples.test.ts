// Runs the programs of examples/clients against the service.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { edit, folder, root } from "../support/files.ts";
import { startGateway } from "../support/gateway.ts";
import { createPet, findPet, listPets } from "../support/pets.ts";
import { skipWithout } from "../support/programs.ts";
import { type Service, type Options as ServiceOptions, start } from "../support/service.ts";
import { petInSql, tamper } from "../support/stores.ts";

const page = readFileSync(join(root, "docs/api.md"), "utf8");
const gson = "/usr/share/java/gson.jar";
const skipJava =
  skipWithout("javac", "default-jdk-headless") ||
  (!existsSync(gson) && `${gson} is not installed: apt-get install libgoogle-gson-java`);
const place = folder(t);
// Without a home directory and without access to the network. Go needs a folder for its cache.
const environment = {
  PATH: process.env.PATH,
  LC_ALL: "C.UTF-8",
  GOCACHE: join(place, "go"),
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
};

const clients = [
  {
    language: "Python",
    skip: skipWithout("python3", "python3"),
    builds: [],
    command: ["python3", "-W", "error", "python/pets.py"],
  },
  {
    language: "Go",
    skip: skipWithout("go", "golang-go"),
    builds: [
      ["gofmt", "-d", "go"],
      ["go", "vet", "go/pets.go"],
      ["go", "build", "-o", join(place, "pets"), "go/pets.go"],
    ],
    command: [join(place, "pets")],
  },
  {
    language: "Java",
    skip: skipJava,
    builds: [["javac", "-Xlint:all", "-Werror", "-cp", gson, "-d", place, "java/Pets.java"]],
    command: ["java", "-XX:TieredStopAtLevel=1", "-cp", `${gson}:${place}`, "Pets"],
  },
];

/** Runs a command in examples/clients to its end. */
async function run([program, ...args]: readonly string[], variables: Record<string, string> = {}, subfolder = "") {
  const env = { ...environment, ...variables };
  const cwd = join(root, "examples/clients", subfolder);
  const running = execFile(program as string, args, { cwd, env, timeout: 120_000 });
  const exit = once(running, "close");
  const output = [running.stdout, running.stderr].map((stream) => text(stream as NodeJS.ReadableStream));
  const [stdout = "", stderr = ""] = await Promise.all(output);
  return { code: (await exit)[0] as number | null, stdout, stderr };
}

const name = "Żółw 🐢";
const bigInteger = 2n ** 53n + 1n; // not representable as a double

/** Starts the service with `count` pets, whose ids exceed 2^53. Returns them as the programs print them. */
async function startWithPets(t: Test, count: number, settings: ServiceOptions["settings"] = {}) {
  const url = `sqlite:${join(folder(t), "petstore.db")}`;
  const service = await start(t, { settings: { ...settings, DATABASE_URL: url } });
  await tamper(url, `INSERT INTO pets VALUES (${bigInteger}, ${petInSql(url, { id: bigInteger, name: "'first'" })})`);
  const create = (_: unknown, n: number) => createPet(service.store, { name: `${name} ${n}`, categoryId: bigInteger });
  const pets = await Promise.all(Array.from({ length: count - 1 }, create));
  const lines = pets.sort((a, b) => (a.id < b.id ? -1 : 1)).map((pet) => `${pet.id}\t${pet.name}\t${pet.categoryId}\n`);
  return { service, lines: [`${bigInteger}\tfirst\t1\n`, ...lines].join("") };
}

/** Replaces a response of the service. */
type Fault = (response: ServerResponse) => void;

const lose: Fault = (response) => response.destroy();
const truncate: Fault = (response) =>
  response.writeHead(201, { "content-length": "99" }).write('{"id":1', () => response.destroy());
const fail =
  (status: number, code: string, headers: Record<string, string> = {}): Fault =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ code, message: `Test of ${code}.`, status }));

/** Starts a gateway that replaces the first responses of the service. Records the requests. */
async function startFaultyGateway(t: Test, { port }: Service, ...faults: Fault[]) {
  const requests: { at: number; idempotencyKey: unknown }[] = [];
  const url = await startGateway(t, port, (response) => {
    requests.push({ at: performance.now(), idempotencyKey: response.req.headers["idempotency-key"] });
    const fault = faults.shift();
    fault?.(response);
    return fault;
  });
  return { url, requests };
}

/** Starts a server of another origin, which records the requests. */
async function startOtherOrigin(t: Test) {
  const requests: string[] = [];
  const server = createServer(({ url, headers }, response) => {
    requests.push(`${url} ${JSON.stringify(headers)}`);
    response.end("[]");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/pets`, requests };
}

t.jobs = 3; // the programs wait most of the time

for (const { language, skip, builds, command } of clients) {
  const call = (url: string, key: string, ...args: string[]) =>
    run([...command, ...args], { PETSTORE_URL: url, KEY: key });

  if (builds.length > 0)
    await t.test(`The ${language} client compiles without warnings`, { skip }, async (t) => {
      for (const build of builds) t.same(await run(build), { code: 0, stdout: "", stderr: "" }, build.join(" "));
    });

  t.test(`The ${language} client runs as docs/api.md says, with Unicode and exact integers`, { skip }, async (t) => {
    const { service, lines } = await startWithPets(t, 250);
    const { origin, key, store } = service;
    const [, path = "", documented = ""] =
      new RegExp(`\\| ${language} .*clients/(.+?)/.*\`(.+)\` \\|\\n`).exec(page) ?? [];
    const program = documented.replace("gson.jar", gson).split(" ");
    const call = (url: string, ...args: string[]) => run([...program, ...args], { PETSTORE_URL: url, KEY: key }, path);
    t.same(await call(`${origin}/v1/`), { code: 0, stdout: lines, stderr: "" });
    const id = bigInteger + 250n;
    t.same(await call(`${origin}/v1`, name, `${-bigInteger}`), { code: 0, stdout: `${id}\n`, stderr: "" });
    t.same(await findPet(store, id), { id, name, categoryId: -bigInteger });
  });

  t.test(`The ${language} client exits with 2 if its arguments are incomplete or not valid`, { skip }, async (t) => {
    for (const args of [["Rex"], ["Rex", "seven"], ["Rex", "7", "key", "more"]])
      t.match(await run([...command, ...args]), { code: 2, stdout: "", stderr: /^usage: .*CATEGORY_ID is an integer/ });
  });

  t.test(`The ${language} client finds the next page among other links`, { skip }, async (t) => {
    const { service, lines } = await startWithPets(t, 250);
    const others = '</v1/pets>; rel="first"; title="a, <b>; rel=next", </v1/pets?limit=1>; title="next"; rel=prev';
    const url = await startGateway(t, service.port, (_, { headers }) => {
      const { link } = headers as { link?: string };
      const real = /<[^>]*>; rel="next"/.exec(link ?? "")?.[0];
      const next = real && edit(real, ["; rel", '; title="x; rel=last" ; REL'], ['"next"', '"item Next"; type=x']);
      headers.link = next === undefined ? others : `${others}, ${next} , </v1/pets>; rel="last"`;
    });
    t.same(await call(url, service.key), { code: 0, stdout: lines, stderr: "" });
  });

  t.test(`The ${language} client waits for its rate limit`, { skip }, async (t) => {
    const { service, lines } = await startWithPets(t, 350, { RATE_LIMIT: "2/2s" });
    t.same(await call(`${service.origin}/v1`, service.key), { code: 0, stdout: lines, stderr: "" });
    const rejected = service.logs.filter(({ status }) => status === 429);
    t.ok(rejected.length > 0, `${rejected.length} responses with 429`);
  });

  t.test(`The ${language} client creates one pet despite lost responses and temporary errors`, { skip }, async (t) => {
    const service = await start(t);
    const unavailable = fail(503, "unavailable", { "retry-after": "2" });
    const faults = [lose, unavailable, truncate, fail(408, "request_timeout")];
    const { url, requests } = await startFaultyGateway(t, service, ...faults);
    t.same(await call(url, service.key, name, "7"), { code: 0, stdout: "1\n", stderr: "" });
    t.same((await listPets(service.store, { limit: 2 })).pets, [{ id: 1n, name, categoryId: 7n }]);
    t.equal(requests.length, 5);
    const keys = new Set(requests.map(({ idempotencyKey }) => idempotencyKey));
    t.match([...keys], [/^[\da-f-]{32,36}$/], "all attempts have the same Idempotency-Key");
    const [, second, third] = requests.map(({ at }) => at) as [number, number, number];
    t.ok(third - second >= 2000, `waits for Retry-After: ${third - second} ms`);
  });

  t.test(`The ${language} client reports other errors at once, with their request id`, { skip }, async (t) => {
    const service = await start(t);
    t.match(await call(`${service.origin}/v1`, service.key, "Rex", "7", "order-1"), { code: 0 });
    const { url, requests } = await startFaultyGateway(t, service);
    const reused = await call(url, service.key, "Tom", "7", "order-1");
    t.match(reused, { code: 1, stdout: "", stderr: /^[Uu]se a new idempotency key for a new pet/ });
    const log = service.logs.find(({ status }) => status === 422);
    t.match(reused.stderr, `422 idempotency_key_reused: This Idempotency-Key was used`);
    t.match(reused.stderr, `[X-Request-Id: ${log?.reqId}]`);
    t.equal(requests.length, 1);

    t.match(await call(url, "psk_unknown"), {
      code: 1,
      stdout: "",
      stderr: /401 unauthorized: The API key is not valid/,
    });
    const faults: [Fault, RegExp][] = [
      [fail(500, "internal_error"), /500 internal_error: Test of internal_error\./],
      [fail(507, "store_full"), /507 store_full: Test of store_full\./],
      [fail(503, "unavailable", { "retry-after": "3600" }), /503 unavailable/],
      [(response) => response.writeHead(502).end("<html>Bad gateway"), /502 unreadable: <html>Bad gateway/],
    ];
    for (const [fault, stderr] of faults) {
      const { url, requests } = await startFaultyGateway(t, service, fault);
      t.match(await call(url, service.key, "Rex", "7"), { code: 1, stdout: "", stderr });
      t.equal(requests.length, 1, `${stderr}`);
    }
  });

  t.test(`The ${language} client sends nothing to another origin`, { skip }, async (t) => {
    const { service } = await startWithPets(t, 101);
    const other = await startOtherOrigin(t);
    for (const status of [302, 307]) {
      const redirect: Fault = (response) => response.writeHead(status, { location: other.url }).end();
      const { url } = await startFaultyGateway(t, service, redirect, redirect);
      t.match(await call(url, service.key), { code: 1, stderr: new RegExp(`${status} unreadable`) });
      t.match(await call(url, service.key, "Rex", "7"), { code: 1, stderr: new RegExp(`${status} unreadable`) });
    }
    const link = (target: string) =>
      startGateway(t, service.port, (_, { headers }) => {
        headers.link = `<${target}>; rel="next"`;
      });
    for (const target of [other.url, other.url.replace("http:", "")]) {
      const result = await call(await link(target), service.key);
      t.match(result, { code: 1, stderr: /[Tt]he next page is not on the origin of the API key: http/ }, target);
    }
    t.same(other.requests, []);
  });
}
