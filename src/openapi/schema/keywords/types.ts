// Types and fixed values (JSON Schema validation 2020-12, section 6.1). A number that is no int64 becomes a JavaScript number, unless
// it is an integer that would be rounded.
import { isObject } from "../../../lib/index.ts";
import type { SchemaObject } from "../../source/document-types.ts";
import { areEqual, toComparable } from "../equality.ts";
import type { Compile, Keyword, Keywords, Wording } from "../keyword.ts";
import * as form from "../value-forms.ts";
import { toText } from "../wording.ts";
import {
  convertInt64,
  findRangeTest,
  hasLargeLimit,
  is64Bit,
  isExact,
  isInt64,
  isInteger,
  limitsOf,
  type Test,
  typesOf,
} from "./integers.ts";

const tests: Readonly<Record<string, Test>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
  number: (value) => typeof value === "bigint" || Number.isFinite(value),
  integer: Number.isSafeInteger,
};

function createTest(name: string, schema: SchemaObject): Test {
  const isInRange = findRangeTest(`${schema.format}`);
  if (isInRange && (name === "integer" || name === "number")) return isInRange;
  // As in Google's documents.
  if (isInRange && name === "string" && is64Bit(schema.format))
    return (value) => typeof value === "string" && /^-?\d{1,20}$/.test(value) && isInRange(BigInt(value));
  return name === "integer" && hasLargeLimit(schema) ? isInteger : (tests[name] as Test);
}

const compileType: Compile = ({ schema: written, assertsFormats }) => {
  const schema = assertsFormats || isInt64(written) ? written : { ...written, format: undefined };
  const names = typesOf(schema);
  const [first, ...others] = names.map((name) => createTest(name, schema)) as [Test, ...Test[]];
  const isType: Test = others.length === 0 ? first : (value) => first(value) || others.some((test) => test(value));
  if (isInt64(schema))
    return (value, run) => {
      if (!isType(value)) return run.fail("type", schema, value);
      convertInt64(value, run);
      return true;
    };
  if (names.includes("number") || (names.includes("integer") && hasLargeLimit(schema)))
    return (value, run) => {
      if (!isType(value)) return run.fail("type", schema, value);
      // An integer that would be rounded stays a bigint.
      if (run.changes && typeof value === "bigint" && (!names.includes("integer") || isExact(value)))
        run.replace(Number(value), true);
      return true;
    };
  return (value, run) => isType(value) || run.fail("type", schema, value);
};

const articles: Readonly<Record<string, string>> = {
  array: "an array",
  integer: "an integer",
  object: "an object",
  null: "null",
};

function describeType(schema: SchemaObject, value: unknown, { areTexts }: Wording): string {
  const types = typesOf(schema);
  if (isInteger(value) && !isInt64(schema) && types.some((name) => name === "integer" || name === "number"))
    return `must be an integer ${limitsOf(schema)}`;
  const words = types.map((name) => {
    const type = articles[name] ?? `a ${name}`;
    const isLimited = is64Bit(schema.format) && (name === "string" || name === "integer");
    return isLimited ? `${type} ${limitsOf(schema)}` : type;
  });
  const digits = areTexts && types[0] === "integer" ? ", in plain decimal digits" : "";
  return `must be ${words.join(" or ")}${digits}`;
}

function defineValues(name: string, valuesOf: (schema: SchemaObject) => readonly unknown[]): Partial<Keyword> {
  return {
    isBasic: true,
    compile: ({ schema }) => {
      const values = valuesOf(schema);
      const simple = new Set(values.map(toComparable));
      const others = values.filter((value) => typeof value === "object" && value !== null);
      return (value, run) => {
        const isObject = typeof value === "object" && value !== null;
        const isEqual = isObject ? others.some((other) => areEqual(other, value)) : simple.has(toComparable(value));
        return isEqual || run.fail(name, schema);
      };
    },
  };
}

export const typeKeywords: Keywords = {
  type: { form: form.type, isBasic: true, compile: compileType, describe: describeType },
  const: {
    form: form.any,
    ...defineValues("const", (schema) => [schema.const]),
    describe: (schema) => `must be equal to ${toText(schema.const)}`,
  },
  enum: {
    form: form.list,
    ...defineValues("enum", (schema) => schema.enum as unknown[]),
    describe: (schema) => {
      const values = schema.enum as unknown[];
      return values.length === 0 ? "is not allowed" : `must be one of: ${values.map(toText).join(", ")}`;
    },
  },
};
