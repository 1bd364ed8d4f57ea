// The command with real shells, pipes, full disks and Node versions.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { petstore } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { bin, folder, root } from "../support/files.ts";
import { petstoreProcess } from "../support/processes.ts";
import { skipWithout } from "../support/programs.ts";

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
  for (const command of ["--help", "keys list", "completion bash"])
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
    t.match(run("completion bash | true"), { status: 0, stderr: "" });
  },
);

/** Writes the completion script of a shell to a file, and returns its path. */
async function writeScript(path: string, shell: string): Promise<string> {
  const file = join(path, shell);
  writeFileSync(file, (await petstore({}, ["completion", shell])).stdout);
  return file;
}

t.test("Bash completes commands, options and values", async (t) => {
  const script = await writeScript(folder(t), "bash");
  const source = `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _petstore; echo "\${COMPREPLY[*]}"`;
  const complete = (...words: string[]) =>
    execFileSync("bash", ["-c", source, "bash", "petstore", ...words], { encoding: "utf8" }).trim();
  t.match(complete(""), /^serve .*keys .*completion help --version --environment-file --help$/);
  t.equal(complete("k"), "keys");
  t.equal(complete("keys", ""), "create list rotate revoke help --help");
  t.equal(complete("keys", "create", "--"), "--expires --operator --yes --json --help");
  t.equal(complete("keys", "create", "keys", "--o"), "--operator", "an argument may have the name of a command");
  t.equal(complete("completion", ""), "bash zsh fish --help");
  t.equal(complete("help", "k"), "keys");
});

for (const shell of ["zsh", "fish"]) {
  t.test(`${shell} accepts its script`, { skip: skipWithout(shell, shell) }, async (t) => {
    const file = await writeScript(folder(t), shell);
    execFileSync(shell, ["-n", file]);
    if (shell !== "fish") return;
    const completed = execFileSync(shell, ["-c", `source ${file}; complete -C 'petstore keys '`], { encoding: "utf8" });
    t.match(completed, /create.*revoke/s);
  });
}
