// Formats of strings (JSON Schema validation 2020-12, section 7), of integers (the format registry of OpenAPI), and further
// ones.
import type { Check } from "../evaluation.ts";
import type { Compile, Formats, Keywords } from "../keyword.ts";
import { enforcedFormats, findFormatTest, textFormats } from "../texts/format-tests.ts";
import * as form from "../value-forms.ts";
import { findRangeTest, integerFormats } from "./integers.ts";

/** Returns the names of the formats that are enforced. */
export function formatNames(formats: Formats): string[] {
  return [...enforcedFormats, ...integerFormats, ...Object.keys(formats)];
}

/** Returns whether a format is known. */
export function isFormat(name: string, formats: Formats): boolean {
  return findRangeTest(name) !== undefined || textFormats.includes(name) || Object.hasOwn(formats, name);
}

const compileFormat: Compile = ({ schema, assertsFormats }, { formats }) => {
  const name = schema.format as string;
  if (!assertsFormats || !isFormat(name, formats)) return undefined;
  const own = Object.hasOwn(formats, name) ? formats[name] : undefined;
  const isInRange = own ? undefined : findRangeTest(name);
  if (isInRange && schema.type !== undefined) return undefined; // a part of the type
  const fail = (run: Parameters<Check>[1]) => run.fail("format", schema);
  if (isInRange) return (value, run) => !isNumber(value) || isInRange(value) || fail(run);
  if (own) return (value, run) => (typeof value !== "string" && !isNumber(value)) || own(`${value}`) || fail(run);
  const test = findFormatTest(name);
  return test && ((value, run) => typeof value !== "string" || test(value) || fail(run));
};

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export const formatKeywords: Keywords = {
  format: {
    form: form.text,
    isBasic: true,
    compile: compileFormat,
    describe: ({ format }) => `must have the format ${format}`,
  },
};
