#!/usr/bin/env node
// Starts the command `openapi-server`.

// The first version that runs handlers in TypeScript without an option. The package of the server and its guide name the same.
const minimum = "22.18";
const [major, minor] = /** @type {[number, number]} */ (process.versions.node.split(".").map(Number));
const [minMajor, minMinor] = /** @type {[number, number]} */ (minimum.split(".").map(Number));
if (major < minMajor || (major === minMajor && minor < minMinor)) {
  console.error(`openapi-server: Node ${process.versions.node} is not supported. Use Node ${minimum} or later.`);
  process.exit(1);
}
const { enableCompileCache, flushCompileCache } = await import("node:module");
enableCompileCache(); // in a folder for temporary files, or in that of NODE_COMPILE_CACHE
const { runCommand } = await import("./index.ts");
const { processIo } = await import("../terminal/index.ts");
const code = await runCommand(process.argv.slice(2), { io: processIo });
flushCompileCache(); // a server may be killed
// An open connection must not keep the process alive after a failure. A server keeps it alive.
if (code !== 0) process.exit(code);
