// A real browser, headless, from a package alone.
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import chromium from "@sparticuz/chromium";
import { type BrowserContextOptions, type Page, chromium as playwright } from "playwright-core";
import type { Test } from "tap";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

// The packaged Chromium brings its libraries only where it believes to be in this place. Where the
// machine has them already it is none the worse for it.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs24.x";
process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs24.x";

/** A page, and what it complained of: errors, failed requests, and what its policy refused. */
export interface Opened {
  page: Page;
  complaints: string[];
}

/** Opens a page of a browser of its own until the test ends. Where the test fails there is a screenshot, and the test says where. */
export async function openPage(t: Test, options: BrowserContextOptions = {}): Promise<Opened> {
  const browser = await playwright.launch({
    args: chromium.args,
    executablePath: await chromium.executablePath(),
    headless: true,
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 1600 }, locale: "en-GB", ...options });
  const page = await context.newPage();
  const measured = process.env._TAPJS_PROCESSINFO_COVERAGE_ === "1";
  if (measured) await page.coverage.startJSCoverage({ resetOnNavigation: false });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(request.url()));
  page.on("console", (message) => {
    if (/Content[- ]Security[- ]Policy/.test(message.text())) complaints.push(message.text());
  });
  page.setDefaultTimeout(15_000);
  t.teardown(async () => {
    if (!t.passing()) {
      const folder = path(".tap/screenshots");
      mkdirSync(folder, { recursive: true });
      const file = `${folder}/${t.name.replace(/\W+/g, "-")}.png`;
      await page.screenshot({ path: file, fullPage: true });
      t.comment(`screenshot: ${file}`);
    }
    if (measured) keepCoverage(await page.coverage.stopJSCoverage());
    await browser.close();
  });
  return { page, complaints };
}

// What ran in the browser of files that are served as they stand in src, beside what ran in Node: tap counts both.
function keepCoverage(entries: readonly { url: string; functions: readonly object[] }[]): void {
  mkdirSync(path(".tap/coverage"), { recursive: true });
  for (const { url, functions } of entries) {
    const name = /\/status\/(\w+\.js)$/.exec(url)?.[1];
    if (name === undefined) continue;
    const result = [{ scriptId: "0", url: pathToFileURL(path(`src/status/${name}`)).href, functions }];
    writeFileSync(path(`.tap/coverage/${randomUUID()}.json`), JSON.stringify({ result }));
  }
}
