// Updates the pictures of the README: /docs and /status of a service with an hour of traffic, which takes a minute.
// usage: node scripts/screenshots.ts
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { aggregateLocally } from "../src/telemetry/aggregation.ts";
import { openPage } from "../test/support/browser.ts";
import { manualClock } from "../test/support/clock.ts";
import { addKey, type Service, start } from "../test/support/service.ts";
import { enterKey, untilDrawn } from "../test/support/status-page.ts";

const size = { width: 1_280, height: 860 };
const step = 10_000; // milliseconds between two points of the plots
const steps = 360;
const names = ["Rex", "Bella", "Tom", "Luna", "Max", "Nala", "Coco", "Milo"];
const statuses = ["available", "pending", "sold"];
const keys = { webshop: 6, "mobile-app": 4, warehouse: 2, "partner-north": 1, reports: 1 }; // with their share of calls

const clock = manualClock(Date.now() - steps * step);
const metrics = aggregateLocally((error) => t.fail(String(error)), step, clock);
const service = await start(t, { metrics });
const operator = await addKey(service.store, "operator", undefined, true);
const callers = (
  await Promise.all(
    Object.entries(keys).map(async ([name, share]) => Array(share).fill(await addKey(service.store, name)) as string[]),
  )
).flat();

for (let n = 0; n < steps; n++) {
  await Promise.all([...sendRequests(service, n), service.call("GET", "/metrics", { key: operator })]);
  await clock.advance(step);
}

const { page } = await openPage(t, { viewport: size, colorScheme: "light" });
await page.goto(`${service.origin}/status`);
await enterKey(page, operator);
await untilDrawn(page);
await save(page, "status");

await page.goto(`${service.origin}/docs`);
await page.locator("#operations-Pets-listPets").getByRole("button").first().click();
await page.locator("#operations-Pets-listPets").getByRole("button", { name: "Try it out" }).click();
await page.evaluate("document.activeElement.blur()");
await save(page, "docs");

/** Sends the requests of one step. Their rate rises and falls within the hour, and some of them fail. */
function sendRequests({ call }: Service, n: number): Promise<unknown>[] {
  const pick = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T;
  const repeat = (rate: number, send: () => Promise<unknown>) =>
    Array.from({ length: Math.round(rate * (1.3 + Math.sin(n / 45)) * (0.8 + 0.4 * Math.random())) }, send);
  const json = () => ({ name: pick(names), categoryId: 1 + (n % 9), status: pick(statuses) });
  return [
    ...repeat(14, () => call("GET", `/v1/pets?status=${pick(statuses)}`, { key: pick(callers) })),
    ...repeat(4, () => call("POST", "/v1/pets", { key: pick(callers), json: json() })),
    ...repeat(2, () => call("GET", `/v1/pets/${1 + Math.floor(Math.random() * 3 * (n + 1))}`, { key: pick(callers) })),
    ...repeat(n % 60 > 40 ? 0.6 : 0.2, () => call("GET", "/v1/pets?limit=1000", { key: pick(callers) })),
  ];
}

async function save(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(import.meta.dirname, `../docs/images/${name}.png`) });
}
