// The packages that the start of a server loads: none that most processes never need.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { bin, folder, root } from "../support/files.ts";
import { freePort } from "../support/port.ts";
import { until } from "../support/wait.ts";

// Not `yaml`: @seriousme/openapi-schema-validator, which fastify-openapi-glue imports, loads it.
const lazy = [
  "@fastify/swagger",
  "@fastify/swagger-ui",
  "@faker-js/faker",
  "re2js",
  "pg",
  "pino-pretty",
  "json-p3",
  "jose",
  "@modelcontextprotocol/sdk",
];

for (const [name, program, args] of [
  ["The Pet Store", bin, ["serve"]],
  [
    "openapi-server serve",
    "src/command/bin.js",
    ["serve", "examples/library/library.yaml", "--data", "sqlite::memory:"],
  ],
] as const)
  t.test(`${name} loads no package at its start that it may never need`, async (t) => {
    const port = await freePort();
    const url = `sqlite:${join(folder(t), "a.db")}`;
    const options = program === bin ? [] : ["--port", `${port}`];
    const hook = join(root, "test/support/list-packages.mjs");
    const child = spawn(process.execPath, ["--import", hook, program, ...args, ...options], {
      cwd: root,
      env: { ...process.env, PORT: `${port}`, DATABASE_URL: url, LOG_LEVEL: "silent" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    t.teardown(() => child.kill("SIGKILL"));
    const output = text(child.stdout);
    const isUp = () => fetch(`http://127.0.0.1:${port}/nothing`).then(Boolean, () => undefined);
    await until(isUp, () => "the server does not start");
    child.kill("SIGTERM");
    await once(child, "exit");
    const [, names = ""] = /packages: (.*)/.exec(await output) ?? [];
    const packages = names.split(" ");
    t.ok(packages.includes("fastify"), names);
    t.same(
      lazy.filter((one) => packages.includes(one)),
      [],
    );
  });
