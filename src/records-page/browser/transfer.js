// Imports and exports records, by the operations of the document: one record or page at a time.
import { h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, idOf, readPage, withLimit } from "./api.js";
import { readRecords, toCsv } from "./csv.js";
import { bindCreation, toBody } from "./form.js";
import { stringify } from "./json.js";
import { membersOf } from "./schema.js";
import { Button, href, Problem, whyNot } from "./widgets.js";

const maxExported = 1_000; // records of a page
const maxErrors = 100; // that are shown
const parallel = 6; // requests, as many as a browser sends

// The controller of what runs, which ends when the page shows something else.
function useRunning() {
  const { current: running } = useRef({
    controller: new AbortController(),
    start: () => (running.controller = new AbortController()),
  });
  useEffect(() => () => running.controller.abort(), []);
  return running;
}

/** A menu that exports what a list shows, and all pages behind it. */
export function Export({ collection, bound }) {
  const menu = useRef();
  const [{ rows, controller, error }, setState] = useState({});
  const running = useRunning();
  const read = async (signal, show) => {
    const rows = [];
    const paging = bound.operation.list?.paging ?? [];
    let query = bound.query.filter(([name]) => !paging.includes(name));
    while (query) {
      const page = await readPage(withLimit({ ...bound, query }, maxExported), { signal, waits: signal });
      for (const row of page.rows) rows.push(row);
      show(rows.length);
      query = page.next?.slice(bound.ofPath.length);
    }
    return rows;
  };
  const run = async (format) => {
    menu.current.open = false;
    const controller = running.start();
    try {
      const rows = await read(controller.signal, (rows) => setState({ rows, controller }));
      const columns = Object.keys(membersOf(collection.record));
      const text = format === "csv" ? toCsv(rows, columns) : rows.map((row) => `${stringify(row)}\n`).join("");
      const url = URL.createObjectURL(new Blob([text]));
      Object.assign(document.createElement("a"), { href: url, download: `${collection.name}.${format}` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      setState({ rows: rows.length });
    } catch (error) {
      setState(controller.signal.aborted ? {} : { error });
    }
  };
  const onKeyDown = ({ key }) => key === "Escape" && menu.current.removeAttribute("open");
  const items = ["ndjson", "csv"].map((format) =>
    h(Button, { key: format, onClick: () => run(format) }, format.toUpperCase()),
  );
  const stop = controller && h(Button, { class: "tool", onClick: () => controller.abort() }, "Stop");
  return [
    h(
      "details",
      { class: "menu", ref: menu, onKeyDown },
      h("summary", { class: "button" }, "Export"),
      h("div", null, items),
    ),
    h("span", { role: "status" }, rows !== undefined && `${rows} records exported${controller ? " …" : "."}`, stop),
    error && h(Problem, { error }),
  ];
}

// Creates records until the signal aborts: requests that were sent then complete, so that the numbers are right. `show` receives what is done.
async function createAll({ collection, place, query }, records, controller, show) {
  const done = { created: 0, failed: 0, total: records.length, errors: [] };
  const { signal } = controller;
  const create = async ({ record, problem }) => {
    if (problem) throw new Error(problem);
    const bound = bindCreation(collection, place, query, idOf(collection, record));
    if (bound === undefined) throw new Error("The record has no id.");
    await call(bound, { body: toBody(collection, bound.operation.body, record), waits: signal });
    done.created += 1;
  };
  const onError = (line, error) => {
    const details = [...(error.fields ?? [])].map(([name, text]) => `${name}: ${text}`);
    done.failed += 1;
    if (done.errors.length < maxErrors) done.errors.push({ line, message: details.join(" ") || error.message });
    if (error instanceof TypeError || error.status === 401) controller.abort(); // no other one would succeed
  };
  const waiting = records.values();
  const work = async () => {
    for (const one of waiting) {
      if (signal.aborted) return;
      await create(one).catch((error) => onError(one.line, error));
      if ((done.created + done.failed) % 10 === 0) show(done);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  show({ ...done, isDone: true, errors: done.errors.toSorted((a, b) => a.line - b.line) });
}

/** The view that creates the records of a file. */
export function ImportPage(props) {
  const { collection, place, query } = props;
  const [state, setState] = useState();
  const running = useRunning();
  const onSubmit = async (event) => {
    event.preventDefault();
    const file = /** @type {any} */ (new FormData(event.target).get("file"));
    const next = running.start();
    const show = (done) => setState({ ...done });
    show({ created: 0, failed: 0, total: 0, errors: [] });
    try {
      await createAll(props, readRecords(await file.text(), file.name, collection.record), next, show);
      props.renew(); // the numbers of records
    } catch (error) {
      show({ created: 0, failed: 1, total: 0, errors: [{ line: 1, message: error.message }], isDone: true });
    }
  };
  const why = whyNot(collection, "create");
  if (why) return h(Problem, { error: new Error(why) });
  const { created, failed, total, errors, isDone } = state ?? { isDone: true };
  const ends = [failed > 0 && `, ${failed} failed`, running.controller.signal.aborted && ", stopped"]
    .filter(Boolean)
    .join("");
  const items = errors?.map(({ line, message }) => h("li", { key: line }, h("b", null, `Line ${line}: `), message));
  const accept = ".ndjson,.jsonl,.json,.csv";
  const input = h("input", { type: "file", name: "file", accept, required: true });
  const stop = h(Button, { onClick: () => running.controller.abort() }, "Stop");
  const back = h("a", { class: "button", href: href("list", collection, place, [...query]) }, "Back to the list");
  const hint =
    "Each line of NDJSON, row of CSV or item of a JSON array is created by a request of its own. Members that only the server makes, such as an id, are left out.";
  return h(
    "form",
    { onSubmit },
    h("h1", { tabIndex: -1 }, `Import into ${collection.name}`),
    h("p", { class: "quiet" }, hint),
    h("label", null, "File (.ndjson, .json or .csv)", input),
    h("p", { class: "actions" }, isDone ? h("button", { class: "primary" }, "Import") : stop, back),
    state && h("progress", { value: created + failed, max: total || 1, "aria-label": "Progress" }),
    state && h("p", { role: "status" }, `${created} of ${total} records created${ends}.`),
    items?.length > 0 && h("ul", { class: "errors" }, items),
  );
}
