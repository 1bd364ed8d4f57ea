// The plan of `openapi-server serve` as text: which operations of a document are answered from records, and why others are not.
import type { Document } from "../openapi/index.ts";
import {
  type PageParameters,
  type Plan,
  type PlannedAction,
  type PlannedCollection,
  type PlannedOperation,
  planOf,
  type Source,
} from "../resources/index.ts";

// In the order in which they are listed.
const effects: Readonly<Record<PlannedAction["kind"], string>> = {
  create: "creates",
  get: "returns one",
  list: "lists",
  replace: "replaces",
  update: "changes",
  delete: "deletes",
};
const kinds = Object.keys(effects);

/** Describes a plan, one line for each operation, by collection. `own` are the operations with a handler. */
export function describePlan({ collections, operations }: Plan, own: readonly string[] = []): string {
  const others = operations.filter(({ id }) => !own.includes(id));
  const sections = collections.flatMap((collection) => {
    const answered = others
      .filter(({ does }) => does?.collection === collection.name)
      .toSorted((a, b) => orderOf(a) - orderOf(b));
    return answered.length === 0 ? [] : [[describeCollection(collection), ...answered.flatMap(describeAction)]];
  });
  const handled = operations.filter(({ id }) => own.includes(id));
  if (handled.length > 0) sections.push(["Handlers:", ...handled.map(describeCall)]);
  const rejected = others.filter(({ does }) => does === undefined);
  const advice =
    "A function in the module of --handlers answers them. x-resource in the document says what names do not.";
  if (rejected.length > 0)
    sections.push(["Not answered (501):", ...rejected.map((one) => `${describeCall(one)} ${one.not}`), advice]);
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function orderOf({ does }: PlannedOperation): number {
  return does === undefined ? 0 : kinds.indexOf(does.kind) + (does.part ? kinds.length : 0);
}

function describeAction(operation: PlannedOperation): string[] {
  const { kind, part, list, body, refused, controls, doubts } = operation.does as PlannedAction;
  const effect = part ? `${effects[kind].replace(" one", "")} ${part.property} of one` : effects[kind];
  const { limit, offset, page, cursor }: Partial<PageParameters> = list?.parameters ?? {};
  const guesses = Object.entries({
    "pages by": [limit, offset, page, cursor].filter((name) => name !== undefined),
    makes: Object.entries(body?.created ?? {}).map(describeMade),
    "501 with": [...refused.map(({ name }) => name), ...controls],
  }).map(([words, names]) => (names.length === 0 ? "" : `; ${words} ${names.join(", ")}`));
  return [
    `${describeCall(operation)}: ${effect}${guesses.join("")}`,
    ...doubts.map((doubt) => `    Doubt: it ${doubt}.`),
  ];
}

// A member that no request has, with its value and the reason for it.
function describeMade([name, source]: [string, Source]): string {
  if ("time" in source) return `${name} (the time)`;
  return `${name} (${JSON.stringify(source.value)}: ${source.because})`;
}

function describeCall({ id, method, path }: PlannedOperation): string {
  return `  ${method} ${path}  ${id}`;
}

/**
 * Counts the operations that are answered: `7 of 9 operations are answered from records in PLACE`, also `2 of 9 … by handlers, and 7 from
 * records in PLACE`, and `2 more when their records are imported`.
 */
export function countAnswered(document: Document, place: string, own: readonly string[] = []): string {
  const { collections, operations } = planOf(document);
  const imported = new Set(collections.filter(({ isImported }) => isImported).map(({ name }) => name));
  const answered = operations.filter(({ id, does }) => does && !own.includes(id));
  const later = answered.filter(({ does }) => imported.has(`${does?.collection}`)).length;
  const handled = operations.filter(({ id }) => own.includes(id)).length;
  const all = `${operations.length} operations are answered`;
  const count = `${answered.length - later}${handled === 0 ? ` of ${all}` : ""} from records in ${place}`;
  const more = later === 0 ? "" : `, and ${later} more when their records are imported`;
  return `${handled === 0 ? count : `${handled} of ${all} by handlers, and ${count}`}${more}`;
}

function describeCollection({ name, isSingle, isImported, id, idFrom, filters, parameter }: PlannedCollection): string {
  if (isSingle) return `${name}: a single record`;
  if (id.path.length === 0) return `${name}: the id is ${parameter} of the path`;
  const makers = isImported ? "the import" : idFrom.map((one) => `the ${one}`).join(" or ");
  const type = id.type === "int64" ? "an integer" : isImported || idFrom.includes("client") ? "a string" : "a UUID";
  const names = filters.map((filter) => filter.name).join(", ");
  return `${name}: the id is ${id.path.join(".")}, ${type} of ${makers}${names === "" ? "" : `; filters: ${names}`}`;
}
