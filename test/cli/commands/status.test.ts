// petstore status: prints the status of a service, and rejects the responses of other servers.
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import t, { type Test } from "tap";
import { generateKey } from "../../../src/auth/api-keys.ts";
import { showStatus } from "../../../src/cli/commands/status.ts";
import { version } from "../../../src/lib/version.ts";
import { readDocument } from "../../../src/pets/document.ts";
import { petstore } from "../../support/command.ts";
import { editDocument, setOperation } from "../../support/document.ts";
import { edit, folder } from "../../support/files.ts";
import { openPetStore } from "../../support/pets.ts";
import { freePort } from "../../support/port.ts";
import { addKey, start } from "../../support/service.ts";

const { content } = await readDocument();
const { store, origin, port, key, call } = await start(t);
const OPERATOR_KEY = await addKey(store, "olivia", undefined, true);

t.test("Shows the status of the service with the same settings, or of a URL", async (t) => {
  const bob = await addKey(store, "bob");
  for (let n = 0; n < 3; n++) await call("GET", "/v1/pets", { key: bob });
  const shown = await petstore({ OPERATOR_KEY, PORT: `${port}`, HOST: "0.0.0.0" }, ["status"]);
  t.match(shown, { status: 0, stderr: "" });
  const [first, , verdict] = shown.stdout.split("\n");
  t.match(first, `Pet Store version ${version}, API version ${content.info.version}, SQLite, 1 process, started 20`);
  t.match(first, /, started \d{4}-\d\d-\d\d \d\d:\d\dZ$/);
  t.match(verdict, /^Healthy\./);
  t.match(shown.stdout, /^OPERATION +PATH +CALLS\/S +FAILED\/S +P50 \(MS\) +P99 \(MS\)$/m);
  t.match(shown.stdout, /^listPets +GET \/pets +[\d.]+ +0 +[\d.]+ +[\d.]+$/m);
  t.match(shown.stdout, /^bob +3 +[\d.]+$/m);
  t.match(shown.stdout, /^No calls of deprecated operations in the last 30 days\.$/m);
  const json = await petstore({ OPERATOR_KEY }, ["status", `${origin}/`, "--json"]);
  t.match(JSON.parse(json.stdout), {
    service: { workers: 1, reachable: true },
    step: 10,
    keys: [{ name: "bob", calls: 3 }],
  });
  t.match(
    await petstore({ OPERATOR_KEY }, ["status", `http://0.0.0.0:${port}`]),
    { status: 0, stderr: "petstore: Warning: the key is sent to 0.0.0.0 without encryption.\n" },
    "an address that may be in a network",
  );
});

/** Runs `petstore status URL --watch`. Calls `onWrite` after each refresh, with the function that stops the command. */
async function watch(
  { url, key, json }: { url: string; key: string; json?: boolean },
  isTTY: boolean,
  onWrite: (count: number, stop: () => void) => void,
): Promise<string[]> {
  const written: string[] = [];
  let stop = () => {};
  const write = (chunk: Buffer, _: string, done: () => void) => {
    onWrite(written.push(`${chunk}`), stop);
    done();
  };
  const stdout = Object.assign(new Writable({ write }), { isTTY });
  const onStop = (given: () => void) => {
    stop = given;
    onWrite(0, stop);
  };
  const io = { env: { OPERATOR_KEY: key }, stdin: Readable.from([]), stdout, stderr: stdout, onStop };
  await showStatus(io, url, { watch: true, ...(json && { json }) });
  return written;
}

t.test("With --watch, prints the status until it is stopped, also while the service does not respond", async (t) => {
  const own = await start(t);
  const key = await addKey(own.store, "olivia", undefined, true);
  const stopAfter = (last: number) => (count: number, stop: () => void) => {
    if (count === 1 && last === 3) own.close();
    if (count === last) stop();
  };
  const shown = await watch({ url: own.origin, key }, false, stopAfter(2));
  t.match(shown, [/^Pet Store version /, /^Pet Store version /]);
  const lines = await watch({ url: own.origin, key, json: true }, false, stopAfter(3));
  t.match(JSON.parse(lines[0] as string), { service: { reachable: true } });
  t.match(JSON.parse(lines[2] as string), { error: /^No response from / });
  t.match(await petstore({}, ["status", "--watch"]), { status: 1, stderr: /OPERATOR_KEY is not set/ });
});

t.test("--watch draws over the previous status on a terminal, and ends at once if no response comes", async (t) => {
  const frame = await watch({ url: origin, key: OPERATOR_KEY }, true, (count, stop) => count === 1 && stop());
  t.match(frame, [/^\x1b\[HPet Store version .*\x1b\[K\n[\s\S]*\x1b\[K\n\x1b\[J$/]);
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  t.teardown(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const nothing = await watch({ url, key: OPERATOR_KEY }, true, (_, stop) => setTimeout(stop, 300));
  t.same(nothing, []);
  server.closeAllConnections();
});

t.test("Fails if the key, the URL or the service is wrong", async (t) => {
  const fails = async (settings: Record<string, string>, stderr: RegExp, ...args: string[]) =>
    t.match(await petstore(settings, ["status", ...args]), {
      status: 1,
      stdout: "",
      stderr: new RegExp(`^petstore: ${stderr.source}\\n$`),
    });
  await fails({}, /OPERATOR_KEY is not set\. Set it to a key that petstore keys create NAME --operator prints\./);
  await fails(
    { OPERATOR_KEY: key },
    /\S+\/status\.json rejected the key in OPERATOR_KEY: The API key is not an operator key\..*/,
    origin,
  );
  const unknown = generateKey().key;
  await fails({ OPERATOR_KEY: unknown }, /\S+ rejected the key in OPERATOR_KEY: The API key is not valid.*/, origin);
  const limited = await start(t, { store, settings: { RATE_LIMIT_FAILED: "1/60s" } });
  await limited.call("GET", "/v1/pets", { key: unknown });
  await fails(
    { OPERATOR_KEY: unknown },
    /\S+ rejected the key in OPERATOR_KEY: This network address exceeds the limit of .* Try again in \d+ seconds\./,
    limited.origin,
  );
  await fails(
    { OPERATOR_KEY },
    /The response of \S+\/v1\/status\.json \(404\) is not the status of a Pet Store\. .*/,
    `${origin}/v1`,
  );
  for (const url of ["127.0.0.1:3000", "http://me:word@127.0.0.1"])
    await fails({ OPERATOR_KEY }, /The URL of the service must be an http or https URL, .*/, url);
  await fails(
    { OPERATOR_KEY, HOST: "::", PORT: "1", TLS_CERT: "cert.pem" },
    /No response from https:\/\/\[::1\]:1\/status\.json: E[A-Z]+\./,
  );
  await fails(
    { OPERATOR_KEY, PORT: `${await freePort()}` },
    /No response from http:\/\/127\.0\.0\.1:\d+\/status\.json: ECONNREFUSED\./,
  );
});

t.test("Shows the status and fails if the database is not reachable", async (t) => {
  const path = join(folder(t), "petstore.db");
  const lost = await openPetStore(`sqlite:${path}`);
  t.teardown(() => lost.close());
  const service = await start(t, { store: lost });
  const operator = await addKey(lost, "olivia", undefined, true);
  rmSync(path); // what SQLite writes from now on is lost
  t.match(await petstore({ OPERATOR_KEY: operator }, ["status", service.origin]), {
    status: 1,
    stdout: /^The database is not reachable\.$/m,
  });
});

t.test("Shows sunsets that have passed", async (t) => {
  const sunset = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);
  const document = editDocument(setOperation("getPet", { "x-deprecated-since": "2020-01-01", "x-sunset": sunset }));
  const service = await start(t, { document });
  const operator = await addKey(service.store, "olivia", undefined, true);
  const { stdout } = await petstore({ OPERATOR_KEY: operator }, ["status", service.origin]);
  // 11 if midnight has passed since.
  t.match(stdout, /^Healthy\. .* getPet is 1[01] days past its sunset\.$/m);
  t.match(stdout, new RegExp(`^getPet +${sunset} +/pets +-1[01] +0$`, "m"));
});

t.test("Rejects responses that are not the status of a Pet Store, and prints no keys that they contain", async (t) => {
  const { url, respond } = await startFake(t);
  const { key } = generateKey();
  const good = await readStatus();
  const wrong = " (200) is not the status of a Pet Store";
  for (const [status, body, reason] of [
    [200, "hello", wrong],
    [200, "null", wrong],
    [200, '{"service":{"reachable":true}}', wrong],
    [200, edit(good, ['"started":"2', '"started":"X']), wrong],
    [200, edit(good, ['"workers":1', '"workers":"1"']), wrong],
    [200, edit(good, ['"workers":1', '"workers":1,"workers":1']), wrong],
    [302, "", " (302) is not the status of a Pet Store"],
    [401, "", " rejected the key in OPERATOR_KEY: no reason given"],
    [
      401,
      JSON.stringify({ message: `no \x1b[31m\r\x9b\n${key.slice(0, 9)}\x7f${key.slice(9)}` }),
      " rejected the key in OPERATOR_KEY: no psk_…",
    ],
    [200, " ".repeat(10_000_001), " is larger than 10 MB, so it is not the status of a Pet Store."],
    [429, "", " rejected the key in OPERATOR_KEY: no"],
    [
      503,
      JSON.stringify({ message: "The database can't be reached." }),
      " is not available: The database can't be reached.",
    ],
  ] as const) {
    respond(status, body);
    const shown = await petstore({ OPERATOR_KEY: key }, ["status", url]);
    t.match(shown, { status: 1, stderr: `${url}/status.json${reason}` });
    t.equal(shown.stderr.split("\n").length, 2, "one line");
  }
});

t.test("Removes control characters and keys from its output", async (t) => {
  const { url, respond } = await startFake(t);
  const { key } = generateKey();
  const edgeCaseName = `a\x1b]0;title\x07b\x00\r\n\x7f\x9b2J${key}`;
  const caller = JSON.stringify({ name: edgeCaseName, calls: 1, rate: 0 });
  const body = edit(
    await readStatus(),
    ['"keys":[', `"keys":[${caller},`],
    ['"step":10', '"step":10,"more":9007199254740993'],
    [/"version":"[^"]*"/, `"version":${JSON.stringify(edgeCaseName)}`],
  );
  respond(200, body);
  const show = async (...args: string[]) => (await petstore({ OPERATOR_KEY: key }, ["status", url, ...args])).stdout;
  const shown = await show();
  t.match(shown, /^Pet Store version abpsk_…, API version /);
  t.match(shown, /^abpsk_… +1 +0$/m);
  const json = await show("--json");
  t.match(json, '"more": 9007199254740993');
  t.match(
    JSON.parse(json).keys,
    [{ name: edgeCaseName.replace(key, "psk_…"), calls: 1 }],
    "unchanged except for the key",
  );
  for (const text of [shown, json]) {
    t.notMatch(text, /(?!\n)\p{Cc}/u);
    t.notOk(text.includes(key.slice(4)));
  }
});

async function readStatus(): Promise<string> {
  return (await call("GET", "/status.json", { key: OPERATOR_KEY })).text;
}

/** Starts a server that is not the service. It sends one response to all requests. */
async function startFake(t: Test) {
  let response = { status: 200, body: "" };
  const server = createServer((_, outgoing) =>
    outgoing.writeHead(response.status, { location: "/elsewhere" }).end(response.body),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const respond = (status: number, body: string) => {
    response = { status, body };
  };
  return { url: `http://127.0.0.1:${port}`, respond };
}
