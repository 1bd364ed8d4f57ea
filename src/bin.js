#!/usr/bin/env node
// JavaScript, so that a Node which can't read TypeScript gets this far and says what is wrong.
const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  console.error(
    `petstore: Node ${process.versions.node} is too old, it takes Node 24 or newer. In the project, npx petstore brings its own.`,
  );
  process.exit(1);
}
const { run } = await import("./cli.ts");
const { end } = await import("./server.ts");
await run(process.argv).catch(end);
