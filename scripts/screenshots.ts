// Updates the picture of the README: /docs of a service.
// usage: node scripts/screenshots.ts
import { join } from "node:path";
import t from "tap";
import { openPage } from "../test/support/browser.ts";
import { start } from "../test/support/service.ts";

const service = await start(t);
const { page } = await openPage(t, { viewport: { width: 1_280, height: 860 }, colorScheme: "light" });
await page.goto(`${service.origin}/docs`);
await page.locator("#operations-Pets-listPets").getByRole("button").first().click();
await page.locator("#operations-Pets-listPets").getByRole("button", { name: "Try it out" }).click();
await page.evaluate("document.activeElement.blur()");
await page.screenshot({ path: join(import.meta.dirname, "../docs/images/docs.png") });
