// The page /status in browsers that lack something: src/status/web/language.js and page.js.
import t from "tap";
import { openPage } from "../support/browser.ts";
import { addKey, start } from "../support/service.ts";
import { enterKey, exampleStatus, readRows, untilDrawn, untilShown, withHour } from "../support/status-page.ts";

t.test("Shows charts in a browser whose language Intl does not know, and tables if charts fail", async (t) => {
  const { origin, store } = await start(t);
  const operator = await addKey(store, "operator", undefined, true);
  const { page, pageErrors } = await openPage(t);
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix", configurable: true });
  });
  await page.goto(`${origin}/status`);
  await enterKey(page, operator);
  await untilShown(page);
  t.ok((await page.locator("figure canvas").count()) > 0);
  t.same(pageErrors, []);

  const { page: broken } = await openPage(t);
  await broken.route("**/uPlot.iife.min.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  await broken.goto(`${origin}/status`);
  await enterKey(broken, operator);
  await broken.getByText("This browser can't show the charts.").waitFor();
  t.ok((await readRows(broken, "Operations in the last minute")).length > 3);
});

t.test("Shows the last 5 or 15 minutes, and the errors by status and one by one", async (t) => {
  const { origin, store } = await start(t);
  const operator = await addKey(store, "operator", undefined, true);
  const { page, pageErrors } = await openPage(t);
  await page.route("**/status.json", (route) => route.fulfill({ json: withHour(exampleStatus, ["createPet"]) }));
  await page.goto(`${origin}/status`);
  t.notOk(await page.getByLabel("5 min", { exact: true }).isVisible());
  await enterKey(page, operator);
  await untilDrawn(page);
  const label = () => page.locator(".plot").first().getAttribute("aria-label");
  t.match(await label(), /, in the last hour\. /);
  await page.getByLabel("5 min", { exact: true }).check();
  t.match(await label(), /, in the last 5 minutes\. /);
  await untilDrawn(page);
  t.same(await readRows(page, "Errors in the last minute"), ["429\t0.5\t25 %", "404\t0.25\t12.5 %"]);
  const errors = await readRows(page, "Last errors");
  t.equal(errors.length, 20);
  t.match(errors[1], /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d\tlistPets\t429\ttoo_many_requests\t[\w-]{36}$/);
  t.same(pageErrors, []);
});
