// --json: each command that prints a result can print it as JSON.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import t from "tap";
import { createProgram } from "../../src/command/program.ts";
import { petStore } from "../../src/pets/index.ts";
import { processIo } from "../../src/terminal/index.ts";
import { petstore } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { folder } from "../support/files.ts";

// serve runs until it is stopped, and help prints a text.
const withoutResult = ["views", "serve", "help"];

function listCommands({ commands }: Command): string[] {
  return commands.flatMap((command) =>
    command.commands.length > 0 ? listCommands(command).map((name) => `${command.name()} ${name}`) : [command.name()],
  );
}

t.test("Each command with a result prints it as JSON", async (t) => {
  const place = folder(t);
  const pets = join(place, "pets.ndjson");
  writeFileSync(pets, '{"name":"Rex","categoryId":9007199254740993}\n');
  const DATABASE_URL = await stores.sqlite(t);
  const other = await stores.sqlite(t);
  const backup = join(place, "backup");
  const results: Record<string, unknown> = {};
  for (const [name, args, expected] of [
    ["migrate", [], { kind: "sqlite", created: true }],
    ["keys create", ["a"], { name: "a", key: /^psk_/ }],
    ["keys list", [], [{ name: "a" }]],
    ["keys rotate", ["a"], { name: "a", key: /^psk_/ }],
    ["keys revoke", ["a"], { name: "a" }],
    ["import", [pets], { pets: 1, bad: 0 }],
    ["export", ["--output", join(place, "exported.csv")], { pets: 1 }],
    ["check", [], { sound: true, problems: [] }],
    ["backup", [backup], { pets: 1 }],
    ["restore", [backup, "--force", "--yes"], { pets: 1 }],
    ["copy", ["--from", DATABASE_URL, "--to", other], { pets: 1 }],
  ] as const) {
    const { status, stdout } = await petstore({ DATABASE_URL }, [...name.split(" "), ...args, "--json"]);
    t.equal(status, 0, name);
    results[name] = JSON.parse(stdout);
    t.match(results[name], expected, name);
  }
  t.match(JSON.parse((await petstore({ DATABASE_URL }, ["migrate", "--json"])).stdout), { created: false });
  const commands = listCommands(createProgram({ io: processIo, preset: petStore })).filter(
    (name) => !withoutResult.includes(name),
  );
  t.same(Object.keys(results).sort(), commands.filter((name) => !name.endsWith(" help")).sort(), "all commands");
});
