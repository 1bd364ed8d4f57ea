// The operations of a document that a store can answer without a handler.
import { getOrAdd } from "../../lib/index.ts";
import type { Document, Operation } from "../../openapi/index.ts";
import type { AnsweredOperation, OperationKind } from "./answered-operation.ts";
import { actionOf, isKnownHeader, isRecordPath, listPathOf, normalizePath } from "./bodies-and-parameters.ts";
import { Examination } from "./examine-operation.ts";
import { readResources } from "./find-resources.ts";
import { findPropertyOperations, type PropertyOperation } from "./property-operations.ts";
import type { Resource } from "./resource.ts";
import { describeMissing, planHeaders } from "./response-headers.ts";
import { readOperationHint } from "./x-resource.ts";

/** What a store can answer of a document. */
export interface AnsweredOperations {
  readonly known: readonly AnsweredOperation[];
  readonly parts: readonly PropertyOperation[];
  /** Why it can't answer the others, by operationId. Completes "The operation … ". */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Finds the operations of a document that a store can answer, and why it can't answer the others. */
export function findAnswered(document: Document): AnsweredOperations {
  return getOrAdd(examined, document, () => examineOperations(document));
}

const examined = new WeakMap<Document, AnsweredOperations>();

/** Returns the resources of which a store can create records. Those of the others, if they are not single, must be imported. */
export function findCreated({ known }: AnsweredOperations): ReadonlySet<Resource> {
  return new Set(known.filter(({ kind }) => kind === "create" || kind === "replace").map(({ resource }) => resource));
}

// Why an operation belongs to no resource.
function describeOther(operation: Operation, { operations }: Document): string {
  const { method, path } = operation;
  const place = normalizePath(path);
  const has = (wanted: string, at: string) =>
    operations.some((one) => one.method === wanted && normalizePath(one.path) === at);
  const action = method === "POST" ? actionOf(operation) : undefined;
  if (readOperationHint(operation) === false) return "has x-resource: false";
  if (action !== undefined) return `has the name of an action: ${action}`;
  const isItem = isRecordPath(path);
  if (isItem && method === "GET") {
    const isMade = has("POST", listPathOf(path)) || has("PUT", place);
    return isMade
      ? "returns no record whose id is found, or that is created in the same form"
      : `returns what no POST ${listPathOf(path)} and no PUT of its path creates`;
  }
  if (method === "POST" && !isItem) {
    const get = operations.find(
      (one) => one.method === "GET" && isRecordPath(one.path) && listPathOf(one.path) === place,
    );
    return get
      ? `creates nothing that GET ${get.path} returns with its id`
      : `creates nothing that can be read: there is no GET ${place}/{…}`;
  }
  if (method === "GET") return "returns nothing that another operation creates or changes";
  return has("GET", place) ? "changes no record that GET of its path returns" : "has a path without a GET";
}

// A HEAD is the GET of its path, whose content is not sent.
function addHead(head: Operation, { known, parts, reasons }: FoundOperations): void {
  const isGet = ({ operation }: AnsweredOperation) => operation.method === "GET" && operation.path === head.path;
  const [get, part] = [known.find(isGet), parts.find(isGet)];
  const read = get ?? part;
  if (read === undefined) return;
  const headers = planHeaders(head, read.resource, { statuses: [read.status], creates: false });
  const isUnderstood = ({ value: { in: location, name } }: Operation["parameterParts"][number]) =>
    read.operation.parameterParts.some(({ value }) => value.in === location && value.name === name);
  const others = head.parameterParts.filter((one) => !isUnderstood(one) && !isKnownHeader(one));
  if (typeof headers === "string") reasons.set(head.id, describeMissing(headers));
  else if (!head.responses.declares(read.status))
    reasons.set(head.id, `declares no response ${read.status}, as the GET`);
  else {
    const own = { operation: head, headers, refused: [...read.refused, ...others] };
    if (get) known.push({ ...get, ...own });
    else if (part) parts.push({ ...part, ...own });
  }
}

interface FoundOperations {
  readonly known: AnsweredOperation[];
  readonly parts: PropertyOperation[];
  readonly reasons: Map<string, string>;
}

function examineOperations(document: Document): AnsweredOperations {
  const resources = readResources(document);
  const known: AnsweredOperation[] = [];
  const reasons = new Map<string, string>();
  for (const resource of resources)
    for (const [kind, operation] of Object.entries(resource.operations) as [OperationKind, Operation | undefined][]) {
      if (operation === undefined) continue;
      const result = new Examination(kind, operation, resource).run();
      if (typeof result === "string") reasons.set(operation.id, result);
      else known.push(result);
    }
  const isRead = (resource: Resource) => known.some((one) => one.resource === resource && one.kind === "get");
  const isTaken = ({ path }: Operation) => resources.some((one) => one.path === normalizePath(path));
  const parts = resources
    .filter(isRead)
    .flatMap((resource) => findPropertyOperations(document, resource))
    .filter(({ operation }) => !isTaken(operation) && readOperationHint(operation) !== false);
  for (const operation of document.operations.filter(({ method }) => method === "HEAD"))
    if (readOperationHint(operation) !== false) addHead(operation, { known, parts, reasons });
  const ids = new Set([...[...known, ...parts].map(({ operation }) => operation.id), ...reasons.keys()]);
  for (const operation of document.operations)
    if (!ids.has(operation.id)) reasons.set(operation.id, describeOther(operation, document));
  return { known, parts, reasons };
}
