// Opens the page at /records in a browser.
import type { Page } from "playwright-core";
import type { Test } from "tap";
import { openPage } from "./browser.ts";
import { writeFiles } from "./files.ts";
import { startOpenApi } from "./openapi-command.ts";
import { shop } from "./shop.ts";

/** The header with the credential of the shop. */
export const key = { "X-Key": "secret" };

/** Opens the page of a shop with an author, and `count` books. */
export async function openShop(t: Test, count = 0, document = shop) {
  const file = writeFiles(t, { "shop.yaml": document });
  const server = await startOpenApi(t, ["serve", file, "--data", "sqlite::memory:", "--key", "secret"]);
  await server.send("POST", "/authors", { name: "Ada" }, key);
  for (let n = 1; n <= count; n++)
    await server.send(
      "POST",
      "/books",
      { title: `Book ${n}`, author_id: 1, status: n % 2 ? "draft" : "published" },
      key,
    );
  const { page, pageErrors } = await openPage(t);
  page.setDefaultTimeout(10_000);
  await page.goto(`${server.url}/records`);
  const problems = () => pageErrors.filter((message) => !message.startsWith(server.url)); // requests are aborted
  return {
    ...server,
    page,
    problems,
    get: async (path: string) => (await server.send("GET", path, undefined, key)).text,
  };
}

/** Enters a credential. */
export async function authorize(page: Page, value = "secret") {
  await page.locator("header").getByRole("button").click();
  await page.getByLabel(/API key/).fill(value);
  await page.getByRole("button", { name: "Use" }).click();
}

/** The link of a collection. */
export const collection = (page: Page, name: string) =>
  page.locator("nav").getByRole("link", { name: new RegExp(`^${name}( ?[\\d+]+)?$`) });
/** The texts of a column. */
export const cells = (page: Page, name: string) => page.locator(`td[data-label="${name}"]`).allTextContents();
/** The control of a field, by its label. */
export const field = (page: Page, name: string) => page.locator("main").getByLabel(new RegExp(`^${name}( \\*)?$`));
/** A button of the view. */
export const button = (page: Page, name: string) => page.locator("main").getByRole("button", { name, exact: true });
/** A link of the view. */
export const link = (page: Page, name: string) => page.locator("main").getByRole("link", { name, exact: true });
