// Finds the plan of a document: examines the operations of its collections, and says why the others need a handler.
import { getOrAdd } from "../../lib/index.ts";
import type { Document, Operation } from "../../openapi/index.ts";
import type { CollectionPlan, OperationKind } from "../record/collection-plan.ts";
import type { Resource } from "../record/resource.ts";
import { findJsonInPath } from "./bodies-and-parameters.ts";
import { readResources } from "./collections/find-collections.ts";
import { collectionAbove, collectionsBelow } from "./collections/parents.ts";
import { findAction, suggestAction } from "./operations/actions.ts";
import { Examination } from "./operations/examine-operation.ts";
import { isUnderstood, toRefused } from "./operations/examined-operation.ts";
import { findPropertyOperations } from "./operations/property-operations.ts";
import { actionOf, hasFragment, isRecordPath, listPathOf, normalizePath } from "./paths.ts";
import type { Plan, PlannedAction, PlannedCollection } from "./plan.ts";
import { describeMissing, planHeaders } from "./responses/response-headers.ts";
import { findChildren, findExpansion } from "./responses/response-shape.ts";
import { readOperationHint } from "./x-resource.ts";

const known = new WeakMap<Document, Plan>();

/** Returns the plan of a document. Throws a HintError if it has an `x-resource` that is wrong. */
export function planOf(document: Document): Plan {
  return getOrAdd(known, document, () => new Planner(document).run());
}

/** Returns the operationIds that are not answered from records, so that they need a handler. */
export function listUnanswered(document: Document): string[] {
  return planOf(document).operations.flatMap(({ id, does }) => (does ? [] : [id]));
}

/** Returns what the operation does that creates the records of a collection; undefined if none is answered. */
export function findCreation({ record, plan: { creation, operations } }: Resource): PlannedAction | undefined {
  const id = creation && operations[creation];
  return planOf(record.document).operations.find((one) => one.id === id)?.does;
}

/** What an operation does, or why it needs a handler. */
type Result = PlannedAction | string;

class Planner {
  readonly #document: Document;
  readonly #resources: readonly Resource[];
  readonly #results = new Map<Operation, Result>();

  constructor(document: Document) {
    this.#document = document;
    this.#resources = readResources(document);
  }

  run(): Plan {
    for (const resource of this.#resources) this.#addOperations(resource);
    for (const resource of this.#resources.filter((one) => this.#isRead(one))) this.#addParts(resource);
    for (const operation of this.#document.operations) {
      const action = findAction(operation, this.#resources);
      if (action !== undefined) this.#results.set(operation, action);
    }
    const others = this.#document.operations.filter(
      (one) => !this.#results.has(one) && readOperationHint(one) !== false,
    );
    for (const head of others.filter(({ method }) => method === "HEAD")) this.#addHead(head);
    const operations = this.#document.operations.map((operation) => {
      const { id, method, path } = operation;
      const found = this.#results.get(operation) ?? this.#describeOther(operation);
      if (typeof found === "string") return { id, method, path, not: found };
      const { scope } = this.#resourceOf(found).plan;
      const placed = found.within ? { ...found, above: this.#findAbove({ path, scope }) } : found;
      return { id, method, path, does: this.#addOthers(operation, placed) };
    });
    return { collections: this.#planCollections(), operations };
  }

  #addOperations(resource: Resource): void {
    for (const [kind, operation] of Object.entries(resource.operations) as [OperationKind, Operation][])
      this.#results.set(operation, new Examination(kind, operation, resource, this.#resources).run());
    for (const { kind, operation: id, within } of resource.plan.views) {
      const operation = this.#document.operations.find((one) => one.id === id) as Operation;
      this.#results.set(operation, new Examination(kind, operation, resource, this.#resources, within).run());
    }
  }

  #isRead({ operations: { get } }: Resource): boolean {
    return get !== undefined && typeof this.#results.get(get) === "object";
  }

  #addParts(resource: Resource): void {
    const isTaken = (path: string) => this.#resources.some((one) => one.path === normalizePath(path));
    for (const [operation, action] of findPropertyOperations(this.#document, resource))
      if (
        !isTaken(operation.path) &&
        readOperationHint(operation) !== false &&
        typeof this.#results.get(operation) !== "object"
      )
        this.#results.set(operation, action);
  }

  // A HEAD is the GET of its path, whose content is not sent.
  #addHead(head: Operation): void {
    const get = this.#document.operations.find(({ method, path }) => method === "GET" && path === head.path);
    const read = get && this.#results.get(get);
    if (get === undefined || typeof read !== "object") return;
    const resource = this.#resources.find(({ name }) => name === read.collection) as Resource;
    const headers = planHeaders(head, resource, { statuses: [read.status], creates: false });
    const isOfGet = ({ value: { in: location, name } }: Operation["parameterParts"][number]) =>
      get.parameterParts.some(({ value }) => value.in === location && value.name === name);
    const others = head.parameterParts.filter((one) => !isOfGet(one) && !isUnderstood(one)).map(toRefused);
    const result =
      typeof headers === "string"
        ? describeMissing(headers)
        : head.responses.declares(read.status)
          ? { ...read, headers, refused: [...read.refused, ...others] }
          : `declares no response ${read.status}, as the GET`;
    this.#results.set(head, result);
  }

  #describeOther(operation: Operation): string {
    const suggestion = suggestAction(operation, this.#document, this.#resources);
    const reason = describeOther(operation, this.#document);
    return suggestion === undefined ? reason : `${reason}, which ${suggestion} could answer`;
  }

  // The names of the collections of which the store can create records.
  get #created(): ReadonlySet<string> {
    const makers = this.#resources.flatMap(({ plan: { creation }, operations }) =>
      creation === undefined ? [] : (operations[creation] ?? []),
    );
    const views = [...this.#results].filter(([, does]) => typeof does === "object" && does.kind === "create");
    const created = [...makers, ...views.map(([operation]) => operation)].map((one) => this.#results.get(one));
    return new Set(created.flatMap((does) => (typeof does === "object" ? [does.collection] : [])));
  }

  // The collection whose records must exist above those of a path.
  #findAbove(place: Pick<CollectionPlan, "path" | "scope">): string | undefined {
    const parents = this.#resources.filter((one) => this.#isRead(one)).map(({ plan }) => plan);
    return collectionAbove(place, parents)?.name;
  }

  #resourceOf({ collection }: PlannedAction): Resource {
    return this.#resources.find(({ name }) => name === collection) as Resource;
  }

  // The other records that those of its collection have, or that a parameter adds.
  #addOthers(operation: Operation, action: PlannedAction): PlannedAction {
    if (action.part !== undefined) return action;
    const resource = this.#resourceOf(action);
    const results = [...this.#results.values()].filter((one) => typeof one === "object");
    const ofSame = results.filter((one) => one.collection === action.collection && one.part === undefined);
    const embedded = Object.assign({}, ...ofSame.map((one) => one.embedded));
    const created = this.#created;
    const children = findChildren(
      resource,
      this.#resources.filter(({ name }) => created.has(name)),
    );
    const found = {
      ...action,
      ...(Object.keys(embedded).length > 0 && { embedded }),
      ...(Object.keys(children).length > 0 && { children }),
    };
    const isRead = action.kind === "get" || action.kind === "list";
    const expansion = isRead ? findExpansion(operation, resource, this.#resources) : undefined;
    if (expansion === undefined) return found;
    return { ...found, expansion, refused: action.refused.filter(({ name }) => name !== expansion.parameter) };
  }

  #planCollections(): PlannedCollection[] {
    const created = this.#created;
    const plans = this.#resources.map(({ plan }) => plan);
    return this.#resources.map(({ plan, isImported: isAlways }) => {
      // A PATCH changes what exists.
      const isMade = plan.initial !== undefined || created.has(plan.name);
      const isImported = plan.isSingle ? isAlways || !isMade : !created.has(plan.name);
      return {
        ...plan,
        isImported,
        idFrom: isImported || plan.isSingle ? [] : findIdMakers(plan),
        above: this.#findAbove(plan),
        below: collectionsBelow(plan, plans).map(({ name }) => name),
      };
    });
  }
}

function findIdMakers({ creation, id, scope }: CollectionPlan): PlannedCollection["idFrom"] {
  if (creation !== "create") return ["client"];
  const isChosen = id.isSent && !(id.type === "int64" && scope.length > 0);
  return [...(id.isRequired ? [] : ["server" as const]), ...(isChosen ? ["client" as const] : [])];
}

// Why an operation belongs to no collection.
function describeOther(operation: Operation, { operations }: Document): string {
  const { method, path } = operation;
  const place = normalizePath(path);
  const has = (wanted: string, at: string) =>
    operations.some((one) => one.method === wanted && normalizePath(one.path) === at);
  const action = method === "POST" ? actionOf(operation) : undefined;
  if (readOperationHint(operation) === false) return "has x-resource: false";
  if (action !== undefined) return `has the name of an action: ${action}`;
  if (hasFragment(path)) return "has a path with a #, behind which a request has nothing";
  const json = findJsonInPath(operation);
  if (json !== undefined) return `has the parameter ${json} of its path as JSON`;
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
