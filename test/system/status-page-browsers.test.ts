// The page /status in browsers that lack something: src/status/web/language.js and page.js.
import t from "tap";
import { openPage } from "../support/browser.ts";
import { addKey, start } from "../support/service.ts";
import { enterKey, readRows, untilShown } from "../support/status-page.ts";

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
