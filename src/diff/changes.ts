// The changes between two documents: each is said once, with the operations that it concerns.
import { getOrAdd } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import { locate, type SourceLocation } from "../openapi/tools.ts";
import { type Compared, compareOperations, type Entry } from "./compare-operations.ts";
import type { Direction, Rating } from "./keywords.ts";
import { describePart } from "./location.ts";
import type { Finding, Step } from "./steps.ts";

/** A change between two versions of a document. */
export interface Change {
  /** `breaking` breaks callers, or is rated by no rule. `documentation` is text for people. */
  readonly rating: Rating;
  /** The field or keyword that changed, or what became of a part, such as `property-removed`. */
  readonly rule: string;
  /** The part, such as: query parameter `limit`. */
  readonly location: string;
  /** A sentence about the part. */
  readonly text: string;
  /** Those that have the part. Empty for a part of the document itself. */
  readonly operations: readonly ChangedOperation[];
  /** The place in both versions: of the part, or of what has it in the other one. */
  readonly old: SourceLocation;
  readonly new: SourceLocation;
}

/** An operation that a change concerns. */
export interface ChangedOperation {
  readonly operationId: string | null;
  readonly method: string;
  readonly path: string;
}

interface Group {
  readonly finding: Finding;
  /** The same for changes that differ in their ratings only. */
  readonly sentence: string;
  readonly entries: Set<Entry | undefined>;
}

const ratings: readonly Rating[] = ["breaking", "compatible", "documentation"];
const sides: Readonly<Record<Direction, string>> = {
  request: ", in requests",
  response: ", in responses",
  unrated: "",
};

/** Returns the changes between two versions of a document, breaking ones first. `today` is an ISO 8601 date. */
export function compareDocuments(old: Document, revised: Document, today: string): Change[] {
  const groups = [...group(compareOperations(old, revised, today))];
  // A part that both directions have, with other ratings.
  const bySentence = Map.groupBy(groups, ({ sentence }) => sentence);
  const locations = [old.placeOf, revised.placeOf].map((placeOf, index) =>
    locate(groups.map(({ finding }) => placeOf(index === 0 ? finding.old : finding.new))),
  );
  const changes = groups.map(({ finding, sentence, entries }, index): Change => {
    const { rating, rule, text, direction } = finding;
    const isSplit = bySentence.get(sentence)?.[1] !== undefined;
    const isRemoved = finding.rule.endsWith("-removed");
    const [first] = entries;
    const part = describePart(isRemoved ? old : revised, isRemoved ? finding.old : finding.new, first?.part.pointer);
    return {
      rating,
      rule,
      location: `${part}${isSplit ? sides[direction] : ""}`,
      text,
      operations: [...entries].flatMap((entry) => (entry ? toOperation(entry) : [])),
      old: locations[0]?.[index] as SourceLocation,
      new: locations[1]?.[index] as SourceLocation,
    };
  });
  return changes.sort((one, other) => ratings.indexOf(one.rating) - ratings.indexOf(other.rating));
}

function group(compared: readonly Compared[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  const relevant = findRelevant(compared.map(({ step }) => step));
  for (const { entry, step } of compared) {
    const reached = new Set(relevant.has(step) ? [step] : []); // grows while it is read
    for (const { findings, next } of reached) {
      for (const finding of findings) {
        // What was removed is in one place, whatever lacks it.
        const old = /-added$/.test(finding.rule) ? "" : finding.old;
        const revised = /-removed$/.test(finding.rule) ? "" : finding.new;
        const sentence = [finding.rule, old, revised, finding.text].join("\n");
        const create = (): Group => ({ finding, sentence, entries: new Set() });
        getOrAdd(groups, `${finding.rating} ${sentence}`, create).entries.add(entry);
      }
      for (const one of next) if (relevant.has(one)) reached.add(one);
    }
  }
  return groups.values();
}

// Returns the steps behind which there are findings: few of those of a large document.
function findRelevant(starts: readonly Step[]): ReadonlySet<Step> {
  const around = new Map<Step, Step[]>();
  const all = new Set(starts);
  for (const step of all)
    for (const next of step.next) {
      getOrAdd(around, next, () => []).push(step);
      all.add(next);
    }
  const relevant = new Set([...all].filter(({ findings }) => findings.length > 0));
  for (const step of relevant) for (const outer of around.get(step) ?? []) relevant.add(outer);
  return relevant;
}

function toOperation({ method, path, part }: Entry): ChangedOperation {
  const { operationId } = part.value;
  return { operationId: typeof operationId === "string" ? operationId : null, method, path };
}
