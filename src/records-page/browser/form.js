// Creates or changes a record, in a form made from the schema of the body of the operation.
import { h } from "preact";
import { useState } from "preact/hooks";
import { bind, bindFirst, call, idOf, readRecord, seen } from "./api.js";
import { Field, Members } from "./fields.js";
import { isSame, memberOf } from "./json.js";
import { createValue, flatten, membersOf, toPatch, toRequest } from "./schema.js";
import { Button, Problem, useLoad, whyNot } from "./widgets.js";

/** Returns the operation that creates records: at the path of the list, or else a PUT at the path of a record. */
export function bindCreation(collection, place, query, id) {
  const { isPutNew, operations, creates } = collection;
  if (isPutNew) return bind(operations.replace, collection, [...place, id]);
  const bound = bindFirst(creates, collection, place, query);
  return bound && { ...bound, query: [] }; // the filters of the list select the path only
}

/** Returns the body of a request with what it can have of a record. */
export function toBody(collection, { schema, member, renamed = {} }, record) {
  const sent = Object.entries(renamed).map(([name, own]) => [own, memberOf(record, name)]);
  const whole = { ...record, ...Object.fromEntries(sent) };
  const made = membersOf(collection.record);
  if (member === undefined) return toRequest(schema, whole, made);
  return { [member]: toRequest(flatten(schema).properties[member], whole, made) };
}

/** The form of a new record, or of a change of one. */
export function FormPage(props) {
  const { collection, place, isNew } = props;
  const { data, error } = useLoad(async (signal) => (isNew ? {} : readRecord(collection, place, signal)), []);
  const why = whyNot(collection, isNew ? "create" : "change");
  const isUnset = collection.isSingle && error?.status === 404; // a PUT creates it
  if (why || (error && !isUnset)) return h(Problem, { error: error ?? new Error(why) });
  return data || isUnset ? h(Form, { ...props, original: data ?? {} }) : h("p", { class: "quiet" }, "Loading …");
}

function Form({ collection, place, query, isNew, original, open }) {
  const { isPutNew, operations, name, parameter } = collection;
  const change = operations.replace?.path ? operations.replace : operations.update;
  const operation = isNew ? bindCreation(collection, place, query, "-")?.operation : change;
  const { body = {}, tags, method, member } = operation ?? {};
  const [before] = useState(() =>
    original.record ? toBody(collection, body, original.record) : createValue(body.schema),
  );
  const [value, onChange] = useState(before);
  const [id, setId] = useState("");
  const [failure, setFailure] = useState();
  const [isBusy, setBusy] = useState(false);
  if (operation === undefined) return h(Problem, { error: new Error("Choose the record above first.") });
  const send = async () => {
    const bound = isNew ? bindCreation(collection, place, query, id) : bind(operation, collection, place);
    const sent = { body: method === "PATCH" ? toPatch(before, value) : value, tag: tags && original.tag };
    const response = await call(bound, sent);
    if (!isNew) return open("record", place, "Saved.");
    const record = memberOf(response.body, member) ?? response.body;
    const created = isPutNew ? id : idOf(collection, record);
    seen.set([name, ...place, created].join("/"), record);
    return created === undefined ? open("list", place, "Created.") : open("record", [...place, created], "Created.");
  };
  const onSubmit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    await send().catch((error) => {
      setFailure(error);
      setBusy(false);
      setTimeout(() => /** @type {any} */ (document.querySelector("[aria-invalid], .problem"))?.focus());
    });
  };
  const errors = failure?.fields ?? new Map();
  const names = [...Object.keys(membersOf(body.schema)), ...(isPutNew ? [parameter] : [])];
  const details = [...errors].filter(([path]) => !names.includes(path.split(".")[0]));
  const fields = { schema: body.schema, value, onChange, errors, path: "" };
  const idField = { schema: { type: "string" }, label: parameter, path: parameter, isRequired: true, errors };
  const save = { class: "primary", disabled: isBusy || (!isNew && isSame(before, value)) };
  const cancel = { onClick: () => open(isNew ? "list" : "record", place, undefined, [...query]) };
  return h(
    "form",
    { onSubmit },
    h("h1", { tabIndex: -1 }, isNew ? `New in ${name}` : `Change ${name} ${place.at(-1) ?? ""}`),
    failure && h(Problem, { error: failure, details, isBeside: errors.size > details.length && details.length === 0 }),
    isNew && isPutNew && h(Field, { ...idField, value: id, onChange: (text = "") => setId(text) }),
    flatten(body.schema).alternatives ? h(Field, { ...fields, label: "record", isRequired: true }) : h(Members, fields),
    h("p", { class: "actions" }, h("button", save, isNew ? "Create" : "Save"), h(Button, cancel, "Cancel")),
  );
}
