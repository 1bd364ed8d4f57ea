// The plan of a document, as plain data: what each of its operations does with which collection, or why it needs a handler.
import type { Document } from "../openapi/index.ts";
import type { Filter } from "../store/index.ts";
import type { AnsweredOperation, OperationKind } from "./recognition/answered-operation.ts";
import type { ListEnvelope, RecordEnvelope } from "./recognition/envelopes.ts";
import { findAnswered, findCreated } from "./recognition/find-answered.ts";
import { readResources } from "./recognition/find-resources.ts";
import type { PageParameters } from "./recognition/page-parameters.ts";
import type { PropertyForm, PropertyOperation } from "./recognition/property-operations.ts";
import type { Resource } from "./recognition/resource.ts";
import type { ResponseHeaders } from "./recognition/response-headers.ts";
import type { Source } from "./record/record-maker.ts";

/** What is answered from records, and how. It can be written as JSON. */
export interface Plan {
  readonly collections: readonly PlannedCollection[];
  /** All operations of the document, in its order. */
  readonly operations: readonly PlannedOperation[];
}

/** A collection of records. */
export interface PlannedCollection {
  readonly name: string;
  /** The path of the collection, or of the only record. */
  readonly path: string;
  /** Whether it is one record, and no collection. */
  readonly isSingle: boolean;
  /** The parameter of the path with the id of a record. Empty for a single one. */
  readonly parameter: string;
  /** Where a record has its id; undefined if only its path has it. */
  readonly id: { readonly path: readonly string[]; readonly type: "integer" | "string" } | undefined;
  /** Whether no operation creates records, so that they are imported: until then, its operations respond with 501. */
  readonly isImported: boolean;
  /** Who makes the id of a new record. */
  readonly idFrom: readonly ("server" | "client")[];
  /** The parameters of the path that select the scope of a record. */
  readonly scope: readonly string[];
  readonly filters: readonly Filter[];
}

/** An operation of the document. */
export interface PlannedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly does?: PlannedAction;
  /** Why it needs a handler. Completes "The operation … ". */
  readonly not?: string;
}

/** What an operation does. */
export interface PlannedAction {
  readonly kind: OperationKind;
  /** The name of the collection. */
  readonly collection: string;
  /** The property of the record, and how the body of the request has it, if the operation is about a part of a record. */
  readonly part?: { readonly property: string; readonly body: PropertyForm | undefined } | undefined;
  /** The member of the request's body with the record; undefined if it is the body. */
  readonly bodyMember?: string | undefined;
  /** The members of a new record that no request has to send. */
  readonly makes: Readonly<Record<string, Source>>;
  /** The bodies of the responses, by status; null for one without content. */
  readonly responses: Readonly<Record<string, RecordEnvelope | ListEnvelope | null>>;
  /** The parameters of a list that select its page. */
  readonly page?: PageParameters | undefined;
  readonly headers: ResponseHeaders;
  /** The parameters and members of the body whose effect is not known: a request that has one gets a 501. */
  readonly refused: readonly string[];
  /** What is only likely. Each completes "The operation … ". */
  readonly doubts: readonly string[];
}

/** Returns the plan of a document. */
export function planOf(document: Document): Plan {
  const answered = findAnswered(document);
  const { known, parts, reasons } = answered;
  const created = findCreated(answered);
  const actions = new Map([...known, ...parts].map((one) => [one.operation, toAction(one)]));
  const operations = document.operations.map((operation): PlannedOperation => {
    const { id, method, path } = operation;
    const [does, not] = [actions.get(operation), reasons.get(id)];
    return { id, method, path, ...(does ? { does } : not !== undefined && { not }) };
  });
  const used = new Set([...actions.values()].map(({ collection }) => collection));
  const collections = readResources(document)
    .filter(({ name }) => used.has(name))
    .map((one) => toCollection(one, !one.isSingle && !created.has(one)));
  return { collections, operations };
}

function toCollection(resource: Resource, isImported: boolean): PlannedCollection {
  const { name, path, isSingle, idPath, collection, scopeParameters, takesId, operations, newRecord, parameter } =
    resource;
  const isRequired = takesId && newRecord.required.includes(idPath.join("."));
  const isChosen = takesId && !(collection.idType === "int64" && collection.isScoped);
  const makers = operations.create
    ? [!isRequired && ("server" as const), isChosen && ("client" as const)]
    : ["client" as const];
  return {
    name,
    path,
    isSingle,
    isImported,
    parameter,
    id: idPath.length > 0 ? { path: idPath, type: collection.idType === "int64" ? "integer" : "string" } : undefined,
    idFrom: isSingle || isImported ? [] : makers.filter((maker) => maker !== false),
    scope: scopeParameters,
    filters: collection.filters.filter(({ isScope }) => !isScope),
  };
}

function toAction(standard: AnsweredOperation | PropertyOperation): PlannedAction {
  const { kind, resource, status, createdStatus, envelopes, list, maker, bodyMember, headers } = standard;
  const envelopeOf = (one: number) => (one === status && list ? list.envelope : envelopes.get(one));
  const statuses = [...new Set([status, createdStatus])];
  return {
    kind,
    collection: resource.name,
    part: "name" in standard ? { property: standard.name, body: standard.body } : undefined,
    bodyMember,
    makes: kind === "update" ? {} : (maker?.made ?? {}),
    responses: Object.fromEntries(statuses.map((one) => [one, envelopeOf(one) ?? null])),
    page: list?.parameters,
    headers,
    refused: [...standard.refused.map(({ value }) => value.name), ...standard.controls],
    doubts: standard.doubts,
  };
}
