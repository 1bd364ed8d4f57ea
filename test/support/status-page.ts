// Operates the page /status in a browser, reads its content, and provides status data.
import type { Page } from "playwright-core";
import type { Status } from "../../src/status/schema.ts";
import { until } from "./wait.ts";

/** Enters an API key. */
export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel("Operator key").fill(key);
  await page.keyboard.press("Enter");
}

/** Waits until the page shows the status. */
export function untilShown(page: Page): Promise<void> {
  return page.locator("#tables table").first().waitFor();
}

/** Reads the rows of the table below a heading, with tabs between the cells. */
export function readRows(page: Page, heading: string): Promise<string[]> {
  const section = page.locator("section", { has: page.getByRole("heading", { name: heading }) });
  return section.locator("tbody tr").allInnerTexts();
}

/** Makes the page hidden or visible to its script. A page that becomes visible requests the status immediately. */
export async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

/** Waits until each visible plot has a line in a colour of the present colour scheme, and returns their number. */
export function untilDrawn(page: Page): Promise<number> {
  let plots: boolean[] = [];
  return until(
    async () => {
      plots = await page.evaluate<boolean[]>(findLines);
      return plots.length > 0 && plots.every(Boolean) ? plots.length : undefined;
    },
    () => `${plots.filter(Boolean).length} of ${plots.length} plots have lines`,
  );
}

/** Returns the texts with a contrast ratio below 4.5, each after its ratio. */
export function findFaintTexts(page: Page): Promise<string[]> {
  return page.evaluate(measureContrast);
}

/** A status with one operation, one point in time, and one deprecated operation. */
export const exampleStatus: Status = {
  at: "2026-11-21T16:40:00.000Z",
  service: {
    version: "1.0.0",
    contract: "1.1.0",
    started: "2026-11-21T15:00:00.000Z",
    workers: 4,
    store: "postgresql",
    reachable: true,
  },
  step: 10,
  times: [1_795_278_000],
  rejected: [1],
  failed: [0],
  statuses: [],
  failures: [],
  process: { cpu: [0.354], memory: [123_456_789], delay: [0], inFlight: [12] },
  store: { p50: [1], p99: [1234], pool: { used: 1, waiting: 2, size: 10 } },
  keys: [],
  operations: [
    {
      id: "listPets",
      method: "GET",
      path: "/pets",
      deprecated: false,
      now: { rate: 1, failed: 0, p50: 0.8, p99: null },
      rate: [1],
      p50: [2],
      p99: [null],
    },
  ],
  deprecated: [
    {
      operation: "getPet",
      since: "2026-11-20",
      sunset: "2030-12-05",
      daysLeft: 1475,
      successor: "/pets",
      calls: 3,
      keys: [{ name: "", calls: 3, last: "2026-11-21" }],
    },
  ],
};

/** Returns a status with an hour of requests, and with further operations whose ids are `more`. */
export function withHour(status: Status, more: readonly string[]): Status {
  const end = Math.floor(Date.now() / 1_000);
  const times = Array.from({ length: 361 }, (_, index) => end - (360 - index) * 10);
  const wave = (height: number) => times.map((_, index) => height * (1.5 + Math.sin(index / 20)));
  const gaps = (height: number) => wave(height).map((value, index) => (index % 90 > 80 && index % 2 ? null : value));
  const [first] = status.operations;
  const operations = [...status.operations, ...more.map((id) => ({ ...(first as Status["operations"][number]), id }))];
  return {
    ...status,
    times,
    operations: operations.map((one, index) => ({
      ...one,
      rate: wave(index + 1),
      p50: gaps(index + 1),
      p99: gaps(4 * index + 3),
    })),
    rejected: wave(0.2),
    failed: wave(0.1),
    store: { p50: gaps(0.4), p99: gaps(3), pool: { used: 3, waiting: 0, size: 10 } },
    statuses: [
      { status: "429", rate: 0.5 },
      { status: "404", rate: 0.25 },
    ],
    failures: times.slice(-20).map((time, index) => ({
      at: new Date(time * 1_000).toISOString(),
      operation: index % 3 ? "listPets" : "other",
      status: index % 3 ? 429 : 404,
      code: index % 3 ? "too_many_requests" : "path_not_found",
      id: "3f1c0b1e-8f5c-4a37-9a53-0c1b6c1d2e4f",
    })),
    process: { cpu: wave(0.3), memory: wave(1e8), delay: wave(2), inFlight: wave(3).map(Math.round) },
    keys: ["alice", "a".repeat(64)].map((name) => ({ name, calls: 12_345, rate: 2.5 })),
  };
}

// Scripts that run in the page. They are strings, because this project has no types of the DOM.

// Excludes the sixth colour, which is a grey like the text and the grid.
const findLines = `(() => {
    const style = getComputedStyle(document.documentElement);
    const colours = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5"].map((name) =>
      style.getPropertyValue(name).match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16)));
    const hasLine = (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const isLine = (at) => data[at + 3] > 200
        && colours.some((colour) => colour.every((part, index) => Math.abs(part - data[at + index]) < 24));
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if (isLine(at)) count += 1;
      return count > 3;
    };
    const canvases = [...document.querySelectorAll("canvas")].filter((canvas) => canvas.clientWidth > 0);
    return canvases.map(hasLine);
  })()`;

// Computes the contrast ratio of WCAG 2, success criterion 1.4.3.
const measureContrast = `(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const luminance = (colour) => parts(colour).slice(0, 3)
      .map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const background = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return parts(backgroundColor)[3] === 0 ? background(element.parentElement) : backgroundColor;
    };
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.offsetParent && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .map((element) => {
        const [a, b] = [luminance(getComputedStyle(element).color), luminance(background(element))];
        return { text: element.textContent, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
      })
      .filter(({ ratio }) => ratio < 4.5)
      .map(({ text, ratio }) => ratio.toFixed(1) + " " + text);
  })()`;
