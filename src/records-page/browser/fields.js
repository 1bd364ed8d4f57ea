// The fields of a form, made from schemas. A value is undefined if it is missing.
import { h } from "preact";
import { useId, useState } from "preact/hooks";
import { isObject, isSame, memberOf, parse, stringify, toNumber } from "./json.js";
import { controlOf, createValue, findAlternative, flatten, nameOf, toRequest, valuesOf } from "./schema.js";
import { Button } from "./widgets.js";

/** The fields of the members of an object. */
export function Members({ schema, value, onChange, path, errors }) {
  const { properties = {}, required } = flatten(schema);
  const set = (name) => (member) => {
    const { [name]: _, ...others } = value ?? {};
    onChange(member === undefined ? others : { ...value, [name]: member });
  };
  const shown = Object.entries(properties).filter(([, member]) => !flatten(member).readOnly);
  return shown.map(([name, schema]) => {
    const place = {
      key: name,
      label: name,
      path: path ? `${path}.${name}` : name,
      isRequired: required.includes(name),
    };
    return h(Field, { ...place, schema, value: memberOf(value, name), onChange: set(name), errors });
  });
}

/** A field with its label, description and errors, and what a control cannot say: that there is no value, or null. */
export function Field(props) {
  const { schema, value, onChange, path, errors, label, isRequired, onRemove } = props;
  const id = useId();
  const [resets, setResets] = useState(0); // the control forgets what it has kept beside the value
  const flat = flatten(schema);
  const control = controlOf(flat);
  const error = errors.get(path);
  const set = (next) => () => {
    onChange(next);
    setResets(resets + 1);
  };
  const tool = (text, onClick) => h(Button, { class: "tool", onClick, "aria-label": `${text} ${label}` }, text);
  const canClear = value === null || (value !== undefined && !isRequired && !onRemove);
  const texts = [flat.description && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const states = { "aria-describedby": texts || undefined, "aria-invalid": error && true, "aria-required": isRequired };
  const isGroup = ["object", "array", "choice"].includes(control);
  const star = isRequired && !onRemove && h("span", { class: "required" }, " *");
  const group = isGroup && { role: "group", "aria-labelledby": `${id}-label` };
  return h(
    "div",
    { class: `field ${control} ${onRemove && !isGroup ? "item" : ""}`, ...group },
    h(
      "div",
      { class: "label" },
      h(isGroup ? "span" : "label", { id: `${id}-label`, for: isGroup ? undefined : id }, label, star),
      flat.isNullable && value !== null && tool("null", set(null)),
      canClear && tool("clear", set(undefined)),
      onRemove && tool("remove", onRemove),
    ),
    value === null
      ? h(Button, { class: "empty", id, onClick: set(undefined) }, "null")
      : h(controls[control] ?? Json, { ...props, key: resets, flat, shared: { id, ...states } }),
    flat.description && h("p", { class: "hint", id: `${id}-hint` }, flat.description),
    error && h("p", { class: "error", id: `${id}-error` }, error),
  );
}

const placeholderOf = ({ default: own }) => (own === undefined ? "not set" : `not set (default ${stringify(own)})`);

// An empty text is a value, unless the schema excludes it.
function Text({ flat, value, onChange, isRequired, shared }) {
  const { format, minLength = 0, maxLength } = flat;
  const text = `${value ?? ""}`;
  const [isLong] = useState(text.includes("\n") || text.length > 80 || maxLength > 255);
  const hasEmpty = format === undefined && minLength === 0 && (isRequired || value !== undefined);
  const onInput = ({ target }) => onChange(target.value === "" && !hasEmpty ? undefined : target.value);
  const common = { ...shared, placeholder: value === "" ? "empty text" : placeholderOf(flat), onInput, value: text };
  if (format === "date-time" && !Number.isNaN(Date.parse(value ?? 0))) return h(Time, { shared, value, onChange });
  if (isLong) return h("textarea", { ...common, rows: Math.min(12, 2 + text.split("\n").length) });
  return h("input", {
    ...common,
    type: { date: "date", password: "password" }[format] ?? "text",
    ...(format === "date" && { max: "9999-12-31" }),
  });
}

// Times are shown in the zone of the browser. What is not changed keeps its digits.
function Time({ shared, value, onChange }) {
  const date = new Date(value ?? 0);
  const local = new Date(date.valueOf() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  const onInput = ({ target }) => onChange(target.value ? new Date(target.value).toISOString() : undefined);
  return h("input", { ...shared, type: "datetime-local", step: 1, value: value === undefined ? "" : local, onInput });
}

function Numeric({ flat, value, onChange, shared }) {
  const onInput = ({ target }) => onChange(target.value.trim() === "" ? undefined : toNumber(target.value.trim()));
  const keys = flat.type[0] === "integer" ? "numeric" : "decimal";
  const inputMode = flat.minimum >= 0 ? keys : "text"; // with a minus sign
  return h("input", { ...shared, inputMode, placeholder: placeholderOf(flat), value: `${value ?? ""}`, onInput });
}

// A value that is none of the choices is kept.
function Enum({ flat, value, onChange, shared, values = valuesOf(flat) }) {
  const isKnown = value === undefined || values.some((one) => isSame(one, value));
  const all = isKnown ? values : [...values, value];
  const index = all.findIndex((one) => isSame(one, value));
  const label = (one) => (typeof one === "string" ? one : stringify(one));
  const options = all.map((one, key) => h("option", { key, value: key }, label(one)));
  const select = {
    ...shared,
    value: index < 0 ? "" : `${index}`,
    onInput: ({ target }) => onChange(all[target.value]),
  };
  return h("select", select, h("option", { value: "" }, placeholderOf(flat)), options);
}

const Flag = (props) => h(Enum, { ...props, values: [true, false] });

function Nested({ schema, value, isRequired, shared, ...props }) {
  const isOpen = value !== undefined || (isRequired && props.path.split(".").length < 5); // a schema can contain itself
  if (isOpen) return h(Members, { ...props, schema, value: value ?? createValue(schema) });
  return h(
    Button,
    { class: "empty", id: shared.id, onClick: () => props.onChange(createValue(schema)) },
    "not set: add",
  );
}

function List({ flat: { items: schema }, value = [], onChange, path, errors, shared }) {
  const items = value.map((item, index) => {
    const place = {
      key: `${index} of ${value.length}`,
      path: `${path}.${index}`,
      label: `${index + 1}`,
      isRequired: true,
    };
    const [set, onRemove] = [(next) => onChange(value.with(index, next)), () => onChange(value.toSpliced(index, 1))];
    return h(Field, { ...place, schema, value: item, onChange: set, onRemove, errors });
  });
  const first = controlOf(flatten(schema)) === "object" ? createValue(schema) : undefined;
  return [
    items,
    h(Button, { class: "empty", id: shared.id, onClick: () => onChange([...value, first]) }, "Add an item"),
  ];
}

// One of several schemas. What fits none of them is JSON.
function Choice({ flat, value, onChange, path, errors, shared }) {
  const { alternatives, discriminator, properties, required } = flat;
  const [chosen, choose] = useState(value === undefined ? -1 : findAlternative(flat, value));
  const withCommon = (schema) => (properties ? { allOf: [schema, { properties, required }] } : schema);
  const onInput = ({ target }) => {
    const index = Number(target.value);
    const schema = alternatives[index];
    choose(index);
    if (schema && controlOf(flatten(schema)) === "object")
      onChange({
        ...toRequest(withCommon(schema), isObject(value) ? value : {}),
        ...createValue(schema, discriminator),
      });
    else if (schema || index < 0) onChange(undefined);
  };
  const options = ["not set", ...alternatives.map(nameOf), "JSON"].map((name, at) =>
    h("option", { key: at, value: at - 1 }, name),
  );
  const schema = alternatives[chosen] ? withCommon(alternatives[chosen]) : {};
  const control = controls[controlOf(flatten(schema))] ?? Json;
  const props = { key: chosen, schema, flat: flatten(schema), value, onChange, path, errors, isRequired: true };
  const select = h("select", { ...shared, "aria-label": "Form of the value", value: chosen, onInput }, options);
  return [select, chosen >= 0 && h(control, { ...props, shared: { "aria-label": "Value" } })];
}

// Any value. While the text is no JSON, the form can't be sent.
function Json({ value, onChange, shared }) {
  const [text, setText] = useState(value === undefined ? "" : stringify(value, 2));
  const onInput = ({ target }) => {
    setText(target.value);
    try {
      onChange(target.value.trim() === "" ? undefined : parse(target.value));
      target.setCustomValidity("");
    } catch (error) {
      target.setCustomValidity(`This is no JSON: ${error.message}`);
    }
  };
  const area = {
    class: "code",
    spellcheck: false,
    rows: Math.min(16, text.split("\n").length + 1),
    placeholder: "JSON",
  };
  return h("textarea", { ...shared, ...area, value: text, onInput });
}

const controls = {
  ...{ string: Text, integer: Numeric, number: Numeric, boolean: Flag, enum: Enum },
  ...{ object: Nested, array: List, choice: Choice, json: Json },
};
