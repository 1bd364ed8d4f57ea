// The tests of docs/server/front-end-tests.md, with Vitest and Playwright as npm installs them, and the package of the server.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { launchOptions } from "../support/browser.ts";
import { folder, root } from "../support/files.ts";
import { npmEnv as env } from "../support/npm.ts";

const run = promisify(execFile);
t.setTimeout(300_000); // milliseconds

const page = readFileSync(join(root, "docs/server/front-end-tests.md"), "utf8");
const guide = readFileSync(join(root, "docs/your-own-document.md"), "utf8");

const html = `<!doctype html><p id="note">Loading</p><script type="module">
  const response = await fetch("/api/notes/1", { headers: { Authorization: "Bearer t" } });
  note.textContent = response.ok ? (await response.json()).text : "Try again later";
</script>`;

t.test("The tests of the page pass with Vitest and Playwright", async (t) => {
  const place = folder(t);
  const own = { cwd: place, env };
  for (const [, text = ""] of page.matchAll(/^```typescript\n(.*?)\n```$/gms)) {
    const [, name] = /^\/\/ (\S+)\n/.exec(text) ?? [];
    writeFileSync(join(place, `${name}`), text);
  }
  writeFileSync(join(place, "notes.yaml"), /^```yaml\n(openapi:.*?)\n```$/ms.exec(guide)?.[1] ?? "");
  writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module" }));
  await run("npm", ["pack", "-w", "@petstore/openapi-server", "--pack-destination", place], { cwd: root, env });
  const packages = ["./petstore-openapi-server-1.0.0.tgz", "fastify", "pino", "vitest@4", "@playwright/test@1"];
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], own);

  const vitest = await run("npx", ["vitest", "run", "notes.test.ts"], own);
  t.match(vitest.stdout, /2 passed/);

  const frontEnd = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(html));
  t.teardown(() => frontEnd.close());
  await new Promise<void>((resolve) => frontEnd.listen(0, "127.0.0.1", resolve));
  const { port } = frontEnd.address() as { port: number };
  const use = { baseURL: `http://127.0.0.1:${port}`, launchOptions: await launchOptions() };
  writeFileSync(
    join(place, "playwright.config.ts"),
    `export default ${JSON.stringify({ use, testMatch: "*.spec.ts" })};`,
  );
  const playwright = await run("npx", ["playwright", "test"], own);
  t.match(playwright.stdout, /2 passed/);
});
