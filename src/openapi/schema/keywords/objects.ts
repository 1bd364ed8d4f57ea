// Objects (JSON Schema 2020-12, section 10.3.2, and validation, section 6.5).
import { isObject, shorten } from "../../../lib/index.ts";
import { asFork } from "../evaluation.ts";
import type { Compile, Keyword, Keywords } from "../keyword.ts";
import { compilePattern } from "../texts/regular-expressions.ts";
import * as form from "../value-forms.ts";
import { hasMember, memberNames } from "../value-forms.ts";
import { countOf, describeMissing, describeUnknown } from "../wording.ts";
import { compileDefaults } from "./defaults.ts";
import { isExcluded } from "./directions.ts";

const namesOf = (value: unknown) => Object.keys((value ?? {}) as object);

// A property that is not sent in this direction need not be there.
const compileRequired: Compile = ({ schema }) => {
  const names = [...new Set(schema.required as readonly string[])];
  return (value, run) => {
    if (!isObject(value)) return true;
    let isValid = true;
    for (const name of names) {
      if (hasMember(value, name)) continue;
      if (isExcluded(run.position.marks?.get(name), run.direction)) continue;
      isValid = run.fail("required", schema, name);
      if (run.isFull) return false;
    }
    return isValid;
  };
};

// `properties`, `patternProperties` and `additionalProperties`.
const compileMembers: Compile = (node, compiler) => {
  const { schema } = node;
  const named = new Map(namesOf(schema.properties).map((name) => [name, compiler.cellOf(node.at("properties", name))]));
  const patterns = namesOf(schema.patternProperties).map((name) => {
    return { pattern: compilePattern(name), cell: compiler.cellOf(node.at("patternProperties", name)) };
  });
  const { additionalProperties } = schema;
  const isOpen = additionalProperties === undefined;
  const isClosed = additionalProperties === false;
  const others = isObject(additionalProperties) ? compiler.cellOf(node.at("additionalProperties")) : undefined;
  const fillDefaults = compileDefaults(node, compiler);
  const check: ReturnType<Compile> = (value, run, evaluated) => {
    if (!isObject(value)) return true;
    const position = run.enter(value);
    let isValid = true;
    let from = run.failureCount;
    for (const key in value) {
      const member = value[key];
      if (member === undefined || !Object.hasOwn(value, key)) continue; // as in JSON
      position.key = key;
      let isMatched = true;
      const cell = named.get(key);
      let isKnown = cell !== undefined;
      if (cell !== undefined) isMatched = cell.check(member, run, undefined);
      for (const { pattern, cell } of patterns) {
        if (!pattern.test(key)) continue;
        isKnown = true;
        if (!isMatched && run.isFull) break;
        isMatched = cell.check(member, run, undefined) && isMatched;
      }
      if (isKnown) evaluated?.add(key);
      else if (others !== undefined) isMatched = others.check(member, run, undefined);
      else if (isClosed) {
        isValid = run.fail("additionalProperties", schema, key);
        from = run.failureCount;
      }
      if (!isMatched) {
        isValid = false;
        run.addStep(from, key);
        from = run.failureCount;
      }
      if (!isValid && run.isFull) break;
    }
    run.leave();
    if (evaluated && !isOpen) evaluated.all = true;
    if (isValid && fillDefaults && run.changes) fillDefaults(value, run);
    return isValid;
  };
  return patterns.length > 0 ? asFork(check) : check; // several can match a property
};

const compileNames: Compile = (node, compiler) => {
  const cell = compiler.cellOf(node.at("propertyNames"));
  return (value, run) => {
    if (!isObject(value)) return true;
    let isValid = true;
    for (const name of memberNames(value)) {
      const from = run.failureCount;
      run.enter([name]); // not a member of the value
      const isMatched = cell.check(name, run, undefined);
      run.leave();
      if (isMatched) continue;
      isValid = false;
      run.nameProperty(from, name);
      if (run.isFull) break;
    }
    return isValid;
  };
};

const compileDependencies: Compile = ({ schema }) => {
  const dependencies = Object.entries(schema.dependentRequired as Readonly<Record<string, string[]>>);
  return (value, run) => {
    if (!isObject(value)) return true;
    for (const [name, others] of dependencies) {
      if (!hasMember(value, name)) continue;
      const missing = others.find((other) => !hasMember(value, other));
      if (missing !== undefined) return run.fail("dependentRequired", schema, { name, missing });
    }
    return true;
  };
};

function defineSize(name: string, words: string, holds: (size: number, limit: number) => boolean): Keyword {
  return {
    form: form.count,
    compile: ({ schema }) => {
      const limit = Number(schema[name]);
      return (value, run) => !isObject(value) || holds(memberNames(value).length, limit) || run.fail(name, schema);
    },
    describe: (schema, _, { noun }) => `must have ${words} ${countOf(schema[name], noun)}`,
  };
}

export const objectKeywords: Keywords = {
  minProperties: defineSize("minProperties", "at least", (size, limit) => size >= limit),
  maxProperties: defineSize("maxProperties", "at most", (size, limit) => size <= limit),
  required: {
    form: form.texts,
    compile: compileRequired,
    describe: (_, name, { noun }) => describeMissing(`${name}`, noun),
    namesPart: true,
  },
  dependentRequired: {
    form: form.textsByName,
    compile: compileDependencies,
    describe: (_, detail, { noun }) => {
      const { name, missing } = detail as { readonly name: string; readonly missing: string };
      return `must have the ${noun} '${shorten(missing)}', because it has the ${noun} '${shorten(name)}'`;
    },
  },
  properties: { form: form.schemasByName, applies: "member", compile: compileMembers },
  patternProperties: { form: form.schemasByPattern, applies: "member", compile: compileMembers },
  additionalProperties: {
    form: form.schema,
    applies: "member",
    compile: compileMembers,
    describe: ({ properties }, name, { noun }) => describeUnknown(`${name}`, noun, namesOf(properties)),
    namesPart: true,
  },
  propertyNames: { form: form.schema, applies: "name", compile: compileNames },
};
