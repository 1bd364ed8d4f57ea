#!/usr/bin/env node
// Starts the command `openapi-server`.
const [major, minor] = /** @type {[number, number]} */ (process.versions.node.split(".").map(Number));
// The first version with Zstandard.
if (major < 22 || (major === 22 && minor < 15)) {
  console.error(`openapi-server: Node ${process.versions.node} is not supported. Use Node 22.15 or later.`);
  process.exit(1);
}
const { runCommand } = await import("./command/index.ts");
process.exitCode = await runCommand(process.argv.slice(2), process);
