// The minimum version of Node: src/command/bin.js has it, and everything that names it agrees.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { root } from "../support/files.ts";

const read = (name: string) => readFileSync(join(root, name), "utf8");

t.test("The command, the package, its guide and the README require the same Node", async (t) => {
  const [, minimum] = /^const minimum = "(.*)";$/m.exec(read("src/command/bin.js")) ?? [];
  t.match(minimum, /^\d+\.\d+$/);
  t.equal(JSON.parse(read("openapi/server/package.json")).engines.node, `>=${minimum}`);
  t.match(read("docs/your-own-document.md"), `Node ${minimum} or newer`);
  t.match(read("README.md"), `with Node ${minimum} or newer`);
});

t.test("The scripts of the repository start with the Node 20 of npm 11", async (t) => {
  // npm then runs them with the Node of the optional package node-*.
  t.equal(JSON.parse(read("package.json")).engines.node, ">=20");
});
