// The page /status in a browser: src/status/web/page.js and src/status/web/chart-view.js.
import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { generateKey } from "../../src/auth/api-keys.ts";
import { version } from "../../src/lib/version.ts";
import { readDocument } from "../../src/pets/document.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { aggregateLocally } from "../../src/telemetry/aggregation.ts";
import { openPage } from "../support/browser.ts";
import { manualClock } from "../support/clock.ts";
import { petstore } from "../support/command.ts";
import { editDocument, setOperation } from "../support/document.ts";
import { folder } from "../support/files.ts";
import { freePort } from "../support/port.ts";
import { startServer } from "../support/processes.ts";
import { openMetrics } from "../support/series.ts";
import { addKey, start } from "../support/service.ts";
import {
  enterKey,
  findFaintTexts,
  readRows,
  setHidden,
  untilDrawn,
  untilShown,
  withHour,
} from "../support/status-page.ts";
import { untilWritten } from "../support/usage.ts";

const step = 10_000; // milliseconds between two points of the history, and between two requests of the page
const { content, operations } = await readDocument();

t.test("Shows requests, durations, keys and deprecated operations as text", async (t) => {
  const { page, pageErrors, origin, operator, sunset, left } = await startWithCalls(t);
  await page.goto(`${origin}/status`);
  t.equal(await page.locator("#metrics").innerText(), "", "nothing without a key");
  await enterKey(page, operator);
  await untilShown(page);

  t.match(
    await page.locator("#state").innerText(),
    new RegExp(`^✓ Healthy\\. .* getPet reaches its sunset in ${left} days\\.$`),
  );
  t.equal(await page.title(), "✓ Pet Store status");
  const service = await page.locator("#service").innerText();
  t.match(service, `version ${version}, API version ${content.info.version}, SQLite, 1 process, started `);
  t.match(service, /, started \d/);
  const rows = await readRows(page, "Operations in the last minute");
  t.same(
    rows.map((row) => row.split("\t", 2)),
    [...operations.map(({ id, method, path }) => [id, `${method} ${path}`]), ["other", ""]],
  );
  t.match(
    rows.find((row) => row.startsWith("listPets")),
    /^listPets\tGET \/pets\t[\d.]+\t0\t[\d.]+\t[\d.]+$/,
  );
  t.match(await readRows(page, "Most active keys"), [
    /^<img src=x onerror=alert\(1\)>\t5\t[\d.]+$/,
    /^alice\t4\t[\d.]+$/,
  ]);
  const [deprecated] = await readRows(page, "Deprecated operations");
  t.match(deprecated, new RegExp(`^getPet\\t${sunset}\\t/pets\\t${left}\\t\\d$`));
  t.match(await readRows(page, "Callers in the last 30 days"), [/^getPet\talice\t\d{4}-\d\d-\d\d\t4$/]);
  t.equal(await page.locator("#tables th[scope=col]").count(), 26);
  t.equal(await page.locator("#tables th[scope=row]").count(), await page.locator("#tables tbody tr").count());
  t.same(pageErrors, [], "no error, no failed request, no violation of the Content-Security-Policy");
  await t.rejects(page.evaluate("document.body.innerHTML = '<b>bold</b>'"), /TrustedHTML/, "no text becomes HTML");
});

t.test("Plots the last hour, with a text for each plot, and values at the cursor", async (t) => {
  const { page, pageErrors, origin, operator, clock } = await startWithCalls(t);
  await page.goto(`${origin}/status`);
  await enterKey(page, operator);
  await untilShown(page);
  t.equal(await page.locator(".plot:visible").count(), 0, "no plot before the first point");
  await clock.advance(step);
  await setHidden(page, false);
  const requests = page.locator("figure", { hasText: "by operation" });
  await requests.locator("canvas").waitFor();
  for (const plot of await page.locator(".plot:visible").all())
    t.match(await plot.getAttribute("aria-label"), /^[A-Z].*, in the last hour\. Now: .*\d/);
  t.ok((await untilDrawn(page)) > 4, "plots have lines, or dots if there is one point");
  const charts = await page.locator("figure").allInnerTexts();
  t.equal(charts.length, 9);
  for (const text of charts) t.match(text, /^(Requests|Errors|Latency|Database|CPU|Memory|Event)/);

  const legend = requests.locator(".legend li");
  const texts = await legend.allInnerTexts();
  for (const text of texts.slice(0, -1)) t.match(text, /^\w+ [\d.]+ \/s$/);
  t.same(
    texts.map((text) => text.split(" ")[0]),
    [...operations.map(({ id }) => id), "other", "now"],
  );
  await requests.locator(".u-over").hover();
  t.match(await legend.last().innerText(), /^\d\d:\d\d:\d\d$/, "the time at the cursor");
  const memory = page.locator("figure", { hasText: "Memory" }).locator(".legend li").last();
  t.equal(await memory.innerText(), await legend.last().innerText(), "all plots share the cursor");
  t.same(pageErrors, []);
});

t.test("Prompts for another key if one is rejected, and stores the key in this tab only", async (t) => {
  const { origin, key, store } = await start(t);
  const { page, pageErrors } = await openPage(t);
  await page.goto(`${origin}/status`);
  await enterKey(page, generateKey().key);
  await page.getByText("The key was rejected. The API key is not valid").waitFor();
  await enterKey(page, key);
  await page.getByText("The key was rejected. The API key is not an operator key.").waitFor();
  t.equal(await page.evaluate("sessionStorage.length"), 0, "a rejected key is not stored");
  t.equal(await page.evaluate("document.activeElement.id"), "key", "the field has the focus");

  const operator = await addKey(store, "operator", undefined, true);
  await enterKey(page, ` ${operator} `);
  await untilShown(page);
  await page.reload();
  await untilShown(page);
  t.equal(page.url(), `${origin}/status`, "the key is not in the address");
  t.equal(await page.evaluate("localStorage.length + document.cookie.length"), 0);
  const tab = await page.context().newPage();
  await tab.goto(`${origin}/status`);
  t.ok(await tab.locator("#key-form").isVisible(), "another tab asks for a key");
  await tab.close();
  t.same(pageErrors, []);

  await store.keys.revoke("operator");
  await setHidden(page, false);
  await page.getByText("The key was rejected. The API key is not valid").waitFor();
  t.equal(await page.locator("#tables").innerText(), "", "the tables are removed with the key");
  // Last, because the browser drops the coverage of scripts of the page before a reload.
  await enterKey(page, "password");
  t.equal(await page.locator("#key-error").innerText(), "This is not a valid key. Keys begin with psk_.");
});

t.test("Shows nothing of a response that arrives after the key was forgotten", async (t) => {
  const { origin, store } = await start(t);
  const { page } = await openPage(t);
  const operator = await addKey(store, "operator", undefined, true);
  await page.goto(`${origin}/status`);
  await enterKey(page, operator);
  await untilShown(page);
  const { promise: held, resolve: respond } = Promise.withResolvers<void>();
  await page.route("**/status.json", async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await page.reload();
  await page.getByText("Loading").waitFor();
  await page.getByRole("button", { name: "Forget key" }).click();
  respond();
  await page.unroute("**/status.json");
  t.equal(await page.evaluate("sessionStorage.length"), 0);
  t.ok(await page.locator("#key-form").isVisible());
  t.notMatch(await page.locator("main").innerText(), "listPets");
  await enterKey(page, operator);
  await untilShown(page);
});

t.test("Keeps the last metrics while the service does not respond, and asks again", async (t) => {
  const settings = {
    DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`,
    PORT: `${await freePort()}`,
    LOG_LEVEL: "silent",
  };
  const operator = (await petstore(settings, ["keys", "create", "olivia", "--operator"])).stdout.trim();
  const server = await startServer(t, settings);
  const { page } = await openPage(t);
  await page.clock.install();
  await page.goto(new URL("/status", server.url).href);
  await enterKey(page, operator);
  await untilShown(page);
  const unavailable = { code: "unavailable", message: "The database can't be reached. Try again.", status: 503 };
  await page.route("**/status.json", (route) => route.fulfill({ status: 503, json: unavailable }));
  await page.reload();
  await page
    .getByText("The status is not available. The database can't be reached. Try again. This page retries")
    .waitFor();
  // A load balancer without a healthy backend.
  await page.route("**/status.json", (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" }));
  await page.clock.fastForward(step);
  await page.getByText("The service does not respond. This page retries").waitFor();
  // A newer service, whose status has another shape.
  await page.route("**/status.json", (route) => route.fulfill({ json: { at: "now" } }));
  await page.clock.fastForward(step);
  await page.getByText("The response can't be shown. Reload this page. This page").waitFor();
  await page.unroute("**/status.json");
  await page.clock.fastForward(step);
  await untilShown(page);

  await server.end("SIGTERM");
  await page.clock.fastForward(step);
  await page.locator("#state.error").waitFor();
  t.match(
    await page.locator("#state").innerText(),
    /^✗ The service does not respond\. The data below is from \d\d:\d\d:\d\d\. This page retries every 10 seconds\.$/,
  );
  t.ok((await readRows(page, "Operations in the last minute")).length > 3, "the last metrics stay");
  await startServer(t, settings);
  await page.clock.fastForward(step);
  await page.locator("#state.ok").waitFor();
});

t.test("Sends no request while it is hidden", async (t) => {
  const { origin, store } = await start(t);
  const { page } = await openPage(t);
  await page.clock.install();
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/status.json")) asked += 1;
  });
  await page.goto(`${origin}/status`);
  await enterKey(page, await addKey(store, "operator", undefined, true));
  await untilShown(page);
  await setHidden(page, true);
  await page.clock.fastForward(10 * step);
  t.equal(asked, 1);
  const next = page.waitForResponse("**/status.json");
  await setHidden(page, false);
  await next;
  t.equal(asked, 2, "one request as soon as it is visible again");
});

t.test("Fits phones and large screens, in light and dark, behind a gateway that adds a path", async (t) => {
  const document = editDocument(
    setOperation("listPets", { operationId: "<b>list</b>" }),
    setOperation("getPet", { "x-successor": "<b>list</b>" }),
  );
  const { listPets, ...others } = handlers;
  const { origin, store } = await start(t, { document, handlers: { "<b>list</b>": listPets, ...others } });
  const { page, pageErrors } = await openPage(t, { viewport: { width: 390, height: 844 } });
  // The gateway removes the path. It adds an hour of requests to the status of the service.
  let more: string[] = [];
  await page.route(`${origin}/shop/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace("/shop/", "/") });
    if (!route.request().url().endsWith("/status.json")) return route.fulfill({ response });
    await route.fulfill({ json: withHour(await response.json(), more) });
  });
  await page.goto(`${origin}/shop/status`);
  await enterKey(page, await addKey(store, "operator", undefined, true));
  await page.locator(".plot canvas").first().waitFor();
  t.match(
    (await readRows(page, "Operations in the last minute")).find((row) => row.includes("list")),
    /^<b>list<\/b>\tGET \/pets\t/,
    "an operationId is shown as text",
  );

  for (const width of [390, 320, 1_280, 1_920, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      t.equal(await untilDrawn(page), 9, `all plots are drawn, ${colorScheme}`);
      t.equal(
        await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        0,
        `no overflow at ${width} px`,
      );
      t.same(await findFaintTexts(page), [], "all text has enough contrast (WCAG 2, 1.4.3)");
      await saveScreenshot(page, `${width}-${colorScheme}`);
    }
  }
  const box = await page.locator("canvas").first().boundingBox();
  t.ok((box?.width ?? 0) > 250, "a plot takes the width of a phone");
  more = ["feedPet"];
  await setHidden(page, false);
  await page.locator(".legend", { hasText: "feedPet" }).first().waitFor();
  t.equal(await page.locator("canvas").count(), 9, "a new operation gets a line in the same plots");
  t.same(pageErrors, []);
});

/** Starts a service with requests of two keys, one of them named like markup, and opens a page. */
async function startWithCalls(t: Test) {
  const days = 400;
  const sunset = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const document = editDocument(setOperation("getPet", { "x-sunset": sunset }));
  const clock = manualClock();
  const metrics = aggregateLocally((error) => t.fail(String(error)), step, clock);
  const { origin, call, create, store } = await start(t, { document, metrics, settings: openMetrics });
  const names = ["<img src=x onerror=alert(1)>", "alice"];
  const [markup, alice] = await Promise.all(names.map((name) => addKey(store, name)));
  const { id } = await create({ name: "Rex", categoryId: 7 });
  for (let n = 0; n < 5; n++) await call("GET", "/v1/pets", { key: markup });
  for (let n = 0; n < 3; n++) await call("GET", `/v1/pets/${id}`, { key: alice });
  await call("GET", "/v1/pets/42", { key: alice });
  await untilWritten(store, 4);
  await call("GET", "/metrics", { key: null }); // puts the metrics into the history
  await clock.advance(1_000);
  const operator = await addKey(store, "operator", undefined, true);
  // After midnight, one day less is left.
  return { ...(await openPage(t)), origin, operator, clock, sunset, left: `(${days}|${days - 1})` };
}

/** Saves a screenshot in the folder that SCREENSHOTS names, for people to look at. */
async function saveScreenshot(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}
