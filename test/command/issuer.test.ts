// `openapi-server serve --issuer`: tokens of an issuer, alone and beside keys.
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { writeFiles } from "../support/files.ts";
import { audience, startIssuer } from "../support/issuer.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";
import { until } from "../support/wait.ts";

const note = 'content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } }';
const documentWith = (security: string) =>
  documentOf(
    `  /notes:
    get: { operationId: listNotes, security: [{ login: [read] }, { key: [] }, { cert: [] }], responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } } } } }
    post: { operationId: addNote, security: ${security}, parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }], requestBody: { ${note} }, responses: { 201: { description: x, ${note} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${note} } } }
`,
    `components:
  securitySchemes:
    login: { type: openIdConnect, openIdConnectUrl: "https://x.example/.well-known/openid-configuration" }
    basic: { type: http, scheme: basic }
    key: { type: apiKey, in: header, name: X-Key }
    cert: { type: mutualTLS }
  schemas: { Note: { type: object, properties: { id: { type: string, readOnly: true }, text: { type: string } } } }
`,
  );

const save = (t: Test, security = "[{ login: [write] }]") => writeFiles(t, { "notes.yaml": documentWith(security) });

async function start(t: Test, args: readonly string[], file = save(t)) {
  const { output, send } = await startOpenApi(t, ["serve", file, ...args, "--data", "sqlite::memory:"]);
  return {
    output,
    send: (method: string, headers: Record<string, string>) =>
      send(method, "/notes", method === "POST" ? {} : undefined, headers),
  };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

t.test("Tokens of the issuer are accepted for what their scopes allow, and nothing else is", async (t) => {
  const issuer = await startIssuer(t);
  const { output, send } = await start(t, ["--issuer", issuer.url, "--audience", audience]);
  t.notMatch(output.stdout, /is accepted|are accepted/);
  const token = await issuer.requestToken("read");
  t.match(await send("GET", bearer(token)), { status: 200 });
  t.match(await send("POST", bearer(token)), { status: 403 });
  t.match(await send("POST", bearer(await issuer.requestToken("write"))), { status: 201 });
  for (const headers of [{}, { "X-Key": "any" }, bearer("any"), bearer(await issuer.key.sign({ aud: "other" }))])
    t.match(await send("GET", headers as Record<string, string>), { status: 401 });
  t.equal(issuer.reads, 1);
});

t.test("Callers have Idempotency-Keys of their own, also with another token", async (t) => {
  const issuer = await startIssuer(t);
  const { send } = await start(t, ["--issuer", issuer.url]);
  const idOf = async (claims: object) => {
    const token = await issuer.key.sign({ scope: "write", ...claims });
    return (await send("POST", { ...bearer(token), "Idempotency-Key": '"one"' })).body.id;
  };
  const first = await idOf({});
  t.type(first, "string");
  t.equal(await idOf({ jti: "2" }), first);
  t.not(await idOf({ sub: "eve" }), first);
});

t.test("Keys are accepted, too, beside --key", async (t) => {
  const issuer = await startIssuer(t);
  const { output, send } = await start(t, ["--issuer", issuer.url, "--key", "one"]);
  t.match(output.stdout, "Tokens for each audience are accepted. --audience sets that of this service.");
  for (const headers of [bearer("one"), { "X-Key": "one" }, bearer(await issuer.requestToken("read"))])
    t.match(await send("GET", headers as Record<string, string>), { status: 200 });
  for (const headers of [bearer("two"), { "X-Key": "two" }])
    t.match(await send("GET", headers as Record<string, string>), { status: 401 });
});

t.test("An issuer that is down does not stop the start, which reports it", async (t) => {
  const issuer = await startIssuer(t);
  const token = await issuer.requestToken("read");
  await issuer.stop();
  const { output, send } = await start(t, ["--issuer", issuer.url]);
  await until(
    () => output.stderr.includes("The keys of the issuer"),
    () => output.stderr,
  );
  t.match(output.stderr, /^The keys of the issuer http:\S+ can't be read: .*ECONNREFUSED.* get 503\.\n$/);
  t.match(await send("GET", bearer(token)), { status: 503 });
});

t.test("An operation that neither a token nor a key can satisfy is reported, and responds with 401", async (t) => {
  const { output, send } = await start(t, ["--issuer", "https://x.example", "--key", "one"], save(t, "[{ cert: [] }]"));
  t.match(
    output.stderr,
    "The operation addNote requires the security scheme cert of type mutualtls, which no key can satisfy.",
  );
  t.match(await send("POST", bearer("one")), { status: 401 });
});

t.test("Options that can't have an effect are errors", async (t) => {
  const serve = (...args: string[]) => run(["serve", save(t), "--data", "sqlite::memory:", "--port", "0", ...args]);
  t.match(await serve("--audience", "a"), { code: 1, stderr: /--audience \(OPENAPI_SERVER_AUDIENCE\) needs --issuer/ });
  t.match(await serve("--issuer", "http://x.example"), { code: 1, stderr: /The issuer must be a URL with https:/ });
});
