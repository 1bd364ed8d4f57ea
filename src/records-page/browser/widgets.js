// What the views share: links, values of records, errors, and actions that can be missing.
import { h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { credentials, idOf, model } from "./api.js";
import { isObject, memberOf, stringify } from "./json.js";

/** Returns the address of a view: `#list/books?author=Ada`, `#record/books/7`. */
export function href(view, collection, place = [], query = []) {
  const path = [view, collection.name, ...place].map((part) => encodeURIComponent(`${part}`.toWellFormed())).join("/");
  const search = `${new URLSearchParams(query)}`;
  return `#${path}${search && `?${search}`}`;
}

/** Loads data when `inputs` change. Returns it, or the error. */
export function useLoad(load, inputs) {
  const [state, setState] = useState({});
  useEffect(() => {
    const controller = new AbortController();
    const set = (next) => controller.signal.aborted || setState(next);
    setState((old) => ({ ...old, isLoading: true }));
    load(controller.signal).then(
      (data) => set({ data }),
      (error) => set({ error }),
    );
    return () => controller.abort();
  }, inputs);
  return state;
}

/** A button. */
export const Button = (props) => h("button", { type: "button", ...props });

/** Shows the dialog for credentials. */
export const askForCredential = () => /** @type {any} */ (document.querySelector("#credentials")).showModal();

/** An error, with what it says of fields. `isBeside` tells that the fields show all of it. */
export function Problem({ error, details = [], isBeside }) {
  const isDenied = error.status === 401 || error.status === 403;
  const label = credentials.size > 0 ? "Change the credential" : "Enter a credential";
  const items = details.map(([name, text]) => h("li", { key: name }, name && h("b", null, `${name}: `), text));
  return h(
    "div",
    { class: "problem", role: "alert", tabIndex: -1 },
    h("p", null, isBeside ? "Some fields are not valid." : error.message),
    items.length > 0 && h("ul", null, items),
    isDenied && h(Button, { onClick: askForCredential }, label),
  );
}

const missing = {
  create: "The document has no operation that creates these records.",
  change: "The document has no PUT or PATCH of this record.",
  delete: "The document has no DELETE of this record.",
  list: "The document has no list of these records.",
};

/** Returns why an operation can't be called; undefined if it can. */
export function whyNot({ operations: { replace, update, delete: remove }, lists, creates, isPutNew }, kind) {
  const all = { create: isPutNew ? [replace] : creates, change: [replace, update], delete: [remove], list: lists }[
    kind
  ];
  const found = all.filter(Boolean);
  return found.some(({ path }) => path) ? undefined : (found[0]?.why ?? missing[kind]);
}

/** A button or link, or if the operation is missing, a text that says why when it is focused or pointed at. */
export function Action({ why, label, ...props }) {
  if (why)
    return h(
      "span",
      { class: "off", tabIndex: 0, role: "note", "data-why": why, "aria-label": `${label}: ${why}` },
      label,
    );
  return h(props.href ? "a" : Button, { class: "button", ...props }, label);
}

/** Returns what a record is called beside its id; undefined if it has no name. */
export function titleOf(record) {
  const names = ["name", "title", "label", "subject", "email", "username", "summary"];
  return names.map((name) => memberOf(record, name)).find((value) => typeof value === "string" && value !== "");
}

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const words = new Map([
  [undefined, "–"],
  [null, "null"],
  ["", "empty"],
]);

/** The value of a member of a record. `to` is the name of the collection that it refers to. */
export function Value({ value, to }) {
  if (words.has(value)) return h("span", { class: "quiet" }, words.get(value));
  if (Array.isArray(value) && value.length > 0 && (to || !value.some((one) => isObject(one) || Array.isArray(one))))
    return value.map((one, index) => [index > 0 && ", ", h(Value, { key: index, value: one, to })]);
  const isPlain = !isObject(value) && !Array.isArray(value);
  const target = to && model.collections.find(({ name }) => name === to);
  const id = target && (isPlain ? `${value}` : idOf(target, value));
  if (id) return h("a", { class: "inner", href: href("record", target, [id]), title: to }, titleOf(value) ?? id);
  if (!isPlain) return h("code", null, stringify(value));
  if (/^https?:\/\//i.test(value) && URL.canParse(value))
    return h("a", { class: "inner", href: value, target: "_blank", rel: "noopener noreferrer" }, value);
  if (!isTime.test(value)) return `${value}`;
  const shown = new Date(value).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return h("time", { dateTime: value, title: value }, shown);
}

/** The dialog for credentials. Calls `onChange` when they have changed. */
export function CredentialDialog({ onChange }) {
  const all = model.collections.flatMap(({ operations, lists, creates }) =>
    [Object.values(operations), lists, creates].flat(),
  );
  const used = new Set(all.flatMap((one) => one?.security?.flat() ?? []));
  const names = [...used].filter((name) => memberOf(model.schemes, name) && model.schemes[name].type !== "mutualTLS");
  const save = ({ target }) => {
    const sent = new FormData(target);
    credentials.clear();
    for (const name of names) {
      const password = sent.get(`${name} password`);
      if (sent.get(name)) credentials.set(name, sent.get(name) + (password === null ? "" : `:${password}`));
    }
    onChange();
  };
  const input = (name, label, type = "password") =>
    h("label", { key: name }, label, h("input", { name, type, autocomplete: "off", spellcheck: false }));
  const fields = names.map((name) => {
    const { type, scheme, in: location, name: key } = model.schemes[name];
    const isBasic = /^basic$/i.test(scheme);
    if (isBasic) return [input(name, `${name}: user name`, "text"), input(`${name} password`, `${name}: password`)];
    return input(name, `${name}: ${type === "apiKey" ? `API key (${location} ${key})` : "token"}`);
  });
  const hint = "It is kept until this page is closed or loaded again. It is not stored.";
  const cancel = ({ target }) => target.closest("dialog").close();
  return h(
    "dialog",
    { id: "credentials", "aria-label": "Credential" },
    h(
      "form",
      { method: "dialog", onSubmit: save },
      h("h2", null, "Credential"),
      h("p", { class: "quiet" }, names.length > 0 ? hint : "The operations need no credential."),
      fields,
      h("p", { class: "actions" }, h("button", { class: "primary" }, "Use"), h(Button, { onClick: cancel }, "Cancel")),
    ),
  );
}
