// The command line as a whole: help, exit codes, suggestions, and output that can't be written.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import t from "tap";
import { petstore, run, withoutProgress } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { root } from "../support/files.ts";
import { fill, petLine, readAllNames, replaceInPets, tamper } from "../support/stores.ts";

t.test("Prints help and version, and exits with 2 without a command", async (t) => {
  const help = await petstore({}, ["--help"]);
  t.match(help, { status: 0, stderr: "", stdout: /serve.*keys.*DATABASE_URL/s });
  for (const part of ["Examples:", "Exit codes:", "Environment variables:", "DATABASE_URL"]) t.match(help.stdout, part);
  t.notMatch(help.stdout, /\x1b\[\d/, "without colors, since stdout is no terminal");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  t.match(await petstore({}, ["--version"]), { status: 0, stdout: `${version}\n` });
  t.match(await petstore({}, []), { status: 2 });
});

t.test("The help of each command shows an example", async (t) => {
  t.match((await petstore({}, ["help", "keys"])).stdout, /create.*list.*revoke/s);
  const commands = ["keys create", "import", "export", "backup", "restore", "copy", "check"];
  for (const command of commands) {
    const { stdout } = await petstore({}, [...command.split(" "), "--help"]);
    const [, examples] = stdout.split("\nExamples:\n");
    t.match(examples, new RegExp(`^ .*petstore ${command}\\b`), command);
  }
});

t.test("Suggests a similar command or option", async (t) => {
  t.match(await petstore({}, ["srve"]), {
    status: 2,
    stderr: "petstore: unknown command 'srve'\n(Did you mean serve?)\n",
  });
  t.match(await petstore({}, ["keys", "crate", "x"]), { status: 2, stderr: /Did you mean create\?/ });
  t.match(await petstore({}, ["keys", "list", "--jsn"]), { status: 2, stderr: /Did you mean --json\?/ });
});

/** A stream that fails with `code`, as on a full disk (ENOSPC) or in a pipe whose reader has exited (EPIPE). */
function failing(code: string): Writable {
  return new Writable({ write: (_, __, done) => done(Object.assign(new Error(`${code}: write`), { code })) });
}

function collecting(chunks: string[]): Writable {
  return new Writable({ write: (chunk, _, done) => done(void chunks.push(`${chunk}`)) });
}

async function runWithFailingOutput(code: string, args: readonly string[], url = "") {
  const stderr: string[] = [];
  const io = { env: { DATABASE_URL: url }, stdin: Readable.from([]), onStop: () => {} };
  const status = await run(args, { ...io, stdout: failing(code), stderr: collecting(stderr) });
  return { status, stderr: withoutProgress(stderr.join("")) };
}

t.test("Fails if standard output can't be written", async (t) => {
  const url = await stores.sqlite(t);
  const stderr = /^petstore: Can't write to standard output: ENOSPC/;
  await fill(url, 1);
  await petstore({ DATABASE_URL: url }, ["keys", "create", "alice"]);
  t.match(await runWithFailingOutput("ENOSPC", ["keys", "list"], url), { status: 1, stderr });
  t.same(await runWithFailingOutput("EPIPE", ["keys", "list"], url), { status: 0, stderr: "" }, "a reader may exit");
  t.match(await runWithFailingOutput("ENOSPC", ["export"], url), { status: 1, stderr });
  t.same(await runWithFailingOutput("EPIPE", ["export"], url), { status: 0, stderr: "" });
  t.same(await runWithFailingOutput("EPIPE", ["check", "--json"], url), { status: 0, stderr: "" });
  await tamper(url, replaceInPets(url, '"name":', '"nam":'));
  t.match(await runWithFailingOutput("EPIPE", ["check", "--json"], url), { status: 1 }, "the database has problems");
});

t.test("Continues if standard error can't be written", async (t) => {
  const url = await stores.sqlite(t);
  const stdout: string[] = [];
  const io = {
    env: { DATABASE_URL: url },
    stdin: Readable.from(["{}\n", petLine("Rex")].map((line) => Buffer.from(line))),
  };
  const args = ["import", "-", "--format", "ndjson", "--skip-bad"];
  const streams = { stdout: collecting(stdout), stderr: failing("ENOSPC"), onStop: () => {} };
  t.equal(await run(args, { ...io, ...streams }), 0);
  t.match(stdout.join(""), /^pets {14}1$/m);
  t.same(await readAllNames(url), ["Rex"]);
});
