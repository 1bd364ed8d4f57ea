// The plan of `openapi-server serve`: which operations of a document are answered from records, and why others are not.
import type { Document, Operation } from "../openapi/index.ts";
import {
  findStandardOperations,
  type OperationKind,
  type Resource,
  type StandardOperation,
} from "../resources/index.ts";

const effects: Readonly<Record<OperationKind, string>> = {
  list: "lists",
  create: "creates",
  get: "returns one",
  replace: "replaces",
  update: "changes",
  delete: "deletes",
};

const partEffects = { get: "returns", replace: "replaces", update: "changes", delete: "deletes" } as const;

/** Describes what is answered from records, one line for each operation, by resource. `own` are the operations with a handler. */
export function describePlan(document: Document, own: readonly string[] = []): string {
  const { known, parts, reasons } = findStandardOperations(document);
  const answered = known.filter(({ operation }) => !own.includes(operation.id));
  const resources = [...new Set(answered.map(({ resource }) => resource))];
  const sections = resources.map((resource) => {
    const lines = answered
      .filter((one) => one.resource === resource)
      .flatMap((one) => [
        `  ${pathOf(one.operation)}  ${one.operation.id}: ${effects[one.kind]}${describeGuesses(one)}`,
        ...one.doubts.map((doubt) => `    Doubt: it ${doubt}.`),
      ]);
    const ofParts = parts
      .filter((one) => one.resource === resource && !own.includes(one.operation.id))
      .map((one) => `  ${pathOf(one.operation)}  ${one.operation.id}: ${partEffects[one.kind]} ${one.name} of one`);
    return [describeResource(resource), ...lines, ...ofParts].join("\n");
  });
  const handled = document.operations.filter(({ id }) => own.includes(id));
  if (handled.length > 0)
    sections.push(["Handlers:", ...handled.map((one) => `  ${pathOf(one)}  ${one.id}`)].join("\n"));
  const rejected = document.operations.filter(({ id }) => reasons.has(id) && !own.includes(id));
  const lines = rejected.map((one) => `  ${pathOf(one)}  ${one.id} ${reasons.get(one.id)}`);
  const advice =
    "A function in the module of --handlers answers them. x-resource in the document says what names do not.";
  if (rejected.length > 0) sections.push(["Not answered (501):", ...lines, advice].join("\n"));
  return `${sections.join("\n\n")}\n`;
}

// Names that are understood, members that are made, and parameters that are not understood.
function describeGuesses({ kind, list, maker, refused }: StandardOperation): string {
  const { limit, offset, page, cursor } = list?.parameters ?? {};
  const made = kind === "update" ? [] : (maker?.made ?? []);
  const parts = Object.entries({
    "pages by": [limit, offset, page, cursor].filter((name) => name !== undefined),
    makes: made,
    "501 with": refused.map(({ value }) => value.name),
  });
  return parts.map(([words, names]) => (names.length === 0 ? "" : `; ${words} ${names.join(", ")}`)).join("");
}

/** Returns the operationIds that are answered from records. */
export function listAnswered(document: Document): string[] {
  const { known, parts } = findStandardOperations(document);
  return [...known, ...parts].map(({ operation }) => operation.id);
}

/** Counts the operations that are answered: `7 of 9 operations are answered`, or `2 of 9 operations are answered by handlers, and 7`. */
export function countAnswered(document: Document, own: readonly string[] = []): string {
  const count = listAnswered(document).filter((id) => !own.includes(id)).length;
  const handled = document.operations.filter(({ id }) => own.includes(id)).length;
  const all = `${document.operations.length} operations are answered`;
  return handled === 0 ? `${count} of ${all}` : `${handled} of ${all} by handlers, and ${count}`;
}

function describeResource({ name, idPath, collection, newRecord, takesId, operations, isSingle, parameter }: Resource) {
  if (isSingle) return `${name}: a single record`;
  if (idPath.length === 0) return `${name}: the id is ${parameter} of the path`;
  const { idType, filters } = collection;
  const isChosen = takesId || operations.create === undefined;
  const isMade = operations.create !== undefined && !newRecord.required.includes(idPath.join("."));
  const maker = isMade && isChosen ? "the server or the client" : isMade ? "the server" : "the client";
  const type = idType === "int64" ? "an integer" : isChosen ? "a string" : "a UUID";
  const names = filters.flatMap((filter) => (filter.isScope ? [] : [filter.name])).join(", ");
  return `${name}: the id is ${idPath.join(".")}, ${type} of ${maker}${names === "" ? "" : `; filters: ${names}`}`;
}

function pathOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}
