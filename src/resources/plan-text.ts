// The plan as text: which operations of a document are answered from records, and why others are not.
import { toJson } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import { isComparison, type KeyMember, type Order } from "../store/index.ts";
import { planOf } from "./recognition/find-plan.ts";
import type { PageParameters } from "./recognition/lists/page-parameters.ts";
import {
  hasWriters,
  type Plan,
  type PlannedAction,
  type PlannedCollection,
  type PlannedOperation,
} from "./recognition/plan.ts";
import type { Source } from "./record/member-sources.ts";

// In the order in which they are listed.
const verbs: Readonly<Record<PlannedAction["kind"], string>> = {
  create: "creates",
  get: "returns",
  list: "lists",
  replace: "replaces",
  update: "changes",
  delete: "deletes",
};
const kinds = Object.keys(verbs);

/** Describes a plan, one line for each operation, by collection. `own` are the operations with a handler. */
export function describePlan({ collections, operations }: Plan, own: readonly string[] = []): string {
  const others = operations.filter(({ id }) => !own.includes(id));
  const sections = collections.flatMap((collection) => {
    const answered = others
      .filter(({ does }) => does?.collection === collection.name)
      .toSorted((a, b) => orderOf(a) - orderOf(b));
    return answered.length === 0
      ? []
      : [[describeCollection(collection), ...answered.flatMap((one) => describeAnswered(one, collection))]];
  });
  const handled = operations.filter(({ id }) => own.includes(id));
  if (handled.length > 0) sections.push(["Handlers:", ...handled.map(describeCall)]);
  const rejected = others.filter(({ does }) => does === undefined);
  const advice = "To answer them, add functions to the module of --handlers, or x-resource to the document.";
  if (rejected.length > 0)
    sections.push(["Not answered (501):", ...rejected.map((one) => `${describeCall(one)} ${one.not}`), advice]);
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function orderOf({ does }: PlannedOperation): number {
  return does === undefined ? 0 : kinds.indexOf(does.kind) + (does.part ? kinds.length : 0);
}

function describeAnswered(operation: PlannedOperation, collection: PlannedCollection): string[] {
  const does = operation.does as PlannedAction;
  return [
    `${describeCall(operation)}: ${describeAction(does)}${describeScans(does, collection)}`,
    ...describeDoubts(does).map((doubt) => `    ${doubt}`),
  ];
}

/** Describes what an operation does: `creates a record; makes created_at (the time)`. `of` can name the collection. */
export function describeAction(action: PlannedAction, of = ""): string {
  const { kind, part, set, list, body, refused, controls, fieldsParameter, expansion, children } = action;
  const record = kind === "list" && !part ? "records" : "a record";
  const { limit, offset, page, cursor }: Partial<PageParameters> = list?.parameters ?? {};
  const guesses = Object.entries({
    "pages by": [limit, offset, page, cursor].filter((name) => name !== undefined),
    "ordered by": [list?.order?.sort, list?.order?.direction].filter((name) => name !== undefined),
    compares: [...new Set((list?.conditions ?? []).map(({ parameter }) => parameter))],
    "has parts by": [fieldsParameter, expansion?.parameter].filter((name) => name !== undefined),
    makes: Object.entries(body?.created ?? {}).map(describeMade),
    "shows as they are": Object.keys(children ?? {}),
    "501 with": [
      ...refused.flatMap(({ name, values }) => values?.map((value) => `${name}=${value}`) ?? [name]),
      ...controls,
    ],
  }).map(([words, names]) => (names.length === 0 ? "" : `; ${words} ${names.join(", ")}`));
  if (set) return `${describeSet(set)} of a record${of}`;
  return `${verbs[kind]} ${part ? `${part.property} of ` : ""}${record}${of}${guesses.join("")}`;
}

// The parameters with which a list reads all records, because no index has what they compare or order by.
function describeScans({ list }: PlannedAction, { indexes }: PlannedCollection): string {
  const indexed = indexes.flat().map(({ path }) => path.join("."));
  const conditions = (list?.conditions ?? []).filter(({ members, operator, ignoresCase }) => {
    const isOrdered = operator === "eq" || isComparison(operator);
    return ignoresCase || !isOrdered || !members.every(({ path }) => indexed.includes(path.join(".")));
  });
  const sort = indexes.length === 0 ? (list?.order?.sort ?? []) : [];
  const names = new Set([sort, ...conditions.map(({ parameter }) => parameter)].flat());
  return names.size === 0 ? "" : `; no index for ${[...names].join(", ")}`;
}

/** Describes what is only likely of an operation, in sentences. */
export function describeDoubts({ doubts }: PlannedAction): string[] {
  return doubts.map((doubt) => `Doubt: it ${doubt}.`);
}

function describeSet({ members, if: conditions }: NonNullable<PlannedAction["set"]>): string {
  const set = Object.entries(members).map(([name, value]) => `${name} to ${toJson(value)}`);
  const needed = Object.entries(conditions).map(
    ([name, values]) => `${name} is ${values.map((one) => toJson(one)).join(" or ")}`,
  );
  return `sets ${set.join(", ")}${needed.length === 0 ? "" : `, if ${needed.join(" and ")},`}`;
}

// A member that no request has, with its value and the reason for it.
function describeMade([name, source]: [string, Source]): string {
  if ("time" in source) return `${name} (the time)`;
  if ("otherId" in source) return `${name} (a random id)`;
  if ("countOf" in source) return `${name} (the number of ${source.countOf})`;
  if ("caller" in source) return `${name} (the caller)`;
  if ("members" in source)
    return Object.entries(source.members)
      .map((one) => `${name}.${describeMade(one)}`)
      .join(", ");
  return `${name} (${toJson(source.value)}: ${source.because})`;
}

function describeCall({ id, method, path }: PlannedOperation): string {
  return `  ${method} ${path}  ${id}`;
}

/**
 * Counts the operations that are answered: `7 of 9 operations are answered from records in PLACE`, also `2 of 9 … by handlers, and 7 from
 * records in PLACE`, and `2 more when their records are imported`.
 */
export function countAnswered(document: Document, place: string, own: readonly string[] = []): string {
  const plan = planOf(document);
  const { collections, operations } = plan;
  const isMade = hasWriters(plan, own);
  const imported = new Set(collections.filter(({ isImported }) => isImported && !isMade).map(({ name }) => name));
  const answered = operations.filter(({ id, does }) => does && !own.includes(id));
  const later = answered.filter(({ does }) => imported.has(`${does?.collection}`)).length;
  const handled = operations.filter(({ id }) => own.includes(id)).length;
  const all = `${operations.length} operations are answered`;
  const count = `${answered.length - later}${handled === 0 ? ` of ${all}` : ""} from records in ${place}`;
  const more = later === 0 ? "" : `, and ${later} more when their records are imported`;
  return `${handled === 0 ? count : `${handled} of ${all} by handlers, and ${count}`}${more}`;
}

function describeCollection(collection: PlannedCollection): string {
  const { name, isSingle, isImported, id, idFrom, filters, parameter } = collection;
  if (isSingle) return `${name}: a single record`;
  const indexes = describeIndexes(collection);
  if (id.path.length === 0) return `${name}: the id is ${parameter} of the path${indexes}`;
  const makers = isImported ? "the import" : idFrom.map((one) => `the ${one}`).join(" or ");
  const type = id.type === "int64" ? "an integer" : isImported || idFrom.includes("client") ? "a string" : "a UUID";
  const names = filters.map((filter) => filter.name).join(", ");
  const rules = describeConstraints(collection);
  const other = id.other === undefined ? "" : `, or in paths ${id.other}`;
  return `${name}: the id is ${id.path.join(".")}, ${type} of ${makers}${other}${names === "" ? "" : `; filters: ${names}`}${indexes}${rules}`;
}

function describeConstraints({ uniques = [], references = [], owner, private: names = [] }: PlannedCollection): string {
  const toName = ({ property, member }: KeyMember) => [property, member].filter(Boolean).join(".");
  const texts = {
    unique: uniques.flatMap((one) => (one.length === 1 ? one.map(toName) : [`[${one.map(toName).join(", ")}]`])),
    references: references.map((one) => `${toName(one)} to ${one.to} (${one.onDelete})`),
    owner: owner ? [toName(owner)] : [],
    private: names,
  };
  return Object.entries(texts)
    .map(([words, all]) => (all.length === 0 ? "" : `; ${words}: ${all.join(", ")}`))
    .join("");
}

// As `x-resource` declares them.
function describeIndexes({ indexes, id }: PlannedCollection): string {
  const toName = ({ path, descending }: Order) =>
    `${descending ? "-" : ""}${(path.length === 0 ? id.path : path).join(".")}`;
  const texts = indexes.map((orders) =>
    orders.length === 1 ? orders.map(toName) : [`[${orders.map(toName).join(", ")}]`],
  );
  return texts.length === 0 ? "" : `; indexes: ${texts.join(", ")}`;
}
