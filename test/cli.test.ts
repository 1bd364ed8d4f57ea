// The command line as a whole: help, exit codes, suggestions, and output that can't be written.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import t from "tap";
import { run } from "../src/cli.ts";
import { petstore } from "./support/command.ts";
import { root } from "./support/files.ts";

t.test("prints help and version, and exits with 2 without a command", async (t) => {
  const help = await petstore({}, ["--help"]);
  t.match(help, { status: 0, stderr: "", stdout: /serve.*keys.*DATABASE_URL/s });
  for (const part of ["Examples:", "Exit codes:", "Settings, from the environment:", "DATABASE_URL"])
    t.match(help.stdout, part);
  t.notMatch(help.stdout, /\x1b\[\d/, "without colors, since stdout is no terminal");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  t.match(await petstore({}, ["--version"]), { status: 0, stdout: `${version}\n` });
  t.match(await petstore({}, []), { status: 2 });
});

t.test("the help of each command has an example of it", async (t) => {
  t.match((await petstore({}, ["help", "keys"])).stdout, /create.*list.*revoke/s);
  const commands = [
    "keys create",
    "status",
    "import",
    "export",
    "backup",
    "restore",
    "copy",
    "check",
    "deprecations",
    "completion",
  ];
  for (const command of commands) {
    const { stdout } = await petstore({}, [...command.split(" "), "--help"]);
    const [, examples] = stdout.split("\nExamples:\n");
    t.match(examples, new RegExp(`^ .*petstore ${command}\\b`), command);
  }
});

t.test("suggests a similar command or option", async (t) => {
  t.match(await petstore({}, ["srve"]), {
    status: 2,
    stderr: "petstore: unknown command 'srve'\n(Did you mean serve?)\n",
  });
  t.match(await petstore({}, ["keys", "crate", "x"]), { status: 2, stderr: /Did you mean create\?/ });
  t.match(await petstore({}, ["keys", "list", "--jsn"]), { status: 2, stderr: /Did you mean --json\?/ });
});

/** Runs a command whose standard output fails with `code`. */
async function runWithFailingOutput(code: string): Promise<{ status: number; stderr: string }> {
  let stderr = "";
  const failing = new Writable({ write: (_, __, done) => done(Object.assign(new Error(`${code}: write`), { code })) });
  const errors = new Writable({
    write(chunk, _, done) {
      stderr += chunk;
      done();
    },
  });
  const io = { env: {}, stdin: Readable.from([]), stdout: failing, stderr: errors, onStop: () => {} };
  return { status: await run(["completion", "bash"], io), stderr };
}

t.test("fails if standard output can't be written", async (t) => {
  t.match(await runWithFailingOutput("ENOSPC"), {
    status: 1,
    stderr: /^petstore: Standard output can't be written: ENOSPC/,
  });
  t.same(await runWithFailingOutput("EPIPE"), { status: 0, stderr: "" }, "a reader that has exited is no failure");
});
