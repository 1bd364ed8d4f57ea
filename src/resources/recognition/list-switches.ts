// The parameters of a list that select records by their default, such as `show_ignored=false` and `published=yes`.
import { toSnakeCase } from "../../lib/index.ts";
import type { Operation } from "../../openapi/index.ts";
import { selectingStates, switchNames, wildcards } from "../record/name-tables.ts";
import type { RecordSchema } from "../record/record-schema.ts";
import { defaultOf } from "./bodies-and-parameters.ts";
import { findMember, type ListCondition, plainName, sentencesOf } from "./list-parameters.ts";

type Parameter = Operation["parameterParts"][number];

/** Returns the conditions of a parameter that is on or off by default; none if it names no boolean of a record. */
export function readSwitch(parameter: Parameter, record: RecordSchema): readonly ListCondition[] {
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

/** Returns whether the default of a parameter selects records: by its name, its description, or another value that selects all. */
export function selectsByDefault(parameter: Parameter): boolean {
  const unchanged = defaultOf(parameter);
  const { enum: values = [] } = Object(parameter.at("schema")?.value) as { readonly enum?: readonly unknown[] };
  if (unchanged !== undefined && values.some((value) => wildcards.test(`${value}`)))
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
