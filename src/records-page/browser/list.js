// A page of a list: a table that is filtered and ordered by the parameters of the operation.
import { h } from "preact";
import { useState } from "preact/hooks";
import { bindFirst, idOf, model, readPage, seen, withLimit } from "./api.js";
import { memberOf, stringify } from "./json.js";
import { controlOf, flatten, membersOf, valuesOf } from "./schema.js";
import { Export } from "./transfer.js";
import { Action, Button, href, Problem, useLoad, Value, whyNot } from "./widgets.js";

const pageSize = 50;
const maxColumns = innerWidth > 720 ? 8 : 4;

/** The view of a list. */
export function ListPage({ collection, place, query, open, session }) {
  const bound = bindFirst(collection.lists, collection, place, query);
  const why = whyNot(collection, "list");
  const { data, error, isLoading } = useLoad(
    async (signal) => bound && readPage(withLimit(bound, pageSize), { signal }),
    [`${query}`, place.join("/"), session],
  );
  const cannot = whyNot(collection, "create");
  const to = (view) => href(view, collection, place, [...query]);
  const actions = h(
    "div",
    { class: "actions" },
    h(Action, { label: "New", class: "button primary", why: cannot, href: to("new") }),
    h(Action, { label: "Import", why: cannot, href: to("import") }),
    bound && h(Export, { collection, bound }),
  );
  const total = data?.total ?? (data && !data.next && !data.prev ? data.rows.length : undefined);
  const go = (entries) => open("list", place, undefined, entries);
  const props = { collection, place, query, bound, go };
  return h(
    "article",
    { "aria-busy": isLoading },
    place.length > 0 && h("p", { class: "path" }, place.join(" / ")),
    h(
      "h1",
      { tabIndex: -1 },
      collection.name,
      total !== undefined && h("span", { class: "count" }, total === 1 ? " 1 record" : ` ${total} records`),
    ),
    why ? h(Problem, { error: new Error(why) }) : bound ? actions : h(Above, { collection, open }),
    bound && h(Filters, { key: query, ...props }),
    error && h(Problem, { error, details: [...(error.fields ?? [])] }),
    data && h(Table, { rows: data.rows, ...props }),
    data && h(Pages, { data, ...props }),
  );
}

// The form of the values that the path of a collection needs.
function Above({ collection, open }) {
  const above = model.collections.find(({ name }) => name === collection.above);
  const onSubmit = (event) => {
    event.preventDefault();
    const sent = new FormData(event.target);
    open(
      "list",
      collection.scope.map(({ name }) => sent.get(name)),
    );
  };
  const link = above && [" of ", h("a", { href: href("list", above) }, above.name)];
  const fields = collection.scope.map(({ name }) =>
    h("label", { key: name }, name, h("input", { name, required: true })),
  );
  const text = h("p", null, "These records are below others. Choose one", link, ", or enter:");
  return h("form", { class: "filters", onSubmit }, text, fields, h("button", { class: "primary" }, "Show"));
}

// The parameters that filter, with one field for each member of an object.
function filtersOf({ operation: { list, parameters } }) {
  const keys = Object.values(model.schemes).map((scheme) => scheme.name);
  const others = [...(list?.paging ?? []), ...(list?.hidden ?? []), ...keys];
  const shown = parameters.filter((one) => one.in === "query" && !others.includes(one.name));
  return shown.flatMap(({ name, schema, description, style = "form", explode = style === "form" }) => {
    const flat = flatten(schema);
    const inner = style === "deepObject" ? Object.entries(flat.properties ?? {}) : undefined;
    const each = explode && flat.type?.includes("array");
    return (
      inner?.map(([key, one]) => ({ name: `${name}[${key}]`, flat: flatten(one) })) ?? [
        { name, flat, description, each },
      ]
    );
  });
}

function Filters({ bound, query, go }) {
  const filters = filtersOf(bound);
  const names = filters.map(({ name }) => name);
  const isActive = names.some((name) => query.has(name));
  const paging = bound.operation.list?.paging ?? [];
  const rest = [...query].filter(([name]) => !names.includes(name) && !paging.includes(name));
  const onSubmit = (event) => {
    event.preventDefault();
    const sent = new FormData(event.target);
    const entries = filters.flatMap(({ name, each }) => {
      const value = `${sent.get(name)}`;
      return value === "" ? [] : (each ? value.split(",") : [value]).map((one) => [name, one.trim()]);
    });
    go([...rest, ...entries]);
  };
  const fields = filters.map(({ name, flat, description }) => {
    const values = { boolean: [true, false], enum: valuesOf(flat) }[controlOf(flat)];
    const label = (one) => (typeof one === "string" ? one : stringify(one));
    const options = values?.map((one) => h("option", { key: one, value: `${one}` }, label(one)));
    const input = { name, value: query.getAll(name).join(","), type: flat.format === "date" ? "date" : "text" };
    const select = () => h("select", { name, value: input.value }, h("option", { value: "" }, "any"), options);
    return h("label", { key: name, title: description }, name, options ? select() : h("input", input));
  });
  const reset = isActive && h(Button, { onClick: () => go(rest) }, "Reset");
  const form = h("form", { class: "filters", onSubmit }, fields, h("button", { class: "primary" }, "Apply"), reset);
  return filters.length > 0 && h("details", { class: "filter", open: isActive }, h("summary", null, "Filter"), form);
}

function Table({ collection, place, query, bound, rows, go }) {
  const [isWide, setWide] = useState(false);
  const { orders = {}, hidden = [], paging = [] } = bound.operation.list ?? {};
  const all = [...new Set([...collection.id.slice(0, 1), ...Object.keys(membersOf(collection.record))])];
  const columns = isWide ? all : all.slice(0, maxColumns);
  const isSet = (order) => order && Object.entries(order).every(([name, value]) => query.get(name) === value);
  const rest = [...query].filter(([name]) => !hidden.includes(name) && !paging.includes(name));
  const head = columns.map((name) => {
    const order = memberOf(orders, name) ?? {};
    const state = ["ascending", "descending"].find((one) => isSet(order[one]));
    const next =
      state === undefined ? (order.ascending ?? order.descending) : state === "ascending" ? order.descending : {};
    const onClick = () => go([...rest, ...Object.entries(next ?? {})]);
    return h("th", { key: name, scope: "col", "aria-sort": state }, next ? h(Button, { onClick }, name) : name);
  });
  const body = rows.map((row, index) => {
    const id = idOf(collection, row);
    const target = [...place, id];
    if (id !== undefined) seen.set([collection.name, ...target].join("/"), row);
    const link = id !== undefined && h("a", { class: "row", href: href("record", collection, target) }, id);
    const value = (name) => h(Value, { value: memberOf(row, name), to: memberOf(collection.references, name) });
    const cell = (name, at) => h("td", { key: name, "data-label": name }, (at === 0 && link) || value(name));
    return h("tr", { key: id ?? index }, columns.map(cell));
  });
  if (rows.length === 0) return h("p", { class: "quiet" }, "No records.");
  const table = h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, body));
  const more = { class: "tool", onClick: () => setWide(!isWide) };
  return [
    h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": collection.name }, table),
    all.length > maxColumns && h(Button, more, isWide ? "Fewer columns" : `All ${all.length} columns`),
  ];
}

function Pages({ collection, place, data: { next, prev } }) {
  const link = (query, label) => {
    const target = query ? { href: href("list", collection, place, query) } : { "aria-disabled": true };
    return h(query ? "a" : "span", { class: "button", ...target }, label);
  };
  if (!next && !prev) return null;
  return h("nav", { class: "pages", "aria-label": "Pages" }, link(prev, "Previous"), link(next, "Next"));
}
