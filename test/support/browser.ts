// Opens pages in a headless Chromium from an npm package. All pages of a test file share one browser.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from "playwright-core";
import t, { type Test } from "tap";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

// The package unpacks the libraries that Chromium needs only if it detects AWS Lambda. The libraries are harmless on a
// machine that already has them.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs24.x";
process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs24.x";

/** A page with its uncaught exceptions, failed requests, and violations of its Content-Security-Policy. */
export interface OpenedPage {
  page: Page;
  pageErrors: string[];
}

let browser: Promise<Browser> | undefined;

/** Returns the options with which Playwright launches the browser. */
export async function launchOptions() {
  chromium.setGraphicsMode = false; // no WebGL, because software rendering is slow
  const executablePath = await chromium.executablePath();
  // With --single-process, closing a context ends the browser. Without web security, it has no CORS.
  const args = chromium.args.filter((arg) => !/^--(single-process|disable-web-security)$/.test(arg));
  return { args, executablePath, headless: true };
}

function getBrowser(): Promise<Browser> {
  browser ??= (async () => {
    const launched = await playwright.launch(await launchOptions());
    t.teardown(() => launched.close());
    return launched;
  })();
  return browser;
}

/**
 * Opens a page in a new context with separate storage, and closes it when the test ends. If the test fails, saves a
 * screenshot and reports its path.
 */
export async function openPage(t: Test, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await (await getBrowser()).newContext({
    viewport: { width: 1280, height: 1600 },
    locale: "en-GB",
    ...options,
  });
  const page = await context.newPage();
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(error.message));
  page.on("requestfailed", (request) => pageErrors.push(request.url()));
  page.on("console", (message) => {
    if (/Content[- ]Security[- ]Policy/.test(message.text())) pageErrors.push(message.text());
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
    await context.close();
  });
  return { page, pageErrors };
}
