#!/usr/bin/env node
// Starts the command `petstore`. This file is JavaScript, so that a Node without type stripping can report that it is
// too old.
const [major, minor, patch] = /** @type {[number, number, number]} */ (process.versions.node.split(".").map(Number));
// The first versions that do not drop headers silently (CVE-2026-58044).
const minimum = major < 25 ? 24_018_001 : 26_005_001;
if (major * 1e6 + minor * 1e3 + patch < minimum) {
  console.error(
    `petstore: Node ${process.versions.node} is not supported. Use Node 24 (24.18.1 or later), or Node 26.5.1 or later. In the project folder, npx petstore uses its own Node.`,
  );
  process.exit(1);
}
const { enableCompileCache, flushCompileCache } = await import("node:module");
// Caches compiled code, which halves the time of the next start.
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/petstore`);
const { runCommand } = await import("./command/index.ts");
const { petStore } = await import("./pets/index.ts");
const { processIo } = await import("./terminal/index.ts");
const code = await runCommand(process.argv.slice(2), { io: processIo, preset: petStore });
flushCompileCache();
// An open connection must not keep the process alive after a failure. After `serve`, the service keeps it alive.
if (code !== 0) process.exit(code);
