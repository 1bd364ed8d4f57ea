// The command with real shells, pipes, full disks and Node versions.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { stores } from "../support/databases.ts";
import { bin, root } from "../support/files.ts";
import { petstoreProcess } from "../support/processes.ts";

t.test("Reports in one line that the version of Node is not supported", async (t) => {
  const run = (version: string, file: string) => {
    const disguise = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
    const args = ["--import", disguise, file, "--version"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    return { status, stdout, stderr };
  };
  for (const version of ["22.23.2", "24.18.0", "25.9.0", "26.5.0"]) {
    const message = `^petstore: Node ${version} is not supported\\. Use Node 24 \\(24\\.18\\.1 or later\\), or Node 26\\.5\\.1 or later\\..*\\n$`;
    t.match(run(version, bin), { status: 1, stderr: new RegExp(message) });
  }
  const server = join(root, "src/command/bin.js");
  for (const version of ["20.20.2", "22.17.1"]) {
    const stderr = `openapi-server: Node ${version} is not supported. Use Node 22.18 or later.\n`;
    t.same(run(version, server), { status: 1, stdout: "", stderr });
  }
  t.match(run("22.18.0", server), { status: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: "" });
});

t.test("Commands load only the dependencies that they need", async (t) => {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({
      load(url, context, nextLoad) {
        const [, name] = /\\/node_modules\\/(fastify|ajv|yaml|pg)\\//.exec(url) ?? [];
        if (name) process.stderr.write(name + "\\n");
        return nextLoad(url, context);
      },
    });`;
  const env = { ...process.env, DATABASE_URL: await stores.sqlite(t) };
  const readLoaded = (...args: string[]) => {
    const words = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, bin, ...args];
    const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
    return { status, loaded: [...new Set(stderr.split("\n").filter(Boolean))].sort() };
  };
  t.equal(readLoaded("migrate").status, 0, "needs the document");
  for (const command of ["--help", "keys list"])
    t.same(readLoaded(...command.split(" ")), { status: 0, loaded: [] }, command);
  t.ok(readLoaded("check").loaded.includes("ajv"), "a command that needs it loads it");
});

t.test(
  "The option --environment-file is not read by Node, which would fail by itself if the file is missing",
  async (t) => {
    const { status, stderr } = petstoreProcess({}, "--environment-file", "missing.env", "keys", "list");
    t.match(
      { status, stderr },
      { status: 1, stderr: /^petstore: The file of --environment-file can't be read: ENOENT/ },
    );
  },
);

t.test(
  "Fails if the disk of standard output is full, but not if its reader has exited",
  { skip: !existsSync("/dev/full") && "/dev/full does not exist" },
  async (t) => {
    const env = { ...process.env, DATABASE_URL: await stores.sqlite(t) };
    const run = (line: string) =>
      spawnSync("bash", ["-o", "pipefail", "-c", `${process.execPath} ${bin} ${line}`], { env, encoding: "utf8" });
    t.match(run("keys create alice > /dev/full"), {
      status: 1,
      stderr: /^petstore: Can't write to standard output: ENOSPC/,
    });
    t.match(run(`keys create bob && ${process.execPath} ${bin} keys rotate bob > /dev/full`), {
      status: 1,
      stderr: /^petstore: The key was replaced, but the new one can't be printed\. Rotate it again\. Can't write/,
    });
    t.match(run("help | true"), { status: 0, stderr: "" });
  },
);
