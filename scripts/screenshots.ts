// Updates the picture of the README: /records of a service without code.
// usage: node scripts/screenshots.ts
import { join } from "node:path";
import t from "tap";
import { openPage } from "../test/support/browser.ts";
import { Serving } from "../test/support/serving.ts";

const file = (name: string) => join(import.meta.dirname, "..", name);

const url = await new Serving(t, file("examples/library/library.yaml"), "sqlite::memory:", ["--seed", "40"]).start();
const { page } = await openPage(t, { viewport: { width: 1_280, height: 640 }, colorScheme: "light" });
await page.goto(`${url}/records`);
await page.getByRole("link", { name: /^books/ }).click();
await page.getByRole("cell").first().waitFor();
await page.screenshot({ path: file("docs/images/records.png") });
t.end();
