// The commands of petstore in deploy/ and in docs/deployment.md and docs/troubleshooting.md, which need root, systemd,
// Docker or a cluster: they exist, and those that make backups work.
import { spawnSync } from "node:child_process";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import t, { type Test } from "tap";
import { createProgram } from "../../src/command/program.ts";
import { petStore } from "../../src/pets/index.ts";
import { petstore } from "../support/command.ts";
import { backupPod, read, unitValues } from "../support/deploy.ts";
import { folder, root } from "../support/files.ts";

const files = [
  ...readdirSync(join(root, "deploy"), { withFileTypes: true }).flatMap((one) =>
    one.isFile() ? `deploy/${one.name}` : [],
  ),
  ...["deployment", "troubleshooting"].map((name) => `docs/${name}.md`),
];

/** Returns the arguments of each command `petstore` in a file of deploy/, or in the shell examples of a page. */
function findCommands(file: string): string[][] {
  const text = read(file);
  const code = file.endsWith(".md") ? [...text.matchAll(/^ *```(?:sh|text).*?^ *```/gms)].join("\n") : text;
  const command =
    /(?:^(?:\w+=\S+ +)*(?:npx )?petstore|\$\((?:npx )?petstore|bin\/petstore|(?:src|dist)\/bin\.js) +([^|&<>;)`'\n]+)/gm;
  return [...code.replaceAll("\\\n", " ").matchAll(command)]
    .map(([, line = ""]) =>
      line
        .replace(/"?\/[^ ]*\$\(.*/, "FILE")
        .trim()
        .split(/\s+/),
    )
    .filter(([name]) => !name?.startsWith("--"));
}

/** Returns what is wrong with the arguments of a command; undefined if nothing is. */
async function findProblem(args: readonly string[]): Promise<string | undefined> {
  const program = createProgram({
    io: { env: {}, stdout: process.stdout, stderr: process.stderr } as never,
    preset: petStore,
  });
  const ignoreActions = (command: Command): void => {
    command.action(() => {}).configureOutput({ writeErr: () => {}, outputError: () => {} });
    command.commands.forEach(ignoreActions);
  };
  for (const command of program.commands) {
    if (command.commands.length === 0) ignoreActions(command);
    else command.commands.forEach(ignoreActions);
    command.exitOverride();
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

t.test("Every command exists, with its arguments and options", async (t) => {
  let count = 0;
  for (const file of files)
    for (const args of findCommands(file)) {
      count += 1;
      t.equal(await findProblem(args), undefined, `${file}: petstore ${args.join(" ")}`);
    }
  t.ok(count > 20, `${count} commands`);
  t.match(await findProblem(["backups", "pets.backup"]), /unknown command/);
  t.match(await findProblem(["import", "--fromat", "csv", "-"]), /unknown option/);
});

// systemd replaces %% and $$.
const unescapeUnit = (line: string) => line.replaceAll("%%", "%").replaceAll("$$", "$");
const [, , script = ""] = backupPod.spec.containers[0].command;
const lines = [
  ...unitValues("petstore-backup.service", "ExecStart"),
  ...unitValues("petstore-backup.service", "ExecStartPost"),
];
const backups: [name: string, script: string, folder: string][] = [
  ["The CronJob", script, "/backup/"],
  ["The timer", lines.map((line) => unescapeUnit(line)).join(" && "), "/var/backups/petstore/"],
];

for (const [name, script, place] of backups)
  t.test(`${name} makes a backup, and then removes backups that are older than 30 days`, async (t) => {
    const [target, url] = [folder(t), `sqlite:${await createDatabase(t)}`];
    const old = join(target, "petstore-2026-01-01T030000.db");
    const recent = join(target, "petstore-2026-11-01T030000.db");
    const days = (count: number) => Date.now() / 1000 - count * 86_400;
    for (const [file, age] of [
      [old, 32],
      [recent, 29],
    ] as const) {
      writeFileSync(file, "");
      utimesSync(file, days(age), days(age));
    }
    const command = script
      .replaceAll("/opt/petstore/node_modules/.bin/node", process.execPath)
      .replaceAll("/opt/petstore/", root)
      .replaceAll(place, `${target}/`)
      .replaceAll(place.slice(0, -1), target)
      .replace("-name petstore-*.db", "-name 'petstore-*.db'"); // systemd expands no patterns
    const run = (DATABASE_URL: string) => {
      const env = { ...process.env, DATABASE_URL, NODE_OPTIONS: "" };
      return spawnSync("sh", ["-c", command.replaceAll("exec ", "")], { cwd: root, env, encoding: "utf8" });
    };
    t.not(run("sqlite:/missing/petstore.db").status, 0);
    t.equal(readdirSync(target).length, 2, "a failed backup removes none");

    const { status, stderr } = run(url);
    t.equal(status, 0, stderr);
    const made = readdirSync(target).filter((file) => !recent.endsWith(file));
    t.match(made, [/^petstore-\d{4}-\d\d-\d\dT\d{6}\.db$/]);
    t.equal(made.length, 1);
    const { stdout } = await petstore({ DATABASE_URL: `sqlite:${join(target, made[0] as string)}` }, ["keys", "list"]);
    t.match(stdout, "alice");
  });

async function createDatabase(t: Test): Promise<string> {
  const file = join(folder(t), "pets.db");
  await petstore({ DATABASE_URL: `sqlite:${file}` }, ["keys", "create", "alice"]);
  return file;
}

t.test("petstore.sh runs a command with the settings of the unit", async (t) => {
  const file = join(folder(t), "petstore.env");
  writeFileSync(file, `DATABASE_URL=sqlite:${await createDatabase(t)}\n`);
  const script = read("deploy/petstore.sh");
  t.match(script, unitValues("petstore.service", "EnvironmentFile")[0]);
  t.match(script, `sudo -u ${unitValues("petstore.service", "User")[0]} `);
  const command = script
    .replace(/sudo -u \w+/, "") // not on this machine
    .replace("/etc/petstore.env", file)
    .replace("/opt/petstore/node_modules/.bin/node", process.execPath)
    .replace("/opt/petstore/", root);
  const env = { ...process.env, NODE_OPTIONS: "", DATABASE_URL: undefined };
  const { stdout } = spawnSync("sh", ["-s", "keys", "list"], { input: command, env, encoding: "utf8" });
  t.match(stdout, "alice");
});
