// The package of the spec-first server, installed from its tarball into an empty folder: the guide docs/your-own-document.md
// works as it is written. The commands of the README work in a clone.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { folder, root } from "../support/files.ts";
import { npmEnv as env } from "../support/npm.ts";
import { freePort } from "../support/port.ts";

const run = promisify(execFile);
t.setTimeout(300_000); // milliseconds

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
    await app.close();
    const { message } = await createServer({ ...options, resources: openStore("postgres://127.0.0.1:9/x") }).catch((e) => e);
    console.log(message);`;
  const { stdout } = await run("node", ["--input-type=module", "--eval", program], { cwd: reader, env });
  const lines = stdout
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith('{"level"'));
  t.same(lines, ['{"id":1,"name":"Ada"}', "A store in PostgreSQL needs the package pg. Run npm install pg."]);
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

async function waitUntil(responds: boolean): Promise<void> {
  const isRunning = () =>
    fetch(`http://127.0.0.1:${port}/openapi.json`).then(
      () => true,
      () => false,
    );
  for (let attempt = 0; attempt < 200 && (await isRunning()) !== responds; attempt++)
    await new Promise((resolve) => setTimeout(resolve, 100));
}
