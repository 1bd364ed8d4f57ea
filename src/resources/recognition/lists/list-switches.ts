// The parameters of a list that select records by their default, such as `show_ignored=false` and `published=yes`.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation } from "../../../openapi/index.ts";
import { oppositeWords, selectingStates, switchNames, wildcards } from "../../names/list-names.ts";
import type { RecordSchema } from "../../record/record-schema.ts";
import { defaultOf } from "../bodies-and-parameters.ts";
import { findMember, type ListCondition, plainName, sentencesOf } from "./list-parameters.ts";

type Parameter = Operation["parameterParts"][number];

/** Returns the conditions of a parameter that is on or off by default, or names a state; none if it names no boolean of a record. */
export function readSwitch(parameter: Parameter, record: RecordSchema): readonly ListCondition[] {
  const states = readStates(parameter, record);
  if (states.length > 0) return states;
  const unchanged = defaultOf(parameter);
  if (isOn(unchanged) === undefined) return [];
  const name = plainName(parameter.value.name);
  const texts = typeof unchanged === "boolean" ? (["true", "false"] as const) : (["yes", "no"] as const);
  return switchNames.flatMap(([pattern, { on, not, isSaid }]): ListCondition[] => {
    const found = findMember(pattern.exec(name)?.groups?.member ?? "", record);
    if (found?.type !== "boolean") return [];
    const [applied, other] = on ? texts : texts.toReversed();
    const values = { [applied as string]: true, ...(isSaid && { [other as string]: false }) };
    const { path } = found;
    return [{ parameter: parameter.value.name, members: [{ path }], operator: "eq", type: "boolean", not, values }];
  });
}

/** Returns the conditions of a parameter with the values `enabled` and `disabled`, or `all`, if `enabled` is a boolean of a record. */
export function readStates(parameter: Parameter, record: RecordSchema): readonly ListCondition[] {
  const words = enumOf(parameter).map((value) => `${value}`.toLowerCase());
  const states = words.filter((word) => !wildcards.test(word));
  const [on, off] = states[0] === undefined || isOppositeOf(states[0], states[1]) ? states : states.toReversed();
  if (on === undefined || off === undefined || states.length > 2 || !isOppositeOf(on, off)) return [];
  const found = findMember(toSnakeCase(on), record);
  if (found?.type !== "boolean") return [];
  const valuesOf = (applied: string) => Object.fromEntries(words.map((word) => [word, word === applied]));
  const condition = { parameter: parameter.value.name, members: [{ path: found.path }], operator: "eq" } as const;
  return [
    { ...condition, type: "boolean", values: valuesOf(on) },
    { ...condition, type: "boolean", values: valuesOf(off), not: true },
  ];
}

function isOppositeOf(state: string, other = ""): boolean {
  return oppositeWords.some(([prefix, replaced]) => other === `${prefix}${state.replace(replaced, "")}`);
}

function enumOf(parameter: Parameter): readonly unknown[] {
  return (Object(parameter.at("schema")?.value) as { readonly enum?: readonly unknown[] }).enum ?? [];
}

/** Returns whether the default of a parameter selects records: by its name, its description, or another value that selects all. */
export function selectsByDefault(parameter: Parameter): boolean {
  const unchanged = defaultOf(parameter);
  if (unchanged !== undefined && enumOf(parameter).some((value) => wildcards.test(`${value}`)))
    return !wildcards.test(`${unchanged}`);
  const on = isOn(unchanged);
  if (on === undefined) return false;
  const name = toSnakeCase(parameter.value.name);
  // "Only new ones are shown by default", or "if false, only new ones".
  const isSaid = sentencesOf(parameter).some((sentence) => {
    const only = sentence.search(/\bonly\b/i);
    const value = sentence.search(on ? /\b(true|yes)\b/i : /\bfalse\b/i);
    return only !== -1 && ((value !== -1 && value < only) || /\bby default\b/i.test(sentence));
  });
  const isShown = /^(show|include|with)_/.test(name) || name === "all";
  return isSaid || (isShown !== on && (name === "all" || selectingStates.test(name)));
}

// Whether a value means yes or no; undefined if it is none of them.
function isOn(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return /^(yes|no)$/i.test(`${value}`) ? /^yes$/i.test(`${value}`) : undefined;
}
