// Schemas that apply to the value itself (JSON Schema 2020-12, sections 10.2 and 10.2.2).
import { isObject } from "../../../lib/index.ts";
import type { SchemaObject } from "../../source/document-types.ts";
import { asFork, type Cell, type Check, Evaluated, type Evaluation, type Failure, noMarks } from "../evaluation.ts";
import type { Compile, Compiler, Keyword, Keywords } from "../keyword.ts";
import type { SchemaNode } from "../node.ts";
import * as form from "../value-forms.ts";
import { hasMember } from "../value-forms.ts";
import { readDiscriminator } from "./discriminator.ts";

const maxCompared = 100; // alternatives of which the one that comes closest is found
const maxFailures = 5; // of each
const isAlternatives = /^(anyOf|oneOf)$/;

interface Alternative {
  readonly name: string;
  readonly cell: Cell;
}

function nameOf({ schema: { title, $ref } }: SchemaNode, index: number): string {
  if (typeof title === "string") return title;
  return typeof $ref === "string" ? $ref.replace(/^.*[/#]/, "") : `number ${index + 1}`;
}

/** `max` is how many of the alternatives can match. */
function defineAlternatives(keyword: "anyOf" | "oneOf", max: number): Keyword {
  return {
    form: form.schemas,
    applies: "alternative",
    compile: (node, compiler) => {
      const { schema } = node;
      const nodes = node.childrenOf(keyword).map((child) => child.node);
      const alternatives = nodes.map((node, index) => ({ name: nameOf(node, index), cell: compiler.cellOf(node) }));
      const check = compileAlternatives(keyword, schema, alternatives, max);
      const discriminator = readDiscriminator(node, nodes, compiler);
      if (discriminator === undefined) return check;
      return (value, run, evaluated) => {
        const selected = discriminator(value, run);
        if (selected === "none") return check(value, run, evaluated);
        return selected !== "failed" && selected.check(value, run, evaluated);
      };
    },
    describe: (_, detail, _parts, describe) => describeAlternatives(detail as Mismatch, max === 1, describe),
  };
}

function compileAlternatives(
  keyword: string,
  schema: SchemaObject,
  alternatives: readonly Alternative[],
  max: number,
): Check {
  const explain = (value: unknown, run: Evaluation, matching: readonly Alternative[]) => {
    if (!run.explains) return run.fail(keyword, schema);
    return run.fail(
      keyword,
      schema,
      matching.length > 0 ? { matching } : { closest: findClosest(alternatives, value, run) },
    );
  };
  return (value, run, evaluated) => {
    const matching: Alternative[] = [];
    run.forks += 1;
    for (const alternative of alternatives) {
      const inner = evaluated && new Evaluated();
      if (!run.matches(alternative.cell, value, inner)) continue;
      matching.push(alternative);
      if (inner) evaluated?.addAll(inner);
      if (matching.length > max) break;
      if (max > 1 && evaluated === undefined && run.changes === undefined) break; // no other one matters
    }
    const isValid = matching.length > 0 && matching.length <= max;
    const result = isValid || explain(value, run, matching);
    run.forks -= 1;
    return result;
  };
}

/** Why the alternatives do not match. */
interface Mismatch {
  /** Those that match, if they are too many. */
  readonly matching?: readonly Alternative[];
  readonly closest?: Closest | undefined;
}

interface Closest {
  readonly name: string;
  readonly failure: Failure;
}

// The alternative with the least failures, if another one has more. One of a different type, or with another value of a property
// that tells alternatives apart, comes less close than one that lacks a property, or has one that is unknown or invalid.
function findClosest(alternatives: readonly Alternative[], value: unknown, run: Evaluation): Closest | undefined {
  const ranked = alternatives.slice(0, maxCompared).flatMap(({ name, cell }) => {
    const failures = run.explain(cell, value, maxFailures);
    const first = failures[0] as Failure;
    const failure = isAlternatives.test(first.keyword) ? { ...first, detail: {} } : first; // one level, because it can recur
    return [{ name, failure, distance: distanceOf(failures) }];
  });
  const [first, second] = ranked.sort((a, b) => a.distance - b.distance);
  return second === undefined || (first as (typeof ranked)[0]).distance < second.distance ? first : undefined;
}

function distanceOf(failures: readonly Failure[]): number {
  let distance = 0;
  for (const { keyword, steps } of failures) {
    const isFixed = /^(type|const|enum)$/.test(keyword);
    if (isFixed && steps.length === 0) distance += 100;
    else if (isFixed && steps.length === 1) distance += keyword === "type" ? 2 : 10;
    else distance += /^(additional|unevaluated)Properties$/.test(keyword) ? 3 : 1;
  }
  return distance;
}

function describeAlternatives(
  { matching, closest }: Mismatch,
  isExclusive: boolean,
  describe: (failure: Failure) => string,
): string {
  const start = `must match ${isExclusive ? "exactly " : ""}one of the alternatives of its schema`;
  if (matching) return `${start}, but matches ${matching.map(({ name }) => name).join(" and ")}`;
  if (closest === undefined) return start;
  return `${start}. The closest is ${closest.name}, for which ${describe(closest.failure)}`;
}

// A required property that is not sent in this direction is missing for a condition, which rejects nothing.
function holds(condition: Cell, value: unknown, run: Evaluation, evaluated?: Evaluated): boolean {
  const { position } = run;
  const { marks } = position;
  position.marks = noMarks;
  const result = run.tests(condition, value, evaluated);
  position.marks = marks;
  return result;
}

const not: Keyword = {
  form: form.schema,
  applies: "test",
  compile: (node, compiler) => {
    const cell = compiler.cellOf(node.at("not"));
    return (value, run) => !holds(cell, value, run) || run.fail("not", node.schema);
  },
  describe: () => "has a value that the document excludes",
};

// `if`, `then` and `else`.
const compileCondition: Compile = (node, compiler) => {
  const condition = cellOf(node, "if", compiler);
  const positive = cellOf(node, "then", compiler);
  const negative = cellOf(node, "else", compiler);
  if (condition === undefined) return undefined;
  return asFork((value, run, evaluated) => {
    const inner = evaluated && new Evaluated();
    const isPositive = holds(condition, value, run, inner);
    if (isPositive && inner) evaluated?.addAll(inner);
    const branch = isPositive ? positive : negative;
    return branch === undefined || branch.check(value, run, evaluated);
  });
};

function cellOf(node: SchemaNode, keyword: string, compiler: Compiler): Cell | undefined {
  return node.schema[keyword] === undefined ? undefined : compiler.cellOf(node.at(keyword));
}

const compileDependentSchemas: Compile = (node, compiler) => {
  const dependencies = node
    .childrenOf("dependentSchemas")
    .map(({ key, node }) => ({ key, cell: compiler.cellOf(node) }));
  return asFork((value, run, evaluated) => {
    if (!isObject(value)) return true;
    let isValid = true;
    for (const { key, cell } of dependencies) {
      if (!hasMember(value, key) || cell.check(value, run, evaluated)) continue;
      if (run.isFull) return false;
      isValid = false;
    }
    return isValid;
  });
};

const branch = "then"; // Biome takes an object with this name for a promise

export const logicKeywords: Keywords = {
  allOf: { form: form.schemas, applies: "whole" }, // the compiler makes their checks those of the schema itself
  anyOf: defineAlternatives("anyOf", Number.POSITIVE_INFINITY),
  oneOf: defineAlternatives("oneOf", 1),
  not,
  if: { form: form.schema, applies: "test", compile: compileCondition },
  [branch]: { form: form.schema, applies: "branch", compile: compileCondition },
  else: { form: form.schema, applies: "branch", compile: compileCondition },
  dependentSchemas: { form: form.schemasByName, applies: "branch", compile: compileDependentSchemas },
};
