// Formats of strings (JSON Schema validation 2020-12, section 7), of integers (the format registry of OpenAPI), and further
// ones.
import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Check } from "../evaluation.ts";
import * as form from "../form.ts";
import type { Compile, Formats, Keywords } from "../keyword.ts";
import { findRangeTest } from "./integers.ts";

/** Returns whether a format is known. */
export function isFormat(name: string, formats: Formats): boolean {
  return findRangeTest(name) !== undefined || Object.hasOwn(fullFormats, name) || Object.hasOwn(formats, name);
}

const compileFormat: Compile = ({ schema, assertsFormats }, { formats }) => {
  const name = schema.format as string;
  if (!assertsFormats || !isFormat(name, formats)) return undefined;
  const isInRange = findRangeTest(name);
  if (isInRange && schema.type !== undefined) return undefined; // a part of the type
  const fail = (run: Parameters<Check>[1]) => run.fail("format", schema);
  if (isInRange)
    return (value, run) => (typeof value !== "number" && typeof value !== "bigint") || isInRange(value) || fail(run);
  const hasFormat = Object.hasOwn(formats, name) ? formats[name] : findStandardFormat(name);
  return hasFormat && ((value, run) => typeof value !== "string" || hasFormat(value) || fail(run));
};

// Undefined for a format that each value has, such as `password` and `double`.
function findStandardFormat(name: string): ((text: string) => boolean) | undefined {
  const definition: unknown = fullFormats[name as keyof typeof fullFormats];
  const { validate = definition, type = "string" } = Object(definition) as { validate?: unknown; type?: string };
  if (type !== "string" || validate === true) return undefined;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  return validate as (text: string) => boolean;
}

export const formatKeywords: Keywords = {
  format: {
    form: form.text,
    isBasic: true,
    compile: compileFormat,
    describe: ({ format }) => `must have the format ${format}`,
  },
};
