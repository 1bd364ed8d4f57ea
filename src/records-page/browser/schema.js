// What a schema says of a form: its members, choices and types.
import { model } from "./api.js";
import { isObject, isSame, memberOf } from "./json.js";

const known = new WeakMap();

/** Returns a schema with what its references and `allOf` add, its types without null, and its alternatives, if it has several. */
export function flatten(schema, depth = 0) {
  if (!isObject(schema) || depth > 20) return {};
  if (!known.has(schema)) known.set(schema, merge(schema, depth + 1));
  return known.get(schema);
}

function merge({ $ref, allOf = [], oneOf, anyOf, ...own }, depth) {
  const parts = [...($ref ? [model.schemas[$ref]] : []), ...allOf].map((part) => flatten(part, depth));
  const all = [...parts, own];
  const choices = oneOf ?? anyOf ?? [];
  const values = choices.filter((one) => flatten(one, depth).type?.length !== 0);
  const types = own.type === undefined ? undefined : [own.type].flat();
  const properties = all.flatMap((part) => Object.entries(part.properties ?? {}));
  const flat = {
    ...Object.assign({}, ...all),
    ...(types && { type: types.filter((type) => type !== "null") }),
    ...(properties.length > 0 && { properties: Object.assign(Object.create(null), Object.fromEntries(properties)) }),
    required: all.flatMap((part) => part.required ?? []),
    isNullable:
      all.some((part) => part.isNullable || part.nullable || part.enum?.includes(null)) ||
      types?.includes("null") ||
      values.length < choices.length,
  };
  if (values.length === 1) return { ...flat, ...flatten(values[0], depth), isNullable: flat.isNullable };
  // Alternatives that only require members are no choice.
  const isChoice = values.some((one) =>
    Object.keys(flatten(one, depth)).some((key) => /^(type|properties|enum|const)$/.test(key)),
  );
  return isChoice ? { ...flat, alternatives: values } : flat;
}

/** Returns the members of a record, also those of its alternatives, by name. */
export function membersOf(schema, seen = new Set()) {
  if (seen.has(schema)) return {};
  seen.add(schema); // alternatives can lead to the same schema in many ways
  const { properties, alternatives = [] } = flatten(schema);
  const others = alternatives.map((one) => membersOf(one, seen));
  return Object.assign(Object.create(null), properties, ...others);
}

/** Returns which control a value has. */
export function controlOf({ alternatives, enum: values, const: constant, type = [], properties, items }) {
  if (alternatives) return "choice";
  if (values || constant !== undefined) return "enum";
  const [only = properties ? "object" : "json", ...others] = type;
  const isUnknown = others.length > 0 || (only === "object" && !properties) || (only === "array" && !isObject(items));
  return isUnknown ? "json" : only;
}

/** Returns the values of an enum, without null. */
export const valuesOf = (flat) => (flat.enum ?? [flat.const]).filter((value) => value !== null);

/** Returns the name of an alternative. */
export function nameOf(schema) {
  const { title, type = [], format, properties } = flatten(schema);
  const names = properties ? Object.keys(properties).join(", ") : (format ?? type.join(" or "));
  return title ?? schema.$ref?.split("/").at(-1) ?? names;
}

/** Returns the index of the alternative that a value is most like. */
export function findAlternative({ alternatives, discriminator }, value) {
  const scores = alternatives.map((one) => {
    const flat = flatten(one);
    if (!isObject(value)) return Number(controlsOf(value).includes(controlOf(flat)));
    if (discriminator && kindsOf(discriminator, one).includes(memberOf(value, discriminator.propertyName)))
      return 1_000;
    const members = Object.entries(flat.properties ?? {});
    const isWrong = ([name, member]) => ![undefined, memberOf(value, name)].includes(flatten(member).const);
    return members.some(isWrong) ? -1 : members.filter(([name]) => Object.hasOwn(value, name)).length;
  });
  return scores.indexOf(Math.max(...scores));
}

function controlsOf(value) {
  if (Array.isArray(value)) return ["array"];
  return { string: ["string", "enum"], boolean: ["boolean"] }[typeof value] ?? ["integer", "number"];
}

// The values of a discriminator that mean a schema.
function kindsOf({ mapping = {} }, { $ref = "" }) {
  const name = $ref.split("/").at(-1);
  return [...Object.keys(mapping).filter((kind) => [$ref, name].includes(mapping[kind])), name];
}

/** Returns the value of a new object: what it can only be. */
export function createValue(schema, discriminator) {
  const { properties = {}, required } = flatten(schema);
  const fixed = Object.entries(properties).flatMap(([name, member]) => {
    const flat = flatten(member);
    const values = required.includes(name) && controlOf(flat) === "enum" ? valuesOf(flat) : [];
    return values.length === 1 ? [[name, values[0]]] : [];
  });
  const kind = discriminator && schema.$ref && { [discriminator.propertyName]: kindsOf(discriminator, schema)[0] };
  return { ...kind, ...Object.fromEntries(fixed) };
}

/** Returns what a request can have of a value: without read-only members, and those that only `made`, the members of a response, has. */
export function toRequest(schema, value, made = {}) {
  const { alternatives, ...flat } = flatten(schema);
  if (alternatives)
    return toRequest({ allOf: [flat, alternatives[findAlternative(flatten(schema), value)]] }, value, made);
  if (Array.isArray(value)) return value.map((item) => toRequest(flat.items, item));
  if (!isObject(value)) return value;
  const { properties, additionalProperties, type = [] } = flat;
  if (properties === undefined) return ["string", "integer", "number"].includes(type[0]) ? value.id : value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (!(name in properties)) return additionalProperties === false || name in made ? [] : [[name, member]];
    return flatten(properties[name]).readOnly ? [] : [[name, toRequest(properties[name], member)]];
  });
  return Object.fromEntries(members);
}

/** Returns the merge patch that makes one value the other: null removes a member. */
export function toPatch(before, after) {
  if (!isObject(before) || !isObject(after)) return after;
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => !isSame(memberOf(before, name), memberOf(after, name)),
  );
  return Object.fromEntries(
    names.map((name) => [name, toPatch(memberOf(before, name), memberOf(after, name) ?? null)]),
  );
}
