// What operators need, for each document and without code: keys with scopes, rate limits, metrics, health checks, traces, several
// processes, and the tokens of an issuer.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { bin, folder, root } from "../support/files.ts";
import { audience, startIssuer } from "../support/issuer.ts";
import { receiveTraces } from "../support/traces.ts";
import { until } from "../support/wait.ts";

const note = 'content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } }';
const notes = documentOf(
  `  /notes:
    get: { operationId: listNotes, security: [{ login: [read] }], responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } } } } }
    post: { operationId: addNote, security: [{ login: [write] }, { code: [] }], requestBody: { required: true, ${note} }, responses: { 201: { description: x, ${note} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getNote, security: [{ login: [read] }], responses: { 200: { description: x, ${note} } } }
`,
  `components:
  securitySchemes:
    login: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://x.example/token", scopes: { read: x, write: x } } } }
    code: { type: apiKey, in: query, name: code }
  schemas: { Note: { type: object, properties: { id: { type: integer, format: int64, readOnly: true }, text: { type: string } } } }
`,
);

interface Served {
  /** The arguments of its program, before those of a command and behind it. */
  readonly program: readonly string[];
  readonly document: (place: string) => readonly string[];
  readonly name: string;
  /** An operation that creates a record, and its body. */
  readonly path: string;
  readonly body: object;
  readonly operation: string;
  /** Whether its operations need scopes. */
  readonly hasScopes?: boolean;
}

const openapiServer = [join(root, "src/command/bin.js")];
const services: Readonly<Record<string, Served>> = {
  "the Pet Store": {
    program: [bin],
    document: () => [],
    name: "petstore",
    path: "/v1/pets",
    body: { name: "Rex", categoryId: 7 },
    operation: "createPet",
  },
  "examples/library/library.yaml": {
    program: openapiServer,
    document: (place) => {
      copyFileSync(join(root, "examples/library/library.yaml"), join(place, "library.yaml"));
      return [join(place, "library.yaml")];
    },
    name: "library",
    path: "/city-library/v2/books",
    body: { title: "A", author: "B" },
    operation: "addBook",
  },
  "another document": {
    program: openapiServer,
    document: (place) => {
      writeFileSync(join(place, "notes.yaml"), notes);
      return [join(place, "notes.yaml")];
    },
    name: "notes",
    path: "/notes",
    body: { text: "x" },
    operation: "addNote",
    hasScopes: true,
  },
};

async function start(t: Test, { program, document }: Served, options: readonly string[]) {
  const place = folder(t);
  const target = document(place);
  const env = { ...process.env, DATABASE_URL: `sqlite:${join(place, "data.db")}` };
  const data = program[0] === bin ? [] : ["--data", join(place, "data.db")];
  const command = async (...args: readonly string[]) =>
    (await promisify(execFile)(process.execPath, [...program, ...args], { env })).stdout.trim();
  const createKey = (name: string, ...args: readonly string[]) =>
    command("keys", "create", ...target, name, ...data, ...args);
  const operator = await createKey("olivia", "--operator");
  const port = ["--port", "0", "--log-level", "error"];
  const child = spawn(process.execPath, [...program, "serve", ...target, ...data, ...port, ...options], { env });
  t.teardown(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const origin = await until(
    () => /at (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1],
    () => output,
  );
  const send = (path: string, key?: string, init: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { ...(key && { authorization: `Bearer ${key}` }), ...init.headers } });
  return { createKey, operator, send, child };
}

for (const [title, served] of Object.entries(services)) {
  const { path, body, operation, name, hasScopes } = served;
  const create = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  } satisfies RequestInit;

  t.test(`${title}: keys, a rate limit, metrics and health checks, in two processes`, async (t) => {
    const { createKey, operator, send, child } = await start(t, served, ["--workers", "2", "--rate-limit", "5/60s"]);
    const alice = await createKey("alice", "--expires", "1h");
    t.equal((await send(path, undefined, create)).status, 401);
    t.match((await send(path, "psk_wrong", create)).headers.get("www-authenticate"), /^Bearer .*error="invalid_token"/);
    const first = await send(path, alice, create);
    t.equal(first.status, 201);
    t.match(first.headers.get("ratelimit-policy"), '"calls";q=5;w=60');
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await send(path, alice, create)).status);
    t.same(statuses, [201, 201, 201, 201, 429], "counted by both processes together");
    for (const check of ["/healthz", "/readyz"]) t.equal((await send(check)).status, 200, check);
    t.equal((await send("/metrics")).status, 401);
    t.equal((await send("/metrics", alice)).status, 403);
    // Each process sends its metrics once per second.
    const series = `${name}_requests_total{operation="${operation}",method="POST",status="201"} 5\n`;
    const metrics = await until(
      async () => {
        const text = await (await send("/metrics", operator)).text();
        return text.includes(series) || undefined;
      },
      () => `there is no ${series}`,
    );
    t.ok(metrics);
    t.match(await (await send("/status.json", operator)).json(), { workers: 2, store: "sqlite" });
    const workers = await promisify(execFile)("ps", ["--ppid", `${child.pid}`, "-o", "pid="]);
    t.equal(workers.stdout.trim().split("\n").length, 2);
    if (!hasScopes) return;
    const reader = await createKey("reader", "--scope", "read");
    t.equal((await send(path, reader)).status, 200);
    t.match(await (await send(path, reader, create)).json(), { code: "insufficient_scope" });
    t.equal((await send(`${path}?code=${reader}`, undefined, create)).status, 201, "an API key has no scopes there");
    await t.rejects(createKey("x", "--scope", "wrte"), { message: /no scope wrte: did you mean write\?/ });
  });

  t.test(`${title}: the tokens of an issuer, and traces`, async (t) => {
    const [issuer, received] = [await startIssuer(t), await receiveTraces(t)];
    const tokens = ["--issuer", issuer.url, "--audience", audience];
    const { send, child, createKey } = await start(t, served, [...tokens, "--otlp-endpoint", received.endpoint]);
    t.equal((await send(path, await issuer.requestToken("read write"), create)).status, 201);
    t.equal((await send(path, await issuer.key.sign({ aud: "other" }), create)).status, 401);
    if (hasScopes) t.equal((await send(path, await issuer.requestToken("read"))).status, 200);
    t.equal((await send(path, await createKey("alice"), create)).status, 201, "keys are valid, too");
    child.kill("SIGTERM");
    await once(child, "exit");
    const span = received.spans.find(({ attributes }) => attributes["openapi.operation"] === operation);
    t.match(span, { attributes: { "http.request.method": "POST" }, resource: { "service.name": name } });
  });
}
