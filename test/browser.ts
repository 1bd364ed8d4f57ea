// A real browser, headless, from a package alone.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { type Page, chromium as playwright } from "playwright-core";
import type { Test } from "tap";

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
export async function openPage(t: Test): Promise<Opened> {
  const browser = await playwright.launch({
    args: chromium.args,
    executablePath: await chromium.executablePath(),
    headless: true,
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(request.url()));
  page.on("console", (message) => {
    if (/Content[- ]Security[- ]Policy/.test(message.text())) complaints.push(message.text());
  });
  page.setDefaultTimeout(15_000);
  t.teardown(async () => {
    if (!t.passing()) {
      const folder = fileURLToPath(new URL("../.tap/screenshots", import.meta.url));
      mkdirSync(folder, { recursive: true });
      const path = `${folder}/${t.name.replace(/\W+/g, "-")}.png`;
      await page.screenshot({ path, fullPage: true });
      t.comment(`screenshot: ${path}`);
    }
    await browser.close();
  });
  return { page, complaints };
}
