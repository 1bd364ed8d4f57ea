// The page: the collections, and the view that the fragment of the address selects.
import { h, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { bindFirst, canCall, credentials, model, readPage, withLimit } from "./api.js";
import { FormPage } from "./form.js";
import { parse } from "./json.js";
import { ListPage } from "./list.js";
import { RecordPage } from "./record.js";
import { ImportPage } from "./transfer.js";
import { askForCredential, Button, CredentialDialog, href, Problem } from "./widgets.js";

const views = { list: ListPage, record: RecordPage, new: FormPage, edit: FormPage, import: ImportPage };

function readAddress() {
  const [path, search = ""] = location.hash.slice(1).split(/\?(.*)/s);
  try {
    const [view, name, ...place] = path.split("/").map(decodeURIComponent);
    const collection = model.collections.find((one) => one.name === name);
    if (collection && Object.hasOwn(views, view))
      return { view, collection, place, query: new URLSearchParams(search) };
  } catch {} // an address that was written by hand
  return { view: "home", place: [] };
}

// The numbers of records: the total of the list, or those of its first page.
function useCounts(session) {
  const [counts, setCounts] = useState({});
  useEffect(() => {
    const controller = new AbortController();
    const waiting = model.collections.values();
    const count = async (collection) => {
      const bound = bindFirst(collection.lists, collection, []);
      if (!bound || !canCall(bound.operation) || controller.signal.aborted) return;
      const { rows, total, next } = await readPage(withLimit(bound, bound.operation.list?.total ? 1 : 100), controller);
      setCounts((old) => ({ ...old, [collection.name]: total ?? `${rows.length}${next ? "+" : ""}` }));
    };
    const work = async () => {
      for (const collection of waiting) await count(collection).catch(() => {}); // the list shows the error
    };
    for (let worker = 0; worker < 4; worker++) work();
    return () => controller.abort();
  }, [session]);
  return counts;
}

function depthOf({ above }, depth = 0) {
  const parent = model.collections.find(({ name }) => name === above);
  return parent && depth < 2 ? depthOf(parent, depth + 1) : depth;
}

function Collections({ counts, current }) {
  const [text, setText] = useState("");
  const hint = "Find a collection";
  const onInput = ({ target }) => setText(target.value);
  const search = { type: "search", placeholder: hint, "aria-label": hint, onInput };
  const shown = model.collections.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const items = shown.map((collection) => {
    const { name, label, isSingle } = collection;
    const link = { href: href(isSingle ? "record" : "list", collection), class: `depth-${depthOf(collection)}` };
    const content = [h("span", { title: name }, label), h("span", { class: "count" }, counts[name])];
    return h(
      "li",
      { key: name },
      h("a", { ...link, "aria-current": collection === current ? "page" : undefined }, content),
    );
  });
  return [model.collections.length > 12 && h("input", search), h("ul", { class: "collections" }, items)];
}

function App() {
  const [{ view, collection, place, query }, setAddress] = useState(readAddress);
  const [session, setSession] = useState(0); // increases with each change of a record or a credential
  const [notice, setNotice] = useState("");
  const counts = useCounts(session);
  const key = [view, collection?.name, ...(view === "list" ? [] : place)].join("/");
  useEffect(() => addEventListener("hashchange", () => setAddress(readAddress())), []);
  useEffect(() => {
    document.title = [collection?.name, model.title, "Records"].filter(Boolean).join(" – ");
    if (view !== "home") /** @type {any} */ (document.querySelector("h1"))?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [key]);
  useEffect(() => {
    const timer = setTimeout(setNotice, 5_000, "");
    return () => clearTimeout(timer);
  }, [notice]);
  const renew = () => setSession((old) => old + 1);
  const open = (next, at, text, entries) => {
    location.hash = href(next, collection, at, entries);
    if (text === undefined) return;
    setNotice(text);
    renew();
  };
  const label = credentials.size > 0 ? "Credential: entered" : "Credential";
  const title = h("a", { href: "#", class: "title" }, model.title || "Records");
  const props = { key, collection, place, query, open, renew, session, isNew: view === "new" };
  const isDenied = model.collections.some(({ lists }) => lists.some((list) => list.path && !canCall(list)));
  const home = [
    h("h1", null, "Records"),
    h("p", { class: "quiet" }, "Choose a collection."),
    isDenied && h(Button, { class: "primary", onClick: askForCredential }, "Enter a credential"),
    h("div", { class: "home" }, h(Collections, { counts })),
  ];
  return [
    h("header", null, title, h("a", { href: "docs" }, "API"), h(Button, { onClick: askForCredential }, label)),
    h(
      "div",
      { class: "layout" },
      h("nav", { "aria-label": "Collections" }, h(Collections, { counts, current: collection })),
      h("main", null, view === "home" ? home : h(views[view], props)),
    ),
    h("p", { class: "notice", role: "status" }, notice),
    h(CredentialDialog, { onChange: renew }),
  ];
}

async function start() {
  const response = await fetch("records/plan.json");
  if (!response.ok) throw new Error(`The collections can't be read (${response.status}). Load the page again.`);
  Object.assign(model, parse(await response.text()));
}

start().then(
  () => render(h(App), document.body),
  (error) => render(h(Problem, { error }), document.body),
);
