// The command as people meet it: help, completion, suggestions, colours; and who calls what is going away.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { describe } from "../src/commands/deprecations.ts";
import { listDeprecated, toDay } from "../src/deprecations.ts";
import { readDocument } from "../src/document.ts";
import { openStore } from "../src/store/open.ts";
import { documentText, edit, folder } from "./support/files.ts";
import { petstoreProcess as petstore } from "./support/processes.ts";
import { addKey, start } from "./support/service.ts";
import { until } from "./support/wait.ts";

const day = 86_400_000; // milliseconds

t.test("petstore deprecations says what is going away, and who called it how often", async (t) => {
  const file = join(folder(t), "petstore.db");
  const settings = { DATABASE_URL: `sqlite:${file}` };
  const store = await openStore(settings.DATABASE_URL);
  const none = petstore(settings, "deprecations");
  const left = Math.ceil((Date.UTC(2030, 11, 5) - Date.now()) / day);
  t.match(none, { status: 0, stderr: "" });
  t.equal(
    none.stdout,
    `OPERATION  SUNSET      DAYS LEFT  USE    CALLS IN 30 DAYS\ngetPet     2030-12-05  ${left}       /pets  0\n`,
  );

  const { call, app } = await start(t, { store });
  const [alice, bob] = [await addKey(store, "alice"), await addKey(store, "bob")];
  for (const path of ["/v1/pets/1", "/v1/pets/x", "/v1/pets/1?a=b"]) await call("GET", path, { key: alice });
  await call("GET", "/v1/pets/1", { key: bob });
  await call("GET", "/v1/pets", { key: bob });
  await call("GET", "/v1/pets/1", { key: "psk_wrong" });
  await store.keys.revoke("bob");
  const today = new Date().toISOString().slice(0, 10);
  const said = () => petstore(settings, "deprecations", "--json").stdout;
  await until(
    () => /"calls": 4/.test(said()) || undefined,
    () => said(),
  );
  t.match(JSON.parse(said()), [
    {
      operation: "getPet",
      sunset: "2030-12-05",
      daysLeft: left,
      successor: "/pets",
      calls: 4,
      keys: [
        { name: "alice", calls: 3, last: today },
        { name: "bob", calls: 1, last: today },
      ],
    },
  ]);
  t.match(petstore(settings, "deprecations").stdout, new RegExp(`^getPet +alice  3 +${today}\\ngetPet +bob`, "m"));

  await app.close();
  await store.close();
});

t.test("calls that can't be noted are noted as soon as they can", async (t) => {
  const file = join(folder(t), "petstore.db");
  const store = await openStore(`sqlite:${file}`);
  const { call, logs, app } = await start(t, { store });
  const db = new DatabaseSync(file);
  db.exec("ALTER TABLE deprecated_calls RENAME TO away");
  for (let n = 0; n < 2; n++) await call("GET", "/v1/pets/1");
  await until(
    () => logs.find(({ msg }) => msg === "calls of deprecated operations are not noted yet"),
    () => JSON.stringify(logs),
  );
  await call("GET", "/v1/pets/1");
  db.exec("ALTER TABLE away RENAME TO deprecated_calls");
  db.close();
  await app.close(); // which writes what there is
  t.match(await store.deprecated.list(0n), [{ operation: "getPet", count: 3n }]);
  await store.close();
});

t.test("what is deprecated comes in the order in which it goes, with the calls of 30 days", async (t) => {
  const text = edit(
    documentText,
    [/( +)operationId: listPets\n/, "$1operationId: listPets\n$1deprecated: true\n$1x-deprecated-since: 2026-11-20\n"],
    [
      /( +)operationId: createPet\n/,
      "$1operationId: createPet\n$1deprecated: true\n$1x-deprecated-since: 2026-11-20\n$1x-sunset: 2027-06-01\n",
    ],
  );
  const { operations } = await readDocument(text);
  const store = await openStore("sqlite::memory:");
  const now = Date.UTC(2027, 5, 3);
  const today = toDay(now);
  const call = (key: string, ago: bigint, count: bigint, operation = "getPet") => ({
    operation,
    key,
    day: today - ago,
    count,
  });
  await store.deprecated.add(
    [
      call("a", 30n, 100n),
      call("a", 29n, 1n),
      call("a", 3n, 2n),
      call("b", 0n, 9n),
      call("", 1n, 1n),
      call("a", 0n, 1n, "gone"),
    ],
    0n,
  );
  const listed = await listDeprecated(operations, store.deprecated, now);
  t.same(
    listed.map(({ operation, sunset, daysLeft, calls }) => [operation, sunset, daysLeft, calls]),
    [
      ["createPet", "2027-06-01", -2, 0n],
      ["getPet", "2030-12-05", 1281, 13n],
      ["listPets", null, null, 0n],
    ],
  );
  t.same(listed[1]?.keys, [
    { name: "b", calls: 9n, last: "2027-06-03" },
    { name: "a", calls: 3n, last: "2027-05-31" },
    { name: "", calls: 1n, last: "2027-06-02" },
  ]);
  await store.close();
  t.equal(describe([], process.stdout), "Nothing is deprecated.");
  const listPets = { operation: "listPets", since: "2026-11-20", sunset: null, daysLeft: null, successor: null };
  t.equal(
    describe([{ ...listPets, calls: 2n, keys: [{ name: "", calls: 2n, last: "2026-11-21" }] }], process.stdout),
    [
      "OPERATION  SUNSET    DAYS LEFT  USE  CALLS IN 30 DAYS",
      "listPets   not said                  2",
      "",
      "OPERATION  KEY       CALLS IN 30 DAYS  LAST",
      "listPets   (no key)  2                 2026-11-21",
    ].join("\n"),
  );
});

t.test("copy and check say as JSON what they found", async (t) => {
  const [from, to] = [`sqlite:${join(folder(t), "from.db")}`, `sqlite:${join(folder(t), "to.db")}`];
  petstore({ DATABASE_URL: from }, "keys", "create", "alice");
  const copied = JSON.parse(petstore({}, "copy", "--from", from, "--to", to, "--json").stdout);
  t.match(copied, { keys: 1, pets: 0, sha256: /^[0-9a-f]{64}$/ });
  t.same(JSON.parse(petstore({}, "check", to, "--json").stdout), { sound: true, problems: [], ...copied });
  const db = new DatabaseSync(to.slice("sqlite:".length));
  db.exec("DROP TABLE idempotency");
  db.close();
  const damaged = petstore({}, "check", to, "--json");
  t.equal(damaged.status, 1);
  t.match(JSON.parse(damaged.stdout), {
    sound: false,
    problems: [/can't be read to its end: .*no such table/],
    keys: undefined,
  });
});

t.test(
  "how far a work is, where nobody knows of how much",
  { skip: !existsSync("/usr/bin/script") && "there is no script(1)" },
  async (t) => {
    const place = new URL("../src/progress.ts", import.meta.url).href;
    const file = join(folder(t), "show.ts");
    writeFileSync(
      file,
      `import { startProgress } from "${place}";
    const bar = startProgress();
    bar.show("exporting", 1, undefined, "pets");
    setTimeout(() => bar.show("exporting", 2_000, undefined, "pets"), 500);`,
    );
    const out = execFileSync("script", ["-qec", `${process.execPath} ${file}`, "/dev/null"], { encoding: "utf8" });
    t.match(out, /exporting ░+ 2,000 pets, [\d,]+\/s$/);
  },
);

t.test("help has examples, exit codes and settings; a mistyped word is told what it may have meant", async (t) => {
  const help = petstore({}, "--help");
  t.match(help, { status: 0, stderr: "" });
  for (const part of ["Examples:", "Exit codes:", "Settings, from the environment:", "DATABASE_URL"])
    t.match(help.stdout, part);
  t.match(petstore({}, "help", "keys").stdout, /create.*list.*revoke/s);
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
    const [, examples] = petstore({}, ...command.split(" "), "--help").stdout.split("\nExamples:\n");
    t.match(examples, new RegExp(`^ .*petstore ${command}\\b`), command);
  }
  t.match(petstore({}, "srve"), { status: 2, stderr: "petstore: unknown command 'srve'\n(Did you mean serve?)\n" });
  t.match(petstore({}, "keys", "crate", "x"), { status: 2, stderr: /Did you mean create\?/ });
  t.match(petstore({}, "keys", "list", "--jsn"), { status: 2, stderr: /Did you mean --json\?/ });
});

t.test(
  "what can't be printed is not taken for done",
  { skip: !existsSync("/dev/full") && "there is no /dev/full" },
  async (t) => {
    const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
    const bin = new URL("../src/bin.js", import.meta.url).pathname;
    const run = (line: string) =>
      spawnSync("bash", ["-o", "pipefail", "-c", `${process.execPath} ${bin} ${line}`], {
        env: { ...process.env, ...settings },
        encoding: "utf8",
      });
    t.match(run("keys create alice > /dev/full"), {
      status: 1,
      stderr: /^petstore: Standard output can't be written: ENOSPC/,
    });
    t.match(run("completion bash | true"), { status: 0, stderr: "" }, "who reads no more has what they want");
  },
);

t.test("colours are for terminals, and never where NO_COLOR is set", async (t) => {
  const colour = /\x1b\[\d/;
  t.notMatch(petstore({}, "--help").stdout, colour, "none in a pipe");
  const command = `${process.execPath} ${new URL("../src/bin.js", import.meta.url).pathname}`;
  const terminal = (environment: Record<string, string>, ...args: string[]) =>
    execFileSync("script", ["-qec", `${command} ${args.join(" ")}`, "/dev/null"], {
      env: { PATH: process.env.PATH as string, TERM: "xterm-256color", ...environment },
      encoding: "utf8",
    });
  const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  petstore(settings, "migrate");
  for (const args of [["--help"], ["keys", "list"], ["deprecations"]]) {
    t.match(terminal(settings, ...args), colour, `${args} on a terminal`);
    t.notMatch(terminal({ ...settings, NO_COLOR: "1" }, ...args), colour, `${args} with NO_COLOR`);
  }
});

t.test("the shell completes commands, options and values", async (t) => {
  const script = join(folder(t), "completion.bash");
  writeFileSync(script, petstore({}, "completion", "bash").stdout);
  const complete = (...words: string[]) =>
    execFileSync(
      "bash",
      [
        "-c",
        `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _petstore; echo "\${COMPREPLY[*]}"`,
        "bash",
        "petstore",
        ...words,
      ],
      { encoding: "utf8" },
    ).trim();
  t.match(complete(""), /^serve .*keys .*completion help --version --help$/);
  t.equal(complete("k"), "keys");
  t.equal(complete("keys", ""), "create list revoke help --help");
  t.equal(complete("keys", "create", "--"), "--expires --operator --json --help");
  t.equal(complete("keys", "create", "keys", "--o"), "--operator", "a name that is a command's word is a name");
  t.equal(complete("completion", ""), "bash zsh fish --help");
  t.equal(complete("help", "k"), "keys");
  t.match(petstore({}, "completion", "csh"), { status: 2, stderr: /Allowed choices are bash, zsh, fish/ });
  // Other shells are not on every machine: where they are, they take it, and where not, it names all there is.
  for (const shell of ["zsh", "fish"]) {
    const { stdout } = petstore({}, "completion", shell);
    for (const word of ["serve", "keys", "revoke", "expires", "bash"]) t.match(stdout, word, `${shell}: ${word}`);
    const file = join(folder(t), shell);
    writeFileSync(file, stdout);
    const there = execFileSync("bash", ["-c", `command -v ${shell} || true`], { encoding: "utf8" }).trim();
    if (there === "") t.comment(`${shell} is not on this machine: its script was not run`);
    else execFileSync(there, ["-n", file]);
    if (there !== "" && shell === "fish")
      t.match(
        execFileSync(there, ["-c", `source ${file}; complete -C 'petstore keys '`], { encoding: "utf8" }),
        /create.*revoke/s,
      );
  }
});
