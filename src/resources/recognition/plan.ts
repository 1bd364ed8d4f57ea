// The plan of a document, as plain data: which collections of records it has, and what each of its operations does with which one, or why
// it needs a handler. Requests are answered by it.

import type { CollectionPlan, OperationKind, ViewParameter } from "../record/collection-plan.ts";
import type { Sources } from "../record/member-sources.ts";
import type { BodyPlan } from "../record/record-maker.ts";
import type { OrderPlan } from "./lists/list-order.ts";
import type { ListCondition } from "./lists/list-parameters.ts";
import type { PageParameters } from "./lists/page-parameters.ts";
import type { ListEnvelope, RecordEnvelope } from "./responses/envelopes.ts";
import type { ResponseHeaders } from "./responses/response-headers.ts";
import type { ExpansionPlan } from "./responses/response-shape.ts";

/** What is answered from records, and how. It can be written as JSON. */
export interface Plan {
  readonly collections: readonly PlannedCollection[];
  /** All operations of the document, in its order. */
  readonly operations: readonly PlannedOperation[];
}

/** A collection, and how others depend on it. */
export interface PlannedCollection extends CollectionPlan {
  /** Whether no operation creates records of it, so that they are imported or made by handlers, see `hasWriters`: else, a 501. */
  readonly isImported: boolean;
  /** Who makes the id of a new record. */
  readonly idFrom: readonly ("server" | "client")[];
  /** The collection whose records must exist above those of this one. */
  readonly above: string | undefined;
  /** The collections whose records are below those of this one, from the highest to the lowest. */
  readonly below: readonly string[];
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

/** Returns whether handlers of the application can create records of any collection: one of their operations writes. */
export function hasWriters({ operations }: Plan, own: readonly string[]): boolean {
  return operations.some(({ id, method }) => own.includes(id) && method !== "GET" && method !== "HEAD");
}

/** What an operation does. */
export interface PlannedAction {
  readonly kind: OperationKind;
  /** The name of the collection. */
  readonly collection: string;
  /** The property of the record, if the operation is about a part of a record. */
  readonly part?: PartPlan | undefined;
  /** The parameters of its path that are members of the records, if it is at another path than the collection. */
  readonly within?: readonly ViewParameter[] | undefined;
  /** The collection whose records must exist above that path. */
  readonly above?: string | undefined;
  /** What the body of the request has of a record, and what the server makes. */
  readonly body?: BodyPlan | undefined;
  /** The collections of the members that are records whose ids a request has, by the names of the members. */
  readonly embedded?: Readonly<Record<string, string>> | undefined;
  /** The collections below, created by requests, whose records the members of a record have, by the names of the members. */
  readonly children?: Readonly<Record<string, string>> | undefined;
  readonly echoed?: EchoPlan | undefined;
  /** The query parameter with the id of a new record. */
  readonly idParameter?: string | undefined;
  /** The query parameter with the members that a change has, such as `title,author.name`: the others of its body have no effect. */
  readonly maskParameter?: string | undefined;
  /** The query parameter that selects members of the records in the response. */
  readonly fieldsParameter?: string | undefined;
  /** The query parameter that adds other records to the response. */
  readonly expansion?: ExpansionPlan | undefined;
  /** What an action does with a record, as the document declares it. */
  readonly set?: SetPlan | undefined;
  /** The status of a success. */
  readonly status: number;
  /** That of a PUT that creates a record. */
  readonly createdStatus: number;
  /** How the responses that have content contain a record, by status. */
  readonly envelopes: Readonly<Record<number, RecordEnvelope>>;
  /** How a list responds, and the parameters that select its page. */
  readonly list?: ListPlan | undefined;
  readonly headers: ResponseHeaders;
  /** The header with the Idempotency-Key of a creation. */
  readonly keyHeader: string;
  /** Whether a change without If-Match is rejected, with 428. */
  readonly requiresMatch: boolean;
  /** The parameters whose effect is not known: a request can't have them. */
  readonly refused: readonly RefusedParameter[];
  /** The members of the body that select what a response has, or whether anything is changed: a request can't have them. */
  readonly controls: readonly string[];
  /** What is only likely of its meaning, as usual names say it. Each completes "The operation … ". */
  readonly doubts: readonly string[];
}

/** What only the response of the operation has of a body, because no record can keep it. */
export interface EchoPlan {
  readonly members: readonly string[];
  /** The schema of the response. */
  readonly schema: string;
}

/** The value of a property, or an object with it, such as the record, of which only the property counts. */
export type PropertyForm = "property" | "object";

/** A part of a record. */
export interface PartPlan {
  readonly property: string;
  /** What a body contains; undefined if there is none. */
  readonly body: PropertyForm | undefined;
  /** The members that a change of the part changes, such as its time. */
  readonly updated: Sources;
  /** The schema of a body that is an object with it. */
  readonly schema?: string | undefined;
  /** What a response contains; undefined if it has no content. */
  readonly response: PropertyForm | undefined;
}

/** The members that an action sets, and the values that they must have before. */
export interface SetPlan {
  readonly members: Readonly<Record<string, unknown>>;
  readonly if: Readonly<Record<string, readonly unknown[]>>;
}

/** How a list responds. */
export interface ListPlan {
  readonly envelope: ListEnvelope;
  readonly parameters: PageParameters;
  /** The parameters that compare members in another way than the filters of the collection. */
  readonly conditions: readonly ListCondition[];
  /** The parameters that select the order. */
  readonly order?: OrderPlan | undefined;
  /** The values of filters that select all records, such as `all`. */
  readonly wildcards: Readonly<Record<string, readonly unknown[]>>;
}

/** A parameter whose effect is not known. */
export interface RefusedParameter {
  readonly in: string;
  readonly name: string;
  /** Its default, with which it has no effect. */
  readonly default?: unknown;
  /** The values that a request can't have: words in place of an id, such as `me`. */
  readonly values?: readonly string[];
}
