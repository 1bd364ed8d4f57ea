// A headless Chromium from an npm package. All pages of a test file share one browser.
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from "playwright-core";
import t, { type Test } from "tap";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

// The package unpacks the libraries that Chromium needs only if it believes to run on AWS Lambda. They do no harm
// on a machine that has them.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs24.x";
process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs24.x";

/** A page, and its complaints: errors, failed requests, and violations of its Content-Security-Policy. */
export interface Opened {
  page: Page;
  complaints: string[];
}

let browser: Promise<Browser> | undefined;

function findBrowser(): Promise<Browser> {
  browser ??= (async () => {
    chromium.setGraphicsMode = false; // no WebGL: drawing by a GPU that the processor emulates is slow
    const executablePath = await chromium.executablePath();
    // In a single process, closing a context ends the browser.
    const args = chromium.args.filter((arg) => arg !== "--single-process");
    const launched = await playwright.launch({ args, executablePath, headless: true });
    t.teardown(() => launched.close());
    return launched;
  })();
  return browser;
}

/**
 * Opens a page in a context of its own, with its own storage, until the test ends. If the test fails, it saves a
 * screenshot and reports the path.
 */
export async function openPage(t: Test, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await (await findBrowser()).newContext({
    viewport: { width: 1280, height: 1600 },
    locale: "en-GB",
    ...options,
  });
  const page = await context.newPage();
  const measured = process.env._TAPJS_PROCESSINFO_COVERAGE_ === "1";
  if (measured) await page.coverage.startJSCoverage({ resetOnNavigation: false });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(request.url()));
  page.on("console", (message) => {
    if (/Content[- ]Security[- ]Policy/.test(message.text())) complaints.push(message.text());
  });
  page.setDefaultTimeout(60_000);
  t.teardown(async () => {
    if (!t.passing()) {
      const folder = path(".tap/screenshots");
      mkdirSync(folder, { recursive: true });
      const file = `${folder}/${t.name.replace(/\W+/g, "-")}.png`;
      await page.screenshot({ path: file, fullPage: true });
      t.comment(`screenshot: ${file}`);
    }
    if (measured) keepCoverage(await page.coverage.stopJSCoverage());
    await context.close();
  });
  return { page, complaints };
}

// Saves the coverage of files that are served unchanged from src where tap collects that of Node.
function keepCoverage(entries: readonly { url: string; functions: readonly object[] }[]): void {
  mkdirSync(path(".tap/coverage"), { recursive: true });
  for (const { url, functions } of entries) {
    const name = /\/status\/(\w+\.js)$/.exec(url)?.[1];
    if (name === undefined) continue;
    const result = [{ scriptId: "0", url: pathToFileURL(path(`src/status/${name}`)).href, functions }];
    writeFileSync(path(`.tap/coverage/${randomUUID()}.json`), JSON.stringify({ result }));
  }
}
