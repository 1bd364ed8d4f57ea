// The package of the spec-first server, installed from its tarball into an empty folder: the guide docs/your-own-document.md
// works as it is written. The commands of the README work in a clone. A project with the package is
// deployed by the commands of docs/server/deployment.md and the files of examples/deploy: scripts stand for Docker, kubectl,
// sudo and systemctl, and run the programs of containers and units.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { ownFiles } from "../support/deploy.ts";
import { folder, root } from "../support/files.ts";
import { buildImage } from "../support/image.ts";
import { npmEnv as env } from "../support/npm.ts";
import { freePort } from "../support/port.ts";
import { createProject, createShell, versions } from "../support/server-project.ts";

const run = promisify(execFile);
t.setTimeout(600_000); // milliseconds

const place = folder(t);
const reader = join(place, "reader");
mkdirSync(reader);
const { stdout } = await run("npm", ["pack", "-w", "@petstore/openapi-server", "--json", "--pack-destination", place], {
  cwd: root,
  env,
});
const [{ filename, files }] = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as [
  { filename: string; files: { path: string }[] },
];
const port = `${await freePort()}`;

// The port may be in use.
const adapt = (text: string) => text.replace(/CLONE\/\S+/, join(place, filename)).replaceAll("3000", port);

t.test("The package has compiled code with types, and nothing of the Pet Store", async (t) => {
  const names = files.map(({ path }) => path);
  for (const name of [
    "dist/index.js",
    "dist/index.d.ts",
    "dist/command/bin.js",
    "dist/resources/store.js",
    "docs/handlers.md",
    "docs/tickets.yaml",
    "README.md",
    "LICENSE",
  ])
    t.ok(names.includes(name), name);
  t.same(
    names.filter((name) => /pet|\.test\.|[^d]\.ts$/.test(name)),
    [],
  );
});

t.test("The dependencies are ranges that begin with the versions with which the server is tested", async (t) => {
  const tested = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const own = JSON.parse(readFileSync(join(root, "openapi/server/package.json"), "utf8"));
  const versions = { ...tested.devDependencies, ...tested.dependencies, ...tested.optionalDependencies };
  const { dependencies, peerDependencies, devDependencies } = own;
  for (const [name, range] of Object.entries({ ...devDependencies, ...dependencies, ...peerDependencies }))
    t.equal(range, `^${versions[name]}`, name);
  const required = Object.keys(peerDependencies).filter((name) => !own.peerDependenciesMeta[name]?.optional);
  t.same(required, ["fastify"], "the app of a user has the same Fastify");
});

t.test("The guide leads from an empty folder to a typed, running server", async (t) => {
  const blocks = readBlocks("docs/your-own-document.md");
  let stop = async () => {};
  t.teardown(() => stop());
  for (const [index, { language, text }] of blocks.entries()) {
    if (language === "yaml") writeFileSync(join(reader, "notes.yaml"), text);
    if (language === "ts") writeFileSync(join(reader, "server.ts"), text);
    if (language !== "sh") continue;
    const command = text.trim();
    if (/ mock |^node server/.test(command)) {
      await stop();
      stop = await startServer(command);
      continue;
    }
    const { stdout } = await run("bash", ["-ec", command], { cwd: reader, env });
    const next = blocks[index + 1];
    if (next?.language === "text" || next?.language === "json") t.equal(stdout.trim(), next.text.trim(), command);
    else t.pass(command);
  }
  t.match(
    await run("bash", ["-c", `${blocks.find(({ text }) => text.includes("npx tsc"))?.text.trim()} || true`], {
      cwd: reader,
      env,
    }),
    { stdout: "" },
  );

  const client = readBlocks("docs/server/clients.md");
  const textOf = (language: string) => client.find((block) => block.language === language)?.text ?? "";
  await run("bash", ["-ec", textOf("sh")], { cwd: reader, env });
  writeFileSync(join(reader, "call.js"), textOf("js"));
  t.equal((await run("node", ["call.js"], { cwd: reader, env })).stdout, textOf("text"), "a client calls it");
  const typed = textOf("js")
    .replace("{ integers }", "{ integers, type paths }")
    .replace("createClient(", "createClient<paths>(");
  writeFileSync(join(reader, "call.ts"), typed);
  const strict =
    "--exactOptionalPropertyTypes --module nodenext --target esnext --allowImportingTsExtensions --types node";
  const compiled = run("bash", ["-ec", `npx tsc --noEmit --strict ${strict} call.ts`], { cwd: reader, env });
  t.match(await compiled.catch((error) => error), { stdout: "" }, "which compiles without skipLibCheck");

  writeFileSync(
    join(reader, "server.ts"),
    readFileSync(join(reader, "server.ts"), "utf8").replace("status: 404", "status: 405"),
  );
  const wrong = await run(
    "bash",
    ["-c", `${blocks.find(({ text }) => text.includes("npx tsc"))?.text.trim()} || true`],
    { cwd: reader, env },
  );
  t.match(wrong.stdout, /405/, "an undeclared status does not compile");
});

t.test("The store works from the package, and PostgreSQL names the package that it needs", async (t) => {
  const program = `
    import { createServer } from "@petstore/openapi-server";
    import { openStore } from "@petstore/openapi-server/store";
    const document = "node_modules/@petstore/openapi-server/docs/tickets.yaml";
    const options = { document, mock: true };
    const app = await createServer({ ...options, resources: openStore("sqlite:agents.db") });
    const headers = { authorization: "Bearer t", "content-type": "application/json" };
    const { payload } = await app.inject({ method: "POST", url: "/agents", headers, payload: '{"name":"Ada"}' });
    console.log(payload);
    for (const name of ["main.js", "preact.js", "plan.json"]) console.log((await app.inject("/records/" + name)).statusCode);
    await app.close();
    const { message } = await createServer({ ...options, resources: openStore("postgres://127.0.0.1:9/x") }).catch((e) => e);
    console.log(message);`;
  const { stdout } = await run("node", ["--input-type=module", "--eval", program], { cwd: reader, env });
  const lines = stdout
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith('{"level"'));
  t.same(lines, [
    '{"id":1,"name":"Ada"}',
    "200",
    "200",
    "200",
    "A store in PostgreSQL needs the package pg. Run npm install pg.",
  ]);
});

t.test("In a clone, the commands of the README serve a document", async (t) => {
  const readme = readFileSync(join(root, "README.md"), "utf8").replaceAll("3001", port);
  const [command] = /^npx openapi-server serve.*$/m.exec(readme) ?? [];
  const [, calls, expected] = /^(export BOOKS=.*?)```\n\n```json\n(.*?)```/ms.exec(readme) ?? [];
  const data = join(reader, "library.db"); // not beside the document, which is in the repository
  t.teardown(await startServer(`PATH=$PWD/node_modules/.bin:$PATH; ${command} --data ${data}`, root));
  const { stdout } = await run("bash", ["-ec", `curl() { command curl -s "$@"; echo; }\n${calls}`], { env });
  t.equal(stdout, expected);
});

// The section about a service of one's own, for the ways to deploy it.
const [installs, backups, upgrades] = readBlocks("docs/server/deployment.md")
  .filter(({ language }) => language === "sh")
  .map(({ text }) => text.split(/\n(?=\n|docker compose [be]|kubectl delete|npm ci.*1\.1)/)) as [
  string[],
  string[],
  string[],
];
const quiet = `OPENAPI_SERVER_PORT=${port} OPENAPI_SERVER_LOG_LEVEL=warn`;

/** Returns a function that sends a request with the key that an output has. */
function createClient(output: string) {
  const [key] = /psk_[\w-]+/.exec(output) ?? [];
  return async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) });
    return `${response.status} ${await response.text()}`;
  };
}

for (const [index, way] of ["docker compose exec -T service", "kubectl exec -i deployment/service --"].entries())
  t.test(`An image of the package serves, is backed up and migrated, as with ${way}`, async (t) => {
    const project = await createProject(t, join(place, filename));
    const url = new URL(await emptyDatabase(t));
    const PGPASSWORD = decodeURIComponent(url.password);
    url.password = "";
    const build = () => {
      const { app, data, environment, command } = buildImage(t, ownFiles, project);
      const variables = { ...environment, OPENAPI_SERVER_DATABASE_URL: url.href, PGPASSWORD };
      const settings = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
      const run = (args: string) => `cd ${app} && ${settings.join(" ")} ${quiet} exec ${command([args]).join(" ")}`;
      // Runs what follows the name of a container, and the Job that is applied. Other commands do nothing.
      const exec = `while [ $# -gt 0 ] && [ "$1" != service ] && [ "$1" != -- ]; do shift; done
        [ $# -eq 0 ] || { shift; ${run('"$@"')}; }`;
      const [{ command: job }] = ownFiles.findObject("Job", "service-migrate").spec.template.spec.containers;
      const kubectl = `[ "$1" != apply ] || { ${run(job.join(" "))}; }\n${exec}`;
      const shell = createShell(t, project, { docker: exec, kubectl });
      const inImage = (text = "") => text.replaceAll("/data", data).replaceAll("/app/", `${app}/`);
      return { run, shell: (text?: string) => shell(inImage(text).replaceAll("docker compose exec -T service", way)) };
    };
    const { run: inImage, shell } = build();
    t.teardown(await startServer(inImage(ownFiles.exec("CMD").join(" ")), project));
    const check = ownFiles.exec("HEALTHCHECK").map((word) => `'${word}'`);
    t.equal(await shell(inImage(check.join(" "))), "", "HEALTHCHECK passes");

    const send = createClient(await shell(installs[index]));
    t.equal(await send("POST", "/agents", { name: "Ada" }), '201 {"id":1,"name":"Ada"}');
    t.match(await send("DELETE", "/agents/1"), /^409 .*not_deleted/, "the handler responds");
    await shell(backups[0]);
    t.equal(await send("POST", "/agents", { name: "Bob" }), '201 {"id":2,"name":"Bob"}');
    await shell(backups[1]);
    t.equal(await send("GET", "/agents"), '200 [{"id":1,"name":"Ada"}]');

    writeFileSync(join(project, "service.yaml"), versions.withPath);
    t.match(await build().shell(upgrades[index]), "The database is up to date.");
    writeFileSync(join(project, "service.yaml"), versions.withRequiredField);
    await t.rejects(build().shell(upgrades[index]), { message: /agents 1 .* must have the field 'team'/ });
    t.match(await send("GET", "/agents"), /^200/, "the old version serves");
  });

t.test("A unit of systemd runs the package, and a reload serves the new document", async (t) => {
  const [project, system] = [await createProject(t, join(place, filename)), folder(t)];
  const inSystem = (text = "") => text.replaceAll(/(?<=^|[\s:=])\/(opt|etc|var)(?=\/)/g, `${system}/$1`);
  for (const name of ["opt", "etc/systemd/system", "var/lib", "var/backups"])
    mkdirSync(join(system, name), { recursive: true });
  writeFileSync(join(project, "service.env"), inSystem(ownFiles.read("service.env")));
  const start = `set -a; . ${system}/etc/service.env; set +a; cd ${system}/var/lib/service
    ${quiet} exec ${inSystem(ownFiles.unitValues("service.service", "ExecStart")[0])}`;
  const shell = createShell(t, project, {
    useradd: "",
    sudo: 'shift 2; exec "$@"',
    systemctl: `case $1 in
      enable) (${start}) > ${system}/log 2>&1 & echo $! > ${system}/pid;;
      reload) kill -HUP $(cat ${system}/pid);;
    esac`,
  });
  const run = (text = "") => shell(inSystem(text).replaceAll(/ -[og] service\b/g, ""));
  t.teardown(async () => {
    process.kill(Number(readFileSync(join(system, "pid"), "utf8")));
    await waitUntil(false);
  });
  const send = createClient(await run(installs[2]));
  for (const name of ownFiles.units) t.ok(existsSync(join(system, "etc/systemd/system", name)), name);
  t.equal(await send("POST", "/agents", { name: "Ada" }), '201 {"id":1,"name":"Ada"}');

  writeFileSync(join(project, "service.yaml"), versions.withPath);
  const [api] = /^api.*$/m.exec(installs[2] as string) ?? [];
  t.match(await run(`${api}\n${upgrades[2]}`), "The database is up to date.");
  await waitUntil(true, async () => (await send("GET", "/rooms")).startsWith("501"));
  t.match(await send("GET", "/agents/1"), /^200/);
});

function readBlocks(file: string): { language: string; text: string }[] {
  const blocks = readFileSync(join(root, file), "utf8").matchAll(/^```(\w+)[^\n]*\n(.*?)^```$/gms);
  return [...blocks].map(([, language = "", text = ""]) => ({ language, text: adapt(text) }));
}

/** Starts a server, and waits until it responds. Returns a function that ends its process group. */
async function startServer(command: string, cwd = reader): Promise<() => Promise<void>> {
  const options = { cwd, env, detached: true, stdio: "inherit" as const };
  const { pid } = spawn("bash", ["-c", command], options);
  await waitUntil(true);
  return async () => {
    process.kill(-(pid as number));
    await waitUntil(false); // it closes its connections first
  };
}

const isRunning = () =>
  fetch(`http://127.0.0.1:${port}/openapi.json`).then(
    () => true,
    () => false,
  );

async function waitUntil(responds: boolean, isTrue = isRunning): Promise<void> {
  for (let attempt = 0; attempt < 200 && (await isTrue()) !== responds; attempt++)
    await new Promise((resolve) => setTimeout(resolve, 100));
}
