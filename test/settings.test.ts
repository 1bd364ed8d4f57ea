// Settings: defaults, accepted values, and the one line that reports a wrong setting when the service starts.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { levels } from "pino";
import t from "tap";
import { parse } from "yaml";
import { readDocument } from "../src/pets/document.ts";
import { logLevels } from "../src/settings/index.ts";
import { petstore } from "./support/command.ts";
import { documentText, folder } from "./support/files.ts";
import { runOpenApi } from "./support/openapi-command.ts";
import { start } from "./support/service.ts";
import { readConfig } from "./support/settings.ts";

const { basePath } = await readDocument();

t.test("Each setting has a default, also if it is empty", async (t) => {
  t.same(readConfig({ HOST: "" }), {
    name: "petstore",
    compression: true,
    host: "127.0.0.1",
    port: 3000,
    data: "sqlite:data/petstore.db",
    databasePool: 10,
    databasePrepare: true,
    maxRecords: null,
    workers: 1,
    logLevel: "info",
    maxConnections: 10_000,
    rateLimit: { count: 10_000, seconds: 60 },
    rateLimitStore: "",
    rateLimitFailed: { count: 100, seconds: 60 },
    trustProxy: [],
    metricsFrom: [],
    origins: [],
    allowedHosts: [],
    tlsCert: "",
    tlsKey: "",
    issuer: "",
    audience: "",
    operatorKey: "",
    publicUrl: "",
    stagingUrl: "",
    tracing: "",
    allowedFolders: [],
    docs: null,
    readOnly: null,
    strict: null,
    ignore: [],
    ignoreUnknownQuery: false,
    variablePrefix: "",
  });
  t.equal(readConfig({ WORKERS: "auto" }).workers, availableParallelism());
});

t.test("A rate limit can have a period as long as the maximum of Retry-After in the document", async (t) => {
  const { maximum } = parse(documentText).components.headers["Retry-After"].schema;
  for (const [variable, name] of [
    ["RATE_LIMIT", "rateLimit"],
    ["RATE_LIMIT_FAILED", "rateLimitFailed"],
  ] as const) {
    t.same(readConfig({ [variable]: `1/${maximum}s` })[name], { count: 1, seconds: maximum });
    t.throws(() => readConfig({ [variable]: `1/${maximum + 1}s` }), variable);
  }
});

t.test("LOG_LEVEL accepts the levels of pino", async (t) => {
  t.same(logLevels, [...Object.keys(levels.values), "silent"]);
});

t.test("A host name of BASE_URL that is not ASCII becomes Punycode, which headers can hold", async (t) => {
  const { call } = await start(t, { settings: { BASE_URL: `https://例え.example${basePath}` } });
  const { text } = await call("GET", "/openapi.json");
  t.equal(JSON.parse(text).servers[0].url, `https://xn--r8jz45g.example${basePath}`);
});

t.test("An invalid setting aborts the start with one line and exit code 1", async (t) => {
  const path = folder(t);
  writeFileSync(join(path, "text"), "no database ".repeat(100));
  const address = `must be an http or https URL without user, query or fragment that ends with the base path of the API, ${basePath}.`;
  for (const [settings, message] of [
    [{ PORT: "80000" }, "PORT must be an integer from 0 to 65535."],
    [{ ALLOWED_HOSTS: "https://a.example" }, /^ALLOWED_HOSTS must be host names separated by commas/],
    [{ PORT: "03000" }, "PORT must be an integer from 0 to 65535."],
    [{ DATABASE_URL: "mysql://x" }, /^DATABASE_URL must be a path, sqlite:PATH/],
    [{ DATABASE_URL: "sqlite::file:" }, /^DATABASE_URL must be/],
    [{ DATABASE_URL: "postgres://a:5432,b:x/petstore" }, /^DATABASE_URL must be/],
    [{ DATABASE_PREPARE: "no" }, "DATABASE_PREPARE must be on or off."],
    [{ MAX_PETS: "0" }, "MAX_PETS must be an integer from 1 to 999999999999999, or none."],
    [{ RATE_LIMIT: "1/25h" }, /^RATE_LIMIT must be an integer up to 999999999 and a period of at most one day/],
    [{ RATE_LIMIT_STORE: "redis://127.0.0.1/pets" }, /^RATE_LIMIT_STORE must be redis:\/\//],
    [{ RATE_LIMIT_STORE: "redis://u:100%@127.0.0.1" }, /^RATE_LIMIT_STORE must be redis:\/\//],
    [{ RATE_LIMIT_STORE: "redis:///0" }, /^RATE_LIMIT_STORE must be redis:\/\//],
    [
      { RATE_LIMIT_FAILED: "1/1441m" },
      /^RATE_LIMIT_FAILED must be an integer up to 999999999 and a period of at most one day/,
    ],
    [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL must be one of trace/],
    [{ BASE_URL: "https://x.example" }, `--base-url (BASE_URL) ${address}`],
    [{ STAGING_BASE_URL: "https://x.example" }, `--staging-base-url (STAGING_BASE_URL) ${address}`],
    [{ BASE_URL: `https://u:p@x.example${basePath}` }, /^BASE_URL must be/],
    [{ BASE_URL: `https://[${basePath}` }, /^BASE_URL must be/],
    [{ STAGING_BASE_URL: `x${basePath}` }, /^STAGING_BASE_URL must be/],
    [{ HOST: "127.0.0.1:80" }, "HOST must be an IP address, or a host name that begins with a letter."],
    [{ HOST: "not a host" }, "HOST must be an IP address, or a host name that begins with a letter."],
    [{ OPERATOR_KEY: "no key" }, "OPERATOR_KEY must be a key as keys create prints it."],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:4318" }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://u:p@x.example" }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be/],
    [{ DATABASE_URL: `sqlite:${join(path, "text")}` }, /file is not a database/],
  ] as const) {
    const { status, stdout, stderr } = await petstore(settings, ["serve"]);
    const [line = "", ...others] = stderr.split("\n");
    const setting = JSON.stringify(settings);
    t.same({ status, stdout, others }, { status: 1, stdout: "", others: [""] }, setting);
    t.match(line.replace("petstore: ", ""), message, setting);
    t.match(line, /^petstore: /);
  }
});

t.test("Messages name the options and variables of the program", async (t) => {
  const path = folder(t);
  const document = join(path, "petstore.yaml");
  writeFileSync(document, documentText);
  const taken = createServer().listen(0, "127.0.0.1");
  t.teardown(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const file = join(path, "env");
  const inMemory = ["--data", "sqlite::memory:"];
  for (const { prefix, run, data } of [
    { prefix: "", run: (args: string[]) => petstore({ DATABASE_URL: "sqlite::memory:" }, args), data: "DATABASE_URL" },
    {
      prefix: "OPENAPI_SERVER_",
      run: (args: string[]) =>
        runOpenApi(args.flatMap((one) => (["serve", "migrate"].includes(one) ? [one, document, ...inMemory] : one))),
      data: "--data (OPENAPI_SERVER_DATABASE_URL)",
    },
  ]) {
    writeFileSync(file, `${prefix}RATE_LIMIT=x\n`);
    for (const [args, message] of [
      [["--environment-file", file, "serve"], `${prefix}RATE_LIMIT must be an integer`],
      [["migrate"], `${data} must be sqlite:PATH`],
      [["serve", "--audience", "a"], `--audience (${prefix}AUDIENCE) needs --issuer (${prefix}ISSUER), whose`],
      [["serve", "--workers", "2"], `--workers (${prefix}WORKERS) must be 1 with an in-memory database`],
      [["serve", "--base-url", "https://x.example"], `--base-url (${prefix}BASE_URL) must be`],
      [["serve", "--tls-cert", file], `--tls-key (${prefix}TLS_KEY) is not set. Set both --tls-cert (${prefix}TLS_`],
      [["serve", "--port", `${port}`], `Choose another one with --port (${prefix}PORT).`],
      [["serve", "--host", "192.0.2.1"], `Choose another one with --host (${prefix}HOST).`],
      [["--help"], `\n  ${prefix}RATE_LIMIT `],
      [["--help"], "\n  OTEL_EXPORTER_OTLP_ENDPOINT "],
    ] as const) {
      const { stdout, stderr } = await run([...args]);
      t.match(stderr + stdout, message, args.join(" "));
    }
  }
  writeFileSync(file, "OPENAPI_SERVER_OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1\n");
  t.match(await runOpenApi(["--environment-file", file, "check", document]), {
    code: 1,
    stderr: "is no setting: did you mean OTEL_EXPORTER_OTLP_ENDPOINT? openapi-server --help lists them.",
  });
});

t.test("MAX_PETS is a number of pets, or none", async (t) => {
  t.equal(readConfig({ MAX_PETS: "1000" }).maxRecords, 1_000n);
  t.equal(readConfig({ MAX_RECORDS: "none" }).maxRecords, null);
});
