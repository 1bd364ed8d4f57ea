// The commands of petstore and openapi-server in deploy/, examples/deploy/ and the pages about deployment, which need root,
// systemd, Docker or a cluster: they exist, and those that make backups work.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import t from "tap";
import { createProgram } from "../../src/command/program.ts";
import { petStore } from "../../src/pets/index.ts";
import type { Preset } from "../../src/server/index.ts";
import { petstore } from "../support/command.ts";
import { ownFiles, petStoreFiles, read } from "../support/deploy.ts";
import { bin, folder, root } from "../support/files.ts";

// What runs the commands: the Pet Store, or the program for a document of one's own.
const sets = [
  {
    ...petStoreFiles,
    preset: petStore,
    pages: ["docs/deployment.md", "docs/troubleshooting.md"],
    command:
      /(?:^(?:\w+=\S+ +)*(?:npx )?petstore|\$\((?:npx )?petstore|bin\/petstore|(?:src|dist)\/bin\.js) +([^|&<>;)`'\n]+)/gm,
    minimum: 20,
  },
  {
    ...ownFiles,
    preset: undefined,
    pages: ["docs/server/deployment.md"],
    command: /(?:\bopenapi-server|^api|&& api) +([^|&<>;)`'\n]+)/gm,
    minimum: 10,
  },
];

/** Returns the arguments of each command in a file of deploy/, or in the shell examples of a page. */
function findCommands(file: string, command: RegExp): string[][] {
  const text = read(file);
  const code = file.endsWith(".md") ? [...text.matchAll(/^ *```(?:sh|text).*?^ *```/gms)].join("\n") : text;
  const withoutLists = code
    .replaceAll("\\\n", " ")
    .replaceAll(/(?<=CMD|command:)( *)(\[.*\])/g, (_, _space, list) => ` ${list.replaceAll(/[[\]",]/g, " ")}`);
  return [...withoutLists.matchAll(command)]
    .map(([, line = ""]) =>
      line
        .replace(/"?\/[^ ]*\$\(.*/, "FILE")
        .replace(/ #.*/, "")
        .trim()
        .split(/\s+/),
    )
    .filter(([name]) => !/^(--|"\$@")/.test(`${name}`));
}

/** Returns what is wrong with the arguments of a command; undefined if nothing is. */
async function findProblem(args: readonly string[], preset?: Preset): Promise<string | undefined> {
  const program = createProgram({
    io: { env: {}, stdout: process.stdout, stderr: process.stderr } as never,
    preset,
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

for (const { folder, preset, pages, command, minimum } of sets)
  t.test(`Every command of ${folder}/ and ${pages} exists, with its arguments and options`, async (t) => {
    const isFile = (name: string) => statSync(join(root, folder, name)).isFile();
    const names = readdirSync(join(root, folder)).filter(isFile);
    let count = 0;
    for (const file of [...names.map((name) => `${folder}/${name}`), ...pages])
      for (const args of findCommands(file, command)) {
        count += 1;
        t.equal(await findProblem(args, preset), undefined, `${file}: ${args.join(" ")}`);
      }
    t.ok(count > minimum, `${count} commands`);
    t.match(await findProblem(["backups", "pets.backup"], preset), /unknown command/);
    t.match(await findProblem(["keys", "create", "a", "--sope", "b"], preset), /unknown option/);
  });

// systemd replaces %% and $$.
const unescapeUnit = (line: string) => line.replaceAll("%%", "%").replaceAll("$$", "$");

for (const { name, prefix, preset, backupPod, unitValues } of sets) {
  const [, , script = ""] = backupPod.spec.containers[0].command;
  const unit = `${name}-backup.service`;
  const lines = [...unitValues(unit, "ExecStart"), ...unitValues(unit, "ExecStartPost")];
  const backups: [by: string, script: string, place: string][] = [
    ["CronJob", script, "/backup/"],
    ["timer", lines.map((line) => unescapeUnit(line)).join(" && "), `/var/backups/${name}/`],
  ];
  const program = preset ? bin : join(root, "src/command/bin.js");
  const document = preset ? [] : [join(root, "docs/server/tickets.yaml")];

  for (const [by, script, place] of backups)
    t.test(`The ${by} of ${name} makes a backup, and then removes those that are older than 30 days`, async (t) => {
      const target = folder(t);
      const command = script
        .replace("exec ", "")
        .replace(
          /(\/opt\/petstore\/node_modules\/\.bin\/)?node \S+bin\.js|[^\s']*openapi-server/,
          `${process.execPath} ${program}`,
        )
        .replace(/\S*service\.yaml/, `${document}`)
        .replaceAll(place, `${target}/`)
        .replaceAll(place.slice(0, -1), target)
        .replace(`-name ${name}-*.db`, `-name '${name}-*.db'`); // systemd expands no patterns
      const run = (url: string, ...[file = "", ...args]: string[]) => {
        const env = { ...process.env, [`${prefix}DATABASE_URL`]: url, NODE_OPTIONS: "" };
        return spawnSync(file, args, { cwd: root, env, encoding: "utf8" });
      };
      const keys = (url: string, action: string, ...args: string[]) =>
        run(url, process.execPath, program, "keys", action, ...document, ...args);
      const url = `sqlite:${join(folder(t), "data.db")}`;
      t.equal(keys(url, "create", "alice").status, 0);
      const old = join(target, `${name}-2026-01-01T030000.db`);
      const recent = join(target, `${name}-2026-11-01T030000.db`);
      const days = (count: number) => Date.now() / 1000 - count * 86_400;
      for (const [file, age] of [
        [old, 32],
        [recent, 29],
      ] as const) {
        writeFileSync(file, "");
        utimesSync(file, days(age), days(age));
      }
      t.not(run("sqlite:/missing/data.db", "sh", "-c", command).status, 0);
      t.equal(readdirSync(target).length, 2, "a failed backup removes none");

      const { status, stderr } = run(url, "sh", "-c", command);
      t.equal(status, 0, stderr);
      const made = readdirSync(target).filter((file) => !recent.endsWith(file));
      t.match(made, [new RegExp(`^${name}-\\d{4}-\\d\\d-\\d\\dT\\d{6}\\.db$`)]);
      t.equal(made.length, 1);
      t.match(keys(`sqlite:${join(target, made[0] as string)}`, "list").stdout, "alice");
    });
}

t.test("petstore.sh runs a command with the settings of the unit", async (t) => {
  const file = join(folder(t), "petstore.env");
  const DATABASE_URL = `sqlite:${join(folder(t), "pets.db")}`;
  await petstore({ DATABASE_URL }, ["keys", "create", "alice"]);
  writeFileSync(file, `DATABASE_URL=${DATABASE_URL}\n`);
  const script = read("deploy/petstore.sh");
  t.match(script, petStoreFiles.unitValues("petstore.service", "EnvironmentFile")[0]);
  t.match(script, `sudo -u ${petStoreFiles.unitValues("petstore.service", "User")[0]} `);
  const command = script
    .replace(/sudo -u \w+/, "") // not on this machine
    .replace("/etc/petstore.env", file)
    .replace("/opt/petstore/node_modules/.bin/node", process.execPath)
    .replace("/opt/petstore/dist/bin.js", bin);
  const env = { ...process.env, NODE_OPTIONS: "", DATABASE_URL: undefined };
  const { stdout } = spawnSync("sh", ["-s", "keys", "list"], { input: command, env, encoding: "utf8" });
  t.match(stdout, "alice");
});
