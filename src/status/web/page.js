// The page at /status: asks for an operator's key, then asks the service for its figures every ten seconds. All
// that comes from there goes in as text, never as HTML.
import { addChart } from "./charts.js";
import { describeService, judge, toCharts, toFigures, toTables } from "./words.js";

/** @typedef {import("./words.js").Status} Status */
/** @typedef {import("./words.js").Chart} Chart */

const slot = "petstore-operator-key"; // of the tab's own storage
const pause = 10_000; // milliseconds between two questions
const patience = 8_000; // milliseconds for an answer

/** @type {(id: string) => HTMLElement} */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const field = /** @type {HTMLInputElement} */ (find("key"));

let asking = new AbortController();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {ReturnType<typeof addChart>[]} */
let charts = [];
/** When the figures that are shown were true; empty where there are none. */
let shownAt = "";

find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const key = field.value.trim();
  if (!/^psk_[\w-]+$/.test(key)) return say("refused", "This is no key: it begins with psk_.");
  sessionStorage.setItem(slot, key);
  field.value = "";
  begin();
});
find("forget").addEventListener("click", () => stop(""));
document.addEventListener("visibilitychange", look);
begin();

// With the key of the tab, where there is one.
function begin() {
  const known = sessionStorage.getItem(slot) !== null;
  find("ask").hidden = known;
  find("forget").hidden = !known;
  if (known) show("well", "Asking the service…");
  look();
}

// Forgets the key, and all that it has shown.
/** @type {(why: string) => void} */
function stop(why) {
  sessionStorage.removeItem(slot);
  shownAt = "";
  charts = [];
  for (const id of ["service", "figures", "charts", "tables"]) find(id).replaceChildren();
  find("state").hidden = true;
  document.title = "Pet Store status";
  say("refused", why);
  begin();
  field.focus();
}

// Asks now, and again after a pause. Only the last question counts: not one from before the key was forgotten.
async function look() {
  asking.abort();
  clearTimeout(timer);
  const key = sessionStorage.getItem(slot);
  if (key === null || document.hidden) return;
  asking = new AbortController();
  const { signal } = asking;
  const { status, refused, away } = await ask(key, signal);
  if (signal.aborted) return;
  if (refused !== undefined) return stop(`The key is refused. ${refused}`);
  try {
    if (status) showStatus(status);
    else showAway(away);
  } catch (error) {
    showAway("The answer can't be shown: if the service is newer than this page, reload it.");
    reportError(error);
  } finally {
    timer = setTimeout(look, pause);
  }
}

/** @type {(why: string | undefined) => void} */
function showAway(why) {
  show("bad", `${why} ${shownAt && `The figures below are of ${shownAt}. `}It is asked again every 10 seconds.`);
}

/** @type {(key: string, signal: AbortSignal) => Promise<{ status?: Status, refused?: string, away?: string }>} */
async function ask(key, signal) {
  try {
    const answer = await fetch("status.json", {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    const body = await answer.json();
    if (answer.ok) return { status: body };
    return answer.status === 401 ? { refused: body.message } : { away: `The service can't say: ${body.message}` };
  } catch {
    // No connection, no answer in time, or one that is not the service's: a gateway's, say.
    return { away: "The service does not answer." };
  }
}

/** @type {(status: Status) => void} */
function showStatus(status) {
  const { state, text } = judge(status);
  show(state, text);
  const since = { dateStyle: "medium", timeStyle: "short" };
  say(
    "service",
    describeService(status, (date) => date.toLocaleString("en-GB", /** @type {object} */ (since))),
  );
  find("figures").replaceChildren(
    ...toFigures(status).map(([term, value]) => {
      const pair = document.createElement("div");
      pair.append(make("dt", term), make("dd", value));
      return pair;
    }),
  );
  const drawn = toCharts(status);
  if (charts.length === 0) charts = drawn.map((chart) => addChart(find("charts"), chart));
  for (const [index, update] of charts.entries()) update(/** @type {Chart} */ (drawn[index]), status.times);
  find("tables").replaceChildren(...toTables(status).map(toSection));
  shownAt = new Date(status.at).toLocaleTimeString("en-GB");
}

/** @type {(state: "well" | "soon" | "bad", text: string) => void} */
function show(state, text) {
  const marks = { well: "✓", soon: "!", bad: "✗" };
  const place = find("state");
  place.hidden = false;
  place.className = state;
  say("state", `${marks[state]} ${text}`);
  document.title = `${marks[state]} Pet Store status`;
}

// What has not changed is not announced again.
/** @type {(id: string, text: string) => void} */
function say(id, text) {
  const place = find(id);
  if (place.textContent !== text) place.textContent = text;
}

/** @type {(table: import("./words.js").Table) => HTMLElement} */
function toSection({ title, heads, texts, rows, none }) {
  const section = document.createElement("section");
  section.append(make("h2", title));
  if (rows.length === 0) {
    section.append(make("p", none));
    return section;
  }
  /** @type {(kind: string, text: string, column: number, scope?: string) => HTMLElement} */
  const cell = (kind, text, column, scope = "") =>
    Object.assign(make(kind, text), { scope, className: column < texts ? "" : "number" });
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  head.append(...heads.map((text, column) => cell("th", text, column, "col")));
  const body = table.createTBody();
  for (const row of rows)
    body
      .insertRow()
      .append(...row.map((text, column) => (column > 0 ? cell("td", text, column) : cell("th", text, column, "row"))));
  section.append(table);
  return section;
}

/** @type {(tag: string, text: string) => HTMLElement} */
function make(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}
