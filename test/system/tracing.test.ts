// Tracing of the service as a process: without OpenTelemetry's packages, with workers, and at its exit.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createSqliteStore } from "../support/faults.ts";
import { folder } from "../support/files.ts";
import { send } from "../support/http.ts";
import { petstoreProcess, type Server, startServer } from "../support/processes.ts";
import { receiveTraces, withName } from "../support/traces.ts";

/** Returns settings that simulate a machine without the optional packages. */
function withoutPackages(t: Test): Record<string, string> {
  const file = join(folder(t), "without.cjs");
  writeFileSync(
    file,
    `require("node:module").registerHooks({
      resolve(name, context, next) {
        // prom-client itself depends on the API package.
        if (!name.startsWith("@opentelemetry/") || name === "@opentelemetry/api") return next(name, context);
        throw Object.assign(new Error("Cannot find package '" + name + "' imported from here"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });`,
  );
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${file}`, DATABASE_URL: "sqlite::memory:" };
}

/** Lists pets `count` times, each time on a new connection. Returns the distinct statuses of the responses. */
async function listRepeatedly({ url, out }: Server, count: number, key?: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${key ?? /Bearer (psk_[\w-]+)/.exec(out.stderr)?.[1]}` };
  const statuses = new Set<number>();
  for (let n = 0; n < count; n++) statuses.add((await send(`${url}/pets`, { headers, agent: false })).status);
  return [...statuses];
}

t.test("Loads OpenTelemetry only if tracing is on, and reports at the start if it is not installed", async (t) => {
  const without = withoutPackages(t);
  const server = await startServer(t, without);
  t.same(await listRepeatedly(server, 3), [200]);
  t.equal((await server.end("SIGTERM")).code, 0);
  t.match(petstoreProcess({ ...without, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }, "serve"), {
    status: 1,
    stderr:
      /^petstore: Traces need OpenTelemetry \(Cannot find package '@opentelemetry\/\S+'\)\. Install its packages, in a checkout with npm ci --include=optional\.\n$/,
  });
});

t.test(
  "Each worker exports its last spans at its exit, and reads OpenTelemetry's own environment variables",
  async (t) => {
    const received = await receiveTraces(t);
    const { settings, key } = await createSqliteStore(t);
    const server = await startServer(t, {
      ...settings,
      WORKERS: "2",
      OTEL_EXPORTER_OTLP_ENDPOINT: `${received.endpoint}/`,
      OTEL_SERVICE_NAME: "shop",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=pets",
      OTEL_BSP_SCHEDULE_DELAY: "600000", // milliseconds, so that nothing is exported before the exit
    });
    t.same(await listRepeatedly(server, 20, key), [200]);
    t.equal(received.spans.length, 0);
    t.match(await server.end("SIGTERM"), { code: 0 });
    t.equal(withName(received.spans, "GET /v1/pets").length, 20);
    t.match(received.spans[0]?.resource, { "service.name": "shop", "deployment.environment.name": "test" });
    const instances = new Set(received.spans.map(({ resource }) => resource["service.instance.id"]));
    t.equal(instances.size, received.headers.length, "one for each process with a request");
    t.match(received.headers[0], { "x-tenant": "pets", "content-type": "application/json" });
  },
);

t.test("Exits within seconds if the receiver does not respond or does not exist", async (t) => {
  const received = await receiveTraces(t);
  received.status = 0;
  const endpoints = [received.endpoint, "http://127.0.0.1:9"];
  const end = async (endpoint: string) => {
    const server = await startServer(t, { DATABASE_URL: "sqlite::memory:", OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    t.same(await listRepeatedly(server, 3), [200]);
    const { code, ms } = await server.end("SIGTERM");
    t.equal(code, 0);
    t.ok(ms < 7_500, `ended after ${ms} ms: the last export may take 3 s, and connections are closed after 8 s`);
    t.match(server.out.stdout, /failed to export traces/);
  };
  await Promise.all(endpoints.map(end));
});
