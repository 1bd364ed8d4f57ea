// The members that no other keyword has evaluated (JSON Schema 2020-12, section 11).
import { Evaluated } from "../evaluation.ts";
import type { Keyword, Keywords } from "../keyword.ts";
import * as form from "../value-forms.ts";
import { countOf, describeUnknown } from "../wording.ts";

const compileLast: Keyword["compileLast"] = (node, compiler, others) => {
  const { schema } = node;
  const cellOf = (keyword: string) => (schema[keyword] === undefined ? undefined : compiler.cellOf(node.at(keyword)));
  const properties = cellOf("unevaluatedProperties");
  const items = cellOf("unevaluatedItems");
  return (value, run, outer) => {
    const isArray = Array.isArray(value);
    const keyword = isArray ? "unevaluatedItems" : "unevaluatedProperties";
    const cell = isArray ? items : properties;
    if (cell === undefined || typeof value !== "object" || value === null) return others(value, run, outer);
    run.forks += 1; // the other keywords and this one can evaluate the same member
    const evaluated = new Evaluated();
    let isValid = others(value, run, evaluated);
    const members = value as Readonly<Record<string | number, unknown>>;
    const position = run.enter(value);
    // If the others have failed, it is not known which members they would have evaluated.
    for (const key of isValid ? (isArray ? value.keys() : Object.keys(value)) : []) {
      if (evaluated.has(key) || members[key] === undefined) continue;
      const from = run.failureCount;
      position.key = key;
      if (schema[keyword] === false) isValid = run.fail(keyword, schema, key);
      else if (!cell.check(members[key], run, undefined)) {
        isValid = false;
        run.addStep(from, key);
      }
      if (!isValid && (run.isFull || (isArray && schema[keyword] === false))) break; // the others would say nothing new
    }
    run.leave();
    run.forks -= 1;
    if (outer) outer.all = true;
    return isValid;
  };
};

export const unevaluatedKeywords: Keywords = {
  unevaluatedProperties: {
    form: form.schema,
    applies: "member",
    compileLast,
    describe: (_, name, { noun }) => describeUnknown(`${name}`, noun),
    namesPart: true,
  },
  unevaluatedItems: {
    form: form.schema,
    applies: "member",
    compileLast,
    describe: (_, index) => `must have at most ${countOf(index, "item")}`,
  },
};
