// Node's watch mode, with a server whose document has several files.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import t from "tap";
import { root, writeFiles } from "../support/files.ts";

t.test("node --watch restarts a server when a file of its document changes, also if that was invalid", async (t) => {
  const library = pathToFileURL(join(root, "src/index.ts"));
  const path = writeFiles(t, {
    "server.ts": `import { createServer } from "${library}";
      const app = await createServer({ document: new URL("api.yaml", import.meta.url), mock: true, strict: true });
      await app.listen({ port: 0 });
      console.log("ready", (await (await app.inject({ url: "/a", headers: { host: "x" } })).json()));`,
    "api.yaml": 'openapi: 3.1.0\ninfo: { title: x, version: "1" }\npaths: { /a: { $ref: sub/a.yaml } }\n',
    "sub/a.yaml": "",
  });
  const write = (example: string) =>
    writeFileSync(
      join(dirname(path), "sub/a.yaml"),
      `get: { responses: { 200: { description: x, content: { application/json: { schema: { example: ${example} } } } } } }\n`,
    );
  write("one");
  const child = spawn(process.execPath, ["--watch", path], { stdio: ["ignore", "pipe", "pipe"] });
  t.teardown(() => child.kill());
  const lines = createInterface({ input: child.stdout });
  let failures = 0;
  child.stderr.on("data", (text) => {
    failures += `${text}`.includes("sub/a.yaml") ? 1 : 0;
  });
  const [ready, failed] = [/^ready (\w+)$/, /^Failed running/];
  const seen: string[] = [];
  for await (const line of lines) {
    const [, example] = ready.exec(line) ?? [];
    if (example !== undefined) seen.push(example);
    if (example === "one") write("two");
    if (example === "two") write("[");
    if (failed.test(line)) write("three");
    if (example === "three") break;
  }
  t.same(seen, ["one", "two", "three"]);
  t.ok(failures > 0);
});
