// The sentences about an invalid value.
import { type Problem, shorten } from "../../lib/index.ts";
import type { Failure } from "./evaluation.ts";
import type { Describe, Wording } from "./keyword.ts";
import { vocabulary } from "./vocabulary.ts";

const maxPath = 200; // characters

/** Describes what is wrong with a value: each problem once. */
export function describeFailures(failures: readonly Failure[], wording: Wording): Problem[] {
  const problems = new Map<string, Problem>();
  for (const failure of failures) {
    const problem = describe(failure, wording);
    problems.set(`${problem.path} ${problem.requirement}`, problem);
  }
  return [...problems.values()];
}

function describe(failure: Failure, wording: Wording): Problem {
  const { keyword, detail, steps } = failure;
  const requirement = requirementOf(failure, wording);
  const hasPart = vocabulary.get(keyword)?.namesPart === true && failure.name === undefined;
  return { path: toPath(steps), ...(hasPart && { part: toPath([`${detail}`, ...steps]) }), requirement };
}

function requirementOf({ keyword, schema, detail, name }: Failure, wording: Wording): string {
  const describe: Describe = vocabulary.get(keyword)?.describe ?? (() => `must match the keyword "${keyword}"`);
  const requirement = describe(schema, detail, wording, (inner) => describeInside(inner, wording));
  return name === undefined ? requirement : `has the ${wording.noun} '${shorten(name)}', whose name ${requirement}`;
}

// A sentence of its own, such as "its field 'owner.name' must be a string".
function describeInside(failure: Failure, wording: Wording): string {
  const path = toPath(failure.steps);
  const subject = path === "" ? "it" : `its ${wording.noun} '${path}'`;
  return `${subject} ${requirementOf(failure, wording)}`;
}

// The path of a part in messages, such as `owner.name`. The steps are those of a failure, the innermost first.
function toPath(steps: readonly (string | number)[]): string {
  return shorten(steps.toReversed().join("."), maxPath);
}
