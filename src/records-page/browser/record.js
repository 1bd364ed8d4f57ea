// One record, with the records that it refers to, and those below it.
import { h } from "preact";
import { useRef, useState } from "preact/hooks";
import { bind, call, model, readRecord } from "./api.js";
import { isObject, memberOf } from "./json.js";
import { membersOf } from "./schema.js";
import { Action, Button, href, Problem, titleOf, useLoad, Value, whyNot } from "./widgets.js";

/** The view of a record. */
export function RecordPage({ collection, place, open, session }) {
  const { data, error } = useLoad((signal) => readRecord(collection, place, signal), [session]);
  const record = data?.record;
  const title = titleOf(record) ?? place.at(-1) ?? collection.name;
  const names = Object.keys({ ...membersOf(collection.record), ...record });
  const members = names.map((name) => [name, memberOf(record, name), memberOf(collection.references, name)]);
  const list = href("list", collection, place.slice(0, -1));
  const path = h("p", { class: "path" }, h("a", { href: list }, collection.name), ` / ${place.at(-1)}`);
  const change = { label: "Change", why: whyNot(collection, "change"), href: href("edit", collection, place) };
  return h(
    "article",
    null,
    !collection.isSingle && path,
    h("h1", { tabIndex: -1 }, title),
    h("div", { class: "actions" }, h(Action, change), h(Deletion, { collection, place, title, open })),
    error && h(Problem, { error }),
    record ? h(Rows, { members, depth: 0 }) : !error && h("p", { class: "quiet" }, "Loading …"),
    h(Related, { collection, place }),
  );
}

const Rows = ({ members, depth }) =>
  h(
    "dl",
    null,
    members.map(([name, value, to]) => [h("dt", null, name), h("dd", null, h(Nested, { value, to, depth }))]),
  );

// Objects and arrays of them are shown with their members, up to a depth.
function Nested({ value, to, depth }) {
  const inner = { depth: depth + 1 };
  const isList = Array.isArray(value) && value.length > 0 && value.every(isObject);
  if (depth > 3 || to || !(isList || isObject(value))) return h(Value, { value, to });
  if (!isList) return h(Rows, { members: Object.entries(value), ...inner });
  return h(
    "ol",
    null,
    value.map((item) => h("li", null, h(Nested, { value: item, ...inner }))),
  );
}

function Related({ collection, place }) {
  const links = collection.below.map(({ name, parameter }) => {
    const other = model.collections.find((one) => one.name === name);
    const target = parameter ? href("list", other, [], [[parameter, place.at(-1)]]) : href("list", other, place);
    return h("li", { key: name }, h("a", { href: target }, other.label));
  });
  return links.length > 0 && h("section", null, h("h2", null, "Related records"), h("ul", { class: "related" }, links));
}

function Deletion({ collection, place, title, open }) {
  const dialog = useRef();
  const [error, setError] = useState();
  const onSubmit = (event) => {
    event.preventDefault();
    call(bind(collection.operations.delete, collection, place)).then(
      () => open(collection.isSingle ? "record" : "list", place.slice(0, -1), "Deleted."),
      setError,
    );
  };
  const show = () => {
    setError(undefined);
    dialog.current.showModal();
  };
  const cancel = { autofocus: true, onClick: () => dialog.current.close() };
  const form = h(
    "form",
    { onSubmit },
    h("p", null, "Delete ", `${collection.name} `, h("b", null, title), "? This can't be undone."),
    error && h(Problem, { error }),
    h("p", { class: "actions" }, h("button", { class: "danger" }, "Delete"), h(Button, cancel, "Cancel")),
  );
  return [
    h(Action, { label: "Delete", class: "button danger", why: whyNot(collection, "delete"), onClick: show }),
    h("dialog", { ref: dialog, "aria-label": "Delete" }, form),
  ];
}
