// Arrays (JSON Schema 2020-12, section 10.3.1, and validation, section 6.4).
import type { SchemaObject } from "../../source/document-types.ts";
import type { Compile, Keyword, Keywords } from "../keyword.ts";
import * as form from "../value-forms.ts";
import { countOf } from "../wording.ts";

const prefixOf = ({ prefixItems }: SchemaObject) => (prefixItems ?? []) as readonly unknown[];

// `prefixItems` and `items`.
const compileItems: Compile = (node, compiler) => {
  const { schema } = node;
  const prefix = prefixOf(schema).map((_, index) => compiler.cellOf(node.at("prefixItems", index)));
  const isClosed = schema.items === false;
  const items = schema.items === undefined || isClosed ? undefined : compiler.cellOf(node.at("items"));
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return true;
    const end = items ? value.length : Math.min(prefix.length, value.length);
    const position = run.enter(value);
    let isValid = true;
    let from = run.failureCount;
    for (let index = 0; index < end; index++) {
      position.key = index;
      const cell = index < prefix.length ? prefix[index] : items;
      if (cell?.check(value[index], run, undefined)) continue;
      isValid = false;
      run.addStep(from, index);
      from = run.failureCount;
      if (run.isFull) break;
    }
    run.leave();
    if (isClosed && value.length > prefix.length) isValid = run.fail("items", schema);
    if (evaluated) {
      if (items || isClosed) evaluated.all = true;
      else for (let index = 0; index < end; index++) evaluated.add(index);
    }
    return isValid;
  };
};

// `contains`, `minContains` and `maxContains`.
const compileContains: Compile = (node, compiler) => {
  const { schema } = node;
  if (schema.contains === undefined) return undefined;
  const cell = compiler.cellOf(node.at("contains"));
  const min = Number(schema.minContains ?? 1);
  const max = Number(schema.maxContains ?? Number.POSITIVE_INFINITY);
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return true;
    const position = run.enter(value);
    let count = 0;
    for (let index = 0; index < value.length; index++) {
      position.key = index;
      if (!run.tests(cell, value[index])) continue;
      count += 1;
      evaluated?.add(index);
    }
    run.leave();
    return (count >= min && count <= max) || run.fail("contains", schema);
  };
};

function describeContains({ minContains = 1, maxContains }: SchemaObject): string {
  const least = `at least ${countOf(minContains, "item")}`;
  if (maxContains === undefined) return `must have ${least} of the required form`;
  if (minContains === 0) return `must have at most ${countOf(maxContains, "item")} of the required form`;
  return `must have ${least} and at most ${maxContains} of the required form`;
}

function defineSize(name: string, words: string, holds: (size: number, limit: number) => boolean): Keyword {
  return {
    form: form.count,
    compile: ({ schema }) => {
      const limit = Number(schema[name]);
      return (value, run) => !Array.isArray(value) || holds(value.length, limit) || run.fail(name, schema);
    },
    describe: (schema) => `must have ${words} ${countOf(schema[name], "item")}`,
  };
}

const uniqueItems: Keyword = {
  form: form.boolean,
  compile: ({ schema }) => {
    if (schema.uniqueItems !== true) return undefined;
    return (value, run) => {
      if (!Array.isArray(value)) return true;
      const distinct = new Set(value.map((item) => run.identities.of(item)));
      return distinct.size === value.length || run.fail("uniqueItems", schema);
    };
  },
  describe: () => "must not have the same item twice",
};

export const arrayKeywords: Keywords = {
  minItems: defineSize("minItems", "at least", (size, limit) => size >= limit),
  maxItems: defineSize("maxItems", "at most", (size, limit) => size <= limit),
  uniqueItems,
  prefixItems: { form: form.schemas, applies: "member", compile: compileItems },
  items: {
    form: form.schema,
    applies: "member",
    compile: compileItems,
    describe: (schema) => `must have at most ${countOf(prefixOf(schema).length, "item")}`,
  },
  contains: { form: form.schema, applies: "member", compile: compileContains, describe: describeContains },
  minContains: { form: form.count, compile: compileContains },
  maxContains: { form: form.count, compile: compileContains },
};
