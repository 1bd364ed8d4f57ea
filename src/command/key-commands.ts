// Declares the commands for API keys.
import { type Command, Option } from "commander";
import type { Io, OutputOptions } from "../terminal/index.ts";
import { addExamples } from "./inputs/help.ts";
import { addTo, defaultGrace, parseGrace, parsePeriod } from "./inputs/options.ts";
import { onTarget, type TargetReader } from "./inputs/target.ts";
import type { CreateKeyOptions, RotateKeyOptions } from "./keys.ts";

/** Adds the command `keys` with its subcommands. */
export function addKeys(program: Command, io: Io, targets: TargetReader): void {
  const { select } = targets;
  const name = program.name();
  const keys = program.command("keys").description("create, list, rotate and revoke API keys");
  const place = targets.hasDocument ? " books.yaml" : "";
  const create = select(keys.command("create").description("create a key and print it; it is shown only once"))
    .argument("<name>", "name of the key, such as its owner or application")
    .option("--expires <period>", "time until the key expires, such as 90d (units: m, h, d, w, y)", parsePeriod)
    .option("--scope <scope>", "scope of the document that the key has; can be repeated (default: all)", addTo)
    .option("--operator", "grant access to /metrics and /status.json")
    .option("--yes", "do not ask before a database is created at the default place")
    .option("--json", "print JSON");
  onTarget<CreateKeyOptions>(create, targets, async (target, options, key = "") =>
    (await import("./keys.ts")).createKey(io, target, key, options, create),
  );
  addExamples(
    create,
    [`${name} keys create${place} alice --expires 90d`, "create a key for a client"],
    [`${name} keys create${place} olivia --operator`, "create a key that also reads the metrics"],
  );
  const list = select(keys.command("list").description("list the keys with their roles, expiry and last use"));
  onTarget<OutputOptions>(list.option("--json", "print JSON"), targets, async (target, options) =>
    (await import("./keys.ts")).listKeys(io, target, options),
  );
  const rotate = select(
    keys
      .command("rotate")
      .description("replace a key and print the new one; the previous one stays valid for a grace period"),
  )
    .argument("<name>", "name of the key")
    .addOption(
      new Option("--grace <period>", "time until the previous key becomes invalid, such as 12h, or 0")
        .argParser(parseGrace)
        .default(defaultGrace, "1d"),
    )
    .option("--json", "print JSON");
  onTarget<RotateKeyOptions>(rotate, targets, async (target, options, key = "") =>
    (await import("./keys.ts")).rotateKey(io, target, key, options),
  );
  addExamples(
    rotate,
    [`${name} keys rotate${place} alice`, "replace a key; the previous one is valid for 24 hours"],
    [`${name} keys rotate${place} alice --grace 0`, "replace a key that has leaked"],
  );
  const revoke = select(keys.command("revoke").description("revoke a key"))
    .argument("<name>", "name of the key")
    .option("--json", "print JSON");
  onTarget<OutputOptions>(revoke, targets, async (target, options, key = "") =>
    (await import("./keys.ts")).revokeKey(io, target, key, options),
  );
}
