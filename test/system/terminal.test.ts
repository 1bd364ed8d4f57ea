// Terminals: colors, progress bars, and a log for people. script(1) provides the terminal.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { petstore } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { bin, folder, root } from "../support/files.ts";
import { type Server, startServer } from "../support/processes.ts";
import { insertPets } from "../support/stores.ts";
import { until } from "../support/wait.ts";

/** The variables of a terminal with colors, without those of the tests' own runner. */
function toEnvironment(settings: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH as string, TERM: "xterm-256color", ...settings };
}

/** The command that runs `command` in a terminal. Without exec, a shell in between would end with 130 at Ctrl-C. */
function inTerminal(command: string): [string, ...string[]] {
  return ["script", "-qefc", `exec ${command}`, "/dev/null"];
}

function runInTerminal(command: string, settings: Record<string, string> = {}): string {
  const [script, ...args] = inTerminal(command);
  return execFileSync(script, args, { env: toEnvironment(settings), encoding: "utf8" });
}

t.test("Prints colors on a terminal, except with NO_COLOR", async (t) => {
  const color = /\x1b\[\d/;
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  await petstore(settings, ["migrate"]);
  for (const command of ["--help", "keys list"]) {
    const run = (more = {}) => runInTerminal(`${process.execPath} ${bin} ${command}`, { ...settings, ...more });
    t.match(run(), color, command);
    t.notMatch(run({ NO_COLOR: "1" }), color, `${command} with NO_COLOR`);
  }
});

t.test("Shows a progress bar on a terminal, and removes it", async (t) => {
  const from = await stores.sqlite(t);
  await insertPets(from, 400_000);
  const [script, ...args] = inTerminal(`${process.execPath} ${bin} copy --from ${from} --to ${await stores.sqlite(t)}`);
  const child = spawn(script, args, { env: toEnvironment({}) });
  const exit = once(child, "exit");
  const out = await text(child.stdout);
  t.same((await exit)[0], 0);
  t.match(out, /\r\x1b\[Kcopying {3}█+░+ [\d,]+ of 400,000 rows, [\d,]+\/s, \d+ s left/);
  t.match(out, /\r\x1b\[Kcomparing █+/);
  t.match(out, /\r\x1b\[Kkeys {14}0\r\npets {14}400000\r\n/, "the output replaces the bar");
});

t.test("Shows count and rate on a terminal if the total is unknown", async (t) => {
  const file = join(folder(t), "show.ts");
  writeFileSync(
    file,
    `import { startProgress } from "${join(root, "src/terminal/index.ts")}";
    const bar = startProgress(process.stderr);
    bar.show("exporting", 1, undefined, "pets");
    setTimeout(() => bar.show("exporting", 2_000, undefined, "pets"), 500);`,
  );
  t.match(runInTerminal(`${process.execPath} ${file}`), /exporting ░+ 2,000 pets, [\d,]+\/s$/);
});

t.test("The log is for people on a terminal, and Ctrl-C ends the service with 0", async (t) => {
  const terminal = inTerminal(`${process.execPath} ${bin} serve`);
  // env(1) removes the color settings of the test runner.
  const unset = ["env", "-u", "NO_COLOR", "-u", "FORCE_COLOR"];
  const settings = toEnvironment({ DATABASE_URL: "sqlite::memory:" });
  const untilAnswered = ({ out }: Server) =>
    until(
      () => /request completed/.exec(out.stdout)?.[0],
      () => out.stdout,
    );
  const server = await startServer(t, settings, [...unset, ...terminal]);
  await fetch(`${server.url}/pets`);
  await untilAnswered(server);
  t.match(server.out.stdout, /\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*request completed: GET \/v1\/pets 401 in [\d.]+ ms/);
  t.ok(server.out.stdout.includes("\x1b["), "with colors");
  const exit = once(server.child, "exit");
  server.child.stdin.write("\x03"); // Ctrl-C
  t.same((await exit)[0], 0);

  const plain = await startServer(t, settings, [...unset, "NO_COLOR=1", ...terminal]);
  await fetch(`${plain.url}/pets`);
  await untilAnswered(plain);
  t.notOk(plain.out.stdout.includes("\x1b["), "without colors if NO_COLOR is set");
});
