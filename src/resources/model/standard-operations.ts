// The operations of a document that a store can answer without a handler: those whose meaning is certain, or at least likely.
import type { Document, Operation } from "../../openapi/application.ts";
import { Examination } from "./examination.ts";
import { readResources } from "./find-resources.ts";
import { findPartOperations, type PartOperation } from "./parts.ts";
import type { Resource } from "./resource.ts";
import { readOperationHint } from "./resource-hints.ts";
import type { Certainty, OperationKind, StandardOperation } from "./standard-operation.ts";

/** What a store can answer of a document. */
export interface StandardOperations {
  readonly known: readonly StandardOperation[];
  readonly parts: readonly PartOperation[];
  /** Why it can't answer the others, by operationId. Completes "The operation … ". */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Finds the operations of a document that a store can answer, and why it can't answer the others. */
export function findStandardOperations(document: Document, certainty: Certainty = "certain"): StandardOperations {
  const found = examined[certainty].get(document) ?? examineOperations(document, certainty);
  examined[certainty].set(document, found);
  return found;
}

const examined: Readonly<Record<Certainty, WeakMap<Document, StandardOperations>>> = {
  certain: new WeakMap(),
  likely: new WeakMap(),
};

function examineOperations(document: Document, certainty: Certainty): StandardOperations {
  const known: StandardOperation[] = [];
  const reasons = new Map<string, string>();
  for (const resource of readResources(document))
    for (const [kind, operation] of Object.entries(resource.operations) as [OperationKind, Operation | undefined][]) {
      if (operation === undefined) continue;
      const result = new Examination(kind, operation, resource, certainty).run();
      if (typeof result === "string") reasons.set(operation.id, result);
      else known.push(result);
    }
  const resources = certainty === "likely" ? readResources(document) : [];
  const isRead = (resource: Resource) => known.some((one) => one.resource === resource && one.kind === "get");
  const isTaken = ({ path }: Operation) => resources.some((one) => one.path === path);
  const parts = resources
    .filter(isRead)
    .flatMap((resource) => findPartOperations(document, resource))
    .filter(({ operation }) => !isTaken(operation) && readOperationHint(operation) !== false);
  const ids = new Set([...[...known, ...parts].map(({ operation }) => operation.id), ...reasons.keys()]);
  for (const operation of document.operations)
    if (!ids.has(operation.id))
      reasons.set(
        operation.id,
        readOperationHint(operation) === false
          ? "has x-resource: false"
          : "is none of a collection (POST /things, and GET /things/{id} with its id)",
      );
  return { known, parts, reasons };
}
