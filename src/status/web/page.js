// The script of the status page. Asks for an operator key, and requests /status.json every ten seconds while the
// page is visible. Inserts all data as text, never as HTML.
import { toCharts } from "./chart-data.js";
import { ChartView } from "./chart-view.js";
import { assessHealth, describeService, toKeyMetrics, toTables } from "./summary.js";

/** @import { Status } from "../schema.ts" */
/** @import { Chart } from "./chart-data.js" */
/** @import { Health, Table } from "./summary.js" */

const storageKey = "petstore-operator-key"; // in the session storage, which only this tab can read
const pollInterval = 10_000; // milliseconds
const requestTimeout = 8_000; // milliseconds

/** @type {(id: string) => HTMLElement} */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const keyField = /** @type {HTMLInputElement} */ (find("key"));

let pendingRequest = new AbortController();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pollTimer;
/** @type {ChartView[]} */
let chartViews = [];
/** The status that is shown. @type {Status | undefined} */
let shownStatus;
/** The time of the status that is shown; empty if none is. */
let shownTime = "";

find("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const key = keyField.value.trim();
  if (!/^psk_[\w-]+$/.test(key)) return setText("key-error", "This is not a valid key. Keys begin with psk_.");
  sessionStorage.setItem(storageKey, key);
  keyField.value = "";
  start();
});
find("forget-key").addEventListener("click", () => forgetKey(""));
document.addEventListener("visibilitychange", poll);
find("period").addEventListener("change", () => {
  if (shownStatus) showCharts(shownStatus);
});
start();

// Requests the status with the key of this tab, or shows the form if it has none.
function start() {
  const hasKey = sessionStorage.getItem(storageKey) !== null;
  find("key-form").hidden = hasKey;
  find("forget-key").hidden = !hasKey;
  if (hasKey) showState("ok", "Loading…");
  poll();
}

// Removes the key, and everything that was shown with it.
/** @type {(reason: string) => void} */
function forgetKey(reason) {
  sessionStorage.removeItem(storageKey);
  shownTime = "";
  chartViews = [];
  shownStatus = undefined;
  find("period").hidden = true;
  for (const id of ["service", "metrics", "charts", "tables"]) find(id).replaceChildren();
  find("state").hidden = true;
  document.title = "Pet Store status";
  setText("key-error", reason);
  start();
  keyField.focus();
}

// Requests the status now, and again after the interval. Aborts the previous request, which may use another key.
async function poll() {
  pendingRequest.abort();
  clearTimeout(pollTimer);
  const key = sessionStorage.getItem(storageKey);
  if (key === null || document.hidden) return;
  pendingRequest = new AbortController();
  const { signal } = pendingRequest;
  const { status, rejection, failure } = await fetchStatus(key, signal);
  if (signal.aborted) return;
  if (rejection !== undefined) return forgetKey(`The key was rejected. ${rejection}`);
  try {
    if (status) showStatus(status);
    else showFailure(failure);
  } catch (error) {
    showFailure("The response can't be shown. Reload this page.");
    reportError(error);
  } finally {
    pollTimer = setTimeout(poll, pollInterval);
  }
}

/** @type {(key: string, signal: AbortSignal) => Promise<{ status?: Status, rejection?: string, failure?: string }>} */
async function fetchStatus(key, signal) {
  try {
    const response = await fetch("status.json", {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeout)]),
    });
    const body = await response.json();
    if (response.ok) return { status: body };
    if (response.status === 401 || response.status === 403) return { rejection: body.message };
    return { failure: `The status is not available. ${body.message}` };
  } catch {
    // No connection, a timeout, or a response that is not JSON, for example of a gateway.
    return { failure: "The service does not respond." };
  }
}

/** @type {(reason: string | undefined) => void} */
function showFailure(reason) {
  const shown = shownTime && `The data below is from ${shownTime}. `;
  showState("error", `${reason} ${shown}This page retries every 10 seconds.`);
}

/** @type {(status: Status) => void} */
function showStatus(status) {
  const { state, text } = assessHealth(status);
  showState(state, text);
  const service = describeService(status, (date) =>
    date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }),
  );
  setText("service", service);
  find("metrics").replaceChildren(
    ...toKeyMetrics(status).map(([label, value]) => {
      const pair = document.createElement("div");
      pair.append(createElement("dt", label), createElement("dd", value));
      return pair;
    }),
  );
  const formatTime = (/** @type {Date} */ date) =>
    date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
  find("tables").replaceChildren(...toTables(status, formatTime).map(createTableSection));
  shownTime = new Date(status.at).toLocaleTimeString("en-GB");
  shownStatus = status;
  showCharts(status);
}

/** @type {(status: Status) => void} */
function showCharts(status) {
  try {
    drawCharts(status);
    find("period").hidden = false;
  } catch (error) {
    chartViews = [];
    find("period").hidden = true;
    find("charts").replaceChildren(createElement("p", "This browser can't show the charts."));
    reportError(error);
  }
}

/** @type {(status: Status) => void} */
function drawCharts(status) {
  const selected = /** @type {HTMLInputElement} */ (document.querySelector("#period :checked"));
  const { charts, times } = toCharts(status, Number(selected.value));
  if (chartViews.length === 0) {
    find("charts").replaceChildren();
    chartViews = charts.map((chart) => new ChartView(find("charts"), chart));
  }
  for (const [index, view] of chartViews.entries()) view.update(/** @type {Chart} */ (charts[index]), times);
}

/** @type {(state: Health["state"], text: string) => void} */
function showState(state, text) {
  const mark = { ok: "✓", warning: "!", error: "✗" }[state];
  const element = find("state");
  element.hidden = false;
  element.className = state;
  setText("state", `${mark} ${text}`);
  document.title = `${mark} Pet Store status`;
}

// Sets a text only if it has changed, because screen readers would announce it again.
/** @type {(id: string, text: string) => void} */
function setText(id, text) {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
}

/** @type {(table: Table) => HTMLElement} */
function createTableSection({ title, headings, textColumns, rows, emptyText }) {
  const section = document.createElement("section");
  section.append(createElement("h2", title));
  section.className = textColumns > 3 ? "wide" : "";
  if (rows.length === 0) {
    section.append(createElement("p", emptyText));
    return section;
  }
  /** @type {(tag: string, text: string, column: number, scope?: string) => HTMLElement} */
  const createCell = (tag, text, column, scope = "") =>
    Object.assign(createElement(tag, text), { scope, className: column < textColumns ? "" : "number" });
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  head.append(...headings.map((text, column) => createCell("th", text, column, "col")));
  const body = table.createTBody();
  for (const row of rows) {
    const cells = row.map((text, column) =>
      column === 0 ? createCell("th", text, column, "row") : createCell("td", text, column),
    );
    body.insertRow().append(...cells);
  }
  section.append(table);
  return section;
}

/** @type {(tag: string, text: string) => HTMLElement} */
function createElement(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}
