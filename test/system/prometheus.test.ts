// Prometheus and promtool read /metrics, with the configuration and the queries of docs/operations.md.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { edit, folder, root } from "../support/files.ts";
import { freePort } from "../support/port.ts";
import { skipWithout } from "../support/programs.ts";
import { addKey, start } from "../support/service.ts";
import { until } from "../support/wait.ts";

const skip = skipWithout("prometheus", "prometheus") || skipWithout("promtool", "prometheus");
const page = readFileSync(join(root, "docs/operations.md"), "utf8");

const { store, call, port } = await start(t, { settings: { METRICS_FROM: "none" } });
const alice = await addKey(store, "alice");
const operator = await addKey(store, "prometheus", undefined, true);
for (let n = 0; n < 5; n++) await call("GET", "/v1/pets/1", { key: alice });

t.test("promtool finds no problem in /metrics", { skip }, async (t) => {
  const lint = execFile("promtool", ["check", "metrics"]);
  lint.stdin?.end((await call("GET", "/metrics", { key: operator })).text);
  const output = [lint.stdout, lint.stderr].map((stream) => text(stream as NodeJS.ReadableStream));
  const [code] = await once(lint, "close");
  t.same([code, ...(await Promise.all(output))], [0, "", ""]);
});

t.test("Prometheus scrapes the service as docs/operations.md says, and runs its queries", { skip }, async (t) => {
  const query = await startPrometheus(t);
  const find = async (expression: string): Promise<number | undefined> => {
    const [found] = (await query(expression).catch(() => undefined))?.data?.result ?? []; // it may still start
    return found && Number(found.value[1]);
  };
  const expression = 'sum(petstore_requests_total{operation="getPet",status=~"4.."})';
  const value = await until(
    () => find(expression),
    () => `no value of ${expression}`,
  );
  t.equal(value, 5);
  t.equal(await find('up{job="petstore"}'), 1);
  t.equal(await find('petstore_deprecated_calls_total{key="alice"}'), 5);
  const rules = page.match(/(?<=`)sum by [^`]+(?=`)/g) ?? [];
  t.equal(rules.length, 1);
  for (const rule of rules) {
    t.match(await query(rule), { status: "success" }, rule);
    const names = rule.split(" > ")[0]?.match(/petstore_\w+/g) ?? [];
    for (const name of names) t.ok(await find(`count(${name})`), `${name} exists`);
  }
  const quantile = await find("histogram_quantile(0.99, sum by (le) (petstore_request_duration_seconds_bucket))");
  t.ok((quantile as number) > 0 && (quantile as number) <= 5, `${quantile} seconds`);
});

t.test("The alert rules are valid, and each fires and stays silent in an example", { skip }, async (t) => {
  const rules = join(root, "deploy/prometheus/rules.yaml");
  const promtool = async (...args: string[]) => {
    const running = execFile("promtool", args);
    const output = [running.stdout, running.stderr].map((stream) => text(stream as NodeJS.ReadableStream));
    const [code] = await once(running, "close");
    return { code, output: (await Promise.all(output)).join("") };
  };
  t.match(await promtool("check", "rules", "--lint=all", rules), { code: 0, output: /SUCCESS/ });
  t.match(await promtool("test", "rules", join(root, "deploy/prometheus/rules.test.yaml")), { code: 0 });
  const alerts = [...readFileSync(rules, "utf8").matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const tested = readFileSync(join(root, "deploy/prometheus/rules.test.yaml"), "utf8");
  for (const alert of alerts) {
    t.match(tested, new RegExp(`alertname: ${alert}\n +exp_alerts:\n`), `${alert} has an example that fires`);
    t.match(tested, `alertname: ${alert}, exp_alerts: []`, `${alert} has an example that does not`);
  }
});

t.test("The alert rules and the dashboard use metrics that exist", async (t) => {
  const exported = new Set((await call("GET", "/metrics", { key: operator })).text.match(/^# TYPE \S+/gm));
  const names = [...exported].map((line) => line.replace("# TYPE ", ""));
  const optional = /^petstore_store_pool_/; // only with PostgreSQL
  for (const file of ["deploy/prometheus/rules.yaml", "deploy/grafana/dashboard.json"]) {
    const used = new Set(readFileSync(join(root, file), "utf8").match(/\b(petstore|process|nodejs)_\w+/g));
    t.ok(used.size > 5, file);
    const unknown = [...used].filter((name) => !names.includes(name.replace(/_(bucket|sum|count)$/, "")));
    t.same(
      unknown.filter((name) => !optional.test(name) && !names.includes(name)),
      [],
      file,
    );
  }
});

t.test("Prometheus runs each query of the dashboard", { skip }, async (t) => {
  const query = await startPrometheus(t);
  const dashboard = JSON.parse(readFileSync(join(root, "deploy/grafana/dashboard.json"), "utf8"));
  const expressions = (dashboard.panels as { targets?: { expr: string }[] }[]).flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll("$job", "petstore").replaceAll("$__rate_interval", "1m")),
  );
  t.ok(expressions.length > 20);
  await until(
    () => query("up").catch(() => undefined),
    () => "Prometheus does not respond",
  );
  for (const expression of expressions) t.match(await query(expression), { status: "success" }, expression);
});

interface Result {
  status: string;
  data?: { result: { value: [number, string] }[] };
}

/** Starts a Prometheus that scrapes the service once a second. Returns a function that queries it. */
async function startPrometheus(t: Test): Promise<(expression: string) => Promise<Result>> {
  const place = folder(t);
  writeFileSync(join(place, "key"), operator);
  const [job = ""] = /^scrape_configs:\n(?: .*\n)+/m.exec(page) ?? [];
  const edits: [string, string][] = [
    ["/etc/prometheus/petstore.key", join(place, "key")],
    ["127.0.0.1:3000", `127.0.0.1:${port}`],
  ];
  writeFileSync(join(place, "prometheus.yml"), `global: { scrape_interval: 1s }\n${edit(job, ...edits)}`);
  const address = `127.0.0.1:${await freePort()}`;
  const options = [`--config.file=${join(place, "prometheus.yml")}`, `--storage.tsdb.path=${join(place, "data")}`];
  const running = execFile("prometheus", [...options, `--web.listen-address=${address}`]);
  const exit = once(running, "exit");
  t.teardown(async () => {
    running.kill("SIGTERM");
    await exit;
  });
  return async (query) => {
    const response = await fetch(`http://${address}/api/v1/query?${new URLSearchParams({ query })}`);
    return (await response.json()) as Result;
  };
}
