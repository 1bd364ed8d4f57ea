// References, identifiers and definitions (JSON Schema 2020-12, sections 8 and 8.2).

import { asFork, type Cell } from "../evaluation.ts";
import type { Compile, Keywords } from "../keyword.ts";
import * as form from "../value-forms.ts";

const compileReferences: Compile = (node, compiler) => {
  const [first, second] = node.references().map((target) => compiler.referTo(target)) as [Cell, Cell?];
  if (second === undefined) return (value, run, evaluated) => first.check(value, run, evaluated);
  return asFork((value, run, evaluated) => first.check(value, run, evaluated) && second.check(value, run, evaluated));
};

export const coreKeywords: Keywords = {
  $ref: { form: form.text, applies: "reference", compile: compileReferences },
  $dynamicRef: { form: form.text, applies: "reference", compile: compileReferences },
  $id: { form: form.text },
  $anchor: { form: form.text },
  $dynamicAnchor: { form: form.text },
  $schema: { form: form.text },
  $defs: { form: form.schemasByName, applies: "nothing" },
  contentSchema: { form: form.schema, applies: "nothing" }, // an annotation
};
